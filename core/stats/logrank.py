"""The log-rank test of two cause-specific hazards."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from core.stats.survival import LifeTable


@dataclass(frozen=True)
class LogRank:
    """A two-sided log-rank test; NaN where nothing can be told.

    Attributes
    ----------
    chi2, p
        Statistic with one degree of freedom, and p-value.
    observed, expected
        Events of the cause in the first sample, and how many it would have with one hazard for both.
    """

    chi2: float
    p: float
    observed: float
    expected: float


def logrank(one: LifeTable, other: LifeTable, cause: int) -> LogRank:
    """Test whether a cause has one hazard in both samples, the other causes taken as censorings.

    Notes
    -----
    ``(sum d_1 - n_1 d/n)^2 / sum n_1 n_2 d (n - d)/(n^2 (n - 1))`` over the distinct times of events, against
    chi-square with one degree of freedom: Mantel 1966, Cancer Chemother. Rep. 50:163. The samples are taken
    as independent, and so are the observations of each.
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
    chi2 = (observed - expected) ** 2 / variance
    return LogRank(chi2, float(stats.chi2.sf(chi2, 1)), observed, expected)
