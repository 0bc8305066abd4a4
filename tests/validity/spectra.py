"""Spectra of the same prompts under two tokenizers: how far apart they are."""

from itertools import product

import numpy as np

from core.stats.spectrum import BANDS
from core.stats.spectrum_sample import spectral_distance, total_variation
from tests.validity.study import Condition, Intervals, Rng, Study


def _distance(prompts: int, apart: float, concentration: float) -> Condition:
    """Return a condition of Dirichlet spectra around two means, the first tilted against the second."""
    flat = np.full(BANDS, 1 / BANDS)
    tilt = np.linspace(-1, 1, BANDS)
    # Half the sum of |tilt|/BANDS is about 1/4: scaled, the means are `apart` in total variation.
    first = flat * (1 + tilt * apart / (np.abs(tilt).sum() / BANDS / 2) / 2)
    second = flat * (1 - tilt * apart / (np.abs(tilt).sum() / BANDS / 2) / 2)
    truth = total_variation(first, second)

    def simulate(rng: Rng, replications: int) -> Intervals:
        bounds = []
        for _ in range(replications):
            a, b = (rng.dirichlet(concentration * mean, size=prompts) for mean in (first, second))
            bounds.append(spectral_distance(a, b).interval)
        lower, upper = np.array(bounds).T
        return Intervals(lower, upper, truth)

    return Condition(f"{prompts} prompts, {truth:.2g} apart, concentration {concentration:g}", simulate)


DISTANCE = Study(
    "spectral_distance",
    "Total variation between the spectra of two tokenizers (jackknife)",
    "FFT",
    "Dirichlet spectra of prompts around two means; a high concentration is prompts that are alike.",
    tuple(
        _distance(n, apart, concentration)
        for n, apart, concentration in product((30, 128), (0.1, 0.3), (50.0, 200.0, 1_000.0))
    ),
)

STUDIES = (DISTANCE,)
