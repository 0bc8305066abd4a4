"""Which of two groups has the larger values: AUC within strata, its interval taking items as the sample."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

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
    free
        Degrees of freedom of the error.
    """

    auc: float
    lower: float
    upper: float
    error: float
    n_first: int
    n_second: int
    strata: int
    free: float = math.inf

    def with_error(self, error: float) -> "Auc":
        """Return the estimate with another standard error and the normal interval that follows from it."""
        lower, upper = _interval(self.auc, error, math.inf)
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
    one observation. With A and B what the m_1 and m_2 items of either group add, each times
    ``sqrt(m/(m - 1))``, the variance is ``sum (A_i + B_i)^2``, with
    ``(V_1 + V_2)^2/(V_1^2/(m_1 - 1) + V_2^2/(m_2 - 1))`` degrees of freedom, ``V_1 = sum A_i^2`` (Brunner,
    Munzel 2000, Biom. J. 42:17). Interval on the logit scale (Qin, Hotilovac 2008, Stat. Methods Med. Res.
    17:207) with Student's t; none at 0 and 1, where nothing varies.
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
    error, free = math.nan, math.inf
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
        influence, items = (share * counts * placed)[keep], np.asarray(cluster)[order][keep]
        error, free = _clustered_error(influence, items, positive[keep])
    lower, upper = _interval(auc, error, free)
    return Auc(
        auc,
        lower,
        upper,
        error,
        round(float(first.total[usable].sum())),
        round(float(other.total[usable].sum())),
        int(usable.sum()),
        free,
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


def _clustered_error(influence: FloatArray, cluster: IntArray, second: BoolArray) -> tuple[float, float]:
    """Return the standard error and its degrees of freedom; NaN where a group has one item only."""
    names, label = np.unique(cluster, return_inverse=True)
    total, spent, added = 0.0, 0.0, np.zeros(names.size)
    for group in (~second, second):
        items = np.unique(label[group]).size
        if items < 2:
            return math.nan, math.inf
        own = math.sqrt(items / (items - 1)) * np.bincount(label[group], influence[group], names.size)
        power = float((own**2).sum())
        total, spent, added = total + power, spent + power**2 / (items - 1), added + own
    free = total**2 / spent if spent > 0 else math.inf
    return math.sqrt(float((added**2).sum())), max(free, 1.0)


def _interval(auc: float, error: float, free: float) -> tuple[float, float]:
    if not 0 < auc < 1 or not error > 0:
        return math.nan, math.nan
    quantile = Z if math.isinf(free) else float(special.stdtrit(free, 0.975))
    logit, half = math.log(auc / (1 - auc)), quantile * error / (auc * (1 - auc))
    return _expit(logit - half), _expit(logit + half)


def _expit(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0
