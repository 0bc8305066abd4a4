"""The log-rank test of two cause-specific hazards."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from core.stats.arrays import FloatArray, IntArray
from core.stats.influence import ItemRows
from core.stats.survival import LifeTable

ROUNDING = 1e-12


@dataclass(frozen=True)
class LogRank:
    """A two-sided log-rank test; NaN where nothing can be told.

    Attributes
    ----------
    chi2, p
        Statistic with one degree of freedom (and, with items, as many in the denominator), and p-value.
    observed, expected
        Events of the cause in the first sample, and how many it would have with one hazard for both.
    """

    chi2: float
    p: float
    observed: float
    expected: float


def logrank(
    one: LifeTable, other: LifeTable, cause: int, rows: tuple[ItemRows, ItemRows] | None = None
) -> LogRank:
    """Test whether a cause has one hazard in both samples, the other causes taken as censorings.

    Parameters
    ----------
    rows
        All observations of both by item: items are then the sample, and an item of both is one observation.
        Without them the samples are taken as independent, and so are the observations of each.

    Notes
    -----
    ``U^2/V, U = sum d_1 - n_1 d/n, V = sum n_1 n_2 d (n - d)/(n^2 (n - 1))`` over the distinct times of
    events, against chi-square with one degree of freedom: Mantel 1966, Cancer Chemother. Rep. 50:163.
    With items: ``V = C/(C - 1) sum_i W_i^2`` over the C items, against F with 1 and C - 1 degrees of freedom.
    W_i is what the item's observations add to U: ``sum n_2/n (dN - Y d/n)`` for those of the first sample and
    ``-sum n_1/n (dN - Y d/n)`` for those of the second: the robust score test of Lin, Wei 1989, J. Am. Stat.
    Assoc. 84:1074, with clusters (Lee, Wei, Amato 1992, in Survival Analysis: State of the Art, 237).
    """
    times = np.union1d(one.times, other.times)
    at_risk, events = [], []
    for table in (one, other):
        place = np.searchsorted(table.times, times)
        at_risk.append(np.concatenate([table.at_risk, [0]])[place])
        there = np.isin(times, table.times)
        events.append(np.where(there, np.concatenate([table.events[cause], [0]])[place], 0))
    n1, n = at_risk[0].astype(np.float64), (at_risk[0] + at_risk[1]).astype(np.float64)
    d = (events[0] + events[1]).astype(np.float64)
    expected = float((n1 * d / n).sum())
    observed = float(events[0].sum())
    weight = np.divide(n - d, n - 1, out=np.zeros(n.shape), where=n > 1)
    variance = float((n1 * (n - n1) * d / n**2 * weight).sum())
    if variance <= 0:
        return LogRank(np.nan, np.nan, observed, expected)
    score = observed - expected
    if rows is None:
        chi2 = score**2 / variance
        return LogRank(chi2, float(special.chdtrc(1, chi2)), observed, expected)
    added = _by_item(rows, (one, other), times, ((n - n1) / n, -n1 / n), d / n, cause)
    items = added.size
    if items < 2:
        return LogRank(np.nan, np.nan, observed, expected)
    robust = items / (items - 1) * float((added**2).sum())
    # The same answers of both evals differ in nothing, and so do no items.
    chi2 = score**2 / robust if robust > ROUNDING * variance else 0.0
    return LogRank(chi2, float(special.fdtrc(1, items - 1, chi2)), observed, expected)


def _by_item(
    rows: tuple[ItemRows, ItemRows],
    tables: tuple[LifeTable, LifeTable],
    times: IntArray,
    weights: tuple[FloatArray, FloatArray],
    hazard: FloatArray,
    cause: int,
) -> FloatArray:
    """Return what each item of either sample adds to the score, shape (items,)."""
    ids = np.union1d(rows[0].ids, rows[1].ids)
    added = np.zeros(ids.size)
    for some, table, weight in zip(rows, tables, weights, strict=True):
        at = np.searchsorted(times, table.times)[some.place]
        own = np.where(some.cause == cause, weight[at], 0.0) - np.cumsum(weight * hazard)[at]
        added += np.bincount(np.searchsorted(ids, some.ids)[some.item], own, ids.size)
    return added
