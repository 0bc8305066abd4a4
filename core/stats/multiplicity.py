"""Corrections of p-values for the number of tests in one section: Holm and Benjamini-Hochberg."""

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray, IntArray


def holm(p: ArrayLike) -> FloatArray:
    """Holm's step-down p-values: reject those at most alpha, and any false rejection has chance alpha.

    Parameters
    ----------
    p
        Shape (m,); NaN is a test that could not be made and does not count towards m.

    Returns
    -------
    ndarray
        Shape (m,), adjusted p-values; NaN where p is NaN.

    Raises
    ------
    ValueError
        If p is not one-dimensional.

    Notes
    -----
    Holm 1979, Scand. J. Stat. 6:65. Valid under any dependence of the tests.
    """
    values, made = _tests(p)
    sorted_p, order, m = _ascending(values[made])
    stepped = np.maximum.accumulate(sorted_p * (m - np.arange(m)))
    return _restore(values, made, order, stepped)


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Benjamini-Hochberg p-values: of those at most q, an expected share of at most q is false.

    Parameters
    ----------
    p
        Shape (m,); NaN is a test that could not be made and does not count towards m.

    Returns
    -------
    ndarray
        Shape (m,), adjusted p-values; NaN where p is NaN.

    Raises
    ------
    ValueError
        If p is not one-dimensional.

    Notes
    -----
    Benjamini, Hochberg 1995, J. R. Stat. Soc. B 57:289. Valid for independent or positively dependent tests.
    """
    values, made = _tests(p)
    sorted_p, order, m = _ascending(values[made])
    scaled = sorted_p * m / np.arange(1, m + 1)
    stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    return _restore(values, made, order, stepped)


def _tests(p: ArrayLike) -> tuple[FloatArray, IntArray]:
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"p must be one-dimensional, not of shape {values.shape}")
    return values, np.flatnonzero(~np.isnan(values))


def _ascending(p: FloatArray) -> tuple[FloatArray, IntArray, int]:
    order = np.argsort(p, kind="stable")
    return p[order], order, p.size


def _restore(values: FloatArray, made: IntArray, order: IntArray, adjusted: FloatArray) -> FloatArray:
    """Put adjusted p-values, capped at 1, back into the places of the tests that were made."""
    out = np.full(values.shape, np.nan)
    out[made[order]] = np.minimum(adjusted, 1)
    return out
