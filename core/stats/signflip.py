"""The sign-flip test of paired differences: under no difference, each item's sign is a fair coin."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray

DRAWS = 10_000
ENUMERATED = 14  # all 2^14 sign patterns cost no more than the draws
# Sums that are equal but for rounding count as equally extreme.
TOLERANCE = 1e-9
# Below this many different sizes of difference, drawing how many of each are positive is the faster way.
FEW_SIZES = 256
CHUNK = 4_000_000


@dataclass(frozen=True)
class SignFlip:
    """Result of a sign-flip test.

    Attributes
    ----------
    p
        Two-sided p-value.
    enumerated
        Whether every sign pattern was counted instead of drawn.
    draws
        Sign patterns looked at: the draws, or 2^(non-zero differences).
    """

    p: float
    enumerated: bool
    draws: int


def sign_flip(d: ArrayLike, *, draws: int = DRAWS, seed: int = 0) -> SignFlip:
    """Test whether paired differences are centred on 0.

    Parameters
    ----------
    d
        Shape (n,): differences of items. Zeros carry no information.
    draws
        Random sign patterns where more than 14 differences are not zero.
    seed
        Seed of the random patterns.

    Returns
    -------
    SignFlip
        Drawn: ``(1 + #{|T*| >= |T| - 1e-9})/(1 + draws)``, T the sum of the differences. Enumerated: the
        share of all patterns, the observed one included. No non-zero difference: p = 1.

    Notes
    -----
    Fisher 1935, The Design of Experiments, section 21; the 1 + form: Phipson, Smyth 2010,
    Stat. Appl. Genet. Mol. Biol. 9:39.
    """
    values = np.asarray(d, dtype=np.float64)
    sizes = np.abs(values[values != 0])
    observed = abs(float(values.sum())) - TOLERANCE
    if sizes.size <= ENUMERATED:
        patterns = np.arange(2**sizes.size)[:, np.newaxis] >> np.arange(sizes.size) & 1
        sums = (2 * patterns - 1) @ sizes
        return SignFlip(float(np.mean(np.abs(sums) >= observed)), True, 2**sizes.size)
    extreme = int(np.sum(np.abs(_drawn_sums(sizes, draws, seed)) >= observed))
    return SignFlip((1 + extreme) / (1 + draws), False, draws)


def _drawn_sums(sizes: FloatArray, draws: int, seed: int) -> FloatArray:
    """Sum the sizes under random signs; shape (draws,)."""
    rng = np.random.default_rng(seed)
    # Means of few repeats take few values; rounding joins those that differ by representation only.
    value, count = np.unique(np.round(sizes, 12), return_counts=True)
    if value.size <= FEW_SIZES:
        positive = rng.binomial(count, 0.5, size=(draws, value.size))
        return np.asarray((2 * positive - count) @ value, dtype=np.float64)
    sums = np.empty(draws)
    step = max(1, CHUNK // sizes.size)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        packed = np.frombuffer(rng.bytes(rows * (-(-sizes.size // 8))), dtype=np.uint8).reshape(rows, -1)
        heads = np.unpackbits(packed, axis=1, count=sizes.size)
        sums[start : start + rows] = 2 * (heads @ sizes) - sizes.sum()
    return sums
