"""Effective number of trials: against a loop over items, its properties, and coverage by simulation."""

from collections import defaultdict
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from core.stats.clustering import ClusterResult, effective_n
from core.stats.intervals import wilson

Point = list[tuple[int, int]]  # (y, k) of each item


def from_points(cells: list[list[Point]]) -> ClusterResult:
    rows = []
    for cell, points in enumerate(cells):
        for point in points:
            y, k = np.array([item for item in point if item[1] > 0], dtype=float).reshape(-1, 2).T
            rows.append((cell, len(y), y.sum(), k.sum(), (y * y).sum(), (y * k).sum(), (k * k).sum()))
    return effective_n(*np.array(rows).reshape(-1, 7).T, n_cells=len(cells))


def by_hand(points: list[Point]) -> float:
    """Follow the definition item by item, with none of the sums the product works from."""
    strata = [[item for item in point if item[1] > 0] for point in points]
    strata = [stratum for stratum in strata if stratum]
    pool = [stratum[0] for stratum in strata if len(stratum) == 1]
    strata = [stratum for stratum in strata if len(stratum) > 1]
    if len(pool) == 1 and strata:
        min(strata, key=len).extend(pool)
    elif pool:
        strata.append(pool)
    items = [item for stratum in strata for item in stratum]
    n = sum(k for _, k in items)
    if len(items) <= 1:
        return float(len(items))
    v = 0.0
    for stratum in strata:
        p_h = sum(y for y, _ in stratum) / sum(k for _, k in stratum)
        v += len(stratum) / (len(stratum) - 1) * sum((y - p_h * k) ** 2 for y, k in stratum) / n**2
    p = sum(y for y, _ in items) / n
    weighted = sum(k * k for _, k in items) / n
    clusters = n * n / sum(k * k for _, k in items)
    nu = max(1.0, clusters - len(strata))
    raw = weighted if p in (0, 1) else v / (p * (1 - p) / n)
    w = nu / (nu + 10)
    deff = min(max(w * raw + (1 - w) * (1 + (weighted - 1) / 2), 1), weighted)
    return min(n, max(clusters, n / deff * (1.96 / student.ppf(0.975, nu)) ** 2))


item = st.integers(0, 6).flatmap(lambda k: st.tuples(st.integers(0, k), st.just(k)))
point = st.lists(item, max_size=8)
cell = st.lists(point, max_size=6)


@settings(max_examples=150, deadline=None)
@given(st.lists(cell, min_size=1, max_size=4))
def test_agrees_with_a_loop_over_items(cells: list[list[Point]]) -> None:
    result = from_points(cells)
    for points, n, n_eff, items in zip(cells, result.n, result.n_eff, result.n_items, strict=True):
        assert n == sum(k for p in points for _, k in p)
        assert items == sum(k > 0 for p in points for _, k in p)
        assert isclose(n_eff, by_hand(points), rel_tol=1e-9, abs_tol=1e-12)


@settings(deadline=None)
@given(cell)
def test_lies_between_the_effective_number_of_items_and_n(points: list[Point]) -> None:
    result = from_points([points])
    squares = sum(k * k for p in points for _, k in p)
    clusters = result.n[0] ** 2 / squares if squares else 0
    assert clusters - 1e-9 <= result.n_eff[0] <= result.n[0]


@settings(deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=9), min_size=1, max_size=6))
def test_without_repeats_it_is_n_exactly(outcomes: list[list[bool]]) -> None:
    result = from_points([[[(int(right), 1) for right in point] for point in outcomes]])
    assert result.n_eff[0] == result.n[0] == sum(map(len, outcomes))
    assert result.deff[0] == 1


@settings(deadline=None)
@given(cell, st.randoms(use_true_random=False))
def test_order_of_items_and_unanswered_items_do_not_matter(points: list[Point], random) -> None:
    shuffled = [[*random.sample(point, len(point)), (0, 0)] for point in points]
    assert from_points([points]).n_eff[0] == pytest.approx(from_points([shuffled]).n_eff[0])


@settings(deadline=None)
@given(cell)
def test_right_and_wrong_are_symmetric(points: list[Point]) -> None:
    mirrored = [[(k - y, k) for y, k in point] for point in points]
    assert from_points([points]).n_eff[0] == pytest.approx(from_points([mirrored]).n_eff[0])


def test_rows_of_cells_may_be_interleaved() -> None:
    a: list[Point] = [[(1, 3), (2, 2), (0, 4)], [(3, 3), (1, 4)]]
    b: list[Point] = [[(0, 2), (2, 5)], [(4, 4), (0, 3), (1, 1)]]
    rows = defaultdict(list)
    for index, point in ((1, b[0]), (0, a[0]), (1, b[1]), (0, a[1])):
        y, k = np.array(point, dtype=float).T
        sums = (index, len(y), y.sum(), k.sum(), y @ y, y @ k, k @ k)
        for name, value in zip(("cell", "C", "y", "k", "yy", "yk", "kk"), sums, strict=True):
            rows[name].append(value)
    together = effective_n(**rows, n_cells=3)
    np.testing.assert_allclose(together.n_eff, [by_hand(a), by_hand(b), 0])
    assert np.isnan(together.deff[2])
    assert together.strata.tolist() == [2, 2, 0]


def test_one_item_is_one_trial() -> None:
    result = from_points([[[(5, 8)]], [[(8, 8)]], [[(5, 8)], [(0, 0)]]])
    assert result.n_eff.tolist() == [1, 1, 1]
    assert result.deff.tolist() == [8, 8, 8]


def test_items_that_always_agree_count_once() -> None:
    # 400 items, 4 identical completions each: the design effect is 4 but for the t factor.
    result = from_points([[[(4 * (i % 2), 4) for i in range(400)]]])
    assert result.n_eff[0] == pytest.approx(400, rel=0.02)
    assert result.n_eff[0] >= 400


def test_one_item_points_are_pooled() -> None:
    pair: Point = [(1, 2), (2, 2)]
    three_singles = [[(0, 2)], [(2, 2)], [(1, 3)]]
    assert from_points([[pair, *three_singles]]).strata[0] == 2
    joined = from_points(
        [[pair, [(0, 3), (3, 3), (1, 3)], [(2, 3)]], [[*pair, (2, 3)], [(0, 3), (3, 3), (1, 3)]]]
    )
    assert joined.strata.tolist() == [2, 2]
    assert joined.n_eff[0] == joined.n_eff[1]


def test_points_of_different_difficulty_do_not_inflate_the_variance() -> None:
    easy: Point = [(3, 3)] * 30 + [(2, 3)] * 10
    hard: Point = [(0, 3)] * 30 + [(1, 3)] * 10
    stratified, pooled = from_points([[easy, hard]]), from_points([[easy + hard]])
    assert stratified.n_eff[0] > 1.5 * pooled.n_eff[0]


def test_bad_rows_are_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        effective_n([2], [1], [1], [1], [1], [1], [1], n_cells=2)
    with pytest.raises(ValueError, match="equally long"):
        effective_n([0], [1, 2], [1], [1], [1], [1], [1], n_cells=2)


def simulated_coverage(items: int, repeats: np.ndarray, rho: float, p: float) -> tuple[float, float]:
    """Coverage of p over 4,000 beta-binomial cells: clustered, and with completions taken as independent."""
    rng = np.random.default_rng([items, int(100 * rho), int(100 * p)])
    cells, scale = 4_000, (1 - rho) / rho
    k = np.broadcast_to(np.resize(repeats, items), (cells, items)).astype(float)
    y = rng.binomial(k.astype(int), rng.beta(p * scale, (1 - p) * scale, (cells, items))).astype(float)
    sums = [x.sum(axis=1) for x in (y, k, y * y, y * k, k * k)]
    result = effective_n(np.arange(cells), np.full(cells, items), *sums, n_cells=cells)
    share = sums[0] / sums[1]
    lower, upper = (np.array([wilson(share, n)[b] for n in (result.n_eff, result.n)]) for b in (0, 1))
    clustered, independent = ((lower <= p) & (p <= upper)).mean(axis=1)
    return float(clustered), float(independent)


@pytest.mark.parametrize("p", [0.5, 0.8])
@pytest.mark.parametrize(
    ("items", "repeats", "rho", "independent_at_most"),
    [(50, [3], 0.3, 0.91), (400, [4], 0.7, 0.76), (30, [8], 0.7, 0.60), (40, [1, 2, 8], 0.5, 0.80)],
)
def test_intervals_cover_where_independence_does_not(items, repeats, rho, independent_at_most, p) -> None:
    clustered, independent = simulated_coverage(items, np.array(repeats), rho, p)
    assert 0.92 <= clustered <= 0.99
    assert independent <= independent_at_most
