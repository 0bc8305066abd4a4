"""What paired draws say about ranks: rank sets, the chance of being first, and rank variability."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.stats.arrays import BoolArray, FloatArray, IntArray
from core.stats.multiplicity import holm

# Scores of equal models can differ by rounding of their sums.
TIE = 1e-12


@dataclass(frozen=True)
class RankSets:
    """Ranks of evals that the data leave open; arrays of shape (evals,), rank 1 the best, 0 unranked.

    Attributes
    ----------
    lowest, highest
        Rank set: from 1 + #{significantly better} to M - #{significantly worse}.
    p_first
        Share of draws in which the eval comes first, ties split; NaN where unranked. Sums to 1.
    draw_low, draw_high
        Rank variability: 2.5 and 97.5 percentiles of its rank among the draws. Not a confidence set.
    p_adjusted
        Shape (evals, evals): Holm-adjusted two-sided p-value of each pair; NaN on the diagonal, and where the
        variance of the difference is not estimable.
    tests
        Number m of pairs the correction is for.
    """

    lowest: IntArray
    highest: IntArray
    p_first: FloatArray
    draw_low: IntArray
    draw_high: IntArray
    p_adjusted: FloatArray
    tests: int


def rank_sets(point: ArrayLike, draws: ArrayLike, *, alpha: float = 0.05) -> RankSets:
    """Derive rank sets from ln plain scores and their paired draws.

    Parameters
    ----------
    point
        Shape (evals,): ln plain scores (`ScoreDraws.point`); NaN: unranked.
    draws
        Shape (draws, evals): the same of each draw.
    alpha
        Family-wise level over all pairs.

    Returns
    -------
    RankSets
        Over the M evals with a score.

    Raises
    ------
    ValueError
        If the shapes do not fit each other.

    Notes
    -----
    p is two-sided normal from the difference over the standard deviation of its draws, Holm over the pairs:
    simultaneous rank sets by pairwise tests (Mogstad, Romano, Shaikh, Wilhelm 2024, Rev. Econ. Stud. 91:476).
    """
    score, drawn = np.asarray(point, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    if drawn.ndim != 2 or drawn.shape[1:] != score.shape:
        raise ValueError(f"draws must have the shape (draws, {score.size}), not {drawn.shape}")
    ranked = np.flatnonzero(~np.isnan(score))
    M = ranked.size
    lowest, highest, draw_low, draw_high = (np.zeros(score.size, dtype=np.int64) for _ in range(4))
    p_first = np.full(score.size, np.nan)
    p_adjusted = np.full((score.size, score.size), np.nan)
    if M == 0:
        return RankSets(lowest, highest, p_first, draw_low, draw_high, p_adjusted, 0)
    score, drawn = score[ranked], drawn[:, ranked]

    adjusted = _pairwise(score, drawn)
    better: BoolArray = (adjusted < alpha) & (score[:, np.newaxis] > score)
    lowest[ranked] = 1 + better.sum(axis=0)
    highest[ranked] = M - better.sum(axis=1)
    p_adjusted[np.ix_(ranked, ranked)] = adjusted

    first = drawn >= drawn.max(axis=1, keepdims=True) - TIE
    p_first[ranked] = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    from scipy.stats import rankdata  # here, since it takes as long to load as the rest of the app

    ranks = rankdata(np.round(-drawn, 12), method="min", axis=1)
    low, high = np.percentile(ranks, [2.5, 97.5], axis=0, method="inverted_cdf")
    draw_low[ranked], draw_high[ranked] = low.astype(np.int64), high.astype(np.int64)
    return RankSets(lowest, highest, p_first, draw_low, draw_high, p_adjusted, M * (M - 1) // 2)


def _pairwise(score: FloatArray, drawn: FloatArray) -> FloatArray:
    """Holm-adjusted p-values of all pairs, as a symmetric matrix with NaN on the diagonal."""
    M = score.size
    first, second = np.triu_indices(M, 1)
    spread = np.concatenate(
        [np.std(drawn[:, [a]] - drawn[:, a + 1 :], axis=0, ddof=1) for a in range(M - 1)] or [np.zeros(0)]
    )
    difference = np.abs(score[first] - score[second])
    estimable = spread > TIE
    z = np.divide(difference, spread, out=np.full(spread.shape, np.nan), where=estimable)
    # Equal scores with equal draws are no difference; unequal ones without variance are no test.
    z = np.where(~estimable & (difference <= TIE), 0.0, z)
    matrix = np.full((M, M), np.nan)
    p = 2 * special.ndtr(-z)
    # A pair that cannot be tested still counts towards m.
    adjusted = np.where(np.isnan(p), np.nan, holm(np.where(np.isnan(p), 1.0, p)))
    matrix[first, second] = matrix[second, first] = adjusted
    return matrix
