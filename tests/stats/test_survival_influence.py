"""Influence of items: loops, what it is without repeats, and that its intervals cover."""

import numpy as np
import pytest

from core.stats.incidence_interval import incidence_interval
from core.stats.influence import influences, item_rows, robust_variances
from core.stats.item_shares import effective_at_risk, effective_share
from core.stats.survival import incidence_variance, life_table
from tests.stats.brute_survival import Curve, random_observations


@pytest.mark.parametrize("seed", range(4))
def test_influences_equal_loops_on_random_data_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_observations(rng, n=40, times=10)
    items = rng.integers(0, 9, 40) * 7
    times, causes = (np.array(column) for column in zip(*data, strict=True))
    table, curve = life_table(times, causes, np.ones(40)), Curve(data)
    rows = item_rows(table, items, times, causes)
    assert rows.ids.tolist() == sorted(set(items.tolist()))
    of_item = [[row for row, item in zip(data, items, strict=True) if item == one] for one in rows.ids]
    places = np.array([0, 3, len(curve.times) - 1])
    for place, found in zip(places.tolist(), influences(table, rows, places), strict=True):
        for cause in (0, 1):
            exact = [float(curve.influence(mine, cause, place)) for mine in of_item]
            np.testing.assert_allclose(found[cause], exact, rtol=1e-10, atol=1e-15)
        np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-14)
    incidence, survival = robust_variances(table, rows, places)
    last = np.stack(list(influences(table, rows, places)))[-1]
    C = rows.items
    np.testing.assert_allclose(incidence[:, -1], C / (C - 1) * (last**2).sum(axis=1))
    np.testing.assert_allclose(survival[-1], C / (C - 1) * (last.sum(axis=0) ** 2).sum())


def test_without_repeats_or_ties_it_is_the_independent_variance() -> None:
    rng = np.random.default_rng(3)
    times, causes = rng.permutation(500)[:80], rng.choice(3, 80)
    table = life_table(times, causes, np.ones(80))
    rows = item_rows(table, np.arange(80), times, causes)
    assert rows.repeats == 1
    places = np.arange(0, 70, 7)
    robust, _ = robust_variances(table, rows, places)
    for cause in (0, 1):
        np.testing.assert_allclose(robust[cause] * 79 / 80, incidence_variance(table, cause, places))


def test_before_the_first_time_nobody_has_influence() -> None:
    table = life_table([2, 3], [0, 1], [1, 1])
    rows = item_rows(table, [5, 6], [2, 3], [0, 1])
    (found,) = influences(table, rows, np.array([-1]))
    assert found.tolist() == [[0, 0], [0, 0]]


def test_identical_repeats_count_once() -> None:
    rng = np.random.default_rng(4)
    times, causes = rng.integers(1, 30, 60), rng.choice(3, 60)
    once = life_table(times, causes, np.ones(60))
    thrice = life_table(times, causes, np.full(60, 3))
    rows = item_rows(once, np.arange(60), times, causes)
    repeated = item_rows(thrice, np.repeat(np.arange(60), 3), np.repeat(times, 3), np.repeat(causes, 3))
    places = np.arange(once.times.size)
    pairs = zip(robust_variances(once, rows, places), robust_variances(thrice, repeated, places), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one, other, atol=1e-15)
    assert repeated.repeats == 3
    buckets = np.zeros(180, dtype=np.int64)
    np.testing.assert_allclose(effective_at_risk(repeated, buckets, 1, 2), 60, rtol=0.35)
    assert effective_at_risk(rows, buckets[:60], 1, 2).tolist() == [[60], [60]]


def test_effective_share_is_the_number_without_repeats() -> None:
    table = life_table([1, 2, 3, 4], [0, 1, 2, 0], np.ones(4))
    rows = item_rows(table, [1, 2, 3, 4], [1, 2, 3, 4], [0, 1, 2, 0])
    assert effective_share(rows, rows.cause < 2, rows.cause == 0) == 3
    same = item_rows(table, [1, 1, 1, 1], [1, 2, 3, 4], [0, 1, 2, 0])
    assert effective_share(same, same.cause < 2, same.cause == 0) == 1


@pytest.mark.parametrize("limit", [None, 150])
def test_intervals_with_repeats_cover(limit: int | None) -> None:
    """60 items of 4 correlated completions: nominal 95% is kept, and taking them as independent is not."""
    rng = np.random.default_rng(17)
    runs, items, repeats, within, budget = 700, 60, 4, 0.5, 100
    truth = _share_correct(rng, limit, budget)
    hits = {"items": 0, "independent": 0}
    item = np.repeat(np.arange(items), repeats)
    for _ in range(runs):
        times, causes = _completions(rng, item, items, within, limit)
        table = life_table(times, causes, np.ones(item.size))
        places = table.places([budget])
        value = table.incidence_at(places)[0]
        robust, _ = robust_variances(table, item_rows(table, item, times, causes), places)
        for name, variance in (("items", robust[0]), ("independent", incidence_variance(table, 0, places))):
            lower, upper = incidence_interval(value, variance, table.n)
            hits[name] += bool(lower[0] <= truth <= upper[0])
    assert 0.925 <= hits["items"] / runs <= 0.97
    assert hits["independent"] / runs <= 0.90


def _completions(
    rng: np.random.Generator, item: np.ndarray, items: int, within: float, limit: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Token counts and causes whose latent ease and length are correlated within items."""
    ease, length = (
        np.sqrt(within) * rng.normal(size=items)[item] + np.sqrt(1 - within) * rng.normal(size=item.size)
        for _ in range(2)
    )
    times = np.ceil(np.exp(4 + 0.8 * length)).astype(np.int64)
    cut = rng.integers(40, 400, item.size) if limit is None else np.full(item.size, limit)
    causes = np.where(ease + 0.3 * length < 0.3, 0, 1)
    return np.minimum(times, cut), np.where(times > cut, 2, causes)


def _share_correct(rng: np.random.Generator, limit: int | None, budget: int) -> float:
    """The true share, from completions of items of their own that nothing cuts off."""
    n = 400_000
    times, causes = _completions(rng, np.arange(n), n, 0.5, limit=10**9)
    return float(np.mean((times <= budget) & (causes == 0)))
