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
    columns = floats(x, y, accuracy, lower, upper, n)
    there = ~np.isnan(np.stack(columns[2:5])).any(axis=0) & (columns[5] > 0)
    place_x, place_y, value, low, high, weight = (column[there] for column in columns)
    along_x = _within_coefficients(place_x, place_y, weight)
    along_y = _within_coefficients(place_y, place_x, weight)
    drop_x, drop_y = (_mover(c, value, low, high) for c in (along_x, along_y))
    signs = (1.0 if drop.drop >= 0 else -1.0 for drop in (drop_x, drop_y))
    larger = next(signs) * along_x - next(signs) * along_y
    return SurfaceDrops(drop_x, drop_y, _mover(larger, value, low, high), cells=int(value.size))


def _within_coefficients(step: FloatArray, group: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the coefficients of the cells in the drop along `step` within groups, NaN if none."""
    if not step.size:
        return step
    row: IntArray = np.unique(group, return_inverse=True)[1].astype(np.int64)
    mean = np.bincount(row, weight * step) / np.bincount(row, weight)
    centred = step - mean[row]
    total = float(np.sum(weight * centred**2))
    return -weight * centred / total if total > 1e-9 else np.full(step.shape, np.nan)


def _mover(c: FloatArray, value: FloatArray, low: FloatArray, high: FloatArray) -> Drop:
    """Return a linear function of independent estimates with the interval recovered from theirs."""
    if not c.size or np.isnan(c).any():
        return Drop(float("nan"), float("nan"), float("nan"))
    # ReasonScape's intervals are not centred on the estimate: a bound is never on its wrong side.
    below = c * value - np.minimum(np.minimum(c * low, c * high), c * value)
    above = np.maximum(np.maximum(c * low, c * high), c * value) - c * value
    drop = float(np.sum(c * value))
    return Drop(drop, drop - float(np.sqrt(np.sum(below**2))), drop + float(np.sqrt(np.sum(above**2))))
