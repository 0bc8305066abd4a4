"""Reading aids: by when the correct answers have come, when it turns wrong, and what a budget would cost."""

from dataclasses import dataclass

import numpy as np

from core.stats.hazard import turning_point
from core.stats.incidence_interval import incidence_interval, time_quantile
from core.stats.influence import influences, shrunk_variance
from core.stats.intervals import wilson
from core.stats.item_shares import effective_share
from core.stats.survival import incidence_variance
from core.tiers.hazard.curves import Curves, sample
from core.tiers.hazard.read import CAUSES
from core.tiers.methods import Methods

SHARE = 0.9
"""Share of the correct answers whose arrival is told."""

CORRECT, WRONG = (CAUSES.index(name) for name in ("correct", "incorrect"))


@dataclass(frozen=True)
class Bounded:
    """A number with its 95% bounds and the completions it is of."""

    value: float
    lower: float
    upper: float
    n: int


@dataclass(frozen=True)
class TurningPoint:
    """From where on an answer is more often wrong than right.

    Attributes
    ----------
    tokens
        Answers with more tokens are counted.
    correct
        Share of them that is correct.
    """

    tokens: int
    correct: Bounded

    @property
    def told(self) -> bool:
        """Whether the share is below one half, interval included."""
        return self.correct.upper < 0.5


@dataclass(frozen=True)
class BudgetCost:
    """What a smaller budget would do.

    Attributes
    ----------
    tokens
        The budget asked for, at most the group's own.
    accuracy
        Share answered correctly within it.
    full
        The same within the group's own budget.
    cost
        The difference: accuracy lost.
    """

    tokens: int
    accuracy: Bounded
    full: Bounded
    cost: Bounded


def correct_by(curves: Curves, methods: Methods) -> Bounded | None:
    """Return the tokens by which SHARE of the correct answers seen had come; None without any."""
    table = curves.observed.table
    correct = table.events[CORRECT]
    n = int(correct.sum())
    if not n:
        return None
    time, _, _ = time_quantile(table, CORRECT, SHARE, n)
    effective = float(n)
    rows = sample(curves.observed, methods)
    if rows is not None:
        own = rows.cause == CORRECT
        by_then = own & (rows.place <= int(table.places(time)))
        effective = effective_share(rows, own, by_then)
    time, lower, upper = time_quantile(table, CORRECT, SHARE, effective)
    return Bounded(time, lower, upper, n)


def wrong_past(curves: Curves, methods: Methods) -> TurningPoint | None:
    """Return from where on wrong answers outnumber right ones; None where they never do.

    The bucket edge after which the surplus of wrong answers is largest, so that every stretch of buckets from
    there on has at least as many wrong as right answers. Chosen from the same answers that it is told of.
    """
    buckets = curves.buckets
    right, wrong = buckets.events[CORRECT], buckets.events[WRONG]
    place = turning_point(right, wrong)
    if place >= buckets.start.size:
        return None
    tokens = int(buckets.start[place])
    k, n = int(right[place:].sum()), int(right[place:].sum() + wrong[place:].sum())
    effective = float(n)
    rows = sample(curves.observed, methods)
    if rows is not None:
        after = -1 if place == 0 else int(curves.observed.table.places(tokens))
        answered = (rows.place > after) & (rows.cause < len(CAUSES))
        effective = effective_share(rows, answered, answered & (rows.cause == CORRECT))
    lower, upper = wilson(k / n, effective)
    return TurningPoint(tokens, Bounded(k / n, float(lower), float(upper), n))


def budget_cost(curves: Curves, methods: Methods, tokens: int) -> BudgetCost:
    """Return what a budget of so many tokens would cost in accuracy.

    A completion that needs more is then cut off, and what it would have answered is lost.
    """
    table = curves.observed.table
    tokens = min(tokens, curves.reach)
    last = np.array([table.times.size - 1])
    at = table.places([tokens])
    full, accuracy = (float(table.incidence_at(place)[CORRECT, 0]) for place in (last, at))
    alone = [
        incidence_variance(table, CORRECT, at),
        incidence_variance(table, CORRECT, last),
        incidence_variance(table, CORRECT, last, at),
    ]
    rows = sample(curves.observed, methods)
    repeats = 1.0
    variance = [float(one[0]) for one in alone]
    if rows is not None:
        repeats = rows.repeats
        early, late = (one[CORRECT] for one in influences(table, rows, np.concatenate([at, last])))
        robust = [rows.scale * float((one**2).sum()) for one in (early, late, late - early)]
        variance = shrunk_variance(robust, variance, rows).tolist()
    # What was cut off just there had still been followed: by then it had answered nothing.
    before = [table.places([one - 1]) for one in (tokens, int(table.times[-1]), int(table.times[-1]))]
    known = [(table.n - float(table.censored_by(place)[0])) / repeats for place in before]
    values = (accuracy, full, full - accuracy)
    found = []
    for value, spread, n in zip(values, variance, known, strict=True):
        lower, upper = incidence_interval(value, spread, n)
        found.append(Bounded(value, float(lower), float(upper), table.n))
    return BudgetCost(tokens, *found)
