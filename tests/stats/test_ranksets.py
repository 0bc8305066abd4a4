"""Rank sets, the chance of being first, and rank variability."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from core.stats.ranksets import rank_sets


def independent(point: list[float], sd: float = 0.02, draws: int = 1000) -> np.ndarray:
    return np.array(point) + np.random.default_rng(0).normal(0, sd, (draws, len(point)))


def test_separated_evals_have_one_rank_each() -> None:
    point = [-0.5, -1.5, -1.0]
    result = rank_sets(point, independent(point))
    assert result.lowest.tolist() == result.highest.tolist() == [1, 3, 2]
    assert result.draw_low.tolist() == result.draw_high.tolist() == [1, 3, 2]
    assert result.p_first.tolist() == [1, 0, 0]
    assert result.tests == 3


def test_sets_by_pairwise_tests_and_holm() -> None:
    point = [-0.50, -0.53, -0.58, -0.70]
    draws = independent(point)
    result = rank_sets(point, draws)
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    p = [2 * norm.sf(abs(point[a] - point[b]) / np.std(draws[:, a] - draws[:, b], ddof=1)) for a, b in pairs]
    reject, adjusted, *_ = multipletests(p, method="holm")
    lowest, highest = [1] * 4, [4] * 4
    for (a, b), significant, value in zip(pairs, reject, adjusted, strict=True):
        assert result.p_adjusted[a, b] == result.p_adjusted[b, a] == pytest.approx(value)
        lowest[b] += significant  # a is better than b
        highest[a] -= significant
    assert result.lowest.tolist() == lowest
    assert result.highest.tolist() == highest
    assert lowest != highest
    assert max(highest) == 4


def test_pairing_separates_what_independence_would_not() -> None:
    shared = np.random.default_rng(1).normal(0, 0.2, (1000, 1))
    point = np.array([-0.5, -0.6])
    paired = rank_sets(point, independent(list(point)) + shared)
    apart = rank_sets(point, independent(list(point), sd=0.2))
    assert paired.highest.tolist() == [1, 2]
    assert apart.highest.tolist() == [2, 2]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-3, 0), min_size=4, max_size=4), min_size=2, max_size=20))
def test_p_first_sums_to_one_and_splits_ties(rows: list[list[int]]) -> None:
    draws = np.array(rows, dtype=float)
    result = rank_sets(draws.mean(axis=0), draws)
    expected = np.zeros(4)
    for row in rows:
        winners = [i for i in range(4) if row[i] == max(row)]
        expected[winners] += 1 / len(winners) / len(rows)
    assert result.p_first.sum() == pytest.approx(1)
    np.testing.assert_allclose(result.p_first, expected, atol=1e-12)
    assert (result.lowest <= result.highest).all()


def test_equal_evals_share_everything() -> None:
    draws = np.repeat(np.random.default_rng(2).normal(-1, 0.1, (500, 1)), 3, axis=1)
    result = rank_sets([-1.0, -1.0, -1.0], draws)
    assert result.lowest.tolist() == [1, 1, 1]
    assert result.highest.tolist() == [3, 3, 3]
    assert result.p_first == pytest.approx([1 / 3] * 3)
    assert result.draw_high.tolist() == [1, 1, 1]
    assert result.p_adjusted[0, 1] == 1


def test_scores_equal_but_for_rounding_are_ties() -> None:
    draws = np.tile([0.1 + 0.2, 0.3], (10, 1))
    result = rank_sets([0.1 + 0.2, 0.3], draws)
    assert result.p_first.tolist() == [0.5, 0.5]
    assert result.draw_high.tolist() == [1, 1]
    assert result.p_adjusted[0, 1] == 1


def test_without_variance_there_is_no_test() -> None:
    # Perfect against hopeless: no draw varies, so nothing is claimed of this pair.
    point = [0.0, np.log(0.01), -0.7]
    draws = independent(point)
    draws[:, :2] = point[:2]
    result = rank_sets(point, draws)
    assert np.isnan(result.p_adjusted[0, 1])
    assert result.p_adjusted[0, 2] < 1e-6
    assert list(zip(result.lowest, result.highest, strict=True)) == [(1, 2), (2, 3), (2, 2)]


def test_a_pair_without_a_test_still_counts() -> None:
    draws = independent([0.0, -1.2, -0.7], sd=0.3)
    draws[:, :2] = [0.0, -1.2]
    result = rank_sets([0.0, -1.2, -0.7], draws)
    sd = draws[:, 2].std(ddof=1)
    assert result.p_adjusted[0, 2] == pytest.approx(3 * 2 * norm.sf(0.7 / sd))
    assert result.p_adjusted[1, 2] == pytest.approx(2 * 2 * norm.sf(0.5 / sd))


def test_rank_variability_is_percentiles_of_draw_ranks() -> None:
    # The second leads in 30 of 1,000 draws, which is within the 2.5 percentile; then in 20, which is not.
    draws = np.tile([-0.5, -0.6], (1000, 1))
    draws[:30] = [-0.6, -0.5]
    assert rank_sets([-0.5, -0.6], draws).draw_low.tolist() == [1, 1]
    assert rank_sets([-0.5, -0.6], draws).draw_high.tolist() == [2, 2]
    draws[20:30] = [-0.5, -0.6]
    assert rank_sets([-0.5, -0.6], draws).draw_low.tolist() == [1, 2]
    assert rank_sets([-0.5, -0.6], draws).draw_high.tolist() == [1, 2]


def test_unscored_evals_are_unranked() -> None:
    point = [-0.5, np.nan, -1.0]
    draws = independent([-0.5, 0.0, -1.0])
    draws[:, 1] = np.nan
    result = rank_sets(point, draws)
    assert result.lowest.tolist() == [1, 0, 2]
    assert result.highest.tolist() == [1, 0, 2]
    assert np.isnan(result.p_first[1])
    assert np.isnan(result.p_adjusted[1]).all()
    assert result.tests == 1


def test_one_eval_and_none() -> None:
    one = rank_sets([-0.5], independent([-0.5]))
    assert (one.lowest[0], one.highest[0], one.p_first[0], one.tests) == (1, 1, 1, 0)
    assert rank_sets([], np.empty((10, 0))).tests == 0
    with pytest.raises(ValueError, match=r"\(draws, 2\)"):
        rank_sets([0, 0], np.zeros((10, 3)))


def test_rank_sets_hold_the_true_ranks() -> None:
    # Four evals, two of them equal: the true rank of either is 2 or 3.
    rng = np.random.default_rng(6)
    truth, sd = np.array([-0.5, -0.55, -0.55, -0.7]), 0.03
    held = 0
    for _ in range(300):
        point = rng.normal(truth, sd)
        result = rank_sets(point, rng.normal(point, sd, (400, 4)))
        best, worst = np.array([1, 2, 2, 4]), np.array([1, 3, 3, 4])
        held += bool(np.all((result.lowest <= best) & (worst <= result.highest)))
    assert held / 300 >= 0.93
