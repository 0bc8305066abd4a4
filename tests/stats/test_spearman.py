"""Rank correlation against scipy, and where it has no number."""

import math

import numpy as np
import pytest
from scipy import stats

from core.stats.spearman import spearman


def test_equals_scipy_with_ties_and_missing() -> None:
    draw = np.random.default_rng(1)
    x = draw.integers(0, 6, 30).astype(float)
    y = x + draw.normal(0, 2, 30)
    found = spearman(np.append(x, np.nan), np.append(y, 3.0))
    assert found.n == 30
    assert found.rho == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found.lower < found.rho < found.upper < 1


def test_interval_by_hand() -> None:
    found = spearman([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5])
    rho = 1 - 6 * 6 / (6 * 35)
    half = 1.96 * math.sqrt((1 + rho**2 / 2) / 3)
    assert found.rho == pytest.approx(rho)
    assert found.lower == pytest.approx(math.tanh(math.atanh(rho) - half))


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2, 3, 4], [1, 2, 3, 4]), ([1] * 6, range(6)), (range(6), [2.0] * 6), ([], [])]
)
def test_too_few_or_too_alike_have_no_number(x: list[float], y: list[float]) -> None:
    assert math.isnan(spearman(x, list(y)).rho)


def test_perfect_order_has_no_interval() -> None:
    found = spearman(range(6), range(6))
    assert found.rho == 1
    assert math.isnan(found.upper)


def test_interval_covers() -> None:
    draw = np.random.default_rng(2)
    pearson = 0.6
    truth = 6 / math.pi * math.asin(pearson / 2)
    inside = 0
    for _ in range(500):
        pairs = draw.multivariate_normal([0, 0], [[1, pearson], [pearson, 1]], 20)
        found = spearman(pairs[:, 0], pairs[:, 1])
        inside += found.lower <= truth <= found.upper
    assert 460 <= inside <= 492
