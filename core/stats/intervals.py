"""Intervals of a proportion, and the map that corrects one for guessing.

All take real-valued counts, because an effective number of trials is not an integer. All use the same
z = 1.96, so Jeffreys and Clopper-Pearson use alpha = 2 * (1 - Phi(1.96)) = 0.0499958 and not 0.05.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.stats.arrays import FloatArray, floats

Z = 1.96
METHODS = ("wilson", "reasonscape", "jeffreys", "clopper-pearson")

Bounds = tuple[FloatArray, FloatArray]


def wilson_center_margin(p: ArrayLike, n: ArrayLike, z: float = Z) -> Bounds:
    """Wilson's score interval as center and margin.

    Parameters
    ----------
    p
        Observed proportion(s), in [0, 1].
    n
        Number(s) of trials, real-valued.
    z
        Normal quantile of the level (1.96: 95%).

    Returns
    -------
    center, margin : ndarray
        Of the broadcast shape; NaN where ``n <= 0``.

    Notes
    -----
    ``center = (p + z^2/2n)/(1 + z^2/n)``, ``margin = z*sqrt(p(1-p)/n + z^2/4n^2)/(1 + z^2/n)``:
    Wilson 1927, J. Am. Stat. Assoc. 22:209.
    """
    share, trials = floats(p, n)
    trials = np.where(trials > 0, trials, np.nan)
    scale = 1 + z * z / trials
    center = (share + z * z / (2 * trials)) / scale
    # A share of 1 that is 1 + 1e-16 by rounding must not make a negative variance.
    variance = np.maximum(share * (1 - share), 0) / trials
    margin = z * np.sqrt(variance + z * z / (4 * trials * trials)) / scale
    return center, margin


def wilson(p: ArrayLike, n: ArrayLike, z: float = Z) -> Bounds:
    """Wilson's score interval; exactly 0 below where p is 0 and exactly 1 above where p is 1.

    Parameters
    ----------
    p
        Observed proportion(s), in [0, 1].
    n
        Number(s) of trials, real-valued.
    z
        Normal quantile of the level.

    Returns
    -------
    lower, upper : ndarray
        Of the broadcast shape; NaN where ``n <= 0``.
    """
    center, margin = wilson_center_margin(p, n, z)
    share = np.broadcast_to(np.asarray(p, dtype=np.float64), center.shape)
    lower = np.where((share <= 0) & ~np.isnan(center), 0.0, np.clip(center - margin, 0, 1))
    upper = np.where((share >= 1) & ~np.isnan(center), 1.0, np.clip(center + margin, 0, 1))
    return lower, upper


def jeffreys(k: ArrayLike, n: ArrayLike, z: float = Z) -> Bounds:
    """Jeffreys interval: quantiles of Beta(k + 1/2, n - k + 1/2).

    Parameters
    ----------
    k, n
        Successes and trials, real-valued.
    z
        Normal quantile of the level.

    Returns
    -------
    lower, upper : ndarray
        Of the broadcast shape; NaN where ``n <= 0``.

    Notes
    -----
    Brown, Cai, DasGupta 2001, Stat. Sci. 16:101, without their adjustment at k = 0 and k = n.
    """
    successes, trials = _counts(k, n)
    a, b = successes + 0.5, trials - successes + 0.5
    tail = float(special.ndtr(-z))
    return (
        np.asarray(special.betaincinv(a, b, tail), dtype=np.float64),
        np.asarray(special.betainccinv(a, b, tail), dtype=np.float64),
    )


def clopper_pearson(k: ArrayLike, n: ArrayLike, z: float = Z) -> Bounds:
    """Clopper-Pearson ("exact") interval: 0 below where k is 0, 1 above where k is n.

    Parameters
    ----------
    k, n
        Successes and trials, real-valued.
    z
        Normal quantile of the level.

    Returns
    -------
    lower, upper : ndarray
        Of the broadcast shape; NaN where ``n <= 0``.

    Notes
    -----
    Quantiles of Beta(k, n - k + 1) and Beta(k + 1, n - k): Clopper, Pearson 1934, Biometrika 26:404.
    """
    successes, trials = _counts(k, n)
    failures = trials - successes
    tail = float(special.ndtr(-z))
    with np.errstate(invalid="ignore"):
        lower = special.betaincinv(successes, failures + 1, tail)
        upper = special.betainccinv(successes + 1, failures, tail)
    missing = np.isnan(trials)
    return (
        np.where(~missing & (successes <= 0), 0.0, lower).astype(np.float64),
        np.where(~missing & (failures <= 0), 1.0, upper).astype(np.float64),
    )


def raw_interval(method: str, p: ArrayLike, n: ArrayLike) -> Bounds:
    """Interval of a raw (uncorrected) proportion, by name.

    Parameters
    ----------
    method
        "wilson", "jeffreys" or "clopper-pearson".
    p, n
        Observed proportion(s) and number(s) of trials, real-valued.

    Returns
    -------
    lower, upper : ndarray
        Of the broadcast shape; NaN where ``n <= 0``.

    Raises
    ------
    ValueError
        If the method is unknown. "reasonscape" is not an interval of a raw proportion.
    """
    if method == "wilson":
        return wilson(p, n)
    share, trials = floats(p, n)
    if method == "jeffreys":
        return jeffreys(share * trials, trials)
    if method == "clopper-pearson":
        return clopper_pearson(share * trials, trials)
    raise ValueError(f"unknown interval method {method!r}; valid: wilson, jeffreys, clopper-pearson")


def guess_corrected(value: ArrayLike, gamma: ArrayLike) -> FloatArray:
    """Map raw accuracies, or bounds of them, to skill: what is left when guessing is taken out.

    Parameters
    ----------
    value
        Raw accuracy or a bound of its interval.
    gamma
        Mean chance of guessing right, in [0, 1]; 0 for free-form answers.

    Returns
    -------
    ndarray
        ``clip((value - gamma)/(1 - gamma), 0, 1)``; NaN where ``gamma >= 1``.
    """
    raw, chance = floats(value, gamma)
    room = np.where(chance < 1, 1 - chance, np.nan)
    return np.clip((raw - chance) / room, 0, 1)


def _counts(k: ArrayLike, n: ArrayLike) -> Bounds:
    successes, trials = floats(k, n)
    trials = np.where(trials > 0, trials, np.nan)
    return np.minimum(successes, trials), trials
