"""Medians of values and of bins, with intervals between order statistics."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.stats.clustered_median import binned_median, clustered_median


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=40))
def test_is_numpys_median(values: list[int]) -> None:
    found = clustered_median(values)
    assert found.median == np.median(values)
    assert found.n == len(values)
    unique, times = np.unique(values, return_counts=True)
    weighted = clustered_median(unique, weight=times)
    assert (weighted.median, weighted.n) == (found.median, found.n)
    assert (weighted.lower, weighted.upper) == pytest.approx((found.lower, found.upper), nan_ok=True)


def test_interval_is_between_order_statistics() -> None:
    found = clustered_median(np.arange(1.0, 101))
    # 0.5 -+ 1.96 * 0.05: the 40.2th and the 59.8th of 100 values.
    assert (found.lower, found.median, found.upper) == (41, 50.5, 60)


def test_few_values_have_no_interval() -> None:
    assert math.isnan(clustered_median([1.0, 2, 3]).lower)
    assert math.isnan(clustered_median([]).median)
    assert math.isnan(clustered_median([1.0] * 50, cluster=[3] * 50).upper)


def test_copies_of_an_item_do_not_narrow_the_interval() -> None:
    draw = np.random.default_rng(4)
    values = draw.normal(size=120)
    once = clustered_median(values, cluster=np.arange(120))
    copied = clustered_median(np.tile(values, 5), cluster=np.tile(np.arange(120), 5))
    assert (copied.lower, copied.upper) == (once.lower, once.upper)
    assert copied.design_effect == pytest.approx(5, rel=0.02)
    blind = clustered_median(np.tile(values, 5))
    assert blind.upper - blind.lower < 0.7 * (once.upper - once.lower)


def test_interval_covers_with_items_that_share_a_level() -> None:
    draw = np.random.default_rng(5)
    hits = 0
    for _ in range(400):
        item = np.repeat(np.arange(40), 4)
        values = np.exp(0.8 * draw.normal(size=40)[item] + 0.5 * draw.normal(size=160))
        found = clustered_median(values, cluster=item)
        hits += found.lower <= 1 <= found.upper
    assert 0.92 <= hits / 400 <= 0.985


def test_bins_give_the_median_to_a_fraction_of_their_width() -> None:
    values = np.exp(np.random.default_rng(6).normal(-1, 0.7, 50_000))
    exact = clustered_median(values)
    index, count = np.unique(np.floor(np.log(values) * 128), return_counts=True)
    found = binned_median(index, count, 128)
    assert found.n == 50_000
    for name in ("median", "lower", "upper"):
        assert getattr(found, name) == pytest.approx(getattr(exact, name), rel=0.002)
    wider = binned_median(index, count, 128, design_effect=4)
    width = math.log(found.upper / found.lower)
    assert math.log(wider.upper / wider.lower) == pytest.approx(2 * width, rel=0.05)
    assert math.isnan(binned_median([], [], 128).median)
