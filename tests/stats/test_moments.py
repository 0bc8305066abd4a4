"""The interval of a mean from its moments, against scipy and against the interval from the values."""

import numpy as np
import pytest
from scipy import stats

from core.stats.moments import mean_interval
from core.stats.paired import t_interval


def test_agrees_with_scipy_and_with_the_interval_from_the_values():
    values = np.random.default_rng(1).normal(size=(5, 40))
    lower, upper = mean_interval(values.mean(axis=1), values.std(axis=1, ddof=1), 40)
    for row, low, high in zip(values, lower, upper, strict=True):
        expected = stats.t.interval(0.95, 39, loc=row.mean(), scale=stats.sem(row))
        assert (low, high) == pytest.approx(expected, abs=1e-12)
        assert (low, high) == pytest.approx(t_interval(row), abs=1e-12)


def test_two_values_by_hand():
    # mean 1, sd sqrt(2), t_{.975,1} = 12.7062: 1 +- 12.7062
    lower, upper = mean_interval(1.0, np.sqrt(2.0), 2)
    assert (float(lower), float(upper)) == pytest.approx((-11.7062047, 13.7062047), abs=1e-6)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_values_have_no_interval(n):
    lower, upper = mean_interval(0.5, np.nan, n)
    assert np.isnan(lower)
    assert np.isnan(upper)
