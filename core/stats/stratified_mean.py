"""Mean of a quantity over strata of fixed size, from each stratum's moments."""

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import BoolArray, FloatArray, IntArray, floats
from core.stats.clustered_mean import ClusteredMean, mean_bounds


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
        Of shape (groups,). ``sum total / sum n`` and `core.stats.clustered_mean.mean_bounds` of it with the
        error ``sqrt(sum v_h) / sum n``, ``v_h = n_h s_h^2 per_item_h``, s_h the standard deviation in a
        stratum, and ``(sum v_h)^2 / sum(v_h^2 / nu_h)`` degrees of freedom, at least 1,
        ``nu_h = max(n_h / per_item_h - 1, 1)``; no interval where no stratum has two values.

    Notes
    -----
    Cochran 1977, Sampling Techniques, section 5.4 (5.16: the degrees of freedom), with the design effect of
    completions of one item at its largest, 1 + (per_item - 1) * 1: as wide as if they were all the same.
    Strata of one value are pooled; a lone one is taken to vary like the others.
    """
    size, sums, power, repeat = floats(n, total, squares, np.maximum(per_item, 1.0))
    of = np.asarray(group, dtype=np.int64)

    def summed(values: FloatArray, where: BoolArray) -> FloatArray:
        return np.bincount(of[where], values[where], minlength=groups).astype(float)

    sound, single = size >= 2, (size > 0) & (size < 2)
    pool = tuple(summed(part, single) for part in (size, sums, power))
    pooled = pool[0] >= 2
    own, pools = _spread(size, sums, power) * repeat, np.where(pooled, _spread(*pool), 0)
    variance = summed(own, sound) + pools
    strata = np.bincount(of[sound], minlength=groups) + pooled
    count = summed(size, size > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(count > 0, summed(sums, size > 0) / count, np.nan)
        known = summed(size, sound) + np.where(pooled, pool[0], 0)
        error = np.sqrt(variance * count / known) / count
        spent = summed(own**2 / np.maximum(size / repeat - 1, 1.0), sound)
        spent = spent + pools**2 / np.maximum(pool[0] - 1, 1.0)
        # Where nothing varies the interval is the mean, whatever the degrees of freedom.
        free = np.where(spent > 0, np.maximum(variance**2 / np.where(spent > 0, spent, 1), 1.0), 1.0)
    lower, upper = mean_bounds(mean, np.where(strata > 0, error, np.nan), free)
    return ClusteredMean(mean, lower, upper)


def _spread(n: FloatArray, total: FloatArray, squares: FloatArray) -> FloatArray:
    """Return n times the sample variance; NaN with fewer than two values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inside: FloatArray = np.maximum(squares - total**2 / n, 0) * n / (n - 1)
    return inside
