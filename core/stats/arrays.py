"""The array types every estimator speaks, and the two conversions they share."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


def floats(*values: ArrayLike) -> tuple[FloatArray, ...]:
    """Broadcast numbers against each other as float64 arrays.

    Parameters
    ----------
    *values
        Numbers or arrays of shapes that broadcast. Missing numbers are NaN.

    Returns
    -------
    tuple of ndarray
        One array per argument, all of the broadcast shape.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.
    """
    arrays: list[NDArray[Any]] = [np.asarray(value, dtype=np.float64) for value in values]
    return tuple(np.broadcast_arrays(*arrays))


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide, with NaN where the denominator is not positive.

    Parameters
    ----------
    numerator, denominator
        Arrays of shapes that broadcast.

    Returns
    -------
    ndarray
        ``numerator / denominator``, NaN where ``denominator <= 0``.
    """
    top, bottom = floats(numerator, denominator)
    quotient = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=quotient, where=bottom > 0)
    return quotient
