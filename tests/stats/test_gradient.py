"""Drop in accuracy per step: against least squares, a published interval, and by simulation."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from core.stats.gradient import surface_drops
from core.stats.intervals import wilson


def grid(nx, ny):
    x, y = np.meshgrid(np.arange(nx), np.arange(ny))
    return x.ravel().astype(float), y.ravel().astype(float)


def within_slope(step, group, value, weight):
    """Weighted least squares of the value on the step with a dummy for each group."""
    dummies = (group[:, None] == np.unique(group)).astype(float)
    return sm.WLS(value, np.column_stack([step, dummies]), weights=weight).fit().params[0]


@given(st.integers(2, 6), st.integers(2, 5), st.integers(0, 10_000), st.floats(0.0, 0.5))
def test_drop_is_the_weighted_slope_within_rows(nx, ny, seed, missing):
    rng = np.random.default_rng(seed)
    x, y = grid(nx, ny)
    keep = rng.random(x.size) >= missing
    x, y = x[keep], y[keep]
    value, n = rng.random(x.size), rng.integers(1, 40, x.size).astype(float)
    found = surface_drops(x, y, value, value - 0.1, value + 0.1, n)
    assert found.cells == x.size
    for drop, step, group in ((found.x, x, y), (found.y, y, x)):
        rows = [step[group == one] for one in np.unique(group)]
        if any(len(set(row)) > 1 for row in rows):
            assert drop.drop == pytest.approx(-within_slope(step, group, value, n), abs=1e-9)
            assert drop.lower <= drop.drop <= drop.upper
        else:
            assert np.isnan([drop.drop, drop.lower, drop.upper]).all()


def test_plane_falls_by_its_slopes_whatever_is_missing():
    x, y = grid(5, 4)
    value = 0.9 - 0.05 * x - 0.1 * y
    keep = np.ones(x.size, bool)
    keep[[0, 3, 7, 18]] = False
    n = np.linspace(5, 90, x.size)
    found = surface_drops(*(part[keep] for part in (x, y, value, value - 0.05, value + 0.05, n)))
    assert found.x.drop == pytest.approx(0.05)
    assert found.y.drop == pytest.approx(0.1)
    assert found.difference.drop == pytest.approx(-0.05)


def test_two_cells_give_newcombes_interval_of_a_difference():
    # Newcombe 1998, Statistics in Medicine 17:873, table II, method 10: 56/70 and 48/80.
    p, n = np.array([56 / 70, 48 / 80]), np.array([70.0, 80.0])
    found = surface_drops([0, 1], [0, 0], p, *wilson(p, n), n).x
    assert (found.drop, found.lower, found.upper) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_change_counts_by_size_when_axes_are_compared():
    x, y = grid(4, 4)
    value = 0.2 + 0.15 * x - 0.02 * y
    found = surface_drops(x, y, value, value - 0.01, value + 0.01, np.full(x.size, 50.0))
    assert found.x.drop == pytest.approx(-0.15)
    assert found.difference.drop == pytest.approx(0.13)
    assert found.difference.lower > 0


def test_flat_surface_leaves_open_which_axis_matters():
    x, y = grid(3, 3)
    zero = np.zeros(x.size)
    found = surface_drops(x, y, zero, zero, np.full(x.size, 0.2), np.full(x.size, 12.0))
    assert found.x.drop == found.y.drop == 0
    for drop in (found.x, found.y, found.difference):
        assert drop.lower < 0 < drop.upper


def test_cells_without_a_number_do_not_count():
    nan = np.nan
    found = surface_drops([0, 1, 2], [0, 0, 0], [0.8, nan, 0.4], [0.7, nan, 0.3], [0.9, nan, 0.5], [9, 0, 9])
    assert found.cells == 2
    assert found.x.drop == pytest.approx(0.2)
    assert np.isnan(found.y.drop)
    assert surface_drops([], [], [], [], [], []).cells == 0


def test_interval_covers_the_true_drop():
    rng = np.random.default_rng(5)
    x, y = grid(4, 3)
    truth = 0.95 - 0.12 * x - 0.15 * y
    n = rng.integers(6, 30, x.size).astype(float)
    covered = {"x": 0, "y": 0}
    runs = 1_500
    for _ in range(runs):
        p = rng.binomial(n.astype(int), truth) / n
        found = surface_drops(x, y, p, *wilson(p, n), n)
        covered["x"] += found.x.lower <= 0.12 <= found.x.upper
        covered["y"] += found.y.lower <= 0.15 <= found.y.upper
    for side in covered.values():
        assert 0.935 <= side / runs <= 0.985
