"""Paired comparison: tests and intervals against scipy, the choice between them, coverage and power."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from core.stats.paired import (
    bonett_price,
    compare,
    mcnemar_exact,
    minimum_detectable_binary,
    minimum_detectable_mean,
    t_interval,
    t_test,
)
from core.stats.signflip import sign_flip


def test_mcnemar_is_the_two_sided_binomial_test() -> None:
    b, c = np.meshgrid(np.arange(25), np.arange(25))
    expected = [
        stats.binomtest(x, x + z, 0.5).pvalue if x + z else 1.0 for x, z in zip(b.flat, c.flat, strict=True)
    ]
    np.testing.assert_allclose(mcnemar_exact(b, c).ravel(), expected, rtol=1e-12)


def test_mcnemar_of_many_items() -> None:
    assert mcnemar_exact(5200, 4800) == pytest.approx(stats.binomtest(4800, 10_000, 0.5).pvalue, rel=1e-9)


def test_bonett_price_by_hand() -> None:
    # p1 = 10/40, p2 = 2/40: .2 +- 1.96*sqrt((.3 - .04)/40).
    lower, upper = bonett_price(9, 1, 38)
    margin = 1.96 * (0.26 / 40) ** 0.5
    assert [lower, upper] == pytest.approx([0.2 - margin, 0.2 + margin])
    assert np.isnan(bonett_price(0, 0, 0)).all()


@pytest.mark.parametrize("n", [20, 100])
def test_bonett_price_covers(n: int) -> None:
    p_b, p_c = 0.2, 0.08
    counts = np.random.default_rng(n).multinomial(n, [p_b, p_c, 1 - p_b - p_c], 20_000)
    lower, upper = bonett_price(counts[:, 0], counts[:, 1], n)
    assert 0.94 <= ((lower <= p_b - p_c) & (p_b - p_c <= upper)).mean() <= 0.985


def test_t_interval_and_test_agree_with_scipy() -> None:
    d = np.random.default_rng(2).normal(0.2, 1, 23)
    theirs = stats.ttest_1samp(d, 0)
    assert t_test(d) == pytest.approx(theirs.pvalue, rel=1e-12)
    assert t_interval(d) == pytest.approx(tuple(theirs.confidence_interval(0.95)), rel=1e-12)
    assert np.isnan(t_interval([0.3])).all()
    assert np.isnan(t_test([0.3]))
    assert np.isnan(t_test([1 / 3] * 9))


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 12])
def test_minimum_detectable_solves_connors_sample_size(alpha: float) -> None:
    b, c, n = 40, 25, 400
    psi = (b + c + 1) / (n + 2)
    z_a, z_b = stats.norm.isf(alpha / 2), 0.8416

    def excess(d: float) -> float:
        return (z_a * psi**0.5 + z_b * (psi - d * d) ** 0.5) ** 2 / d**2 - n

    assert minimum_detectable_binary(b, c, n, alpha) == pytest.approx(brentq(excess, 1e-3, psi), rel=1e-9)


def test_minimum_detectable_is_found_four_times_in_five() -> None:
    b, c, n = 60, 60, 600
    d = float(minimum_detectable_binary(b, c, n))
    psi = (b + c + 1) / (n + 2)
    counts = np.random.default_rng(1).multinomial(n, [(psi + d) / 2, (psi - d) / 2, 1 - psi], 20_000)
    power = (mcnemar_exact(counts[:, 0], counts[:, 1]) <= 0.05).mean()
    assert 0.74 <= power <= 0.83  # the exact test is conservative


def test_minimum_detectable_where_it_is_not_reachable() -> None:
    assert np.isnan(minimum_detectable_binary([0, 1, 1], [0, 0, 1], [500, 3, 60])).all()
    assert minimum_detectable_binary(30, 30, 60) > 0
    assert np.isnan(minimum_detectable_mean([0.5, 0.5, 0.5]))
    assert np.isnan(minimum_detectable_mean([0.5]))


def test_minimum_detectable_mean_by_hand() -> None:
    assert minimum_detectable_mean([0, 1, 0, 1]) == pytest.approx((stats.norm.isf(0.025) + 0.8416) / 12**0.5)


def single(pairs: str) -> tuple[list[int], list[int]]:
    """Outcomes of two evals from words such as "10 11 00"."""
    return [int(word[0]) for word in pairs.split()], [int(word[1]) for word in pairs.split()]


def test_single_completions_go_to_mcnemar() -> None:
    a, b = single("10 10 10 10 10 10 01 11 11 00 00 00")
    one = np.ones(12)
    result = compare(a, one, b, one)
    assert (result.test, result.interval, result.binary) == ("exact McNemar", "95% Bonett-Price", True)
    assert (result.b, result.c, result.n_items) == (6, 1, 12)
    assert result.d == pytest.approx(5 / 12)
    assert result.p == pytest.approx(stats.binomtest(1, 7).pvalue)
    assert (result.lower, result.upper) == pytest.approx(tuple(float(x) for x in bonett_price(6, 1, 12)))


def test_the_minimum_detectable_difference_is_at_the_level_of_the_section() -> None:
    a, b = single(" ".join(["10"] * 30 + ["01"] * 20 + ["11"] * 50 + ["00"] * 50))
    one = np.ones(150)
    for tests in (1, 12):
        detectable = compare(a, one, b, one, tests=tests).minimum_detectable
        assert detectable == pytest.approx(float(minimum_detectable_binary(30, 20, 150, 0.05 / tests)))


def test_swapping_the_evals_changes_the_sign_only() -> None:
    rng = np.random.default_rng(8)
    k = rng.integers(0, 4, (2, 60))
    y = rng.binomial(k, 0.6)
    there, back = compare(y[0], k[0], y[1], k[1]), compare(y[1], k[1], y[0], k[0])
    assert (there.d, there.lower, there.upper) == pytest.approx((-back.d, -back.upper, -back.lower))
    assert (there.b, there.c, there.p) == (back.c, back.b, back.p)


def test_items_only_one_eval_has_are_left_out() -> None:
    result = compare([1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1])
    assert result.n_items == 2
    assert result.d == 0.5


def test_repeats_go_to_the_sign_flip_over_items() -> None:
    rng = np.random.default_rng(4)
    k = np.full(200, 3)
    a, b = rng.binomial(3, 0.55, 200), rng.binomial(3, 0.5, 200)
    result = compare(a, k, b, k, seed=7)
    d = (a - b) / 3
    assert result.test == "sign-flip, 10,000 draws"
    assert result.interval == "95% t over items"
    assert not result.binary
    assert result.p == sign_flip(d, seed=7).p
    assert result.p == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=0.03)
    assert (result.lower, result.upper) == pytest.approx(t_interval(d))
    assert result.minimum_detectable == pytest.approx(minimum_detectable_mean(d))


@pytest.mark.parametrize(("tests", "test"), [(25, "sign-flip, 10,000 draws"), (26, "paired t (too many")])
def test_many_tests_need_finer_p_values_than_draws_give(tests: int, test: str) -> None:
    # .05/25 = .002 is just above 20/10,001.
    rng = np.random.default_rng(4)
    k = np.full(80, 2)
    a, b = rng.binomial(2, 0.7, 80), rng.binomial(2, 0.5, 80)
    result = compare(a, k, b, k, tests=tests)
    assert result.test.startswith(test)
    if tests == 26:
        assert result.p == pytest.approx(t_test((a - b) / 2))
    assert result.minimum_detectable == pytest.approx(minimum_detectable_mean((a - b) / 2, 0.05 / tests))


def test_an_enumerated_p_is_exact_and_kept() -> None:
    a, b, k = [2, 2, 1, 2, 0], [0, 1, 1, 0, 0], [2] * 5
    result = compare(a, k, b, k, tests=1000)
    assert result.test == "sign-flip, enumerated"
    assert result.p == 2 / 8


def test_scores_that_are_not_0_or_1_are_no_mcnemar() -> None:
    result = compare([0.5, 1, 0], [1, 1, 1], [0.25, 1, 0], [1, 1, 1])
    assert not result.binary
    assert result.d == pytest.approx(0.25 / 3)


def test_the_interval_stays_within_the_possible() -> None:
    result = compare([1], [1], [0], [1])
    assert (result.d, result.upper) == (1, 1)
    assert bonett_price(1, 0, 1)[1] > 1


def test_no_common_items_no_number() -> None:
    result = compare([1, 0], [1, 0], [0, 1], [0, 1])
    assert result.n_items == 0
    assert np.isnan([result.d, result.lower, result.upper, result.p, result.minimum_detectable]).all()
    with pytest.raises(ValueError, match="equally long"):
        compare([1], [1], [1, 0], [1, 1])


def test_entries_may_stand_for_several_items() -> None:
    y_a, k_a, y_b, k_b = [1, 0, 2, 1, 0], [2, 2, 2, 2, 0], [0, 1, 2, 2, 1], [2, 1, 2, 2, 1]
    times = [3, 20, 5, 7, 4]
    repeated = compare(*(np.repeat(values, times) for values in (y_a, k_a, y_b, k_b)))
    assert compare(y_a, k_a, y_b, k_b, times=times) == repeated
    assert (repeated.n_items, repeated.b, repeated.c) == (35, 3, 27)
    with pytest.raises(ValueError, match="equally long"):
        compare(y_a, k_a, y_b, k_b, times=[1, 2])


def test_the_order_of_a_sum_is_no_difference() -> None:
    result = compare([0.1 + 0.2 + 0.3], [3], [0.3 + 0.2 + 0.1], [3])
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    assert (result.b, result.c, result.d) == (0, 0, 0)


def test_items_that_all_agree_leave_an_interval_with_a_width() -> None:
    result = compare([2] * 30, [2] * 30, [3] * 30, [3] * 30)
    assert result.interval == "95% Bonett-Price"
    assert (result.lower, result.upper) == pytest.approx(tuple(map(float, bonett_price(0, 0, 30))))
