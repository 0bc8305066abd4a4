"""What panels and figures show, in sentences made from them."""

from collections.abc import Sequence

from core.filters import Filters
from core.stats.auc import Auc
from core.store.dataset import Dataset
from core.tiers.compression.bins import PANELS
from core.tiers.compression.figures import overall_auc
from core.tiers.compression.length import Length
from core.tiers.compression.panels import Panels
from core.tiers.compression.parts import NO_SERIES, read_parts
from core.tiers.compression.suspects import LoopCounts
from core.tiers.methods import Methods
from core.tiers.words import capital


def panels_sentence(panels: Panels, stacks: Sequence[int | None]) -> str:
    """Return the numbers of a chart in words, as its alternative text."""
    counts = [
        f"{sum(panels.counted('n', outcome, stack) for stack in stacks):,} {outcome}" for outcome in PANELS
    ]
    return f"Panels of {counts[0]}, {counts[1]} and {counts[2]} completions."


def read_answer(
    dataset: Dataset, filters: Filters, methods: Methods, length: Length, counts: LoopCounts
) -> str:
    """Return what failures of a selection look like, in one sentence or two.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    parts = read_parts(dataset, filters, stacked=False, series=NO_SERIES)
    by_length, by_ratio, sampled = overall_auc(dataset, filters, parts, length, methods)
    told = answer(length, by_length, by_ratio, counts)
    if sampled and by_length.strata:
        n = by_length.n_first + by_length.n_second
        told += f" The comparison is of {n:,} completions of a seeded sample of items."
    return told


def answer(length: Length, by_length: Auc, by_ratio: Auc, counts: LoopCounts) -> str:
    """Return what failures look like, in one sentence."""
    told = "; ".join(filter(None, [_compared(length, by_length, by_ratio), _loops(counts)]))
    return (
        f"{capital(told)}."
        if told
        else "There are no two responses, one correct and one incorrect, whose length or size is known."
    )


def _compared(length: Length, by_length: Auc, by_ratio: Auc) -> str:
    told = [
        f"{_than(found, *words)} ({_auc_text(found)} on {name})"
        for found, words, name in (
            (by_length, ("longer than", "shorter than", "about as long as"), length.name),
            (
                by_ratio,
                ("less repetitive", "more repetitive", "about as repetitive"),
                "the compression ratio",
            ),
        )
        if found.strata
    ]
    if not told:
        return ""
    return (
        "Compared with correct ones of the same eval, task and tier, incorrect responses are"
        f" {' and '.join(told).replace(' than (', ' (').replace(' as (', ' (')}"
    )


def _than(found: Auc, above: str, below: str, equal: str) -> str:
    # Without an interval only complete separation says anything: all values may be the same.
    if not found.lower <= 0.5 <= found.upper and found.auc != 0.5:
        return above if found.auc > 0.5 else below
    return equal


def _auc_text(found: Auc) -> str:
    if found.lower != found.lower:
        return f"AUC {found.auc:.2f}"
    return f"AUC {found.auc:.2f}, 95% [{found.lower:.2f}, {found.upper:.2f}]"


def _loops(counts: LoopCounts) -> str:
    if not counts.sized:
        return ""
    if not counts.loops:
        return f"none of {counts.completions:,} responses is a suspected loop"
    outcomes = [
        f"{n:,} {outcome}"
        for outcome in ("correct", "incorrect", "invalid", "truncated", "error")
        if (n := counts.of(outcome))
    ]
    share = f"{counts.loops / counts.completions:.1%}"
    return (
        f"{counts.loops:,} of {counts.completions:,} responses ({share}) are suspected loops:"
        f" {', '.join(outcomes)}"
    )
