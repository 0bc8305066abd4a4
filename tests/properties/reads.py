"""Every tier asked for a selection: its documents and tables, and its counts beside those counted by hand.

Each function reads one tier, checks it, and raises what the tier raises.
"""

from collections.abc import Callable

from tests.properties.asked import Asked
from tests.properties.reads_diagnose import (
    hazards,
    lengths,
    listed,
    models,
    pairs,
    spectra,
    surfaces,
    whole_report,
)
from tests.properties.reads_rank import clusters, evals, leaderboard, selection, tasks, web

READS: dict[str, Callable[[Asked], None]] = {
    "evals": evals,
    "tasks": tasks,
    "selection": selection,
    "scores": leaderboard,
    "cluster": clusters,
    "spiderweb": web,
    "surface": surfaces,
    "hazard": hazards,
    "fft": spectra,
    "compression": lengths,
    "compare": pairs,
    "completions": listed,
    "modelinfo": models,
    "report": whole_report,
}
"""Every tier with a page or a command."""

MAY_LACK = {"surface", "hazard", "fft"}
"""Tiers that may have nothing to show of a selection that has completions, and then say why."""
