"""The lines of incidence and survival as they are drawn: through the tokens at which completions ended.

The hazards need buckets; the incidences are known at every token, and where most answers are short a line
from bucket end to bucket end would show what never was.
"""

from dataclasses import dataclass

import numpy as np

from core.stats.arrays import IntArray
from core.tiers.hazard.curves import Curves, Estimate, cumulative
from core.tiers.methods import Methods

SHARES = 100
"""A line goes through the tokens by which each of so many equal shares of the completions had ended."""


@dataclass(frozen=True)
class Lines:
    """Incidences and survival of a group by tokens, from 0 to its longest completion.

    Attributes
    ----------
    end
        Shape (L,), ascending: bucket ends, and tokens at which completions ended. Between two of them a
        straight line is at most 1/SHARES of the completions off.
    censored
        Completions cut off since the end before.
    """

    end: IntArray
    censored: IntArray
    incidence: dict[str, Estimate]
    survival: Estimate


def read_lines(curves: Curves, methods: Methods) -> Lines:
    """Return what is drawn of a group."""
    table = curves.observed.table
    over = table.over_by(np.arange(table.times.size))
    wanted = np.arange(1, SHARES + 1) * table.n / SHARES
    at = table.times[np.searchsorted(over, wanted - 1e-9)]
    # Just before a jump too: a line that climbs to it from afar would be as wrong as one over a bucket.
    times = np.concatenate([at, at - 1, [table.times[0] - 1]])
    ends = np.concatenate([np.minimum(curves.buckets.end, curves.reach), times[times >= 0]])
    end = np.unique(ends).astype(np.int64)
    incidence, survival = cumulative(curves.observed, methods, end)
    cut = table.censored_by(table.places(end))
    return Lines(end, np.diff(cut, prepend=0), incidence, survival)
