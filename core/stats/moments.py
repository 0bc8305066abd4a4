"""Intervals from moments, for means that were summed where the data are."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.stats.arrays import FloatArray, floats


def mean_interval(mean: ArrayLike, sd: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """95% t interval of a mean.

    Parameters
    ----------
    mean, sd, n
        Mean, sample standard deviation (n - 1 in the denominator) and number of values; shapes that
        broadcast.

    Returns
    -------
    lower, upper : ndarray
        ``mean +- t_{.975, n-1} * sd/sqrt(n)``; NaN with fewer than two values.
    """
    center, spread, size = floats(mean, sd, n)
    usable = size >= 2
    size = np.where(usable, size, 2.0)
    half = special.stdtrit(size - 1, 0.975) * spread / np.sqrt(size)
    half = np.where(usable, half, np.nan)
    return center - half, center + half
