"""Median of values that share items, and of values counted in bins, with order-statistic intervals."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray

Z = 1.96


@dataclass(frozen=True)
class Median:
    """A median with its 95% interval; NaN where there is no number.

    Attributes
    ----------
    n
        Values it is of.
    design_effect
        How many times wider than for independent values the squared interval is, at least 1.
    """

    median: float
    lower: float
    upper: float
    n: int
    design_effect: float


def clustered_median(
    value: ArrayLike, *, weight: ArrayLike | None = None, cluster: ArrayLike | None = None
) -> Median:
    """Return the median of values.

    Parameters
    ----------
    value
        Shape (n,).
    weight
        Shape (n,): how many values a row stands for; 1 where absent.
    cluster
        Shape (n,): integer label of the item; each row is its own item where absent.

    Returns
    -------
    Median
        The interval goes between the order statistics at ``0.5 -+ 1.96 sqrt(0.25 d/n)``, d the design
        effect; none where that leaves [0, 1].

    Notes
    -----
    Woodruff 1952, J. Am. Stat. Assoc. 47:635: the variance of the share of values below the median, items as
    clusters, read off as quantiles. Values equal to the median count half.
    """
    values = np.asarray(value, dtype=np.float64)
    counts = np.ones(values.size) if weight is None else np.asarray(weight, dtype=np.float64)
    if not values.size:
        return Median(math.nan, math.nan, math.nan, 0, math.nan)
    order = np.argsort(values, kind="stable")
    ranked, below = values[order], np.cumsum(counts[order])
    n = float(below[-1])
    median = _quantile(ranked, below, 0.5)
    effect = 1.0 if cluster is None else _design_effect(np.sign(median - values) / 2, counts, cluster)
    low, high = _places(n, effect)
    bounds = (math.nan, math.nan) if low <= 0 else (_at(ranked, below, low), _at(ranked, below, high))
    return Median(median, *bounds, round(n), effect)


def binned_median(index: ArrayLike, count: ArrayLike, per_e: float, design_effect: float = 1.0) -> Median:
    """Return the median of positive values counted in bins that are equal on the log scale.

    Parameters
    ----------
    index, count
        Shape (n,): ``floor(ln(value) * per_e)`` and how many values there are; a bin may come twice.
    per_e
        Bins per factor e.
    design_effect
        Of the interval; see Median.

    Returns
    -------
    Median
        Interpolated on the log scale inside its bin, and its bounds too.
    """
    bins, inverse = np.unique(np.asarray(index, dtype=np.float64), return_inverse=True)
    counts = np.bincount(inverse, np.asarray(count, dtype=np.float64))
    n = float(counts.sum())
    if n <= 0:
        return Median(math.nan, math.nan, math.nan, 0, math.nan)
    below = np.cumsum(counts)

    def at(share: float) -> float:
        place = min(int(np.searchsorted(below, share * n)), bins.size - 1)
        inside = (share * n - (below[place] - counts[place])) / counts[place]
        return math.exp((bins[place] + min(max(inside, 0.0), 1.0)) / per_e)

    low, high = _places(n, design_effect)
    bounds = (math.nan, math.nan) if low <= 0 else (at(low), at(high))
    return Median(at(0.5), *bounds, round(n), design_effect)


def _places(n: float, effect: float) -> tuple[float, float]:
    half = Z * math.sqrt(0.25 * effect / n)
    return 0.5 - half, 0.5 + half


def _design_effect(score: FloatArray, counts: FloatArray, cluster: ArrayLike) -> float:
    """Return the variance of the sum of scores with items as clusters, over that with independent values."""
    label = np.unique(np.asarray(cluster), return_inverse=True)[1]
    score = score - np.average(score, weights=counts)
    sums = np.bincount(label, score * counts)
    independent = float((counts * score**2).sum())
    if sums.size < 2 or independent == 0:
        return max(1.0, float(counts.sum())) if sums.size < 2 else 1.0
    return max(1.0, sums.size / (sums.size - 1) * float((sums**2).sum()) / independent)


def _quantile(ranked: FloatArray, below: FloatArray, share: float) -> float:
    """Return the value that `share` of the counts lie below; the mean of two where it falls between them."""
    wanted = share * below[-1]
    place = min(int(np.searchsorted(below, wanted)), ranked.size - 1)
    if below[place] == wanted and place + 1 < ranked.size:
        return float((ranked[place] + ranked[place + 1]) / 2)
    return float(ranked[place])


def _at(ranked: FloatArray, below: FloatArray, share: float) -> float:
    return float(ranked[min(int(np.searchsorted(below, share * below[-1])), ranked.size - 1)])
