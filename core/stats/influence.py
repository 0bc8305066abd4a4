"""What each item adds to survival and incidences, and the variance that takes items as the sample."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from core.stats.arrays import FloatArray, IntArray
from core.stats.clustering import SHRINKAGE
from core.stats.intervals import Z
from core.stats.survival import LifeTable


@dataclass(frozen=True)
class ItemRows:
    """Observations with the item of each, ascending in time; arrays of shape (rows,).

    Attributes
    ----------
    item
        From 0 to ``items - 1``.
    place
        Place of its time in the life table.
    cause
        What ended it; the number of causes where it was cut off.
    ids
        Shape (items,), ascending: what the items were called.
    share
        Share of the life table's observations that are in the rows: below 1 where items were sampled.
    """

    item: NDArray[np.int32]
    place: NDArray[np.int32]
    cause: NDArray[np.int8]
    ids: IntArray
    share: float

    @property
    def items(self) -> int:
        """Number of items."""
        return int(self.ids.size)

    @property
    def scale(self) -> float:
        """What the squared influences of the items, summed, are multiplied by; NaN with one item."""
        return self.items / (self.items - 1) / self.share if self.items > 1 else float("nan")

    @property
    def repeats(self) -> float:
        """Mean number of observations of an observation's item: ``K_w = sum k_i^2 / n``; 1: none repeats."""
        k = np.bincount(self.item, minlength=self.items).astype(np.float64)
        return float((k**2).sum() / k.sum()) if self.item.size else 1.0


def item_rows(table: LifeTable, items: ArrayLike, times: ArrayLike, causes: ArrayLike) -> ItemRows:
    """Return observations by item: all that their life table was made of, or those of a sample of items."""
    distinct, codes = np.unique(np.asarray(items), return_inverse=True)
    places = np.searchsorted(table.times, np.asarray(times))
    order = np.argsort(places, kind="stable")
    return ItemRows(
        codes[order].astype(np.int32),
        places[order].astype(np.int32),
        np.asarray(causes, dtype=np.int8)[order],
        distinct.astype(np.int64),
        codes.size / table.n if table.n else 1.0,
    )


def influences(table: LifeTable, rows: ItemRows, places: IntArray) -> Iterator[FloatArray]:
    """Yield the influence of each item on each incidence, shape (causes, items), at each of some places.

    Parameters
    ----------
    rows
        Observations of the life table; of a sample of items, the influences are those of the sample.
    places
        Ascending.

    Notes
    -----
    Summed over an item's observations: ``sum_{l<=k} S(l-1)/n_l dM_jl
    - sum_{l<=k} [F_j(k)-F_j(l)]/(n_l(1-h_l)) dM_l``, with ``dM_jl = dN_jl - Y_l d_jl/n_l``, ``dM_l`` the same
    over all causes and ``h_l = d_l/n_l``; the second term is 0 where h_l = 1. The influences of all items sum
    to 0; on S it is minus their sum over the causes. Andersen, Borgan, Gill, Keiding 1993, Statistical Models
    Based on Counting Processes, section IV.4.
    """
    causes = table.events.shape[0]
    d, n = table.all_events, table.at_risk.astype(np.float64)
    left = n - d
    own = np.divide(1.0, left, out=np.zeros(n.shape), where=left > 0)
    entered = table.survival_before / n
    incidence = table.incidence
    # Compensators, summed from the start up to each place.
    A = np.cumsum(entered * table.events / n, axis=1)
    B = np.cumsum(d / n * own)
    C = np.cumsum(incidence * (d / n * own), axis=1)

    ended = rows.cause < causes
    event_own = np.where(ended, own[rows.place], 0.0)
    fixed = np.stack(
        [
            np.where(rows.cause == j, entered[rows.place], 0.0)
            - A[j][rows.place]
            + incidence[j][rows.place] * event_own
            - C[j][rows.place]
            for j in range(causes)
        ]
    )
    scaled = B[rows.place] - event_own
    P, Q = np.zeros((causes, rows.items)), np.zeros(rows.items)
    waiting = np.bincount(rows.item, minlength=rows.items).astype(np.float64)
    first = 0
    for k in places.tolist():
        last = int(np.searchsorted(rows.place, k, side="right"))
        some = slice(first, last)
        first = last

        def add(weights: FloatArray | None, some: slice = some) -> FloatArray:
            return np.bincount(rows.item[some], weights=weights, minlength=rows.items).astype(np.float64)

        P += np.stack([add(fixed[j][some]) for j in range(causes)])
        Q += add(scaled[some])
        waiting -= add(None)
        if k < 0:
            yield np.zeros((causes, rows.items))
            continue
        reached = incidence[:, k]
        still = reached * B[k] - C[:, k] - A[:, k]
        yield P + reached[:, None] * Q + still[:, None] * waiting


def shrunk_variance(robust: ArrayLike, alone: ArrayLike, rows: ItemRows) -> FloatArray:
    """Return variances with items as the sample, their design effects shrunk as those of a cell are.

    Parameters
    ----------
    robust
        Of `robust_variances`; NaN with one item, and what rounding leaves of 0 where items do not differ.
    alone
        The same with observations taken as independent. Shapes broadcast.

    Notes
    -----
    ``alone * min(K_w, deff * (t_{.975, nu}/1.96)^2)`` with ``nu = max(1, C_e - 1)``, ``C_e = n/K_w``, and
    deff the ratio of the two shrunk towards ``1 + (K_w - 1)/2``, as core.stats.clustering.effective_n does:
    without censoring the incidence has the variance of an accuracy. Where robust says nothing, deff is K_w.
    """
    found, independent = (np.asarray(values, dtype=np.float64) for values in (robust, alone))
    K_w = rows.repeats
    nu = max(1.0, rows.item.size / rows.share / K_w - 1)
    w = nu / (nu + SHRINKAGE)
    told = (found > 1e-18) & (independent > 0)
    raw = np.where(told, found / np.where(told, independent, 1), K_w)
    deff = np.clip(w * raw + (1 - w) * (1 + (K_w - 1) / 2), 1, K_w)
    return np.asarray(independent * np.minimum(K_w, deff * (special.stdtrit(nu, 0.975) / Z) ** 2))


def robust_variances(table: LifeTable, rows: ItemRows, places: IntArray) -> tuple[FloatArray, FloatArray]:
    """Variances of the incidences and of survival with items as the sample.

    Returns
    -------
    incidence : ndarray
        Shape (causes, K): ``C/(C-1) * sum over the C items of (influence)^2``; NaN with one item. Of a
        sample of items, that over their share of the observations.
    survival : ndarray
        Shape (K,), the same.
    """
    scale = rows.scale
    incidence = np.zeros((table.events.shape[0], places.size))
    survival = np.zeros(places.size)
    for column, influence in enumerate(influences(table, rows, places)):
        incidence[:, column] = scale * (influence**2).sum(axis=1)
        survival[column] = scale * (influence.sum(axis=0) ** 2).sum()
    return incidence, survival
