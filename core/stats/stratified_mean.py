"""Mean of a quantity over strata of fixed size, from each stratum's moments."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.stats.arrays import BoolArray, FloatArray, IntArray, floats
from core.stats.clustered_mean import ClusteredMean


def stratified_mean(
    group: IntArray, n: ArrayLike, total: ArrayLike, squares: ArrayLike, per_item: ArrayLike, groups: int
) -> ClusteredMean:
    """Mean per completion of each group of strata, with a 95% interval.

    Parameters
    ----------
    group
        Shape (strata,): the group of each stratum, 0 to groups - 1.
    n, total, squares
        Shape (strata,): number of values, their sum and the sum of their squares.
    per_item
        Shape (strata,): mean number of completions of an item, weighted by itself (sum k^2 / sum k).
    groups
        Number of groups.

    Returns
    -------
    ClusteredMean
        Of shape (groups,). ``sum total / sum n +- t_{.975, nu} * sqrt(sum n_h s_h^2 per_item_h) / sum n``,
        not below 0, with s_h the standard deviation in a stratum and nu = sum n_h / per_item_h less the
        number of strata; no interval where no stratum has two values.

    Notes
    -----
    Cochran 1977, Sampling Techniques, section 5.4, with the design effect of completions of one item at its
    largest, 1 + (per_item - 1) * 1: as wide as if they were all the same. Strata of one value are pooled; a
    lone one is taken to vary like the others.
    """
    size, sums, power, repeat = floats(n, total, squares, np.maximum(per_item, 1.0))
    of = np.asarray(group, dtype=np.int64)

    def summed(values: FloatArray, where: BoolArray) -> FloatArray:
        return np.bincount(of[where], values[where], minlength=groups).astype(float)

    sound, single = size >= 2, (size > 0) & (size < 2)
    pool = tuple(summed(part, single) for part in (size, sums, power))
    pooled = pool[0] >= 2
    variance = summed(_spread(size, sums, power) * repeat, sound) + np.where(pooled, _spread(*pool), 0)
    strata = np.bincount(of[sound], minlength=groups) + pooled
    count = summed(size, size > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(count > 0, summed(sums, size > 0) / count, np.nan)
        known = summed(size, sound) + np.where(pooled, pool[0], 0)
        error = np.sqrt(variance * count / known) / count
    free = np.maximum(summed(size / repeat, sound) + np.where(pooled, pool[0], 0) - strata, 1.0)
    half = np.where(strata > 0, special.stdtrit(free, 0.975) * error, np.nan)
    return ClusteredMean(mean, np.maximum(mean - half, 0), mean + half)


def _spread(n: FloatArray, total: FloatArray, squares: FloatArray) -> FloatArray:
    """Return n times the sample variance; NaN with fewer than two values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inside: FloatArray = np.maximum(squares - total**2 / n, 0) * n / (n - 1)
    return inside
