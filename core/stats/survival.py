"""Kaplan-Meier and Aalen-Johansen: survival and cumulative incidences from counted observations."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class LifeTable:
    """Who was at risk and what happened at each distinct time, ascending.

    Attributes
    ----------
    times
        Shape (T,), the distinct times at which something ended.
    events
        Shape (causes, T): ends of each competing cause. Events come before censorings at the same time.
    censored
        Shape (T,): observations cut off at the time.
    """

    times: IntArray
    events: IntArray
    censored: IntArray

    @cached_property
    def n(self) -> int:
        """Observations."""
        return int(self.events.sum() + self.censored.sum())

    @cached_property
    def all_events(self) -> IntArray:
        """Events of any cause, shape (T,)."""
        return np.asarray(self.events.sum(axis=0), dtype=np.int64)

    @cached_property
    def at_risk(self) -> IntArray:
        """Observations that had not ended before the time, shape (T,)."""
        ended = np.cumsum(self.all_events + self.censored)
        return np.concatenate([[self.n], self.n - ended[:-1]]).astype(np.int64)[: self.times.size]

    @cached_property
    def survival(self) -> FloatArray:
        """Kaplan-Meier: ``S(t) = prod over l <= t of (1 - d_l/n_l)``, shape (T,)."""
        return np.asarray(np.cumprod((self.at_risk - self.all_events) / self.at_risk), dtype=np.float64)

    @cached_property
    def survival_before(self) -> FloatArray:
        """``S(l - 1)``: survival just before each time, shape (T,)."""
        return np.concatenate([[1.0], self.survival[:-1]])[: self.times.size]

    @cached_property
    def incidence(self) -> FloatArray:
        """Aalen-Johansen: ``F_j(t) = sum over l <= t of S(l - 1) d_jl/n_l``, shape (causes, T).

        Over the causes they sum to ``1 - S``. Aalen, Johansen 1978, Scand. J. Stat. 5:141.
        """
        summed = np.cumsum(self.survival_before * self.events / self.at_risk, axis=1)
        # A cause that is alone so far has exactly what survival lost: 1 is then 1, not 1 - 1e-16.
        alone = np.cumsum(self.all_events - self.events, axis=1) == 0
        return np.asarray(np.where(alone, 1 - self.survival, summed), dtype=np.float64)

    def places(self, at: ArrayLike) -> IntArray:
        """Return the place of the last time that is not after each of `at`; -1 where there is none."""
        return np.asarray(np.searchsorted(self.times, np.asarray(at), side="right") - 1, dtype=np.int64)

    def survival_at(self, places: IntArray) -> FloatArray:
        """Return survival at places; 1 before the first time."""
        return np.concatenate([self.survival, [1.0]])[places]

    def incidence_at(self, places: IntArray) -> FloatArray:
        """Return the incidences at places, shape (causes, places); 0 before the first time."""
        zero = np.zeros((self.events.shape[0], 1))
        return np.asarray(np.concatenate([self.incidence, zero], axis=1)[:, places], dtype=np.float64)

    def censored_by(self, places: IntArray) -> IntArray:
        """Return how many were cut off up to and including places."""
        return np.concatenate([np.cumsum(self.censored), [0]]).astype(np.int64)[places]

    def over_by(self, places: IntArray) -> IntArray:
        """Return how many had ended or were cut off up to and including places."""
        return np.concatenate([np.cumsum(self.all_events + self.censored), [0]]).astype(np.int64)[places]


def life_table(times: ArrayLike, causes: ArrayLike, n: ArrayLike, *, kinds: int = 2) -> LifeTable:
    """Return the life table of counted observations.

    Parameters
    ----------
    times
        Whole non-negative times.
    causes
        What ended each: a cause from 0 to ``kinds - 1``, or ``kinds`` where it was cut off.
    n
        How many observations a row stands for. All three are of shape (rows,); rows may repeat.
    kinds
        Number of competing causes.

    Raises
    ------
    ValueError
        A cause is out of range.
    """
    when, what, count = (np.asarray(values, dtype=np.int64) for values in (times, causes, n))
    if what.size and (what.min() < 0 or what.max() > kinds):
        raise ValueError(f"causes must lie in 0..{kinds}")
    distinct, place = np.unique(when, return_inverse=True)
    cells = np.bincount(
        what * distinct.size + place, weights=count, minlength=(kinds + 1) * max(distinct.size, 1)
    )
    table = cells.astype(np.int64)[: (kinds + 1) * distinct.size].reshape(kinds + 1, distinct.size)
    return LifeTable(distinct, table[:kinds], table[kinds])


def incidence_variance(
    table: LifeTable, cause: int, places: IntArray, since: IntArray | None = None
) -> FloatArray:
    """Variance of a cumulative incidence, or of what it grew by, with independent observations.

    Parameters
    ----------
    places : ndarray
        Shape (K,), where to read it; see LifeTable.places.
    since : ndarray, optional
        Shape (K,): places to count from, -1 for the start (also the default).

    Returns
    -------
    ndarray
        Shape (K,), the variance of ``F_j(k) - F_j(m)``, m from `since`.

    Notes
    -----
    ``sum_{l<=k} [F(k)-F(l)]^2 d_l/(n_l(n_l-d_l)) + sum_{l<=k} S(l-1)^2 d_jl(n_l-d_jl)/n_l^3
    - 2 sum_{l<=k} [F(k)-F(l)] S(l-1) d_jl/n_l^2``, the first term 0 where n_l = d_l: Dinse, Larson 1986,
    Biometrika 73:379, equation 6; ``F(1-F)/n`` without censoring. From m on, the last two sums run over
    ``m < l <= k`` and F(l) is F(max(l, m)) in the first.
    """
    start = np.full(places.shape, -1) if since is None else since
    d, n, own = table.all_events, table.at_risk.astype(np.float64), table.events[cause]
    left = n - d
    growth = np.divide(d, n * left, out=np.zeros(n.shape), where=left > 0)
    square = table.survival_before**2 * own * (n - own) / n**3
    cross = table.survival_before * own / n**2
    incidence = table.incidence[cause]
    variance = np.zeros(places.shape)
    for row, (k, m) in enumerate(zip(places.tolist(), start.tolist(), strict=True)):
        gain = incidence[k] - np.maximum(incidence[: k + 1], incidence[m] if m >= 0 else 0.0)
        after = slice(m + 1, k + 1)
        variance[row] = (
            ((gain**2 * growth[: k + 1]).sum() + square[after].sum() - 2 * (gain[after] * cross[after]).sum())
            if k > m
            else 0.0
        )
    # Rounding can leave -1e-20 where nothing varies.
    return np.maximum(variance, 0)


def survival_variance(table: LifeTable, places: IntArray) -> FloatArray:
    """Greenwood's variance ``S^2 sum_{l<=k} d_l/(n_l(n_l-d_l))``; 0 where S is 0 or nothing has ended."""
    d, n = table.all_events, table.at_risk.astype(np.float64)
    growth = np.divide(d, n * (n - d), out=np.zeros(n.shape), where=n > d)
    total = np.concatenate([np.cumsum(growth), [0.0]])[places]
    return np.asarray(table.survival_at(places) ** 2 * total, dtype=np.float64)
