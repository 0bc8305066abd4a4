"""All pairs at once give what each pair gives alone."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from core.stats.paired import compare
from core.stats.pairwise import compare_all


def results(models: int, items: int, repeats: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    k = draw.integers(0 if repeats > 1 else 1, repeats + 1, (models, items))
    k[draw.random(k.shape) < 0.1] = 0
    ease = draw.normal(0, 0.2, items)
    chance = np.clip(draw.uniform(0.3, 0.7, (models, 1)) + ease, 0, 1)
    return draw.binomial(k, chance), k


@pytest.mark.parametrize(
    ("models", "items", "repeats"), [(5, 80, 1), (5, 80, 3), (10, 60, 3), (9, 6, 4), (2, 1, 1), (3, 12, 2)]
)
def test_equals_each_pair_alone(models: int, items: int, repeats: int) -> None:
    y, k = results(models, items, repeats, seed=models + repeats)
    found = compare_all(y, k)
    for place, (a, b) in enumerate(zip(found.first, found.second, strict=True)):
        alone = compare(y[a], k[a], y[b], k[b], tests=found.tests)
        for name in ("d", "lower", "upper", "n_items", "b", "c"):
            assert getattr(found, name)[place] == pytest.approx(getattr(alone, name), abs=1e-12, nan_ok=True)
        assert found.test[place] == alone.test
        # Both draw signs; the order of the items, and so the draws, may differ.
        tolerance = 0.02 if "draws" in alone.test and "t (" not in alone.test else 1e-9
        assert found.p[place] == pytest.approx(alone.p, abs=tolerance, nan_ok=True)


def test_holm_over_the_pairs_equals_statsmodels() -> None:
    y, k = results(8, 200, 1, seed=4)
    found = compare_all(y, k)
    assert found.tests == 28
    assert found.p_adjusted == pytest.approx(multipletests(found.p, method="holm")[1])
    separated = found.separated()
    assert (separated == separated.T).all() and not separated.diagonal().any()
    assert separated.sum() == 2 * (found.p_adjusted < 0.05).sum()


def test_known_table() -> None:
    # 25 items that only the first has right, 10 that only the second has.
    y = np.array([[1] * 25 + [0] * 10 + [1] * 65, [0] * 25 + [1] * 10 + [1] * 65])
    found = compare_all(y, np.ones_like(y))
    assert (found.b[0], found.c[0], found.n_items[0]) == (25, 10, 100)
    assert found.d[0] == pytest.approx(0.15)
    assert found.p[0] == pytest.approx(binomtest(10, 35).pvalue)


def test_no_common_items_is_no_test_and_does_not_count() -> None:
    k = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]])
    found = compare_all(np.zeros_like(k), k)
    assert math.isnan(found.d[0]) and math.isnan(found.p_adjusted[0])
    assert found.test == ("no common items", "exact McNemar", "exact McNemar")
    assert found.tests == 2
    assert found.left_out.tolist() == [4, 2, 2]
    assert not found.separated().any()


def test_equal_differences_do_not_vary() -> None:
    # Every item differs by 1/2: there is no standard error, so the t test has no number.
    y, k = np.array([[2] * 30, [1] * 30]), np.full((2, 30), 2)
    found = compare_all(y, k)
    assert found.d[0] == 0.5
    assert found.p[0] == pytest.approx(1 / 10_001)


def test_one_model_has_no_pairs() -> None:
    found = compare_all([[1, 0]], [[1, 1]])
    assert found.first.size == 0 and found.tests == 0
    assert found.separated().shape == (1, 1)


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match="one shape"):
        compare_all([[1, 0]], [[1]])
