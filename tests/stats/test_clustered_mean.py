"""Means over completions that share items."""

import math

import numpy as np
import pytest
from scipy import stats

from core.stats.clustered_mean import ClusteredMean, clustered_mean


def of_items(totals: list[float], counts: list[int]) -> ClusteredMean:
    t, c = np.array(totals, dtype=float), np.array(counts, dtype=float)
    return clustered_mean(len(t), t.sum(), c.sum(), t @ t, t @ c, c @ c)


def test_one_completion_each_is_the_t_interval() -> None:
    values = [120.0, 80.0, 95.0, 200.0, 60.0]
    low, high = stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    found = of_items(values, [1] * 5)
    assert (float(found.mean), float(found.lower), float(found.upper)) == pytest.approx((111.0, low, high))


def test_from_ten_items_on_the_interval_is_symmetric_on_the_log_scale() -> None:
    values = [float(one) for one in range(10, 20)]
    found = of_items(values, [1] * 10)
    stretch = math.exp(stats.t.ppf(0.975, 9) * stats.sem(values) / 14.5)
    assert (float(found.lower), float(found.upper)) == pytest.approx((14.5 / stretch, 14.5 * stretch))
    low, high = stats.t.interval(0.95, 8, np.mean(values[1:]), stats.sem(values[1:]))
    nine = of_items(values[1:], [1] * 9)
    assert (float(nine.lower), float(nine.upper)) == pytest.approx((low, high))


def test_nothing_was_spent() -> None:
    none = of_items([0.0] * 12, [1] * 12)
    assert (float(none.mean), float(none.lower), float(none.upper)) == (0, 0, 0)


def test_saying_everything_twice_says_nothing_new() -> None:
    once = of_items([120.0, 80.0, 95.0, 200.0], [1] * 4)
    twice = of_items([240.0, 160.0, 190.0, 400.0], [2] * 4)
    assert float(twice.mean) == float(once.mean)
    assert float(twice.upper) == pytest.approx(float(once.upper))


def test_ragged_repeats_by_hand() -> None:
    # Items of (10, 20), (30) and (40, 50, 60) tokens: mean 35; residuals -40, -5, 45.
    found = of_items([30.0, 30.0, 150.0], [2, 1, 3])
    error = math.sqrt(3 / 2 * (40**2 + 5**2 + 45**2)) / 6
    assert float(found.mean) == 35
    assert float(found.upper) == pytest.approx(35 + stats.t.ppf(0.975, 2) * error)
    assert float(found.lower) == pytest.approx(max(0, 35 - stats.t.ppf(0.975, 2) * error))


def test_one_item_has_a_mean_and_no_interval_and_none_has_no_number() -> None:
    one, none = of_items([30.0], [2]), of_items([], [])
    assert float(one.mean) == 15 and math.isnan(one.lower) and math.isnan(one.upper)
    assert math.isnan(none.mean) and math.isnan(none.lower)
