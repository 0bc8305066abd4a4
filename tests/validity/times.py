"""Tokens until an answer: incidences, survival, hazards, quantiles and the cost of a budget."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from core.stats.influence import item_rows
from core.stats.survival import life_table
from core.tiers.hazard.aids import budget_cost, correct_by
from core.tiers.hazard.curves import FEW_AT_RISK, estimate_curves
from core.tiers.hazard.groups import Group
from core.tiers.hazard.read import Facts, Observed
from core.tiers.methods import Methods
from tests.validity.items import item_chances
from tests.validity.study import Condition, Intervals, Limits, Rng, Study

CORRECT, WRONG, CUT = 0, 1, 2
BUCKET = 500
SIGMA = 0.6
MEDIANS = (600.0, 1_200.0)
"""Tokens of half the correct, and of half the wrong answers."""

READ_AT = (500, 1_000, 2_000, 3_000)
METHODS = Methods()


@dataclass(frozen=True)
class Setting:
    """How completions come about.

    Attributes
    ----------
    p
        Chance that a completion ends correct when nothing stops it.
    limits
        Token limits; the completions of an item take them in turn. Censoring is all that limits do.
    correlation
        Between completions of an item: of being right, and of the logarithm of tokens.
    """

    items: int
    p: float
    repeats: int = 1
    correlation: float = 0.0
    limits: tuple[int, ...] = (4_000,)

    @property
    def label(self) -> str:
        """The setting in words."""
        times = (
            "once each"
            if self.repeats == 1
            else (f"{self.repeats} times each, correlation {self.correlation:g}")
        )
        limits = " or ".join(f"{one:,}" for one in self.limits)
        return f"{self.items} items, p = {self.p:g}, {times}, limit {limits}"

    def at_risk(self, tokens: float) -> float:
        """Return how many completions are expected to be followed past there, and still thinking."""
        thinking = 1 - self.incidence(CORRECT, tokens) - self.incidence(WRONG, tokens)
        followed = sum(limit > tokens for limit in self.limits) / len(self.limits)
        return self.items * self.repeats * thinking * followed

    def incidence(self, cause: int, tokens: float) -> float:
        """Return the true share that has ended so by then."""
        if tokens <= 0:
            return 0.0
        share = self.p if cause == CORRECT else 1 - self.p
        return share * float(stats.norm.cdf(np.log(tokens / MEDIANS[cause]) / SIGMA))


def completions(
    rng: Rng,
    setting: Setting,
    chance: NDArray[np.float64] | None = None,
    pace: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return item, tokens and cause of every completion of one replication."""
    shape = (setting.items, setting.repeats)
    if chance is None:
        chance = item_chances(rng, (setting.items,), setting.p, setting.correlation)
    if pace is None:
        pace = rng.standard_normal(setting.items)
    right = rng.random(shape) < chance[:, None]
    rho = setting.correlation if setting.repeats > 1 else 0.0
    noise = np.sqrt(rho) * pace[:, None] + np.sqrt(1 - rho) * rng.standard_normal(shape)
    tokens = np.ceil(np.where(right, *MEDIANS) * np.exp(SIGMA * noise))
    limit = np.resize(np.asarray(setting.limits), shape[0] * shape[1]).reshape(shape)
    cause = np.where(tokens > limit, CUT, np.where(right, CORRECT, WRONG))
    item = np.repeat(np.arange(setting.items), setting.repeats)
    return item, np.minimum(tokens, limit).astype(np.int64).ravel(), cause.ravel()


def observed(
    drawn: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], setting: Setting, number: int = 0
) -> Observed:
    """Return completions as core.tiers.hazard.read gives them."""
    item, tokens, cause = drawn
    table = life_table(tokens, cause, np.ones(item.size))
    group = Group(number, (number,), (str(number),), (number,), setting.repeats > 1)
    facts = Facts(max(setting.limits), 0, 0, 0, 0)
    return Observed(group, table, item_rows(table, item, tokens, cause), facts)


def collected(rows: list[tuple[float, float]], truth: object) -> Intervals:
    bounds = np.asarray(rows, dtype=np.float64).reshape(-1, 2)
    return Intervals(bounds[:, 0], bounds[:, 1], np.asarray(truth, dtype=np.float64))


NONE = (np.nan, np.nan)


def _incidence(setting: Setting, cause: str, at: int) -> Condition:
    def simulate(rng: Rng, replications: int) -> Intervals:
        rows = []
        for _ in range(replications):
            curves = estimate_curves(observed(completions(rng, setting), setting), METHODS, BUCKET)
            place = at // BUCKET - 1
            if cause == "survival":
                one = curves.survival
                truth = 1 - setting.incidence(CORRECT, at) - setting.incidence(WRONG, at)
            else:
                one = curves.incidence[cause]
                truth = setting.incidence(CORRECT if cause == "correct" else WRONG, at)
            last = one.value.size - 1
            # Where all have answered nothing changes after the last bucket; else nothing is known there.
            known = place <= last or curves.ended
            place_there = min(place, last)
            rows.append((one.lower[place_there], one.upper[place_there]) if known else NONE)
        return collected(rows, truth)

    return Condition(f"{cause} by {at:,}: {setting.label}", simulate, {"at": at})


def _hazard(setting: Setting, cause: str, bucket: int) -> Condition:
    number = CORRECT if cause == "correct" else WRONG
    start, end = bucket * BUCKET, (bucket + 1) * BUCKET
    before = sum(setting.incidence(one, start) for one in (CORRECT, WRONG)) if start else 0.0
    gain = setting.incidence(number, end) - (setting.incidence(number, start) if start else 0.0)
    truth = gain / (1 - before)

    def simulate(rng: Rng, replications: int) -> Intervals:
        rows = []
        for _ in range(replications):
            curves = estimate_curves(observed(completions(rng, setting), setting), METHODS, BUCKET)
            one = curves.hazard[cause]
            known = bucket < one.value.size and not curves.few[bucket]
            rows.append((one.lower[bucket], one.upper[bucket]) if known else NONE)
        return collected(rows, truth)

    return Condition(f"{cause} in ({start:,}, {end:,}]: {setting.label}", simulate)


def _cost(setting: Setting, tokens: int) -> Condition:
    last = max(setting.limits)
    truth = setting.incidence(CORRECT, last) - setting.incidence(CORRECT, tokens)

    def simulate(rng: Rng, replications: int) -> Intervals:
        rows = []
        for _ in range(replications):
            curves = estimate_curves(observed(completions(rng, setting), setting), METHODS, BUCKET)
            # Where the longest completion is shorter than the limit, the full accuracy is that at the limit.
            cost = budget_cost(curves, METHODS, tokens).cost
            rows.append((cost.lower, cost.upper))
        return collected(rows, truth)

    return Condition(f"budget of {tokens:,}: {setting.label}", simulate)


def _correct_by(setting: Setting) -> Condition:
    last = min(setting.limits)
    seen = 0.9 * setting.incidence(CORRECT, last) / setting.p
    truth = float(np.ceil(MEDIANS[CORRECT] * np.exp(SIGMA * stats.norm.ppf(seen))))

    def simulate(rng: Rng, replications: int) -> Intervals:
        rows = []
        for _ in range(replications):
            found = correct_by(
                estimate_curves(observed(completions(rng, setting), setting), METHODS, BUCKET), METHODS
            )
            rows.append(NONE if found is None else (found.lower, found.upper))
        return collected(rows, truth)

    return Condition(setting.label, simulate)


SETTINGS = tuple(
    Setting(items, p, repeats, correlation, limits)
    for items, p, (repeats, correlation), limits in product(
        (30, 100), (0.1, 0.5, 0.9), ((1, 0.0), (4, 0.3), (8, 0.7)), ((4_000,), (700, 1_500, 4_000))
    )
)

READS = tuple(
    product(SETTINGS, (("correct", 500), ("correct", 1_000), ("correct", 3_000), ("incorrect", 2_000)))
)


def _faded(setting: Setting, at: int) -> bool:
    """Whether completions were cut off before, and fewer are expected at risk than the page shows unfaded."""
    return len(setting.limits) > 1 and setting.at_risk(at - BUCKET) < FEW_AT_RISK


INCIDENCE = Study(
    "incidence",
    "Cumulative incidence (Aalen-Johansen, log-log)",
    "Hazard",
    "Log-normal tokens of correct and wrong answers, cut off at one limit or at three, which completions take"
    " in turn. With three, read where at least 10 completions are expected at risk: the page fades the rest.",
    tuple(_incidence(one, cause, at) for one, (cause, at) in READS if not _faded(one, at)),
    share=0.5,
)
INCIDENCE_FADED = Study(
    "incidence_faded",
    "For information: cumulative incidence where the page fades it",
    "Hazard",
    "The readings that the study of incidences leaves out: three limits, fewer than 10 expected at risk.",
    tuple(_incidence(one, cause, at) for one, (cause, at) in READS if _faded(one, at)),
    Limits(None, None),
    share=0.5,
)
SURVIVAL = Study(
    "survival",
    "Survival (Kaplan-Meier, log-log)",
    "Hazard",
    "The same completions: share still thinking.",
    tuple(
        _incidence(one, "survival", at) for one, at in product(SETTINGS[::2] + SETTINGS[1::6], (500, 1_500))
    ),
    share=0.5,
)
HAZARD = Study(
    "hazard",
    "Hazard of a bucket (Wilson, effective number at risk)",
    "Hazard",
    "The same completions, one limit; buckets with at least 10 at risk.",
    tuple(_hazard(one, cause, bucket) for one, (cause, bucket) in product(
        SETTINGS[::2], (("correct", 0), ("correct", 1), ("incorrect", 2))
    )),
    share=0.5,
)  # fmt: skip
COST = Study(
    "budget_cost",
    "Accuracy lost with a smaller budget (increment of the incidence)",
    "Hazard",
    "The same completions; a budget of 1,000 or 2,000 in place of the limit.",
    tuple(_cost(one, tokens) for one, tokens in product(SETTINGS, (1_000, 2_000))),
    share=0.5,
)
CORRECT_BY = Study(
    "correct_by",
    "Tokens by which 90% of the correct answers seen had come",
    "Hazard",
    "The same completions, one limit; at least 20 correct answers expected.",
    tuple(
        _correct_by(Setting(n, p, k, rho, (limit,)))
        for n, p, (k, rho), limit in product(
            (60, 200), (0.5, 0.9), ((1, 0.0), (4, 0.3), (8, 0.7)), (1_500, 4_000)
        )
    ),
    share=0.5,
)  # fmt: skip

STUDIES = (INCIDENCE, INCIDENCE_FADED, SURVIVAL, HAZARD, COST, CORRECT_BY)
