"""Names beside the points of a chart, moved apart up and down so that they can be read."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from core.stats.arrays import FloatArray

LINE = 0.052
"""Height of a line of text, as a share of the plot's height."""

MOST = 14
"""Names beyond this number do not fit; those of the best of their size stay."""


WIDEST = 0.46
"""The part of the plot's width that a name may take; on a narrow screen every name takes it."""

DODGE = 0.014
"""Points of the same place are set apart by this part of the plot's width, so that intervals do not cover."""


def dodged(x: FloatArray) -> FloatArray:
    """Return places along an axis (shares, 0 to 1), those nearer than DODGE moved apart, order kept."""
    order = np.argsort(x, kind="stable")
    step = min(DODGE, 0.5 / len(x))
    rightwards, leftwards = x[order].astype(float), x[order].astype(float)
    for place in range(1, len(x)):
        rightwards[place] = max(rightwards[place], rightwards[place - 1] + step)
        leftwards[-place - 1] = min(leftwards[-place - 1], leftwards[-place] - step)
    places = np.empty(len(x))
    # Both keep the distance, so their mean does, and it is centred on where the points are.
    places[order] = (rightwards + leftwards) / 2
    return places


def apart(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return where names stand vertically: a line apart where they would cover each other.

    Parameters
    ----------
    x, y
        Places of the points, as shares of the plot, 0 to 1. Names stand right of points in the left half, and
        left of those in the right half.

    Returns
    -------
    ndarray
        Shares of the plot's height, as near to y as they can be.
    """
    from_, to = np.where(x < 0.5, x, x - WIDEST), np.where(x < 0.5, x + WIDEST, x)
    places = y.astype(float).copy()
    top = max(0.98, LINE * len(places))
    for _ in range(200):
        places, moved = np.clip(places, 0.02, top), False
        order = np.argsort(places, kind="stable")
        for low, high in combinations(order, 2):
            gap = places[high] - places[low]
            if from_[low] < to[high] and from_[high] < to[low] and gap < LINE - 1e-6:
                places[low] -= (LINE - gap) / 2
                places[high] += (LINE - gap) / 2
                moved = True
        if not moved:
            break
    return places


def frontier(x: FloatArray, y: FloatArray) -> list[int]:
    """Return the points that no point at or left of them exceeds: the best for what they need."""
    order = sorted(range(len(x)), key=lambda place: (x[place], -y[place]))
    best, found = -np.inf, []
    for place in order:
        if y[place] > best:
            found.append(place)
            best = y[place]
    return found


def named(x: FloatArray, y: FloatArray) -> Sequence[int]:
    """Return the points whose names are shown: all while they fit, else the frontier and the best."""
    if len(x) <= MOST:
        return range(len(x))
    chosen = frontier(x, y)[-MOST:]
    for place in np.argsort(-y, kind="stable"):
        if len(chosen) >= MOST:
            break
        if int(place) not in chosen:
            chosen.append(int(place))
    return chosen
