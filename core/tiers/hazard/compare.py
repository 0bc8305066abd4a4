"""Evals compared: the difference of what they have answered correctly by N tokens, and log-rank tests."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import pandas as pd

from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.stats.arrays import FloatArray
from core.stats.incidence_interval import difference_interval
from core.stats.influence import ItemRows, influences
from core.stats.logrank import logrank
from core.stats.multiplicity import holm
from core.store.dataset import Dataset
from core.tiers.hazard.aids import CORRECT, Bounded, budget_cost
from core.tiers.hazard.curves import Curves, estimate_curves
from core.tiers.hazard.groups import Group, read_groups
from core.tiers.hazard.read import CAUSES, Observed, read_observed
from core.tiers.hazard.table import Hazard, no_tokens
from core.tiers.methods import Methods
from core.tiers.split import IDENTITY

MOST_COMPARED = 6
"""Evals that one chart can hold apart."""

EVAL_DIMENSIONS = (*IDENTITY, "eval_id")

WARNING = (
    "The log-rank test asks whether two evals have the same cause-specific hazard at every length, the other"
    " way of ending taken as a cut-off: with competing ends that is not the same as asking who is right more"
    " often. The evals answered the same items: the test takes items as the sample (completions, where"
    " repeats are taken as independent); p is adjusted by Holm."
)


@dataclass(frozen=True)
class Difference:
    """An eval against the baseline, at a budget.

    Attributes
    ----------
    eval_id
        The eval.
    accuracy
        Share answered correctly within the budget; None where the eval was not run that far.
    difference
        That minus the baseline's, paired on items; None for the baseline and where either is None.
    common_items
        Items that both have answered.
    """

    eval_id: int
    accuracy: Bounded | None
    difference: Bounded | None
    common_items: int


@dataclass(frozen=True)
class LogRankRow:
    """A log-rank test of an eval against the baseline, p adjusted over all tests of the comparison."""

    eval_id: int
    cause: str
    chi2: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class Comparison:
    """Evals on the same completions of the rest of the split.

    Attributes
    ----------
    hazard
        The curves, a group an eval, the baseline first; `split` is that of the rest.
    part
        Values of the rest of the split.
    title
        What they are.
    """

    hazard: Hazard
    evals: tuple[int, ...]
    part: tuple[object, ...]
    title: str

    def budget(self, wanted: int | None) -> int:
        """Return the tokens to compare at: those wanted, else the most that every eval was followed to."""
        if wanted is not None:
            return wanted
        cut = [one.reach for one in self.hazard.curves if not one.ended]
        return min(cut) if cut else max(one.reach for one in self.hazard.curves)


def rest_of(split: Sequence[str]) -> tuple[str, ...]:
    """Return the dimensions of a split that do not tell evals apart: each of their values is compared in."""
    return tuple(name for name in split if name not in EVAL_DIMENSIONS)


def read_comparison(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    evals: Sequence[int],
    *,
    split: Sequence[str],
    part: Group | None,
    bucket_size: int,
) -> Comparison:
    """Read the curves of some evals on one value of the rest of a split.

    Parameters
    ----------
    filters : Filters
        As the user gave them; their eval filter is replaced by the evals.
    evals : sequence of int
        The baseline first.
    part : Group, optional
        A group of the rest of the split; None where there is no rest.

    Raises
    ------
    FilterError
        Fewer than two evals, too many, or evals that the dataset does not have.
    NothingFoundError
        Fewer than two of the evals have completions with token counts there.
    """
    wanted = tuple(dict.fromkeys(evals))
    if not 2 <= len(wanted) <= MOST_COMPARED:
        raise FilterError(f"A comparison needs two to {MOST_COMPARED} different evals; given: {list(evals)}")
    filters = replace(filters, eval_id=wanted, groups=()).resolved(dataset.catalog)
    rest = rest_of(split)
    values = () if part is None else part.values
    grouping = read_groups(dataset, filters, (*rest, "eval_id"))
    groups = {int(group.values[-1]): group for group in grouping.groups if group.values[:-1] == values}
    some = [groups[one] for one in wanted if one in groups]
    observed = read_observed(dataset, filters, grouping, some, by_item=True)
    there = [one for one in observed if one.table.n]
    if len(there) < 2:
        without = [one for one in observed if not one.table.n]
        title = "" if part is None else f" at {part.title}"
        reason = f": {no_tokens(without)}" if without else ""
        raise NothingFoundError(
            f"Fewer than two of these evals have completions with token counts{title}{reason}"
        )
    curves = tuple(estimate_curves(one, methods, bucket_size) for one in there)
    hazard = Hazard(rest, curves, (), dataset.config, filters, methods, bucket_size)
    present = tuple(int(one.group.values[-1]) for one in curves)
    return Comparison(hazard, present, values, "All completions" if part is None else part.title)


def differences(comparison: Comparison, wanted: int | None) -> list[Difference]:
    """Return each eval at a budget of so many tokens, and its difference to the first."""
    budget = comparison.budget(wanted)
    methods = comparison.hazard.methods
    curves = comparison.hazard.curves
    accuracies = [
        budget_cost(one, methods, budget).accuracy if known_at(one, budget) else None for one in curves
    ]
    base, base_accuracy = curves[0], accuracies[0]
    found = []
    for eval_id, one, accuracy in zip(comparison.evals, curves, accuracies, strict=True):
        common = np.intersect1d(_item_ids(base), _item_ids(one)).size
        difference = None
        if one is not base and accuracy is not None and base_accuracy is not None:
            bounds = difference_interval(
                accuracy.value, _bounds(accuracy), base_accuracy.value, _bounds(base_accuracy),
                _correlation(one, base, budget),
            )  # fmt: skip
            value = accuracy.value - base_accuracy.value
            difference = Bounded(value, float(bounds[0]), float(bounds[1]), one.n + base.n)
        found.append(Difference(eval_id, accuracy, difference, int(common)))
    return found


def known_at(curves: Curves, tokens: int) -> bool:
    """Whether the data reach so far: everything has ended by then, or is followed at least to there."""
    return tokens <= curves.reach or curves.ended


def _bounds(found: Bounded) -> tuple[FloatArray, FloatArray]:
    return np.float64(found.lower), np.float64(found.upper)  # type: ignore[return-value]


def _item_ids(curves: Curves) -> np.ndarray:
    rows = curves.observed.rows
    return np.empty(0, dtype=np.int64) if rows is None else rows.ids


def _correlation(one: Curves, other: Curves, tokens: int) -> float:
    """Return the correlation of the errors of both incidences, over the items that both answered."""
    by_item = []
    for curves in (one, other):
        table, rows = curves.observed.table, curves.observed.rows
        if rows is None:
            return 0.0
        influence = next(islice(influences(table, rows, table.places([tokens])), 1))[CORRECT]
        by_item.append(pd.Series(influence, index=rows.ids))
    spread = float(np.sqrt((by_item[0] ** 2).sum() * (by_item[1] ** 2).sum()))
    joint = float((by_item[0] * by_item[1]).sum())
    return float(np.clip(joint / spread, -1, 1)) if spread > 0 else 0.0


def _rows(one: Observed, other: Observed) -> tuple[ItemRows, ItemRows] | None:
    return None if one.rows is None or other.rows is None else (one.rows, other.rows)


def logranks(comparison: Comparison) -> list[LogRankRow]:
    """Return the log-rank tests of each eval against the first, for both ways of ending."""
    base, *others = (one.observed for one in comparison.hazard.curves)
    clusters = comparison.hazard.methods.repeats == "cluster"
    tests = [
        (eval_id, cause, logrank(other.table, base.table, place, _rows(other, base) if clusters else None))
        for eval_id, other in zip(comparison.evals[1:], others, strict=True)
        for place, cause in enumerate(CAUSES)
    ]
    adjusted = holm([test.p for _, _, test in tests])
    return [
        LogRankRow(eval_id, cause, test.chi2, test.p, float(p))
        for (eval_id, cause, test), p in zip(tests, adjusted, strict=True)
    ]
