"""Simulated answers to items: a chance of being right that differs between items, and between evals less."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from tests.validity.study import Rng

Floats = NDArray[np.float64]

GRID = 4_096


@lru_cache(maxsize=256)
def chances(p: float, correlation: float) -> Floats:
    """Return equally likely chances of items, ascending: mean p, intra-item correlation about as given.

    The quantiles of Beta(p m, (1 - p) m), m = 1/correlation - 1, moved so that their mean is p exactly.
    """
    if correlation <= 0 or p in (0, 1):
        return np.full(GRID, p)
    m = 1 / correlation - 1
    values = special.betaincinv(p * m, (1 - p) * m, (np.arange(GRID) + 0.5) / GRID)
    return np.clip(values * (p / values.mean()), 0, 1)


def item_chances(rng: Rng, shape: tuple[int, ...], p: float, correlation: float) -> Floats:
    """Draw the chances of items."""
    table = chances(p, correlation)
    return table[rng.integers(0, GRID, size=shape)]


def mean_chance(p: float, correlation: float) -> float:
    """Return the mean chance of `item_chances`, which is p but for what clipping took."""
    return float(chances(p, correlation).mean())


def related_chances(
    rng: Rng, shape: tuple[int, ...], p: tuple[float, ...], correlation: float, shared: float
) -> Floats:
    """Draw chances of several evals on the same items; shape (evals, *shape).

    The chances are joined by a normal copula with one correlation, `shared`, between any two evals.
    """
    common = rng.standard_normal(shape)
    own = rng.standard_normal((len(p), *shape))
    place = special.ndtr(np.sqrt(shared) * common + np.sqrt(1 - shared) * own)
    index = np.minimum((place * GRID).astype(np.int64), GRID - 1)
    return np.stack([chances(one, correlation)[some] for one, some in zip(p, index, strict=True)])


@dataclass(frozen=True)
class ItemSums:
    """Sums over the items of points, as the database gives them; arrays of shape (replications,)."""

    items: Floats
    y: Floats
    k: Floats
    yy: Floats
    yk: Floats
    kk: Floats

    @classmethod
    def of(cls, y: NDArray[np.int64], k: NDArray[np.int64]) -> "ItemSums":
        """Sum (replications, items) of correct and counted completions; items without any do not count."""
        counted = np.broadcast_to(k, y.shape).astype(np.float64)
        right = y.astype(np.float64)
        return cls(
            (counted > 0).sum(axis=1).astype(np.float64),
            right.sum(axis=1),
            counted.sum(axis=1),
            (right * right).sum(axis=1),
            (right * counted).sum(axis=1),
            (counted * counted).sum(axis=1),
        )

    def columns(self) -> tuple[Floats, ...]:
        """Return them in the order that core.stats.clustering.effective_n takes."""
        return self.items, self.y, self.k, self.yy, self.yk, self.kk


def repeats_of(rng: Rng, shape: tuple[int, ...], repeats: int, *, unequal: bool = False) -> NDArray[np.int64]:
    """Return completions per item: all the same, or from 1 to twice `repeats` - 1, the same on average."""
    if not unequal:
        return np.full(shape, repeats, dtype=np.int64)
    return rng.integers(1, 2 * repeats, size=shape)


def lognormal_quantile(share: float, mu: float, sigma: float) -> float:
    """Return the quantile of exp(N(mu, sigma^2))."""
    return float(np.exp(mu + sigma * stats.norm.ppf(share)))
