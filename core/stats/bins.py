"""How a numeric axis is cut: its values as they are while they are few, else bins of about equal weight."""

from collections.abc import Iterable

import numpy as np

MOST_STEPS = 12
"""An axis with more values than this is binned, into no more bins than this."""

LEAST_BINS = 3
ITEMS_WANTED = 10
"""Items a cell should have on average: few items make few bins."""


def bin_count(items: int, *, axes: int = 1) -> int:
    """Return into how many bins each axis is cut.

    Parameters
    ----------
    items
        Items on the axes.
    axes
        1 for a projection, 2 for a surface.

    Returns
    -------
    int
        So many that a cell of all axes has ITEMS_WANTED items on average, within LEAST_BINS and MOST_STEPS.
    """
    return min(max(int((items / ITEMS_WANTED) ** (1 / axes)), LEAST_BINS), MOST_STEPS)


def cut(counted: Iterable[tuple[float, int]], most_bins: int) -> list[float] | list[tuple[float, float]]:
    """Return the steps of a numeric axis in ascending order.

    Parameters
    ----------
    counted
        Distinct values with the number of items that have them.
    most_bins
        Number of bins where there are more than MOST_STEPS values.

    Returns
    -------
    list
        The values themselves, or the bins of `quantile_bins`.
    """
    pairs = sorted(counted)
    return [value for value, _ in pairs] if len(pairs) <= MOST_STEPS else quantile_bins(pairs, most_bins)


def quantile_bins(counted: Iterable[tuple[float, int]], most: int) -> list[tuple[float, float]]:
    """Return closed bins (low, high) of about equally many items, in ascending order.

    Parameters
    ----------
    counted
        Distinct values with the number of items that have them.
    most
        Number of bins; fewer where one value alone fills a bin or more.

    Returns
    -------
    list of tuple
        A value lies in the bin that the middle of its items falls into; low and high are values.
    """
    pairs = sorted(counted)
    values = np.array([value for value, _ in pairs], dtype=np.float64)
    items = np.array([number for _, number in pairs], dtype=np.float64)
    middle = (np.cumsum(items) - items / 2) / items.sum()
    run = np.floor(middle * most).astype(np.int64)
    return [(float(values[run == k].min()), float(values[run == k].max())) for k in np.unique(run)]
