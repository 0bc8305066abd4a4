"""Means over strata: the t interval, Cochran's formula, repeats, and strata of one value."""

import math

import numpy as np
import pytest
from scipy import stats

from core.stats.clustered_mean import ClusteredMean
from core.stats.stratified_mean import stratified_mean


def of(*strata: list[float], per_item: float = 1.0) -> ClusteredMean:
    """The mean of one group of strata."""
    arrays = [np.array(values, dtype=float) for values in strata]
    moments = [[len(v), v.sum(), v @ v] for v in arrays]
    n, total, squares = np.array(moments, dtype=float).T
    group = np.zeros(len(arrays), dtype=np.int64)
    return stratified_mean(group, n, total, squares, np.full(len(arrays), per_item), 1)


def test_one_stratum_is_the_t_interval() -> None:
    values = [120.0, 80.0, 95.0, 200.0, 60.0]
    low, high = stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    found = of(values)
    assert (found.mean[0], found.lower[0], found.upper[0]) == pytest.approx((111.0, low, high))


def test_strata_by_hand() -> None:
    # Means 20 and 200, s^2 100 and 400: the spread between them is fixed by the design.
    found = of([10, 20, 30], [180, 200, 220])
    error = math.sqrt(3 * 100 + 3 * 400) / 6
    free = (300 + 1200) ** 2 / (300**2 / 2 + 1200**2 / 2)
    assert found.mean[0] == 110
    assert found.upper[0] - 110 == pytest.approx(stats.t.ppf(0.975, free) * error)


def test_from_ten_values_on_the_interval_is_symmetric_on_the_log_scale() -> None:
    values = [float(one) for one in range(10, 21)]
    found = of(values)
    stretch = math.exp(stats.t.ppf(0.975, 10) * stats.sem(values) / 15)
    assert (found.lower[0], found.upper[0]) == pytest.approx((15 / stretch, 15 * stretch))


def test_repeats_widen_as_if_they_were_the_same() -> None:
    once, twice = of([10, 20, 30, 60]), of([10, 10, 20, 20, 30, 30, 60, 60], per_item=2.0)
    # The same four items: only n/(n - 1) differs.
    ratio = (twice.upper - twice.mean) / (once.upper - once.mean)
    assert ratio[0] == pytest.approx(math.sqrt(6 / 7))


def test_strata_of_one_value_are_pooled() -> None:
    pooled, plain = of([10], [20], [60]), of([10, 20, 60])
    assert pooled.upper[0] == pytest.approx(plain.upper[0])
    lone = of([10, 20, 60], [5])
    assert lone.mean[0] == 23.75
    # The spread of three of its four values is known.
    ratio = (lone.upper[0] - lone.mean[0]) / (plain.upper[0] - plain.mean[0])
    assert ratio == pytest.approx(math.sqrt(4 / 3) / 4 * 3)


def test_groups_are_apart_and_what_says_nothing_has_no_number() -> None:
    group = np.array([0, 0, 1, 3])
    found = stratified_mean(group, [2, 2, 1, 0], [30, 50, 7, 0], [500, 1300, 49, 0], 1.0, 4)
    assert found.mean[0] == 20
    assert found.mean[1] == 7
    assert np.isnan(found.mean[2:]).all()
    assert np.isnan(found.upper[1:]).all()


def test_covers_the_mean_of_a_fixed_grid() -> None:
    draw = np.random.default_rng(5)
    centres = np.array([30.0, 80.0, 300.0, 900.0])
    inside = 0
    for _ in range(1000):
        values = draw.normal(centres[:, None], centres[:, None] / 3, (4, 12))
        found = of(*values.tolist())
        inside += bool(found.lower[0] <= centres.mean() <= found.upper[0])
    assert 930 <= inside <= 985
