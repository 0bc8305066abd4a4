"""Spectra of several prompts: their mean, what relabelling tokens makes of it, and how far two are apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stats.arrays import FloatArray
from core.stats.intervals import Z
from core.stats.spectrum import BANDS, signal_spectra

RELABELLINGS = 100


def mean_spectrum(spectra: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the mean over prompts and its standard error, per band.

    Parameters
    ----------
    spectra
        Shape (n, 64).

    Returns
    -------
    mean, error : ndarray
        Shape (64,); NaN without prompts, no error with fewer than two.
    """
    values = np.asarray(spectra, dtype=np.float64).reshape(-1, BANDS)
    n = len(values)
    missing = np.full(BANDS, np.nan)
    return (
        values.mean(axis=0) if n else missing,
        values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else missing,
    )


def relabelling_band(
    prompts: Sequence[ArrayLike], *, seed: int = 0, draws: int = RELABELLINGS
) -> tuple[FloatArray, FloatArray]:
    """95% band of the mean raw-id spectrum of some prompts where ids mean nothing.

    Every draw is one shuffled vocabulary: the ids that occur in the prompts change places among each
    other, and all prompts are read with the same ones, since prompts share tokens; their mean spectrum is
    one value of the band. Shuffling each prompt by itself would give a band several times too narrow.

    Parameters
    ----------
    prompts
        Token ids of each prompt, all with a spectrum (see core.stats.spectrum.has_spectrum).
    seed, draws
        Of the shuffles.

    Returns
    -------
    lower, upper : ndarray
        Shape (64,), band by band; NaN without prompts. Where ids mean nothing, the mean spectrum itself is
        one more draw, and leaves each band with chance .05: quantiles at (draws + 1) p (Weibull).
    """
    if not len(prompts):
        return np.full(BANDS, np.nan), np.full(BANDS, np.nan)
    sizes = [np.asarray(ids).size for ids in prompts]
    vocabulary, codes = np.unique(np.concatenate([np.asarray(ids) for ids in prompts]), return_inverse=True)
    values = vocabulary - vocabulary.mean()
    # Spectra do not depend on the scale; single precision is enough for quantiles, in half the time.
    values = values / max(float(np.abs(values).max()), 1.0)
    shuffled = np.random.default_rng(seed).permuted(np.tile(values, (draws, 1)), axis=1).astype(np.float32)
    total: NDArray[np.floating] = np.zeros((draws, BANDS))
    for one in np.split(codes, np.cumsum(sizes)[:-1]):
        total = total + signal_spectra(shuffled[:, one])
    lower, upper = np.quantile(total / len(prompts), [0.025, 0.975], axis=0, method="weibull")
    return np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)


@dataclass(frozen=True)
class Distance:
    """How far the mean spectra of the same prompts under two tokenizers are apart.

    Attributes
    ----------
    total_variation, error
        Half the sum of absolute differences, 0 to 1, and its standard error; NaN where there is no number.
    noise
        What it would be on average from the sampling of prompts alone, were both mean spectra the same.
    n
        Prompts.
    """

    total_variation: float
    error: float
    noise: float
    n: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval: 1.96 standard errors to either side, and the noise more below, within [0, 1].

        Sampling makes a distance larger, by `noise` where nothing differs and by less where something does:
        ``0 <= E|N(m, s^2)| - |m| <= s sqrt(2/pi)``. Without the noise, intervals of spectra that are nearly
        the same lie above the truth (docs/validity.md).
        """
        return (
            float(np.clip(self.total_variation - self.noise - Z * self.error, 0, 1)),
            float(np.clip(self.total_variation + Z * self.error, 0, 1)),
        )


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Return half the sum of the absolute differences of two distributions over bands."""
    return float(np.abs(np.asarray(p, dtype=np.float64) - np.asarray(q, dtype=np.float64)).sum() / 2)


def spectral_distance(first: ArrayLike, second: ArrayLike) -> Distance:
    """Compare the spectra of the same prompts under two tokenizers.

    Parameters
    ----------
    first, second
        Shape (n, 64): row i of both is of the same prompt.

    Returns
    -------
    Distance
        Error: jackknife over prompts (Efron, Stein 1981, Ann. Stat. 9:586); none with one prompt. Noise:
        half the sum of the means of absolute normal deviates, ``sum_b sqrt(2/pi) * SD_b(d) / sqrt(n) / 2``,
        d the differences by prompt.

    Raises
    ------
    ValueError
        If the arrays differ in shape.
    """
    a, b = (np.asarray(values, dtype=np.float64).reshape(-1, BANDS) for values in (first, second))
    if a.shape != b.shape:
        raise ValueError(f"first and second must have one shape, not {a.shape} and {b.shape}")
    d = a - b
    n = len(d)
    nan = float("nan")
    if n == 0:
        return Distance(nan, nan, nan, 0)
    distance = float(np.abs(d.mean(axis=0)).sum() / 2)
    if n == 1:
        return Distance(distance, nan, nan, 1)
    without = np.abs((d.sum(axis=0) - d) / (n - 1)).sum(axis=1) / 2
    error = float(np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2)))
    noise = float(np.sqrt(2 / np.pi) * d.std(axis=0, ddof=1).sum() / np.sqrt(n) / 2)
    return Distance(distance, error, noise, n)


def mean_distance(distances: Sequence[Distance]) -> Distance:
    """Return the mean of the distances of several samples of prompts, such as tasks, each weighing the same.

    The distance of all prompts at once would be smaller than every one of them where they differ in
    different bands.
    """
    known = [one for one in distances if one.n]
    k = len(known)
    if not k:
        return spectral_distance([], [])
    return Distance(
        float(np.mean([one.total_variation for one in known])),
        float(np.sqrt(np.sum([one.error**2 for one in known]))) / k,
        float(np.mean([one.noise for one in known])),
        sum(one.n for one in known),
    )
