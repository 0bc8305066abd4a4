"""Which of several filters and metrics of a samples file counts: one of each, or rows would count twice."""

from collections import Counter

from core.errors import SourceError
from core.importers.lm_eval.results import Task
from core.importers.lm_eval.scan import Seen
from core.importers.reader import Options

FIRST = ("exact_match", "acc", "pass@1", "pass_at_1", "em", "prompt_level_strict_acc")
"""Metrics of single answers that are right or wrong; any of them goes before others."""


def choose_filter(seen: Seen, about: Task, options: Options) -> str | None:
    """Return the filter asked for, else the first that the results name, else the first in the file."""
    wanted = [name for name in options.filters if name in seen.rows]
    named = [name for name in about.filters if name in seen.rows]
    return next(iter([*wanted, *named, *seen.rows]), None)


def choose_metric(seen: Seen, chosen: str | None, about: Task, options: Options) -> str:
    """Return the metric asked for, else one that tells right from wrong, else the first from 0 to 1."""
    metrics = seen.metrics.get(chosen or "", Counter[str]())
    fitting = [name for name, count in metrics.items() if count and name not in about.lower_is_better]
    wanted = [name for name in options.scorers if name in metrics]
    usual = [name for name in FIRST if name in fitting]
    return next(iter([*wanted, *usual, *fitting, *metrics]), "acc")


def check_choices(seen: list[Seen], options: Options) -> None:
    """Refuse a filter or metric that no file has.

    Raises
    ------
    SourceError
        The message names those there are.
    """
    filters = list(dict.fromkeys(name for one in seen for name in one.rows))
    metrics = list(dict.fromkeys(name for one in seen for found in one.metrics.values() for name in found))
    for flag, wanted, valid in (
        ("--filter", options.filters, filters),
        ("--scorer", options.scorers, metrics),
    ):
        if wanted and valid and not set(wanted) & set(valid):
            raise SourceError(f"{flag} {', '.join(wanted)}: no file has it; valid: {', '.join(valid)}")
