"""Scores by hand and the fair sort against a naive loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from core.stats.cells import estimate
from core.stats.intervals import wilson
from core.stats.ranking import fair_sort, plain_score, reasonscore


def test_plain_score_is_a_geometric_mean_with_a_log_interval() -> None:
    result = plain_score([[0.25, 1.0]], [[0.125, 0.5]], [[0.5, 1.0]])
    assert result.score[0] == pytest.approx(500)
    assert result.lower[0] == pytest.approx(500 * np.exp(-np.hypot(np.log(2), np.log(2)) / 2))
    # The first cell's logarithm is too low by (.375/3.92)^2/(2 x .25^2) on average; the second is at its end.
    bias = (0.375 / 3.92) ** 2 / (2 * 0.25**2)
    # Half widths ln 2 and ln 2/2; centres bias and ln 2/2 above the middles of the cells.
    skewness = (bias * 1 + np.log(2) / 2 * 0.25) / 1.25
    top = np.log(500) + (bias + np.log(2) * np.sqrt(1.25) - skewness) / 2
    assert result.upper[0] == pytest.approx(np.exp(top))
    assert result.cells[0] == 2


def test_one_cell_keeps_its_own_interval() -> None:
    result = plain_score([[0.4]], [[0.3]], [[0.55]])
    assert [result.score[0], result.lower[0], result.upper[0]] == pytest.approx([400, 300, 550])


def test_accuracies_are_clamped_at_one_hundredth() -> None:
    result = plain_score([[0.0, 0.0]], [[0.0, 0.0]], [[0.04, 0.0]])
    assert result.score[0] == pytest.approx(10)
    assert result.lower[0] == pytest.approx(10)
    # Two cells from .01 to .04 and from .01 to .01: the logarithm of the first is taken to be too low.
    bias = (0.03 / 3.92) ** 2 / (2 * 0.01**2)
    skewness = bias - np.log(2)
    assert result.upper[0] == pytest.approx(10 * np.exp((bias + np.log(2) - skewness) / 2))
    assert result.upper[0] == pytest.approx(20)


def test_missing_cells_are_left_out_unless_asked_for() -> None:
    a = np.array([[0.5, np.nan], [0.5, 0.08], [np.nan, np.nan]])
    assert plain_score(a, a, a).score == pytest.approx([500, 200, np.nan], nan_ok=True)
    assert plain_score(a, a, a).cells.tolist() == [1, 2, 0]
    assert plain_score(a, a, a, [True, False]).score == pytest.approx([500, 500, np.nan], nan_ok=True)
    assert np.isnan(plain_score(a, a, a, [True, True]).score[0])


def test_plain_score_interval_covers() -> None:
    rng = np.random.default_rng(3)
    truth = rng.uniform(0.2, 0.95, 16)
    a = rng.binomial(50, truth, (4_000, 16)) / 50
    result = plain_score(a, *wilson(a, 50))
    score = 1000 * np.exp(np.log(truth).mean())
    assert 0.90 <= ((result.lower <= score) & (score <= result.upper)).mean() <= 0.98


def test_the_interval_holds_the_score() -> None:
    # Forty cells without a right answer: their logarithms are far too low, and the interval lies above.
    zero, high = np.zeros((1, 40)), np.full((1, 40), 0.11)
    result = plain_score(zero, zero, high)
    assert result.lower[0] == result.score[0] == pytest.approx(10)
    assert 10 < result.upper[0] < 110


@pytest.mark.parametrize("p", [0.1, 0.5, 0.95])
def test_plain_score_interval_covers_with_many_small_cells(p: float) -> None:
    a = np.random.default_rng(4).binomial(30, p, (2_000, 32)) / 30
    result = plain_score(a, *wilson(a, 30))
    assert ((result.lower <= 1000 * p) & (1000 * p <= result.upper)).mean() >= 0.90


def test_reasonscore_by_hand() -> None:
    # .5 + .1 - .1 = .5; .9 + .2 - 0 is clamped to 1; .05 + .1 - .6 is clamped to .01.
    center, margin, truncated = [[0.5, 0.9, 0.05]], [[0.1, 0.2, 0.1]], [[0.1, 0.0, 0.6]]
    assert reasonscore(center, margin, truncated)[0] == pytest.approx(1000 * (0.5 * 1 * 0.01) ** (1 / 3))
    assert reasonscore(center, margin, truncated, [True, True, False])[0] == pytest.approx(1000 * 0.5**0.5)


def test_reasonscore_of_a_cell_without_a_center() -> None:
    # All truncated counts .01; no number at all (one choice only) is left out.
    nan = np.nan
    assert reasonscore([[0.6, nan, nan]], [[0.2, nan, nan]], [[0.0, 1.0, 0.0]])[0] == pytest.approx(
        1000 * (0.8 * 0.01) ** 0.5
    )
    assert np.isnan(reasonscore([[nan]], [[nan]], [[nan]])[0])


@pytest.mark.parametrize(("n", "expected"), [(30, 661), (5000, 514)])
def test_reasonscore_of_the_same_skill_falls_with_the_sample(n: int, expected: int) -> None:
    k = np.arange(n + 1)
    cell = estimate(k, n - k, 0)
    # Each possible count is a cell of its own: their scores' geometric mean, weighted by how likely they are.
    each = reasonscore(*(x[:, np.newaxis] for x in (cell.rs_center, cell.rs_margin, cell.truncated_ratio)))
    assert np.exp(binom.pmf(k, n, 0.5) @ np.log(each)) == pytest.approx(expected, abs=0.5)


def naive_ranks(score: list[float], lower: list[float], upper: list[float]) -> list[int]:
    waiting = sorted((i for i in range(len(score)) if score[i] == score[i]), key=lambda i: -score[i])
    ranks = [0] * len(score)
    placed = 0
    while waiting:
        leader = waiting[0]
        group = []
        while waiting and max(lower[leader], lower[waiting[0]]) <= min(upper[leader], upper[waiting[0]]):
            group.append(waiting.pop(0))
        for model in group:
            ranks[model] = placed + 1
        placed += len(group)
    return ranks


model = st.tuples(
    st.one_of(st.just(float("nan")), st.integers(0, 12).map(float)), st.integers(0, 4), st.integers(0, 4)
)


@settings(deadline=None)
@given(st.lists(model, max_size=12))
def test_fair_sort_agrees_with_a_naive_loop(models) -> None:
    score = [m[0] for m in models]
    lower, upper = [m[0] - m[1] for m in models], [m[0] + m[2] for m in models]
    assert fair_sort(score, lower, upper).rank.tolist() == naive_ranks(score, lower, upper)


def test_rank_is_shared_with_the_leader_and_not_along_a_chain() -> None:
    # 90 overlaps 85, 85 overlaps 80, 90 does not overlap 80.
    result = fair_sort([90, 85, 80], [87, 82, 77], [93, 88, 83])
    assert result.rank.tolist() == [1, 1, 3]


def test_a_later_model_does_not_rejoin() -> None:
    # The third is apart from the first; the fourth, with a wide interval, overlaps the first but comes later.
    result = fair_sort([90, 88, 70, 60], [86, 84, 68, 20], [94, 92, 72, 95])
    assert result.rank.tolist() == [1, 1, 3, 3]


def test_touching_intervals_overlap() -> None:
    assert fair_sort([2, 1], [1.5, 0.5], [2.5, 1.5]).rank.tolist() == [1, 1]
    assert fair_sort([2, 1], [1.5, 0.5], [2.5, 1.4999]).rank.tolist() == [1, 2]


def test_order_is_stable_and_unscored_models_come_last_unranked() -> None:
    nan = np.nan
    score = [nan, 5, 9, 5, nan]
    result = fair_sort(score, score, score)
    assert result.order.tolist() == [2, 1, 3, 0, 4]
    assert result.rank.tolist() == [0, 2, 1, 2, 0]


def test_nothing_to_rank() -> None:
    assert fair_sort([], [], []).rank.tolist() == []
