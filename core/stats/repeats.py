"""Repeated completions of one item: pass@k, all-k-correct, and how often repeats disagree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray, floats


@dataclass(frozen=True)
class RepeatSummary:
    """Repeats of a set of items; NaN where no item has enough completions.

    Attributes
    ----------
    k
        Completions drawn of each item.
    pass_at_k
        Mean chance that at least one of k completions is correct.
    all_correct
        Mean chance that all k are correct.
    items
        Items with at least k counted completions, over which both means are taken.
    disagreeing
        Share of the repeated items that have both a correct and a wrong completion.
    repeated_items
        Items with at least two counted completions.
    """

    k: int
    pass_at_k: float
    all_correct: float
    items: int
    disagreeing: float
    repeated_items: int


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int) -> FloatArray:
    """Chance that at least one of k completions, drawn from n without replacement, is correct.

    Parameters
    ----------
    n, c
        Counted and correct completions of each item; shapes that broadcast.
    k
        Completions drawn, at least 1.

    Returns
    -------
    ndarray
        ``1 - C(n-c, k)/C(n, k)``, unbiased for each item; NaN where n < k.

    Raises
    ------
    ValueError
        If k is less than 1.

    Notes
    -----
    Chen et al. 2021, arXiv 2107.03374.
    """
    trials, successes = floats(n, c)
    return 1 - _share_of_draws(trials - successes, trials, k)


def all_correct(n: ArrayLike, c: ArrayLike, k: int) -> FloatArray:
    """Chance that all of k completions, drawn from n without replacement, are correct.

    Parameters
    ----------
    n, c
        Counted and correct completions of each item; shapes that broadcast.
    k
        Completions drawn, at least 1.

    Returns
    -------
    ndarray
        ``C(c, k)/C(n, k)``, unbiased for each item; NaN where n < k.

    Raises
    ------
    ValueError
        If k is less than 1.

    Notes
    -----
    Yao et al. 2024, arXiv 2406.12045 ("pass^k").
    """
    trials, successes = floats(n, c)
    return _share_of_draws(successes, trials, k)


def disagreement(n: ArrayLike, c: ArrayLike) -> float:
    """Share of the repeated items whose completions disagree.

    Parameters
    ----------
    n, c
        Counted and correct completions of each item; shapes that broadcast.

    Returns
    -------
    float
        Share of the items with n >= 2 that have ``0 < c < n``; NaN without such items.
    """
    trials, successes = floats(n, c)
    repeated = trials >= 2
    if not repeated.any():
        return float("nan")
    return float(np.mean((successes > 0)[repeated] & (successes < trials)[repeated]))


def summarise(y: ArrayLike, k_items: ArrayLike, k: int) -> RepeatSummary:
    """Summarise the repeats of a set of items, each item weighing the same.

    Parameters
    ----------
    y, k_items
        Shape (items,): correct and counted completions of each item.
    k
        Completions drawn of each item, at least 1.

    Returns
    -------
    RepeatSummary
        Items with fewer than k counted completions are left out of the two means, and counted.

    Raises
    ------
    ValueError
        If k is less than 1.
    """
    correct, trials = floats(y, k_items)
    enough = trials >= k
    passed, all_right = (f(trials[enough], correct[enough], k) for f in (pass_at_k, all_correct))
    return RepeatSummary(
        k=k,
        pass_at_k=float(passed.mean()) if enough.any() else float("nan"),
        all_correct=float(all_right.mean()) if enough.any() else float("nan"),
        items=int(enough.sum()),
        disagreeing=disagreement(trials, correct),
        repeated_items=int(np.sum(trials >= 2)),
    )


def _share_of_draws(of_a_kind: FloatArray, n: FloatArray, k: int) -> FloatArray:
    """C(m, k)/C(n, k), as a product of k ratios: the binomials themselves overflow."""
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    total = np.where(n >= k, n, np.nan)
    share = np.ones(total.shape)
    for drawn in range(k):
        share = share * np.maximum(of_a_kind - drawn, 0) / (total - drawn)
    return share
