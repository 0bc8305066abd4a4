"""Cell estimates: the reference point, hand-worked cells, missing numbers, and coverage."""

import numpy as np
import pytest
from scipy.stats import binom

from core.stats.cells import CellEstimates, estimate
from core.stats.intervals import METHODS, clopper_pearson, jeffreys, wilson, wilson_center_margin

INTERVAL = ["accuracy", "lower", "upper", "center", "margin"]
REASONSCAPE = ["adjusted_accuracy", "rs_center", "rs_margin"]
PLAIN = ["plain_accuracy", "plain_lower", "plain_upper"]


def movies(**options) -> CellEstimates:
    """Make the reference point of ReasonScape's documentation (task movies, 12 choices)."""
    return estimate(337, 545, 6, 8, 0, 888 / 12, **options)


@pytest.mark.parametrize("method", METHODS)
def test_the_reference_point_to_every_printed_digit(method: str) -> None:
    cell = movies(method=method, n_eff=100, n_eff_truncated=100)
    assert cell.n == 888
    assert cell.invalid_ratio == 0.006756756756756757
    assert cell.truncated_ratio == 0.008928571428571428
    assert cell.adjusted_successes == 263
    assert cell.adjusted_trials == 814
    assert cell.adjusted_accuracy == 0.3230958230958231
    assert cell.rs_center == 0.3239267848444002
    assert cell.rs_margin == 0.03206244563179326


def test_default_interval_is_wilson_on_the_raw_accuracy_then_corrected() -> None:
    cell = movies(n_eff=500)
    low, high = wilson(337 / 888, 500)
    gamma = 74 / 888
    assert cell.lower == pytest.approx((low - gamma) / (1 - gamma), abs=1e-15)
    assert cell.upper == pytest.approx((high - gamma) / (1 - gamma), abs=1e-15)
    assert cell.center == pytest.approx((cell.lower + cell.upper) / 2)
    assert cell.margin == pytest.approx((cell.upper - cell.lower) / 2)
    assert cell.accuracy == pytest.approx(263 / 814)


@pytest.mark.parametrize(
    ("method", "interval"), [("jeffreys", jeffreys), ("clopper-pearson", clopper_pearson)]
)
def test_other_intervals_go_through_the_same_map(method, interval) -> None:
    cell = movies(n_eff=500, method=method)
    low, high = interval(337 / 888 * 500, 500)
    assert cell.lower == pytest.approx((low - 1 / 12) / (11 / 12), abs=1e-14)
    assert cell.upper == pytest.approx((high - 1 / 12) / (11 / 12), abs=1e-14)


def test_reasonscape_interval_ignores_the_effective_number() -> None:
    cell = movies(n_eff=10, n_eff_truncated=10, method="reasonscape")
    assert (cell.center, cell.margin) == (cell.rs_center, cell.rs_margin)
    assert cell.lower == cell.rs_center - cell.rs_margin
    assert cell.upper == cell.rs_center + cell.rs_margin
    center, margin = wilson_center_margin((337 - 896 / 12) / (896 * 11 / 12), 896 * 11 / 12)
    assert cell.plain_lower == pytest.approx(center - margin)
    assert cell.plain_upper == pytest.approx(center + margin)


def test_free_form_default_equals_reasonscape() -> None:
    default, theirs = (estimate([3, 40], [7, 55], [0, 5], method=m) for m in ("wilson", "reasonscape"))
    np.testing.assert_allclose(default.center, theirs.center, atol=1e-15)
    np.testing.assert_allclose(default.margin, theirs.margin, atol=1e-15)
    np.testing.assert_allclose(default.accuracy, [0.3, 0.4])


def test_truncated_counts_as_wrong_in_the_plain_accuracy_only() -> None:
    # 60 of 80 counted with 4 choices, 20 truncated: raw .75 over n, .6 over all.
    cell = estimate(60, 18, 2, 20, 5, 20, n_eff=40, n_eff_truncated=50)
    assert cell.accuracy == pytest.approx((0.75 - 0.25) / 0.75)
    assert cell.plain_accuracy == pytest.approx((0.6 - 0.25) / 0.75)
    low, high = wilson(0.6, 50)
    assert cell.plain_lower == pytest.approx((low - 0.25) / 0.75)
    assert cell.plain_upper == pytest.approx((high - 0.25) / 0.75)
    assert cell.truncated_ratio == 0.2
    assert cell.all_in_accuracy == 0.6
    assert (cell.all_in_lower, cell.all_in_upper) == (0.6, 0.8)


def test_below_chance_is_marked_and_clamped() -> None:
    cell = estimate([20, 25, 26], [80, 75, 74], 0, guess_mass=25)
    assert cell.below_chance.tolist() == [True, False, False]
    assert cell.accuracy.tolist()[:2] == [0, 0]
    assert cell.adjusted_successes.tolist() == [0, 0, 1]
    # The interval starts from the chance level, so a guesser's reaches down to 0 and not above.
    assert cell.lower.tolist() == [0, 0, 0]
    assert cell.upper[0] == cell.upper[1]


def test_fifths_that_sum_to_a_whole_are_not_below_chance() -> None:
    mass = sum([1 / 5] * 15)
    assert mass > 3
    assert not estimate(3, 12, 0, guess_mass=mass).below_chance


@pytest.mark.parametrize("method", METHODS)
def test_where_there_is_no_number_there_is_nan(method: str) -> None:
    # Nothing at all; truncated only; one choice only.
    cell = estimate([0, 0, 8], 0, 0, [0, 9, 1], 0, [0, 0, 8], method=method)
    for field in INTERVAL + REASONSCAPE:
        assert np.isnan(getattr(cell, field)).all(), field
    for field in PLAIN:
        assert np.isnan(getattr(cell, field)).tolist() == [True, False, True], field
    assert np.isnan(cell.all_in_accuracy[0])
    assert np.isnan(cell.truncated_ratio[0])
    assert cell.truncated_ratio[1] == 1
    assert (cell.all_in_lower[1], cell.all_in_upper[1]) == (0, 1)
    assert cell.plain_accuracy[1] == 0
    assert 0 <= cell.plain_lower[1] < 1e-3
    assert 0.2 < cell.plain_upper[1] < 0.4
    assert not cell.below_chance.any()


def test_an_unknown_method_is_named_with_the_valid_ones() -> None:
    with pytest.raises(ValueError, match=r"'wald'.*clopper-pearson"):
        movies(method="wald")


def exact_coverage(n: int, gamma: float, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Coverage of the true skill at 0, .01 ... 1 by summing the binomial, and each skill."""
    k, skill = np.arange(n + 1), np.linspace(0, 1, 101)
    cell = estimate(k, n - k, 0, guess_mass=n * gamma, method=method)
    mass = binom.pmf(k, n, (gamma + (1 - gamma) * skill)[:, np.newaxis])
    covered = (cell.lower <= skill[:, np.newaxis] + 1e-12) & (skill[:, np.newaxis] <= cell.upper + 1e-12)
    return (mass * covered).sum(axis=1), skill


@pytest.mark.parametrize("gamma", [1 / 2, 1 / 4])
@pytest.mark.parametrize("n", [30, 100, 500])
def test_the_default_interval_covers_the_true_skill(n: int, gamma: float) -> None:
    ours, _ = exact_coverage(n, gamma, "wilson")
    assert ours.mean() >= 0.94
    assert ours.min() >= 0.85
    theirs, _ = exact_coverage(n, gamma, "reasonscape")
    assert theirs.mean() <= 0.92
    assert theirs.min() <= 0.65


def test_pure_guessers_seldom_get_an_interval_above_zero() -> None:
    n, gamma = 100, 0.25
    k = np.arange(n + 1)
    mass = binom.pmf(k, n, gamma)
    above = {
        m: (mass * (estimate(k, n - k, 0, guess_mass=25, method=m).lower > 0)).sum() for m in METHODS[:2]
    }
    assert above["wilson"] <= 0.035
    assert above["reasonscape"] >= 0.4
