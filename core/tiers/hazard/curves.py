"""The curves of one group: hazards per bucket, cumulative incidences and survival at bucket ends."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.errors import FilterError
from core.stats.arrays import BoolArray, FloatArray, IntArray
from core.stats.hazard import Buckets, bucket_of, bucket_table
from core.stats.incidence_interval import incidence_interval, survival_interval
from core.stats.influence import ItemRows, robust_variances, shrunk_variance
from core.stats.intervals import Bounds, raw_interval
from core.stats.item_shares import effective_at_risk
from core.stats.survival import incidence_variance, survival_variance
from core.tiers.hazard.groups import Group
from core.tiers.hazard.read import CAUSES, Facts, Observed
from core.tiers.methods import Methods

FEW_AT_RISK = 10
"""Buckets with fewer at risk are faded: their intervals say little."""

MOST_BUCKETS = 2_000
LARGEST_BUCKET = 2**31 - 1
"""Token counts end there too."""


@dataclass(frozen=True)
class Estimate:
    """A number along the buckets with its 95% bounds, each of shape (K,)."""

    value: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True)
class Curves:
    """What became of the completions of a group along their tokens.

    Attributes
    ----------
    observed
        The completions.
    buckets
        Their counts per bucket.
    hazard
        By cause: of those still thinking at the start of a bucket, the share that ended so in it.
    incidence
        By cause: share that had ended so by the end of a bucket.
    survival
        Share still thinking at the end of a bucket.
    """

    observed: Observed
    buckets: Buckets
    hazard: dict[str, Estimate]
    incidence: dict[str, Estimate]
    survival: Estimate

    @property
    def group(self) -> Group:
        """The group they are of."""
        return self.observed.group

    @property
    def facts(self) -> Facts:
        """What else is known of its completions."""
        return self.observed.facts

    @property
    def n(self) -> int:
        """Completions in the curves."""
        return self.observed.table.n

    @property
    def items(self) -> int | None:
        """Items of those completions where items repeat, estimated where they were sampled; else None."""
        rows = self.observed.repeated
        return None if rows is None else round(rows.items / rows.share)

    @property
    def sampled(self) -> int | None:
        """Items that variances were estimated from, where not from all."""
        rows = self.observed.repeated
        return None if rows is None or rows.share == 1 else rows.items

    @property
    def budget(self) -> int:
        """The largest token limit, else the largest number of tokens."""
        most = int(self.observed.table.times[-1])
        return most if self.facts.budget is None else self.facts.budget

    @property
    def partial(self) -> bool:
        """Whether the last bucket reaches past the budget."""
        return int(self.buckets.end[-1]) > self.budget

    @property
    def reach(self) -> int:
        """Tokens of the longest completion, at least 1: nothing is known beyond if it was cut off."""
        return max(int(self.observed.table.times[-1]), 1)

    @property
    def ended(self) -> bool:
        """Whether every completion that was followed to the last has answered."""
        return float(self.observed.table.survival[-1]) == 0

    @cached_property
    def few(self) -> BoolArray:
        """Buckets with fewer than FEW_AT_RISK at risk."""
        return np.asarray(self.buckets.at_risk < FEW_AT_RISK)


def estimate_curves(observed: Observed, methods: Methods, bucket_size: int) -> Curves:
    """Return the curves of a group that has completions with token counts.

    Raises
    ------
    FilterError
        The bucket size is below 1, above LARGEST_BUCKET or makes more than MOST_BUCKETS.
    """
    table = observed.table
    _check(bucket_size, int(table.times[-1]))
    buckets = bucket_table(table, bucket_size)
    rows = sample(observed, methods)
    at_risk: FloatArray = np.broadcast_to(buckets.at_risk, buckets.events.shape) / 1.0
    if rows is not None:
        bucket = bucket_of(table.times, bucket_size)[rows.place]
        at_risk = effective_at_risk(rows, bucket, buckets.at_risk.size, len(CAUSES))
    method = "wilson" if methods.interval == "reasonscape" else methods.interval
    hazard = raw_interval(method, buckets.hazard, at_risk)
    return Curves(
        observed, buckets, _by_cause(buckets.hazard, hazard), *cumulative(observed, methods, buckets.end)
    )


def cumulative(observed: Observed, methods: Methods, end: IntArray) -> tuple[dict[str, Estimate], Estimate]:
    """Return the incidences by cause, and the survival, by each of some numbers of tokens, ascending."""
    table = observed.table
    places = table.places(end)
    rows = sample(observed, methods)
    incidence, survival = table.incidence_at(places), table.survival_at(places)
    variance, spread = variances(observed, places, methods)
    repeats = 1.0 if rows is None else rows.repeats
    known = (table.n - table.censored_by(places)) / repeats
    at_risk = table.n - table.over_by(np.concatenate([[-1], places[:-1]]))
    return (
        _by_cause(incidence, incidence_interval(incidence, variance, known)),
        Estimate(survival, *survival_interval(survival, spread, known, at_risk / repeats)),
    )


def variances(observed: Observed, places: IntArray, methods: Methods) -> tuple[FloatArray, FloatArray]:
    """Return the variances of the incidences, shape (causes, K), and of survival, shape (K,), at places.

    Items are the sample where they repeat, and `methods` does not say otherwise.
    """
    table = observed.table
    alone = np.stack([incidence_variance(table, cause, places) for cause in range(len(CAUSES))])
    spread = survival_variance(table, places)
    rows = sample(observed, methods)
    if rows is None:
        return alone, spread
    robust, robust_spread = robust_variances(table, rows, places)
    return shrunk_variance(robust, alone, rows), shrunk_variance(robust_spread, spread, rows)


def sample(observed: Observed, methods: Methods) -> ItemRows | None:
    """Return the completions by item where items are the sample, None where completions are."""
    return observed.repeated if methods.repeats == "cluster" else None


def _check(bucket_size: int, most: int) -> None:
    if not 1 <= bucket_size <= LARGEST_BUCKET:
        raise FilterError(f"A bucket must be from 1 to {LARGEST_BUCKET:,} tokens wide; given: {bucket_size}")
    if most > MOST_BUCKETS * bucket_size:
        least = -(-most // MOST_BUCKETS)
        raise FilterError(
            f"{most:,} tokens make more than {MOST_BUCKETS:,} buckets of a width of {bucket_size:,}; take a"
            f" width of at least {least:,}"
        )


def _by_cause(values: FloatArray, bounds: Bounds) -> dict[str, Estimate]:
    return {
        name: Estimate(values[place], bounds[0][place], bounds[1][place]) for place, name in enumerate(CAUSES)
    }
