"""Paired draws: bootstrap against normal draws, pairing, strata, and cells without a number."""

import time

import numpy as np
import pytest

from core.stats.clustering import effective_n
from core.stats.draws import PairedDraws, ScoreDraws, covariance


def outcomes(evals: int, items: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Repeated completions of items of shared difficulty in three points, a tenth of them missing."""
    rng = np.random.default_rng(seed)
    difficulty = rng.beta(3, 2, items)
    k = rng.integers(1, 4, (evals, items)) * (rng.random((evals, items)) > 0.1)
    stratum = np.resize([7, 3, 11], items)
    y = rng.binomial(k, np.clip(difficulty * rng.uniform(0.7, 1, (evals, 1)) + 0.05 * (stratum == 3), 0, 1))
    return y.astype(float), k.astype(float), stratum


def drawn(method: str, y, k, stratum, gamma: float = 0.0, **options) -> ScoreDraws:
    draws = PairedDraws(len(y), y.shape[1], seed=1, method=method, **options)
    draws.add(y, k, stratum, np.full(len(y), gamma))
    return draws.result()


@pytest.mark.parametrize("gamma", [0.0, 0.25])
def test_bootstrap_and_normal_draws_have_the_same_spread_and_correlation(gamma: float) -> None:
    y, k, stratum = outcomes(5, 240)
    boot, normal = (drawn(m, y, k, stratum, gamma, n_draws=4000).draws for m in ("bootstrap", "normal"))
    ratio = boot.std(axis=0) / normal.std(axis=0)
    assert 0.9 < ratio.min() <= ratio.max() < 1.1
    np.testing.assert_allclose(np.corrcoef(boot.T), np.corrcoef(normal.T), atol=0.06)
    assert np.corrcoef(boot.T)[0, 1] > 0.2  # the evals share items


def test_bootstrap_spread_is_that_of_resampling_item_by_item() -> None:
    y, k, stratum = outcomes(2, 60)
    rng = np.random.default_rng(9)
    by_hand = []
    for _ in range(3000):
        picks = np.concatenate(
            [rng.choice(np.flatnonzero(stratum == s), (stratum == s).sum()) for s in (3, 7, 11)]
        )
        by_hand.append(np.log(y[:, picks].sum(axis=1) / k[:, picks].sum(axis=1)))
    ours = drawn("bootstrap", y, k, stratum, n_draws=3000).draws
    np.testing.assert_allclose(np.cov(ours.T), np.cov(np.array(by_hand).T), rtol=0.12, atol=2e-4)
    np.testing.assert_allclose(ours.mean(axis=0), np.mean(by_hand, axis=0), atol=0.01)


def test_point_is_the_log_of_the_plain_score() -> None:
    y, k, stratum = outcomes(4, 90)
    draws = PairedDraws(4, 180, seed=0)
    for gamma in (0.0, 0.25):
        draws.add(y, k, stratum, np.full(4, gamma))
    raw = y.sum(axis=1) / k.sum(axis=1)
    expected = (np.log(raw) + np.log(np.clip((raw - 0.25) / 0.75, 0.01, 1))) / 2
    np.testing.assert_allclose(draws.result().point, expected)
    assert draws.result().cells.tolist() == [2, 2, 2, 2]


def test_covariance_by_a_loop_over_items() -> None:
    y, k, stratum = outcomes(3, 60)
    label = np.unique(stratum, return_inverse=True)[1]
    S = covariance(y, k, label)
    residual = np.zeros((3, 60))
    for a in range(3):
        for h in range(3):
            mine = [i for i in range(60) if label[i] == h and k[a, i] > 0]
            p_h = sum(y[a, i] for i in mine) / sum(k[a, i] for i in mine)
            for i in mine:
                residual[a, i] = (y[a, i] - p_h * k[a, i]) * (len(mine) / (len(mine) - 1)) ** 0.5
    for a in range(3):
        for b in range(3):
            expected = sum(residual[a, i] * residual[b, i] for i in range(60)) / (k[a].sum() * k[b].sum())
            assert S[a, b] == pytest.approx(expected, rel=1e-9)


def test_covariance_diagonal_is_the_variance_behind_the_effective_number() -> None:
    y, k, stratum = outcomes(1, 3000)
    label = np.unique(stratum, return_inverse=True)[1]
    sums = [np.bincount(label, weights=x[0]) for x in (k > 0, y, k, y * y, y * k, k * k)]
    n_eff = effective_n([0, 0, 0], *sums, n_cells=1).n_eff[0]
    p = y.sum() / k.sum()
    # With this many items the shrinkage and the t factor are all but 1.
    assert n_eff == pytest.approx(p * (1 - p) / covariance(y, k, label)[0, 0], rel=0.005)


@pytest.mark.parametrize("method", ["bootstrap", "normal"])
def test_equal_evals_get_equal_draws(method: str) -> None:
    y, k, stratum = outcomes(1, 50)
    result = drawn(method, np.vstack([y, y]), np.vstack([k, k]), stratum)
    np.testing.assert_allclose(result.draws[:, 0], result.draws[:, 1], atol=1e-6)
    assert result.draws[:, 0].std() > 0.01


@pytest.mark.parametrize("method", ["bootstrap", "normal"])
def test_difference_between_points_adds_no_variance(method: str) -> None:
    # All right in one point and all wrong in the other: items within a stratum do not differ.
    y = np.array([[1.0] * 20 + [0.0] * 20])
    result = drawn(method, y, np.ones((1, 40)), np.repeat([0, 1], 20))
    assert result.draws.std() < 1e-6
    mixed = drawn(method, y, np.ones((1, 40)), np.zeros(40, dtype=int))
    assert mixed.draws.std() > 0.1


def test_small_strata_are_pooled_first() -> None:
    # Ten points of one item each have no variance apart, but do as one stratum.
    y = np.array([[1.0, 0.0] * 5])
    assert drawn("bootstrap", y, np.ones((1, 10)), np.arange(10)).draws.std() > 0.1
    # Four items are a small stratum and join the other.
    joined = drawn(
        "bootstrap", np.array([[1.0] * 4 + [0.0] * 20]), np.ones((1, 24)), np.repeat([0, 1], [4, 20])
    )
    assert joined.draws.std() > 0.1


def test_missing_cells_are_left_out_of_the_mean() -> None:
    y, k, stratum = outcomes(3, 60)
    draws = PairedDraws(3, 180, seed=0, n_draws=50)
    draws.add(y, k, stratum, np.zeros(3))
    k_without, y_without = k.copy(), y.copy()
    k_without[1] = y_without[1] = 0
    draws.add(y_without, k_without, stratum, [0, 0, 1.0])
    draws.add(np.zeros_like(y), np.zeros_like(k), stratum, np.zeros(3))
    result = draws.result()
    assert result.cells.tolist() == [2, 1, 1]
    np.testing.assert_allclose(result.point, np.log(y.sum(axis=1) / k.sum(axis=1)))
    assert result.not_estimable.tolist() == [[False] * 3] * 3


def test_an_eval_without_any_cell_has_no_number() -> None:
    y, k, stratum = outcomes(2, 30)
    k[1] = y[1] = 0
    result = drawn("bootstrap", y, k, stratum)
    assert np.isnan(result.point[1])
    assert np.isnan(result.draws[:, 1]).all()
    assert np.isfinite(result.draws[:, 0]).all()


@pytest.mark.parametrize("method", ["bootstrap", "normal"])
def test_perfect_hopeless_and_guessing_evals_are_flagged(method: str) -> None:
    half = np.resize([1.0, 0.0], 40)
    y = np.stack([np.ones(40), np.zeros(40), half, half])
    draws = PairedDraws(4, 40, seed=0, method=method)
    draws.add(y, np.ones_like(y), np.zeros(40, dtype=int), [0, 0, 0, 0.5])
    assert draws.result().not_estimable.tolist() == [[True, True, False, True]]


def test_an_eval_that_a_draw_misses_keeps_its_own_accuracy() -> None:
    k = np.ones((2, 12))
    k[1, 1:] = 0
    y = np.zeros((2, 12))
    y[0, ::2] = y[1, 0] = 1
    result = drawn("bootstrap", y, k, np.zeros(12, dtype=int))
    assert (result.draws[:, 1] == 0).all()


def test_method_follows_the_number_of_items() -> None:
    assert PairedDraws(2, 20_000, seed=0).method == "bootstrap"
    assert PairedDraws(2, 20_001, seed=0).method == "normal"
    with pytest.raises(ValueError, match="bootstrap, normal"):
        PairedDraws(2, 5, seed=0, method="jackknife")


def test_seeded_and_checked() -> None:
    y, k, stratum = outcomes(2, 40)
    first, again = drawn("bootstrap", y, k, stratum), drawn("bootstrap", y, k, stratum)
    np.testing.assert_array_equal(first.draws, again.draws)
    with pytest.raises(ValueError, match=r"\(3, 40\)"):
        PairedDraws(3, 40, seed=0).add(y, k, stratum, np.zeros(3))
    with pytest.raises(ValueError, match=r"\(2,\)"):
        PairedDraws(2, 40, seed=0).add(y, k, stratum, 0.0)


def test_draws_of_the_largest_bootstrap_are_fast() -> None:
    rng = np.random.default_rng(0)
    draws = PairedDraws(75, 19_200, seed=0)
    y = (rng.random((75, 4_800)) < 0.6).astype(float)
    start = time.process_time()
    for _ in range(4):
        draws.add(y, np.ones_like(y), rng.integers(0, 16, 4_800), np.zeros(75))
    assert time.process_time() - start < 5
    assert draws.result().draws.shape == (1000, 75)
