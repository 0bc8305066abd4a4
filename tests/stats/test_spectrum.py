"""Spectra of token sequences against a direct Fourier sum, and what must not change them."""

import cmath
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.stats import spectrum
from core.stats.spectrum import (
    BANDS,
    LEAST_TOKENS,
    band_centres,
    has_spectrum,
    indicator_spectrum,
    signal_spectrum,
)
from core.stats.spectrum_sample import (
    mean_distance,
    mean_spectrum,
    relabelling_band,
    spectral_distance,
    total_variation,
)

TOKENS = st.lists(st.integers(0, 300_000), min_size=LEAST_TOKENS, max_size=80).filter(has_spectrum)
FEW = st.lists(st.integers(0, 5), min_size=LEAST_TOKENS, max_size=80).filter(has_spectrum)


def direct_power(signal: Sequence[float], nfft: int) -> list[float]:
    """Power per band from the definition of the Fourier transform, term by term."""
    bands = [0.0] * BANDS
    for k in range(nfft // 2 + 1):
        y = sum(value * cmath.exp(-2j * math.pi * k * place / nfft) for place, value in enumerate(signal))
        weight = 1 if k in (0, nfft // 2) else 2
        bands[min(BANDS - 1, math.floor(128 * k / nfft))] += weight * abs(y) ** 2
    return bands


def windowed(x: Sequence[float]) -> list[float]:
    n = len(x)
    w = [0.5 - 0.5 * math.cos(2 * math.pi * place / n) for place in range(n)]
    mean = sum(a * b for a, b in zip(w, x, strict=True)) / sum(w)
    return [a * (b - mean) for a, b in zip(w, x, strict=True)]


def direct(signals: list[list[float]], nfft: int = 512) -> list[float]:
    total = sum(value * value for signal in signals for value in signal)
    bands = [direct_power(signal, nfft) for signal in signals]
    return [sum(column) / (nfft * total) for column in zip(*bands, strict=True)]


@pytest.mark.parametrize("size", [16, 23])
def test_both_are_the_direct_fourier_sum(size: int) -> None:
    ids = np.random.default_rng(size).integers(0, 6, size).tolist()
    expected = direct([windowed([float(x == v) for x in ids]) for v in set(ids)])
    assert indicator_spectrum(ids) == pytest.approx(expected, abs=1e-12)
    assert signal_spectrum(ids) == pytest.approx(direct([windowed(ids)]), abs=1e-12)


def test_longer_than_a_block_is_padded_to_the_next() -> None:
    x = np.random.default_rng(0).integers(0, 4, 520)
    y = np.asarray(windowed(x.tolist()))
    power = np.abs(np.exp(-2j * np.pi * np.outer(np.arange(513), np.arange(520)) / 1024) @ y) ** 2
    power[1:-1] *= 2
    bands = np.bincount(np.minimum(63, np.arange(513) * 128 // 1024), power, BANDS)
    assert signal_spectrum(x) == pytest.approx(bands / (1024 * (y @ y)), abs=1e-12)


@given(TOKENS)
def test_bands_sum_to_one(ids: list[int]) -> None:
    for made in (indicator_spectrum(ids), signal_spectrum(ids)):
        assert made is not None
        assert abs(made.sum() - 1) < 1e-9
        assert made.min() >= 0


@given(FEW, st.permutations(range(6)))
def test_relabelling_leaves_the_indicator_spectrum(ids: list[int], labels: list[int]) -> None:
    made = indicator_spectrum(ids)
    relabelled = indicator_spectrum([1000 * labels[one] for one in ids])
    assert np.abs(made - relabelled).max() <= 1e-12


@given(FEW, st.floats(0.01, 100), st.floats(-1000, 1000))
def test_shift_and_scale_leave_the_raw_spectrum(ids: list[int], scale: float, shift: float) -> None:
    assert signal_spectrum(np.array(ids) * scale + shift) == pytest.approx(signal_spectrum(ids), abs=1e-6)


@settings(max_examples=200)
@given(st.integers(50, 1500), st.floats(0.02, 0.48), st.floats(0, 2 * math.pi))
def test_a_sinusoid_peaks_within_one_band(size: int, frequency: float, phase: float) -> None:
    made = signal_spectrum(np.sin(2 * np.pi * frequency * np.arange(size) + phase))
    assert abs(int(np.argmax(made)) - math.floor(128 * frequency)) <= 1


@pytest.mark.parametrize("period", [2, 3, 5, 8])
def test_what_recurs_every_p_tokens_peaks_at_multiples_of_1_over_p(period: int) -> None:
    made = indicator_spectrum([place % period for place in range(240)])
    near = {
        band
        for k in range(1, period // 2 + 1)
        for band in range(BANDS)
        if abs(band_centres()[band] - k / period) <= 1.5 / 128
    }
    assert made[sorted(near)].sum() > 0.98


@pytest.mark.parametrize(
    "ids", [[], [1], [1, 2] * 7, [7] * 40, [3] + [7] * 40], ids=["none", "one", "15", "same", "first"]
)
def test_no_spectrum_of_what_is_short_or_constant(ids: list[int]) -> None:
    assert indicator_spectrum(ids) is None
    assert signal_spectrum(ids) is None


def test_sixteen_tokens_are_enough() -> None:
    assert indicator_spectrum([1, 2] * 8) is not None


def test_many_values_are_transformed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = np.random.default_rng(1).integers(0, 90, 300)
    at_once = indicator_spectrum(ids)
    monkeypatch.setattr(spectrum, "_CHUNK", 1)
    assert indicator_spectrum(ids) == pytest.approx(at_once, abs=1e-15)


def test_mean_and_standard_error() -> None:
    spectra = np.zeros((4, BANDS))
    spectra[:, 0] = [0.1, 0.3, 0.3, 0.5]
    mean, error = mean_spectrum(spectra)
    assert mean[:2].tolist() == pytest.approx([0.3, 0.0])
    assert error[0] == pytest.approx(math.sqrt(0.08 / 3) / 2)
    assert np.isnan(mean_spectrum(spectra[:1])[1]).all()
    assert np.isnan(mean_spectrum([])[0]).all()


def prompts(count: int, seed: int = 0) -> list[np.ndarray]:
    """Prompts that share a beginning, as worked examples do."""
    draw = np.random.default_rng(seed)
    shared = draw.integers(0, 40, 60)
    return [np.concatenate([shared, draw.integers(0, 40, draw.integers(10, 30))]) for _ in range(count)]


def test_relabelling_shuffles_one_vocabulary_for_all_prompts() -> None:
    one = prompts(1)
    for alone, repeated in zip(relabelling_band(one), relabelling_band(one * 20), strict=True):
        assert repeated == pytest.approx(alone, abs=1e-6)


def test_relabelling_band_is_of_the_mean_of_relabelled_prompts() -> None:
    some = prompts(5)
    vocabulary = np.unique(np.concatenate(some))
    shuffled = np.random.default_rng(3).permuted(np.tile(vocabulary, (100, 1)), axis=1)
    means = [
        np.mean([signal_spectrum(labels[np.searchsorted(vocabulary, ids)]) for ids in some], axis=0)
        for labels in shuffled
    ]
    ordered = np.sort(means, axis=0)
    lower, upper = relabelling_band(some, seed=3)
    # Quantile p of 100 draws lies at place 101 p: between the 2nd and 3rd, and the 98th and 99th.
    assert lower == pytest.approx(ordered[1] * 0.475 + ordered[2] * 0.525, abs=1e-6)
    assert upper == pytest.approx(ordered[97] * 0.525 + ordered[98] * 0.475, abs=1e-6)
    assert np.isnan(relabelling_band([])).all()


def test_where_ids_mean_nothing_one_band_in_twenty_is_left() -> None:
    draw = np.random.default_rng(5)
    left = []
    for trial in range(40):
        some = prompts(6, seed=trial)
        labels = draw.permutation(40)
        mean = np.mean([signal_spectrum(labels[ids]) for ids in some], axis=0)
        lower, upper = relabelling_band([labels[ids] for ids in some], seed=trial)
        left.append(np.mean((mean < lower) | (mean > upper)))
    assert np.mean(left) == pytest.approx(0.05, abs=0.02)


def shares(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(BANDS, 5.0), count)


def test_total_variation_of_known_distributions() -> None:
    assert total_variation([1, 0], [0, 1]) == 1
    assert total_variation([0.5, 0.5], [0.25, 0.75]) == 0.25


def test_distance_is_of_the_means_with_a_jackknife_error() -> None:
    a, b = shares(12, 1), shares(12, 2)
    found = spectral_distance(a, b)
    assert found.total_variation == pytest.approx(total_variation(a.mean(axis=0), b.mean(axis=0)))
    without = [
        total_variation(np.delete(a, place, 0).mean(axis=0), np.delete(b, place, 0).mean(axis=0))
        for place in range(12)
    ]
    assert found.error == pytest.approx(math.sqrt(11 / 12 * 12 * np.var(without)))
    assert spectral_distance(b, a) == found
    low, high = found.interval
    assert low == 0
    assert high - found.total_variation == pytest.approx(1.96 * found.error)
    apart = spectral_distance(np.roll(np.sort(a, axis=1), 32, axis=1), np.sort(b, axis=1))
    assert apart.total_variation - apart.interval[0] == pytest.approx(apart.noise + 1.96 * apart.error)


def test_noise_is_what_sampling_alone_gives() -> None:
    expected = np.mean(
        [spectral_distance(shares(50, s), shares(50, 1000 + s)).total_variation for s in range(200)]
    )
    noise = np.mean([spectral_distance(shares(50, s), shares(50, 1000 + s)).noise for s in range(50)])
    assert noise == pytest.approx(expected, rel=0.03)


def test_equal_spectra_have_no_distance_and_no_noise() -> None:
    a = shares(9, 3)
    found = spectral_distance(a, a)
    assert (found.total_variation, found.error, found.noise, found.interval) == (0, 0, 0, (0, 0))


def test_few_prompts() -> None:
    assert math.isnan(spectral_distance([], []).total_variation)
    one = spectral_distance(shares(1, 1), shares(1, 2))
    assert one.total_variation > 0
    assert all(map(math.isnan, one.interval))
    with pytest.raises(ValueError, match="one shape"):
        spectral_distance(shares(2, 1), shares(3, 1))


def test_mean_of_distances_weighs_samples_the_same() -> None:
    parts = [spectral_distance(shares(n, n), shares(n, 90 + n)) for n in (5, 50)]
    mean = mean_distance([*parts, spectral_distance([], [])])
    assert mean.total_variation == pytest.approx((parts[0].total_variation + parts[1].total_variation) / 2)
    assert mean.error == pytest.approx(math.hypot(parts[0].error, parts[1].error) / 2)
    assert mean.n == 55
    assert math.isnan(mean_distance([]).total_variation)
