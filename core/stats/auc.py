"""Which of two groups has the larger values: AUC within strata, its interval taking items as the sample."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import BoolArray, FloatArray, IntArray

Z = 1.96


@dataclass(frozen=True)
class Auc:
    """P(a value of the second group is larger), ties counted half; NaN where there is no number.

    Attributes
    ----------
    auc, lower, upper
        The estimate with its 95% interval.
    error
        Standard error of auc.
    n_first, n_second
        Values of each group in the strata that have both.
    strata
        How many strata have both.
    """

    auc: float
    lower: float
    upper: float
    error: float
    n_first: int
    n_second: int
    strata: int

    def with_error(self, error: float) -> "Auc":
        """Return the same estimate with another standard error and the interval that follows from it."""
        lower, upper = _interval(self.auc, error)
        return Auc(self.auc, lower, upper, error, self.n_first, self.n_second, self.strata)


NONE = Auc(math.nan, math.nan, math.nan, math.nan, 0, 0, 0)


def stratified_auc(
    value: ArrayLike,
    second: ArrayLike,
    stratum: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
) -> Auc:
    """Return the AUC within strata.

    Parameters
    ----------
    value
        Shape (n,): what is ranked; bins of equal values are ties.
    second
        Shape (n,): whether a row is of the second group.
    stratum
        Shape (n,): integer label; only values of one stratum are compared.
    weight
        Shape (n,): how many values a row stands for; 1 where absent.
    cluster
        Shape (n,): integer label of the item. Without it there is no standard error.

    Returns
    -------
    Auc
        ``sum_s w_s A_s / sum_s w_s``, ``A_s = U_s/(n1 n2)``, ``w_s = n1 n2/(n1 + n2 + 1)``, over the strata
        that have both groups.

    Notes
    -----
    Mann, Whitney 1947, Ann. Math. Stat. 18:50; weights of van Elteren 1960, Bull. Inst. Int. Stat. 37:351.
    Standard error from the placements of DeLong, DeLong, Clarke-Pearson 1988, Biometrics 44:837, summed by
    item as Obuchowski 1997, Biometrics 53:567 does: an item in several strata, or with several values, is
    one observation. Interval on the logit scale (Qin, Hotilovac 2008, Stat. Methods Med. Res. 17:207); none
    at 0 and 1, where nothing varies.
    """
    ranked = np.asarray(value)
    if not ranked.size:
        return NONE
    counts = np.ones(ranked.size) if weight is None else np.asarray(weight, dtype=np.float64)
    strata = np.unique(np.asarray(stratum), return_inverse=True)[1].astype(np.int64)
    order = np.lexsort((ranked, strata))
    positive = np.asarray(second, dtype=np.bool_)[order]
    ranked, strata, counts = ranked[order], strata[order], counts[order]
    ties = np.cumsum(_starts(strata, ranked)) - 1
    first = _Side(np.where(positive, 0.0, counts), ties, strata)
    other = _Side(np.where(positive, counts, 0.0), ties, strata)
    pairs = first.total * other.total
    usable = pairs > 0
    if not usable.any():
        return NONE
    weights = np.where(usable, pairs / (first.total + other.total + 1), 0.0)
    safe = np.where(usable, pairs, 1.0)
    won = np.bincount(strata, np.where(positive, counts, 0.0) * first.below, minlength=pairs.size)
    inside = won / safe
    total = float(weights.sum())
    auc = float((weights * inside).sum() / total)
    error = math.nan
    if cluster is not None:
        share = (weights / total)[strata]
        placed = np.where(
            positive,
            (first.below / np.maximum(first.total, 1)[strata] - inside[strata])
            / np.maximum(other.total, 1)[strata],
            (1 - other.below / np.maximum(other.total, 1)[strata] - inside[strata])
            / np.maximum(first.total, 1)[strata],
        )
        keep = usable[strata]
        error = _clustered_error((share * counts * placed)[keep], np.asarray(cluster)[order][keep])
    lower, upper = _interval(auc, error)
    return Auc(
        auc,
        lower,
        upper,
        error,
        round(float(first.total[usable].sum())),
        round(float(other.total[usable].sum())),
        int(usable.sum()),
    )


class _Side:
    """Counts of one group in rows sorted by stratum and value: below each row, ties half, and in all."""

    def __init__(self, counts: FloatArray, ties: IntArray, strata: IntArray) -> None:
        self.total = np.asarray(np.bincount(strata, counts), dtype=np.float64)
        tied = np.bincount(ties, counts)
        before = np.concatenate([[0.0], np.cumsum(self.total)[:-1]])
        self.below = (np.cumsum(tied) - tied / 2)[ties] - before[strata]


def _starts(strata: IntArray, ranked: FloatArray) -> BoolArray:
    starts = np.ones(ranked.size, dtype=np.bool_)
    starts[1:] = (strata[1:] != strata[:-1]) | (ranked[1:] != ranked[:-1])
    return starts


def _clustered_error(influence: FloatArray, cluster: IntArray) -> float:
    label = np.unique(cluster, return_inverse=True)[1]
    sums = np.bincount(label, influence)
    if sums.size < 2:
        return math.nan
    return math.sqrt(sums.size / (sums.size - 1) * float((sums**2).sum()))


def _interval(auc: float, error: float) -> tuple[float, float]:
    if not 0 < auc < 1 or not error > 0:
        return math.nan, math.nan
    logit, half = math.log(auc / (1 - auc)), Z * error / (auc * (1 - auc))
    return _expit(logit - half), _expit(logit + half)


def _expit(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0
