"""Intervals of survival, of cumulative incidences, of their quantiles, and of differences between them."""

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray, floats
from core.stats.intervals import Bounds, Z
from core.stats.survival import LifeTable


def log_log(value: ArrayLike, variance: ArrayLike) -> Bounds:
    """Interval of a share that stays in [0, 1]: ``F^exp(+-1.96 se/(F|ln F|))``.

    Parameters
    ----------
    value, variance
        Shapes that broadcast.

    Returns
    -------
    lower, upper : ndarray
        NaN where the value is not inside (0, 1).

    Notes
    -----
    Normal on the scale of ``ln(-ln F)``: Kalbfleisch, Prentice 2002, The Statistical Analysis of Failure
    Time Data, section 1.4.
    """
    share, spread = floats(value, variance)
    share = np.where((share > 0) & (share < 1), share, np.nan)
    stretch = np.exp(Z * np.sqrt(spread) / (share * -np.log(share)))
    return share**stretch, share ** (1 / stretch)


def incidence_interval(value: ArrayLike, variance: ArrayLike, known: ArrayLike) -> Bounds:
    """Interval of a cumulative incidence, also where it is 0 or 1.

    Parameters
    ----------
    value, variance
        The incidence and its variance; shapes that broadcast.
    known
        Effective number of observations that were not cut off by then.

    Returns
    -------
    lower, upper : ndarray
        `log_log`; ``[0, z^2/(n + z^2)]`` where the incidence is 0 and ``[n/(n + z^2), 1]`` where it is 1,
        which are Wilson's.
    """
    share, n = floats(value, known)
    lower, upper = log_log(share, variance)
    edge = Z * Z / (n + Z * Z)
    lower = np.where(share <= 0, 0.0, np.where(share >= 1, 1 - edge, lower))
    upper = np.where(share <= 0, edge, np.where(share >= 1, 1.0, upper))
    return lower, upper


def survival_interval(
    value: FloatArray, variance: FloatArray, known: FloatArray, at_risk: FloatArray
) -> Bounds:
    """Interval of survival along its curve.

    Parameters
    ----------
    value, variance, known
        Shape (K,), along ascending times; as in `incidence_interval`.
    at_risk
        Shape (K,): effective number at risk in the step that ends at the time.

    Returns
    -------
    lower, upper : ndarray
        As `incidence_interval`, but ``[0, U z^2/(n + z^2)]`` where survival is 0: n at risk in that step, U
        the upper bound before it (1 at the start).
    """
    lower, upper = incidence_interval(value, variance, known)
    before = np.concatenate([[1.0], upper[:-1]])
    return np.where(value <= 0, 0.0, lower), np.where(value <= 0, before * Z**2 / (at_risk + Z**2), upper)


def time_quantile(table: LifeTable, cause: int, share: float, n_eff: float) -> tuple[int, int, int]:
    """Return by which time a share of a cause's incidence so far seen had come, with its 95% bounds.

    Parameters
    ----------
    table
        With at least one event of the cause.
    share
        In (0, 1].
    n_eff
        Effective number of events of the cause.

    Notes
    -----
    The first time at which ``F(t)/F(last) >= share``; the bounds are where it reaches
    ``share -+ 1.96 sqrt(share (1 - share)/n_eff)`` (Woodruff 1952, J. Am. Stat. Assoc. 47:635). Where that is
    1 or more, no event bounds the time, and the last time at which anything ended does.
    """
    reached = table.incidence[cause] / table.incidence[cause][-1]
    half = Z * np.sqrt(share * (1 - share) / n_eff)
    # Sums of 1/n fall short of a bound that they equal.
    levels = np.array([share, share - half, share + half]) - 1e-12
    levels[2] = np.inf if levels[2] >= 1 - 1e-9 and share < 1 else levels[2]
    time, lower, upper = table.times[np.minimum(np.searchsorted(reached, levels), reached.size - 1)]
    return int(time), int(lower), int(upper)


def difference_interval(a: float, a_bounds: Bounds, b: float, b_bounds: Bounds, correlation: float) -> Bounds:
    """Interval of ``a - b`` from the intervals of both and the correlation of their errors.

    Notes
    -----
    ``a - b - sqrt((a - l_a)^2 - 2 r (a - l_a)(u_b - b) + (u_b - b)^2)`` and its mirror image above (Newcombe
    1998, Stat. Med. 17:2635; Zou, Donner 2008, Stat. Med. 27:1693).
    """

    def distance(one: FloatArray, other: FloatArray) -> FloatArray:
        squares = one**2 - 2 * correlation * one * other + other**2
        return np.sqrt(np.maximum(squares, 0))

    lower = a - b - distance(a - a_bounds[0], b_bounds[1] - b)
    upper = a - b + distance(a_bounds[1] - a, b - b_bounds[0])
    return np.maximum(lower, -1), np.minimum(upper, 1)
