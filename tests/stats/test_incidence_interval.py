"""Intervals of incidences, survival, quantiles and differences: known values, edges, coverage."""

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from core.stats.incidence_interval import (
    difference_interval,
    incidence_interval,
    log_log,
    survival_interval,
    time_quantile,
)
from core.stats.intervals import Z, wilson
from core.stats.survival import life_table


def test_log_log_is_the_formula() -> None:
    lower, upper = log_log(0.3, 0.04**2)
    width = 1.96 * 0.04 / (0.3 * np.log(1 / 0.3))
    assert lower == pytest.approx(0.3 ** np.exp(width), rel=1e-14)
    assert upper == pytest.approx(0.3 ** np.exp(-width), rel=1e-14)


@pytest.mark.parametrize("n", [1, 7, 500])
def test_at_zero_and_one_it_is_wilsons(n: int) -> None:
    lower, upper = incidence_interval([0, 1], [0, 0], n)
    low, high = wilson([0, 1], n)
    np.testing.assert_allclose(lower, low, atol=1e-15)
    np.testing.assert_allclose(upper, high, atol=1e-15)


def test_where_everything_was_cut_off_nothing_is_known() -> None:
    assert incidence_interval(0.0, 0.0, 0) == (0.0, 1.0)


def test_survival_at_zero_has_room_below_the_bound_before_it() -> None:
    value, variance = np.array([0.5, 0.0]), np.array([0.01, 0.0])
    lower, upper = survival_interval(value, variance, np.array([20.0, 20.0]), np.array([20.0, 10.0]))
    assert lower[1] == 0
    assert upper[1] == pytest.approx(upper[0] * Z**2 / (10 + Z**2))
    alone = survival_interval(np.zeros(1), np.zeros(1), np.array([4.0]), np.array([4.0]))
    assert alone[1][0] == pytest.approx(Z**2 / (4 + Z**2))


def test_quantile_of_counted_times() -> None:
    table = life_table(range(1, 101), [0] * 100, [1] * 100)
    time, lower, upper = time_quantile(table, 0, 0.9, 100)
    # 90 -+ 1.96 sqrt(100 x .9 x .1) = 84.12 and 95.88: the 85th and the 96th.
    assert (time, lower, upper) == (90, 85, 96)


def test_a_quantile_that_no_event_bounds_is_bounded_by_the_last_time() -> None:
    table = life_table([5, 9], [0, 1], [1, 4])
    assert time_quantile(table, 0, 0.9, 1) == (5, 5, 9)
    assert time_quantile(life_table(range(1, 31), [0] * 30, [1] * 30), 0, 0.9, 30) == (27, 24, 30)


def test_quantile_covers() -> None:
    rng = np.random.default_rng(5)
    truth = np.exp(4 + 0.8 * 1.2815515655446004)
    hits = 0
    for _ in range(500):
        times = np.ceil(np.exp(4 + 0.8 * rng.normal(size=120))).astype(int)
        table = life_table(times, np.zeros(120), np.ones(120))
        _, lower, upper = time_quantile(table, 0, 0.9, 120)
        hits += lower - 1 <= truth <= upper
    assert 0.925 <= hits / 500 <= 0.985


def test_difference_without_correlation_is_newcombes() -> None:
    (a, m), (b, n) = (45, 60), (20, 50)
    one, other = wilson(a / m, m, 1.959963984540054), wilson(b / n, n, 1.959963984540054)
    found = difference_interval(a / m, one, b / n, other, 0.0)
    np.testing.assert_allclose(
        found, confint_proportions_2indep(a, m, b, n, method="newcomb", compare="diff"), atol=1e-12
    )


def test_difference_is_narrower_with_positive_correlation_and_mirrored() -> None:
    one, other = wilson(0.6, 80), wilson(0.4, 80)
    free = difference_interval(0.6, one, 0.4, other, 0.0)
    paired = difference_interval(0.6, one, 0.4, other, 0.5)
    assert free[0] < paired[0] < 0.2 < paired[1] < free[1]
    mirrored = difference_interval(0.4, other, 0.6, one, 0.5)
    np.testing.assert_allclose(mirrored, (-paired[1], -paired[0]))
