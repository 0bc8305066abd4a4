"""AUC within strata against pair by pair counting, scipy's U, DeLong's variance, and its coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from core.stats.auc import stratified_auc


def by_pairs(value, second, stratum):
    """The definition, one pair at a time."""
    top = bottom = 0.0
    for one in set(stratum):
        low = [v for v, s, h in zip(value, second, stratum, strict=True) if h == one and not s]
        high = [v for v, s, h in zip(value, second, stratum, strict=True) if h == one and s]
        if not low or not high:
            continue
        won = sum((h > v) + 0.5 * (h == v) for v in low for h in high)
        weight = len(low) * len(high) / (len(low) + len(high) + 1)
        top += weight * won / (len(low) * len(high))
        bottom += weight
    return top / bottom if bottom else math.nan


ROWS = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 2)), min_size=0, max_size=30)


@settings(deadline=None)
@given(ROWS)
def test_is_what_counting_pairs_gives(rows: list[tuple[int, bool, int]]) -> None:
    value, second, stratum = ([row[place] for row in rows] for place in range(3))
    found = stratified_auc(value, second, stratum)
    assert found.auc == pytest.approx(by_pairs(value, second, stratum), nan_ok=True)
    both = {
        h for h in stratum if {s for s, o in zip(second, stratum, strict=True) if o == h} == {True, False}
    }
    assert found.strata == len(both)
    assert found.n_second == sum(s for s, h in zip(second, stratum, strict=True) if h in both)


def test_one_stratum_is_mann_whitney() -> None:
    draw = np.random.default_rng(3)
    low, high = draw.poisson(4, 40), draw.poisson(5, 25)
    found = stratified_auc(np.r_[low, high], np.r_[np.zeros(40), np.ones(25)], np.zeros(65))
    assert found.auc == pytest.approx(stats.mannwhitneyu(high, low).statistic / (40 * 25), abs=1e-12)


def test_weights_stand_for_repeated_rows() -> None:
    draw = np.random.default_rng(5)
    value, second = draw.integers(0, 9, 60), draw.random(60) < 0.4
    stratum, item, times = draw.integers(0, 3, 60), draw.integers(0, 12, 60), draw.integers(1, 4, 60)
    weighted = stratified_auc(value, second, stratum, weight=times, cluster=item)
    again = [np.repeat(one, times) for one in (value, second, stratum, item)]
    repeated = stratified_auc(*again[:3], cluster=again[3])
    for name in ("auc", "lower", "upper", "error", "n_first", "n_second"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-12)


def test_order_and_monotone_maps_change_nothing() -> None:
    draw = np.random.default_rng(6)
    value, second = draw.integers(1, 9, 50), draw.random(50) < 0.5
    stratum, item = draw.integers(0, 2, 50), draw.integers(0, 20, 50)
    found = stratified_auc(value, second, stratum, cluster=item)
    order = draw.permutation(50)
    mixed = stratified_auc(np.log(value)[order], second[order], stratum[order] + 7, cluster=-item[order])
    assert mixed.auc == pytest.approx(found.auc)
    assert (mixed.lower, mixed.upper) == pytest.approx((found.lower, found.upper))
    flipped = stratified_auc(-value, second, stratum, cluster=item)
    assert flipped.auc == pytest.approx(1 - found.auc)
    assert (flipped.lower, flipped.upper) == pytest.approx((1 - found.upper, 1 - found.lower))


def test_error_is_delongs_where_every_value_is_an_item() -> None:
    draw = np.random.default_rng(7)
    low, high = draw.normal(0, 1, 200), draw.normal(0.5, 1, 150)
    placed_high = [(low < one).mean() for one in high]
    placed_low = [(high > one).mean() for one in low]
    delong = math.sqrt(np.var(placed_high, ddof=1) / 150 + np.var(placed_low, ddof=1) / 200)
    values, groups = np.r_[low, high], np.r_[np.zeros(200), np.ones(150)]
    found = stratified_auc(values, groups, np.zeros(350), cluster=np.arange(350))
    assert found.error == pytest.approx(delong, rel=0.01)
    assert found.lower < found.auc < found.upper


def test_values_that_an_item_repeats_add_no_information() -> None:
    draw = np.random.default_rng(8)
    value, second = draw.normal(size=80), draw.random(80) < 0.5
    once = stratified_auc(value, second, np.zeros(80), cluster=np.arange(80))
    copies = [np.tile(one, 4) for one in (value, second, np.zeros(80), np.arange(80))]
    copied = stratified_auc(*copies[:3], cluster=copies[3])
    assert copied.error == pytest.approx(once.error, rel=1e-12)
    blind = stratified_auc(*copies[:3], cluster=np.arange(320))
    assert blind.error == pytest.approx(once.error / 2, rel=0.02)


def test_interval_covers_where_items_share_their_difficulty() -> None:
    draw = np.random.default_rng(9)

    def evals(items: int):
        hard = np.repeat(draw.normal(size=items), 3)
        wrong = draw.random(hard.size) < 1 / (1 + np.exp(-hard))
        length = np.round(20 * np.exp(0.6 * hard + 0.5 * draw.normal(size=hard.size) + 0.4 * wrong))
        return length, wrong, np.tile(np.arange(3), items), np.repeat(np.arange(items), 3)

    truth = stratified_auc(*evals(40_000)[:3]).auc
    hits = 0
    for _ in range(400):
        length, wrong, one, item = evals(50)
        found = stratified_auc(length, wrong, one, cluster=item)
        hits += found.lower <= truth <= found.upper
    assert 0.92 <= hits / 400 <= 0.98


def test_no_number_without_both_groups_and_no_interval_without_variation() -> None:
    assert math.isnan(stratified_auc([], [], []).auc)
    assert math.isnan(stratified_auc([1, 2], [True, False], [0, 1]).auc)
    apart = stratified_auc([1, 2, 3, 4], [False, False, True, True], [0] * 4, cluster=range(4))
    assert apart.auc == 1
    assert math.isnan(apart.lower)
    alone = stratified_auc([1, 3, 2], [False, True, False], [0] * 3, cluster=[5, 5, 5])
    assert math.isnan(alone.upper)
    assert math.isnan(stratified_auc([1, 2, 3], [False, True, False], [0] * 3).lower)
