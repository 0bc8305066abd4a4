"""Scores over cells, and the order of models that does not claim more than their intervals allow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import BoolArray, FloatArray, IntArray, floats
from core.stats.intervals import Z

SCALE = 1000.0
FLOOR = 0.01


@dataclass(frozen=True)
class PlainScore:
    """Plain scores of evals, each of shape (evals,); NaN where an eval has no cell.

    Attributes
    ----------
    score, lower, upper
        1000 x geometric mean and its 95% interval.
    cells
        Number of cells each score is taken over.
    """

    score: FloatArray
    lower: FloatArray
    upper: FloatArray
    cells: IntArray


@dataclass(frozen=True)
class FairOrder:
    """The fair sort.

    Attributes
    ----------
    order
        Indices of the models from the best score down; equal scores keep their order, NaN comes last.
    rank
        Rank of each model in the order given (not sorted): 1 is best, shared ranks repeat, 0 is unranked.
    """

    order: IntArray
    rank: IntArray


def plain_score(
    accuracy: ArrayLike, lower: ArrayLike, upper: ArrayLike, mask: ArrayLike | None = None
) -> PlainScore:
    """Score evals by 1000 x the geometric mean of plain accuracies, with an interval on the log scale.

    Parameters
    ----------
    accuracy, lower, upper
        Shape (evals, cells): guess-corrected accuracy with truncated counted as wrong, and its interval
        (`CellEstimates.plain_*`). Each is clamped to [.01, 1].
    mask
        Shape (evals, cells) or (cells,): which cells count. None: those that have a number. A cell that is
        asked for and has no number makes the score NaN.

    Returns
    -------
    PlainScore
        Arrays of shape (evals,).

    Notes
    -----
    With G the geometric mean over J cells and a, l, u the clamped values, the lower bound is
    ``ln G - sqrt(sum (ln a - ln l)^2)/J``: independent cells, each log bound taken as its own one-sided error
    (square-and-add, Newcombe 1998, Stat. Med. 17:873). The mirror image of it is too low as an upper bound
    of many cells. Logarithms are too low on average, ``E ln a = ln p - v/(2 p^2)`` (Pettigrew, Gart, Thomas
    1986, Biometrika 73:425), which does not shrink with J as the width does; and the skewness of a mean
    shrinks with J, so that the short upper sides of cells near 1 must not add up. The upper bound is
    ``mean c + (sqrt(sum s^2) - sum t s^2/sum s^2)/J``, with ``v = ((u - l)/3.92)^2``,
    ``c = min(ln a + v/(2 max(a^2, v)), ln u)``, ``s = (ln u - ln l)/2`` and ``t = c - (ln u + ln l)/2``, the
    third cumulants of the cells added (Cornish, Fisher 1938, Rev. Inst. Int. Stat. 5:307). One cell keeps its
    own interval. With 32 cells of 30 items the mirror image covers 73 to 90%, this 90 to 99%; see
    docs/validity.md.
    """
    a, low, high = (np.clip(values, FLOOR, 1) for values in floats(accuracy, lower, upper))
    variance = ((high - low) / (2 * Z)) ** 2
    log, low, high = np.log(a), np.log(low), np.log(high)
    centre = np.minimum(log + variance / (2 * np.maximum(a**2, variance)), high)
    used = _used(log, mask)
    J = used.sum(axis=-1)
    mean = _mean(log, used)

    def total(values: FloatArray) -> FloatArray:
        return np.asarray(np.where(used, values, 0).sum(axis=-1), dtype=np.float64)

    squares = ((high - low) / 2) ** 2
    power = total(squares)
    skewness = total((centre - (high + low) / 2) * squares) / np.where(power > 0, power, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        down = np.sqrt(total((log - low) ** 2)) / J
        top = _mean(centre, used) + (np.sqrt(power) - skewness) / J
    return PlainScore(
        score=SCALE * np.exp(mean),
        lower=SCALE * np.exp(mean - down),
        upper=SCALE * np.exp(np.maximum(top, mean)),
        cells=J.astype(np.int64),
    )


def reasonscore(
    rs_center: ArrayLike, rs_margin: ArrayLike, truncated_ratio: ArrayLike, mask: ArrayLike | None = None
) -> FloatArray:
    """ReasonScore: 1000 x the geometric mean of clamp(center + margin - truncated_ratio, .01, 1).

    Parameters
    ----------
    rs_center, rs_margin, truncated_ratio
        Shape (evals, cells): ReasonScape's own center and margin, whatever interval is shown.
    mask
        As for `plain_score`.

    Returns
    -------
    ndarray
        Shape (evals,); NaN where an eval has no cell. It is an upper bound and rewards small samples.

    Notes
    -----
    ReasonScape documentation. A cell whose completions were all truncated has no center, but any center
    leaves at most 1 - 1: it counts .01.
    """
    center, margin, cut = floats(rs_center, rs_margin, truncated_ratio)
    value = np.where(cut >= 1, FLOOR, np.clip(center + margin - cut, FLOOR, 1))
    log = np.log(value)
    return SCALE * np.exp(_mean(log, _used(log, mask)))


def fair_sort(score: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> FairOrder:
    """Rank models by score, sharing a rank with the leader of a group that the interval overlaps.

    Parameters
    ----------
    score, lower, upper
        Shape (models,): what is ranked, higher is better, and its interval.

    Returns
    -------
    FairOrder
        A model shares the rank of the group's leader while its interval overlaps the *leader's* (touching
        counts). The first that does not starts a group, whose rank is 1 + the number of models before it;
        later models are compared with the new leader only. NaN scores are unranked (0).

    Notes
    -----
    Sharing a rank means not separated from the leader; members of a group may differ from each other.
    """
    value, low, high = floats(score, lower, upper)
    order = np.argsort(-value, kind="stable")
    rank = np.zeros(value.size, dtype=np.int64)
    leader = -1
    for before, model in enumerate(order):
        if np.isnan(value[model]):
            break
        overlaps = leader >= 0 and low[model] <= high[leader] and low[leader] <= high[model]
        if overlaps:
            rank[model] = rank[leader]
        else:
            rank[model], leader = before + 1, model
    return FairOrder(order.astype(np.int64), rank)


def _used(values: FloatArray, mask: ArrayLike | None) -> BoolArray:
    if mask is None:
        return ~np.isnan(values)
    return np.broadcast_to(np.asarray(mask, dtype=np.bool_), values.shape)


def _mean(log: FloatArray, used: BoolArray) -> FloatArray:
    """Mean of the used cells of each eval; NaN where none is used."""
    count = used.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: FloatArray = np.where(used, log, 0).sum(axis=-1) / count
    return mean
