"""How much accuracy falls per step along the axes of a surface: which axis matters more."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray, IntArray, floats


@dataclass(frozen=True)
class Drop:
    """A drop in accuracy per step, with its 95% interval; NaN where it cannot be estimated."""

    drop: float
    lower: float
    upper: float


@dataclass(frozen=True)
class SurfaceDrops:
    """The drops along both axes of one surface.

    Attributes
    ----------
    x, y
        Drop per step to the right at the same y, and per step up at the same x.
    difference
        How much larger the change along x is than that along y, in size, from the same cells.
    cells
        Cells that the estimate uses.
    """

    x: Drop
    y: Drop
    difference: Drop
    cells: int


def surface_drops(
    x: ArrayLike, y: ArrayLike, accuracy: ArrayLike, lower: ArrayLike, upper: ArrayLike, n: ArrayLike
) -> SurfaceDrops:
    """Estimate the mean drop in accuracy per step along each axis of a surface.

    Parameters
    ----------
    x, y
        Shape (cells,): place of each cell on the axes, 0 for the first value.
    accuracy, lower, upper, n
        Shape (cells,): estimate, 95% interval and counted completions; cells without a number are left out.

    Returns
    -------
    SurfaceDrops
        NaN along an axis on which no two cells share their place on the other axis.

    Notes
    -----
    The drop along x is minus the slope of accuracy on the step, within rows of equal y, every completion
    weighing the same (the fixed-effects or "within" estimator: Wooldridge 2010, Econometric Analysis of Cross
    Section and Panel Data, section 10.5): ``-sum n (x - m_y) a / sum n (x - m_y)^2``, m_y the mean of x over
    the completions of the row. What differs between rows does not enter, so a gap in the grid biases nothing
    as long as the slope is the same in all rows; else it is a weighted mean of the rows' slopes.

    This is a linear function ``sum c a`` of cells that share no items. Its interval comes from the cells' own
    (MOVER: Zou, Huang, Zhang 2009, Computational Statistics and Data Analysis 53:1080): from
    ``sum c a - sqrt(sum (c a - min(c l, c u))^2)`` to ``sum c a + sqrt(sum (max(c l, c u) - c a)^2)``. The
    same holds for the difference of the two sizes, each drop taken with the sign that it has.
    """
    return surface_drops_each(np.zeros(np.shape(x), np.int64), x, y, accuracy, lower, upper, n, surfaces=1)[0]


def surface_drops_each(
    surface: ArrayLike, x: ArrayLike, y: ArrayLike, accuracy: ArrayLike, lower: ArrayLike, upper: ArrayLike,
    n: ArrayLike, *, surfaces: int,
) -> list[SurfaceDrops]:  # fmt: skip
    """Return `surface_drops` of many surfaces at once.

    Parameters
    ----------
    surface
        Shape (cells,): the place of each cell's surface in the result.
    surfaces : int
        How many there are; one without cells has NaN.
    """
    columns = floats(x, y, accuracy, lower, upper, n)
    there = ~np.isnan(np.stack(columns[2:5])).any(axis=0) & (columns[5] > 0)
    place_x, place_y, value, low, high, weight = (column[there] for column in columns)
    of: IntArray = np.asarray(surface, np.int64)[there]
    along_x = _within_coefficients(place_x, place_y, weight, of, surfaces)
    along_y = _within_coefficients(place_y, place_x, weight, of, surfaces)
    drop_x, drop_y = (_mover(c, value, low, high, of, surfaces) for c in (along_x, along_y))
    sign_x, sign_y = (np.array([1.0 if one.drop >= 0 else -1.0 for one in some]) for some in (drop_x, drop_y))
    larger = _mover(sign_x[of] * along_x - sign_y[of] * along_y, value, low, high, of, surfaces)
    cells = np.bincount(of, minlength=surfaces)
    return [
        SurfaceDrops(one_x, one_y, both, cells=int(count))
        for one_x, one_y, both, count in zip(drop_x, drop_y, larger, cells, strict=True)
    ]


def _within_coefficients(
    step: FloatArray, group: FloatArray, weight: FloatArray, of: IntArray, surfaces: int
) -> FloatArray:
    """Return the coefficients of the cells in the drop along `step` within groups of their surface."""
    places = np.unique(group, return_inverse=True)[1]
    row = np.unique(of * (group.size + 1) + places, return_inverse=True)[1]
    mean = np.bincount(row, weight * step) / np.bincount(row, weight)
    centred = step - mean[row]
    total = np.bincount(of, weight * centred**2, surfaces)[of]
    return np.where(total > 1e-9, -weight * centred / np.where(total > 1e-9, total, 1.0), np.nan)


def _mover(
    c: FloatArray, value: FloatArray, low: FloatArray, high: FloatArray, of: IntArray, surfaces: int
) -> list[Drop]:
    """Return for each surface a linear function of independent estimates, its interval from theirs."""
    # ReasonScape's intervals are not centred on the estimate: a bound is never on its wrong side.
    below = c * value - np.minimum(np.minimum(c * low, c * high), c * value)
    above = np.maximum(np.maximum(c * low, c * high), c * value) - c * value
    # A missing coefficient makes the whole sum missing; a surface without cells has none.
    total, low_, high_ = (np.bincount(of, part, surfaces) for part in (c * value, below**2, above**2))
    drop = np.where(np.bincount(of, minlength=surfaces) > 0, total, np.nan)
    bounds = zip(drop, drop - np.sqrt(low_), drop + np.sqrt(high_), strict=True)
    return [Drop(*map(float, one)) for one in bounds]
