"""Maximal cliques: the largest groups of models of which no two are separated; a model may be in several."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import BoolArray, floats

Clique = tuple[int, ...]
"""Positions of members, ascending."""

MOST_CLIQUES = 1_000
"""A graph of n models can have 3^(n/3) maximal cliques; the search stops here and says so."""

# Bounds that are equal but for rounding touch: 0.5 - 0.2 and 0.1 + 0.2 differ by 5e-17.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Cliques:
    """Maximal cliques of a graph.

    Attributes
    ----------
    cliques
        In lexicographic order: with models numbered best first, those with the best models first.
    complete
        Whether these are all of them, or the search stopped at its cap.
    """

    cliques: tuple[Clique, ...]
    complete: bool


def interval_cliques(center: ArrayLike, margin: ArrayLike) -> Cliques:
    """All maximal cliques of the overlap graph, by sort and sweep.

    Parameters
    ----------
    center, margin
        Shape (n,): the intervals ``center +- margin``. A model without a number (NaN) is in no clique.

    Returns
    -------
    Cliques
        Always complete; at most n.

    Raises
    ------
    ValueError
        If the arrays are not one-dimensional and equally long.

    Notes
    -----
    Models i and j are linked where ``|c_i - c_j| <= m_i + m_j``. In an interval graph every maximal clique is
    the set of intervals that are open just before one of them ends, the first end after a start
    (Fulkerson, Gross 1965, Pacific J. Math. 15:835). Time is n log n plus the size of the answer.
    """
    middle, half = np.asarray(center, dtype=np.float64), np.asarray(margin, dtype=np.float64)
    if middle.ndim != 1 or middle.shape != half.shape:
        raise ValueError("center and margin must be one-dimensional and equally long")
    middle, half = floats(middle, half)
    known = np.flatnonzero(~np.isnan(middle) & ~np.isnan(half))
    start, end = (middle - half)[known], (middle + half)[known] + ROUNDING
    at = np.concatenate([start, end])
    ends = np.repeat([False, True], known.size)
    model = np.concatenate([known, known])
    # Starts come before ends at the same place: intervals that touch overlap.
    order = np.lexsort((ends, at))
    open_now = np.zeros(middle.size, dtype=np.bool_)
    found: list[Clique] = []
    started = False
    for one, closes in zip(model[order].tolist(), ends[order].tolist(), strict=True):
        if closes and started:
            found.append(tuple(np.flatnonzero(open_now).tolist()))
        open_now[one] = started = not closes
    return Cliques(tuple(sorted(found)), True)


def graph_cliques(linked: ArrayLike, *, most: int = MOST_CLIQUES) -> Cliques:
    """Maximal cliques of any graph, those with the first models first.

    Parameters
    ----------
    linked
        Shape (n, n), symmetric: whether two models are linked. The diagonal says whether a model takes part.
    most
        Where there are more cliques, the search stops and the answer is not complete. What it has then are
        all cliques of the first models and some of the next.

    Returns
    -------
    Cliques
        In lexicographic order.

    Raises
    ------
    ValueError
        If the matrix is not square and symmetric.

    Notes
    -----
    Bron, Kerbosch 1973, Commun. ACM 16:575, with Tomita's pivot (2006, Theor. Comput. Sci. 363:28), started
    once from each model among the models after it, so that a stopped search has the best ones.
    """
    matrix: BoolArray = np.asarray(linked, dtype=np.bool_)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.array_equal(matrix, matrix.T):
        raise ValueError("linked must be a square, symmetric matrix")
    taking_part = np.flatnonzero(matrix.diagonal()).tolist()
    neighbours = {
        one: sum(1 << other for other in taking_part if other != one and matrix[one, other])
        for one in taking_part
    }
    found: list[Clique] = []
    for one in taking_part:
        earlier = (1 << one) - 1
        members = _extend(neighbours, 1 << one, neighbours[one] & ~earlier, neighbours[one] & earlier)
        for clique in members:
            if len(found) == most:
                return Cliques(tuple(sorted(found)), False)
            found.append(clique)
    return Cliques(tuple(sorted(found)), True)


def _extend(neighbours: dict[int, int], clique: int, candidates: int, seen: int) -> Iterator[Clique]:
    """Yield the maximal cliques that hold a clique, candidates and no model already seen; sets are bits."""
    if not candidates:
        if not seen:
            yield tuple(_members(clique))
        return
    pivot = max(_members(candidates | seen), key=lambda one: (neighbours[one] & candidates).bit_count())
    for one in _members(candidates & ~neighbours[pivot]):
        bit = 1 << one
        yield from _extend(neighbours, clique | bit, candidates & neighbours[one], seen & neighbours[one])
        candidates &= ~bit
        seen |= bit


def _members(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
