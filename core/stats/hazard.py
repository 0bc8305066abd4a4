"""Buckets of a life table: who is at risk in each, and which share ends of each cause in it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray, IntArray, ratio
from core.stats.intervals import wilson
from core.stats.survival import LifeTable


@dataclass(frozen=True)
class Buckets:
    """Counts per bucket of size B; bucket k is (kB, (k+1)B], and 0 lies in bucket 0.

    Attributes
    ----------
    size
        B.
    at_risk
        Shape (K,): observations with a time above kB; all of them in bucket 0. The last is above 0.
    events
        Shape (causes, K).
    censored
        Shape (K,).
    """

    size: int
    at_risk: IntArray
    events: IntArray
    censored: IntArray

    @cached_property
    def start(self) -> IntArray:
        """Lower edges, exclusive."""
        return np.arange(self.at_risk.size, dtype=np.int64) * self.size

    @cached_property
    def end(self) -> IntArray:
        """Upper edges, inclusive."""
        return self.start + self.size

    @cached_property
    def hazard(self) -> FloatArray:
        """Share of those at risk that each cause ends in the bucket, shape (causes, K)."""
        return ratio(self.events, self.at_risk)

    def interval(self, effective: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
        """Return Wilson's bounds of the hazards, shape (causes, K).

        Parameters
        ----------
        effective
            Effective numbers at risk, of that shape; those at risk where absent.
        """
        return wilson(self.hazard, self.at_risk if effective is None else effective)


def bucket_of(times: ArrayLike, size: int) -> IntArray:
    """Return the bucket of each whole time: ``ceil(t/B) - 1``, and 0 for 0.

    Closed on the right, so that a budget that is a multiple of B has no bucket of its own.
    """
    return np.maximum((np.asarray(times, dtype=np.int64) - 1) // size, 0)


def bucket_table(table: LifeTable, size: int) -> Buckets:
    """Return the counts per bucket; the last bucket is the one of the largest time.

    Raises
    ------
    ValueError
        If the size is less than 1 or the table is empty.
    """
    if size < 1:
        raise ValueError(f"a bucket must be at least 1 wide, not {size}")
    if not table.n:
        raise ValueError("an empty life table has no buckets")
    bucket = bucket_of(table.times, size)
    count = int(bucket[-1]) + 1

    def per_bucket(values: IntArray) -> IntArray:
        return np.bincount(bucket, weights=values, minlength=count).astype(np.int64)

    events = np.stack([per_bucket(row) for row in table.events])
    censored = per_bucket(table.censored)
    ended = np.cumsum(events.sum(axis=0) + censored)
    at_risk = np.concatenate([[table.n], table.n - ended[:-1]]).astype(np.int64)
    return Buckets(size, at_risk, events, censored)


def turning_point(first: ArrayLike, second: ArrayLike) -> int:
    """Return from which place on the second kind of event outnumbers the first; K where it never does.

    Parameters
    ----------
    first, second
        Shape (K,): events of both kinds in each bucket.

    Returns
    -------
    int
        The place k at which ``sum over places >= k of (second - first)`` is largest, the first of equals:
        every stretch that begins there has at least as many of the second kind as of the first.
    """
    surplus = np.asarray(second, dtype=np.int64) - np.asarray(first, dtype=np.int64)
    tail = np.concatenate([np.cumsum(surplus[::-1])[::-1], [0]])
    best = int(tail.max())
    return int(tail.size - 1) if best <= 0 else int(np.argmax(tail))
