"""Intervals against statsmodels and known values."""

import numpy as np
import pytest
from scipy.stats import binom, norm
from statsmodels.stats.proportion import proportion_confint

from core.stats.intervals import (
    clopper_pearson,
    guess_corrected,
    jeffreys,
    raw_interval,
    wilson,
    wilson_center_margin,
)

ALPHA = 2 * norm.sf(1.96)


def tables() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20)
    n = np.concatenate([rng.integers(1, 40, 500), rng.integers(40, 20_000, 500)])
    k = rng.integers(0, n + 1)
    k[:100], k[100:200] = 0, n[100:200]
    return k, n


@pytest.mark.parametrize(
    ("name", "theirs"), [("wilson", "wilson"), ("jeffreys", "jeffreys"), ("clopper-pearson", "beta")]
)
def test_whole_counts_agree_with_statsmodels(name: str, theirs: str) -> None:
    k, n = tables()
    ours = raw_interval(name, k / n, n)
    # k/n*n is not always k again, hence the few units of rounding.
    np.testing.assert_allclose(ours, proportion_confint(k, n, ALPHA, theirs), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(jeffreys, "jeffreys"), (clopper_pearson, "beta")], ids=["jeffreys", "beta"]
)
def test_real_valued_counts_agree_with_statsmodels(ours, theirs) -> None:
    k, n = tables()
    k, n = k * 0.37, n * 0.37
    np.testing.assert_allclose(ours(k, n), proportion_confint(k, n, ALPHA, theirs), rtol=0, atol=1e-12)


def test_wilson_bounds_solve_the_score_equation() -> None:
    p, n = np.array([0.2, 0.5, 0.9]), np.array([12.5, 100.0, 3.25])
    for bound in wilson(p, n):
        np.testing.assert_allclose((p - bound) ** 2, 1.96**2 * bound * (1 - bound) / n, rtol=1e-12)


def test_the_level_is_that_of_196_and_not_of_05() -> None:
    at_05 = proportion_confint(337, 888, 0.05, "wilson")
    assert abs(wilson(337 / 888, 888)[0] - at_05[0]) > 1e-7


def test_clopper_pearson_never_undercovers() -> None:
    n, p = 25, np.linspace(0.01, 0.99, 197)
    k = np.arange(n + 1)
    lower, upper = clopper_pearson(k, n)
    covered = (lower <= p[:, np.newaxis]) & (p[:, np.newaxis] <= upper)
    coverage = (binom.pmf(k, n, p[:, np.newaxis]) * covered).sum(axis=1)
    assert coverage.min() >= 1 - ALPHA


@pytest.mark.parametrize("name", ["wilson", "jeffreys", "clopper-pearson"])
def test_no_trials_no_number(name: str) -> None:
    lower, upper = raw_interval(name, [np.nan, 0.0, 0.5], [0, 0, 10])
    assert np.isnan([lower[:2], upper[:2]]).all()
    assert 0 < lower[2] < 0.5 < upper[2] < 1


def test_wilson_touches_the_ends_exactly() -> None:
    n = np.arange(1, 3000) * 1.1
    assert (wilson(0.0, n)[0] == 0).all()
    assert (wilson(1.0, n)[1] == 1).all()
    center, margin = wilson_center_margin(0.0, 7.3)
    assert center == pytest.approx(margin)


def test_guess_correction_by_hand() -> None:
    assert guess_corrected(0.625, 0.25) == 0.5
    assert guess_corrected(0.1, 0.25) == 0
    assert guess_corrected(1.0, 0.25) == 1
    assert guess_corrected(0.3, 0.0) == 0.3
    assert np.isnan(guess_corrected(1.0, 1.0))
    assert np.isnan(guess_corrected(0.5, np.nan))


def test_an_unknown_method_is_named_with_the_valid_ones() -> None:
    with pytest.raises(ValueError, match=r"'wald'.*wilson, jeffreys, clopper-pearson"):
        raw_interval("wald", 0.5, 10)
