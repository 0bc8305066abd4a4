"""The interval of a quotient, whatever ties its two parts together."""

import numpy as np
import pytest

from core.stats.quotient import quotient_interval


def test_by_hand_and_without_a_divisor() -> None:
    low, high = quotient_interval([100, 100, 100], [200, 200, np.nan], [10, 0, 10], [20, 0, 20])
    assert low.tolist()[0] == 5
    assert high.tolist()[0] == 20
    assert np.isnan([low[1], high[1], high[2]]).all()


@pytest.mark.parametrize("correlation", [-0.99, -0.5, 0.0, 0.9])
def test_covers_at_least_as_often_as_its_parts(correlation: float) -> None:
    draw = np.random.default_rng(3)
    cov = 0.05**2 * np.array([[1, correlation], [correlation, 1]])
    logs = draw.multivariate_normal([0, 0], cov, 4000)
    half = 1.96 * 0.05
    bounds = [np.exp(logs[:, side] + sign * half) for side in (0, 1) for sign in (-1, 1)]
    low, high = quotient_interval(*bounds)
    assert np.mean((low <= 1) & (high >= 1)) >= 0.945
