"""Mean of a quantity over completions that share items, with an interval that takes items as the sample."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.stats.arrays import FloatArray, floats


@dataclass(frozen=True)
class ClusteredMean:
    """Means with their 95% intervals; NaN where there is no number."""

    mean: FloatArray
    lower: FloatArray
    upper: FloatArray


def clustered_mean(
    items: ArrayLike, total: ArrayLike, count: ArrayLike, tt: ArrayLike, tc: ArrayLike, cc: ArrayLike
) -> ClusteredMean:
    """Mean per completion, from sums over items.

    Parameters
    ----------
    items
        Items with at least one completion.
    total, count
        Sums over items of t_i, the quantity summed over the item's completions, and c_i, their number.
    tt, tc, cc
        Sums over items of t_i^2, t_i*c_i and c_i^2. All shapes broadcast.

    Returns
    -------
    ClusteredMean
        ``r = sum t / sum c`` and ``r +- t_{.975, C-1} * sqrt(C/(C-1) * sum (t_i - r c_i)^2) / sum c``, not
        below 0; no interval with fewer than two items.

    Notes
    -----
    Ratio estimator with items as clusters (Cochran 1977, Sampling Techniques, section 6.4). Items are not
    stratified by difficulty here, so that the interval is on the wide side for a fixed difficulty grid.
    """
    C, T, N, squares, cross, counts = floats(items, total, count, tt, tc, cc)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(N > 0, T / N, np.nan)
        residual = np.maximum(squares - 2 * mean * cross + mean**2 * counts, 0)
        error = np.sqrt(C / (C - 1) * residual) / N
    usable = C >= 2
    half = special.stdtrit(np.where(usable, C - 1, 1.0), 0.975) * np.where(usable, error, np.nan)
    return ClusteredMean(mean, np.maximum(mean - half, 0), mean + half)
