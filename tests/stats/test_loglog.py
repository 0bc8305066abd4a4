"""The log-log slope against statsmodels, its interval, and where there is none."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from core.stats.loglog import loglog_slope, slope_from_sums


@pytest.fixture
def made():
    draw = np.random.default_rng(21)
    item = draw.integers(0, 60, 300)
    shared = draw.normal(0, 0.3, 60)[item]
    x = np.round(np.exp(draw.normal(4, 1, 300) + shared)) + 1
    return x, 3 * x**0.7 * np.exp(0.2 * draw.normal(size=300) + 0.2 * shared), item


def test_slope_and_error_are_those_of_statsmodels(made) -> None:
    x, y, item = made
    fitted = sm.OLS(np.log(y), sm.add_constant(np.log(x))).fit(
        cov_type="cluster", cov_kwds={"groups": item, "use_correction": False}
    )
    found = loglog_slope(x, y, cluster=item)
    items = len(set(item.tolist()))
    assert found.slope == pytest.approx(fitted.params[1], rel=1e-10)
    assert found.error == pytest.approx(fitted.bse[1] * math.sqrt(items / (items - 1)), rel=1e-9)
    assert found.n == 300


def test_interval_is_a_jackknife_over_items(made) -> None:
    x, y, item = made
    found = loglog_slope(x, y, cluster=item)
    names = np.unique(item)
    without = np.array(
        [np.polyfit(np.log(x[item != one]), np.log(y[item != one]), 1)[0] for one in names.tolist()]
    )
    error = math.sqrt((names.size - 1) / names.size * ((without - found.slope) ** 2).sum())
    half = stats.t.ppf(0.975, names.size - 1) * error
    assert (found.lower, found.upper) == pytest.approx((found.slope - half, found.slope + half))
    normal = found.with_error(found.error)
    assert normal.lower == pytest.approx(found.slope - 1.96 * found.error)
    assert half == pytest.approx(1.96 * found.error, rel=0.1)


def test_weights_stand_for_repeated_rows(made) -> None:
    x, y, item = made
    times = np.random.default_rng(2).integers(1, 4, x.size)
    weighted = loglog_slope(x, y, weight=times, cluster=item)
    again = [np.repeat(one, times) for one in (x, y, item)]
    repeated = loglog_slope(again[0], again[1], cluster=again[2])
    for name in ("slope", "lower", "upper", "error", "n"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-9)


def test_a_power_law_is_read_off_exactly() -> None:
    x = np.arange(1.0, 40)
    assert loglog_slope(x, 5 * x**0.5).slope == pytest.approx(0.5, abs=1e-12)
    assert loglog_slope(1000 * x, x**0.5).slope == pytest.approx(0.5, abs=1e-12)


def test_no_slope_of_few_or_of_equal_lengths() -> None:
    assert math.isnan(loglog_slope([], []).slope)
    nine = np.arange(1.0, 10)
    assert math.isnan(loglog_slope(nine, nine).slope)
    assert not math.isnan(loglog_slope(np.arange(1.0, 11), np.arange(1.0, 11)).slope)
    narrow = np.exp(np.tile([0.0, 0.18], 50))
    assert math.isnan(loglog_slope(narrow, narrow).slope)
    wide = np.exp(np.tile([0.0, 0.21], 50))
    assert loglog_slope(wide, wide).slope == pytest.approx(1)
    alone = loglog_slope(np.arange(1.0, 20), np.arange(2.0, 21), cluster=np.zeros(19))
    assert not math.isnan(alone.slope)
    assert math.isnan(alone.lower)


def test_sums_give_the_same_slope(made) -> None:
    x, y, _ = made
    u, v = np.log(x), np.log(y)
    found = slope_from_sums(u.size, u.sum(), v.sum(), (u * u).sum(), (u * v).sum())
    assert found.slope == pytest.approx(loglog_slope(x, y).slope, rel=1e-9)
