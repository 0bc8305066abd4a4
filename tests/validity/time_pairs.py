"""Two evals along their tokens: the difference of their incidences, and the log-rank test."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.stats.logrank import logrank
from core.tiers.hazard.compare import Comparison, differences
from core.tiers.hazard.curves import estimate_curves
from core.tiers.hazard.read import Observed
from core.tiers.hazard.table import Hazard
from tests.validity.items import related_chances
from tests.validity.study import Condition, Intervals, Limits, Rng, Study
from tests.validity.times import (
    BUCKET,
    CORRECT,
    METHODS,
    NONE,
    WRONG,
    Setting,
    collected,
    completions,
    observed,
)


def _pair(rng: Rng, setting: Setting, other: Setting, shared: float) -> list[Observed]:
    """Return the completions of two evals on the same items."""
    chance = related_chances(
        rng, (setting.items,), (setting.p, other.p), max(setting.correlation, 0.3), shared
    )
    common, *own = rng.standard_normal((3, setting.items))
    pace = [np.sqrt(shared) * common + np.sqrt(1 - shared) * one for one in own]
    return [
        observed(completions(rng, one, chance[place], pace[place]), one, place)
        for place, one in enumerate((setting, other))
    ]


def _difference(setting: Setting, p: float, shared: float, at: int) -> Condition:
    other = Setting(setting.items, p, setting.repeats, setting.correlation, setting.limits)
    truth = other.incidence(CORRECT, at) - setting.incidence(CORRECT, at)

    def simulate(rng: Rng, replications: int) -> Intervals:
        rows = []
        for _ in range(replications):
            curves = tuple(
                estimate_curves(one, METHODS, BUCKET) for one in _pair(rng, setting, other, shared)
            )
            hazard = Hazard((), curves, (), None, None, METHODS, BUCKET)
            found = differences(Comparison(hazard, (0, 1), (), ""), at)[1].difference
            rows.append(NONE if found is None else (found.lower, found.upper))
        return collected(rows, truth)

    return Condition(f"against p = {p:g}, related {shared:g}, by {at:,}: {setting.label}", simulate)


def _logrank(setting: Setting, shared: float, cause: int, *, clustered: bool = True) -> Condition:
    def simulate(rng: Rng, replications: int) -> NDArray[np.bool_]:
        wrong = np.zeros(replications, dtype=np.bool_)
        for replication in range(replications):
            one, other = _pair(rng, setting, setting, shared)
            found = logrank(one.table, other.table, cause, (one.rows, other.rows) if clustered else None)
            wrong[replication] = found.p <= 0.05
        return wrong

    kind = ("correct", "incorrect")[cause]
    return Condition(f"{kind}, evals related {shared:g}: {setting.label}", simulate)


DIFFERENCES = Study(
    "incidence_difference",
    "Difference of two evals' incidences",
    "Hazard, compared evals",
    "Two evals on the same items, with related chances and paces.",
    tuple(
        _difference(Setting(n, 0.6, k, rho, limits), p, shared, 1_500)
        for n, p, (k, rho), limits, shared in product(
            (30, 100), (0.6, 0.9), ((1, 0.0), (4, 0.5)), ((4_000,), (700, 1_500, 4_000)), (0.0, 0.8)
        )
    ),
    share=0.25,
)
LOGRANK = Study(
    "logrank",
    "Log-rank test of cause-specific hazards",
    "Hazard, compared evals",
    "Two evals without a difference on the same items; related or not, with and without repeats.",
    tuple(
        _logrank(Setting(n, 0.6, k, rho, limits), shared, cause)
        for n, (k, rho), limits, shared, cause in product(
            (30, 100),
            ((1, 0.0), (4, 0.3), (8, 0.7)),
            ((4_000,), (700, 1_500, 4_000)),
            (0.0, 0.8),
            (CORRECT, WRONG),
        )
    ),
    Limits(0.05, 0.05),
    errors=True,
    share=0.5,
)
LOGRANK_INDEPENDENT = Study(
    "logrank_independent",
    "For contrast, not the default: log-rank test with completions as independent",
    "`--repeats independent`",
    "The same evals, one limit.",
    tuple(
        _logrank(Setting(n, 0.6, k, rho), shared, CORRECT, clustered=False)
        for n, (k, rho), shared in product((30, 100), ((1, 0.0), (4, 0.3), (8, 0.7)), (0.0, 0.8))
    ),
    Limits(None, None),
    errors=True,
    share=0.5,
)

STUDIES = (DIFFERENCES, LOGRANK, LOGRANK_INDEPENDENT)
