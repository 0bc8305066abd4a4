"""The interval of a quotient of two estimates whose dependence is not known."""

from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray, floats, ratio


def quotient_interval(
    lower: ArrayLike, upper: ArrayLike, divisor_lower: ArrayLike, divisor_upper: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Interval of a/b from the 95% intervals of a and of b, which come from the same items.

    Parameters
    ----------
    lower, upper
        Interval of a, not negative.
    divisor_lower, divisor_upper
        Interval of b. Shapes broadcast.

    Returns
    -------
    lower, upper : ndarray
        ``lower / divisor_upper`` and ``upper / divisor_lower``; NaN where the divisor is not above 0.

    Notes
    -----
    Covers at least 95% whatever the correlation of a and b: on the log scale the half-width is the sum of
    both, and sd(ln a - ln b) <= sd(ln a) + sd(ln b).
    """
    low, high, small, large = floats(lower, upper, divisor_lower, divisor_upper)
    return ratio(low, large), ratio(high, small)
