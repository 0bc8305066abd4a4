"""Paired comparison of every two models of a section at once, as matrix products over their items.

The same numbers as core.stats.paired.compare gives for each pair, in the time of a few of them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.stats.arrays import BoolArray, FloatArray, IntArray
from core.stats.moments import mean_interval
from core.stats.multiplicity import holm
from core.stats.paired import NO_VARIANCE, bonett_price, mcnemar_exact
from core.stats.signflip import DRAWS, ENUMERATED, SignFlip, sign_flip


@dataclass(frozen=True)
class Pairwise:
    """All pairs of M models; arrays of shape (M(M-1)/2,), pairs in the order of `numpy.triu_indices`.

    Attributes
    ----------
    first, second
        Positions of the two models; differences are the first minus the second.
    d, lower, upper
        Mean difference on common items and its 95% interval, within [-1, 1]; NaN where there is no number.
    p, p_adjusted
        Two-sided p-value, and the same after Holm over the pairs; NaN where nothing could be tested.
    n_items, left_out
        Common items, and items of either model that the other lacks.
    b, c
        Items on which the first is better, and on which the second is.
    test
        Name of each pair's test.
    tests
        Number m of pairs that could be tested.
    """

    first: IntArray
    second: IntArray
    d: FloatArray
    lower: FloatArray
    upper: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    n_items: IntArray
    left_out: IntArray
    b: IntArray
    c: IntArray
    test: tuple[str, ...]
    tests: int

    def separated(self, alpha: float = 0.05) -> BoolArray:
        """Return, as a symmetric matrix, which pairs differ at the family-wise level alpha."""
        size = round((1 + np.sqrt(1 + 8 * self.first.size)) / 2) if self.first.size else 1
        matrix = np.zeros((size, size), dtype=np.bool_)
        differs = self.p_adjusted < alpha
        matrix[self.first[differs], self.second[differs]] = True
        return np.asarray(matrix | matrix.T, dtype=np.bool_)


def compare_all(
    y: ArrayLike, k: ArrayLike, *, alpha: float = 0.05, seed: int = 0, draws: int = DRAWS
) -> Pairwise:
    """Compare every two models on the items both have completions of.

    Parameters
    ----------
    y, k
        Shape (models, items): correct completions of each item, and counted ones; k = 0 where a model has
        none of the item.
    alpha
        Family-wise level: it decides whether sign-flip draws are fine enough for alpha/m.
    seed, draws
        Of the sign-flip test; each pair takes the same seed.

    Returns
    -------
    Pairwise
        Per pair: exact McNemar and Bonett-Price where all common items are 0/1 with one completion each;
        else the sign-flip test (paired t where its draws are too few) and the t interval over items
        (Bonett-Price where no item differs).

    Raises
    ------
    ValueError
        If y and k are not matrices of one shape.
    """
    correct, trials = np.asarray(y, dtype=np.float64), np.asarray(k, dtype=np.float64)
    if correct.ndim != 2 or correct.shape != trials.shape:
        raise ValueError("y and k must be matrices of one shape (models, items)")
    present = (trials > 0).astype(np.float64)
    mean = np.divide(correct, trials, out=np.zeros_like(correct), where=trials > 0)
    plain = ((trials == 1) & np.isin(mean, (0, 1))).astype(np.float64)
    first, second = (index.astype(np.int64) for index in np.triu_indices(correct.shape[0], 1))

    def of_pairs(left: FloatArray, right: FloatArray) -> FloatArray:
        return np.asarray((left @ right.T)[first, second], dtype=np.float64)

    n = of_pairs(present, present)
    total = of_pairs(mean, present) - of_pairs(present, mean)
    squares = of_pairs(mean**2, present) + of_pairs(present, mean**2) - 2 * of_pairs(mean, mean)
    binary = of_pairs(plain, plain) == n
    b, c = of_pairs(mean * plain, (1 - mean) * plain), of_pairs((1 - mean) * plain, mean * plain)
    for pair in np.flatnonzero(~binary):
        both = (present[first[pair]] * present[second[pair]]) > 0
        d = mean[first[pair], both] - mean[second[pair], both]
        b[pair], c[pair] = np.sum(d > 0), np.sum(d < 0)

    tests = int(np.sum(n > 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.where(n > 0, total / n, np.nan)
        deviation = np.sqrt(np.maximum(squares - n * d**2, 0) / (n - 1))
    lower, upper = (
        np.where(binary | (b + c == 0), score, moment)
        for score, moment in zip(bonett_price(b, c, n), mean_interval(d, deviation, n), strict=True)
    )
    p = np.where(n > 0, mcnemar_exact(b, c), np.nan)
    names = np.where(n > 0, "exact McNemar", "no common items").astype(object)
    flips = _SignFlips(mean, present, seed, draws)
    for pair in np.flatnonzero(~binary & (n > 0)):
        error = deviation[pair] / np.sqrt(n[pair]) if n[pair] > 1 else 0.0
        p[pair], names[pair] = _mean_test(
            flips, int(first[pair]), int(second[pair]), int(b[pair] + c[pair]), d[pair], error,
            int(n[pair]), alpha / max(tests, 1),
        )  # fmt: skip
    sizes = present.sum(axis=1)
    return Pairwise(
        first=first,
        second=second,
        d=d,
        lower=np.maximum(lower, -1),
        upper=np.minimum(upper, 1),
        p=p,
        p_adjusted=holm(p),
        n_items=n.astype(np.int64),
        left_out=(sizes[first] + sizes[second] - 2 * n).astype(np.int64),
        b=b.astype(np.int64),
        c=c.astype(np.int64),
        test=tuple(names.tolist()),
        tests=tests,
    )


class _SignFlips:
    """Sign-flip tests of pairs; models that differ in the same way are tested once."""

    def __init__(self, mean: FloatArray, present: FloatArray, seed: int, draws: int) -> None:
        self.draws = draws
        self._mean, self._present, self._seed = mean, present, seed
        self._known: dict[bytes, SignFlip] = {}

    def test(self, first: int, second: int) -> SignFlip:
        both = (self._present[first] * self._present[second]) > 0
        d = self._mean[first, both] - self._mean[second, both]
        d = np.sort(np.round(d[d != 0], 12))
        key = d.tobytes()
        if key not in self._known:
            self._known[key] = sign_flip(d, draws=self.draws, seed=self._seed)
        return self._known[key]


def _mean_test(
    flips: _SignFlips, first: int, second: int, non_zero: int, d: float, error: float, n: int, level: float
) -> tuple[float, str]:
    """P-value and name of the test of one mean difference, as core.stats.paired chooses it."""
    coarse = level < 20 / (flips.draws + 1)
    if coarse and non_zero > ENUMERATED and error >= NO_VARIANCE:
        p = float(2 * special.stdtr(n - 1, -abs(d) / error))
        return p, f"paired t (too many tests for {flips.draws:,} sign-flip draws)"
    flipped = flips.test(first, second)
    if flipped.enumerated:
        return flipped.p, "sign-flip, enumerated"
    return flipped.p, f"sign-flip, {flipped.draws:,} draws"
