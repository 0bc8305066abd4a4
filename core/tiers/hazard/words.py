"""Hazard in words: the answer in one sentence, what each group shows, and what to know before quoting it."""

from collections.abc import Sequence

from core.tiers.hazard.aids import SHARE, Bounded, TurningPoint, correct_by, wrong_past
from core.tiers.hazard.curves import FEW_AT_RISK, Curves
from core.tiers.hazard.table import Hazard, completions, no_tokens
from core.tiers.methods import INTERVAL_NAMES, Methods
from core.tiers.words import listed

FEW_ITEMS = 30
"""With fewer items the variance that takes them as the sample is too small: it covers 88 to 94%."""

FORMULAS = r"""
Time is counted in completion tokens. *Correct* and *incorrect* (invalid answers are with incorrect) are two
competing ends; a *truncated* completion is cut off: it is known to have still been thinking, and no more.
Failed completions are left out. Answers are raw: nothing is taken off for guessing.

With $n_l$ completions not ended before token $l$, of which $d_{jl}$ end there in way $j$ and $d_l$ in any:

- still thinking (Kaplan-Meier): $S(t) = \prod_{l \le t} (1 - d_l/n_l)$
- answered in way $j$ (Aalen-Johansen): $F_j(t) = \sum_{l \le t} S(l-1)\, d_{jl}/n_l$, so that
  $F_{correct} + F_{incorrect} + S = 1$
- hazard of a bucket $(kB, (k+1)B]$: its ends of one way / completions with more than $kB$ tokens
  (0 tokens are in the first bucket)

95% intervals: hazards by the interval of the sidebar (Wilson by default); $S$ by Greenwood's variance and
$F_j$ by that of Dinse and Larson (1986), both on the scale $\ln(-\ln)$. Where items repeat, items are the
sample: $C/(C-1) \sum_{items} (\sum IF)^2$ with the influence function $IF$ of each completion, and hazards
have their effective number at risk. Nothing is said beyond the budget: the largest token limit, else the
largest count.
"""


def token_range(found: Bounded) -> str:
    """Return tokens with their interval."""
    return f"{found.value:,.0f} [{found.lower:,.0f}, {found.upper:,.0f}]"


def share_range(found: Bounded, digits: int = 1) -> str:
    """Return a share in percent with its interval."""
    value, lower, upper = (f"{100 * one:.{digits}f}" for one in (found.value, found.lower, found.upper))
    return f"{value}% [{lower}, {upper}]"


def points_range(found: Bounded, digits: int = 1) -> str:
    """Return a difference of shares in points of a percent with its interval."""
    value, lower, upper = (
        f"{100 * one:.{digits}f}".replace("-", "−") for one in (found.value, found.lower, found.upper)
    )
    return f"{value} points [{lower}, {upper}]"


def summary(hazard: Hazard) -> str:
    """Return what the groups show, in a sentence."""
    curves, methods = hazard.curves, hazard.methods
    arrivals = [(found, one) for one in curves if (found := correct_by(one, methods))]
    turns = [(turn, one) for one in curves if (turn := wrong_past(one, methods)) and turn.told]
    if len(curves) == 1:
        return f"{curves[0].group.title}: {aids_sentence(curves[0], methods)}"
    if not arrivals:
        n = completions(sum(one.n for one in curves))
        return f"None of the {len(curves)} groups shown ({n}) has a correct answer."
    (first, fast), (last, slow) = (pick(arrivals, key=_arrival) for pick in (min, max))
    share = f"{100 * SHARE:.0f}% of the correct answers seen come by"
    words = (
        f"{share} {first.value:,.0f} tokens at {fast.group.title} and by {last.value:,.0f} at"
        f" {slow.group.title}"
        if first.value < last.value
        else f"{share} {first.value:,.0f} tokens {_where(len(arrivals), len(curves), fast.group.title)}"
    )
    shown = f"the {len(curves)} groups shown ({completions(sum(one.n for one in curves))})"
    if not turns:
        return f"{words}; in none of {shown} are late answers clearly more often wrong than right."
    earliest, where = min(turns, key=lambda pair: pair[0].tokens)
    return (
        f"{words}; in {len(turns)} of {shown} answers are more often wrong than right past some point,"
        f" earliest {_past(earliest)} at {where.group.title}."
    )


def _where(having: int, groups: int, title: str) -> str:
    """Return in which of the groups correct answers come that early."""
    if having == groups:
        return "in every group"
    return f"at {title}, the only group with any" if having == 1 else f"in the {having} groups with any"


def _arrival(pair: tuple[Bounded, Curves]) -> float:
    return pair[0].value


def _past(turn: TurningPoint) -> str:
    return f"past {turn.tokens:,} tokens" if turn.tokens else "from the first token on"


def aids_sentence(curves: Curves, methods: Methods) -> str:
    """Return the reading aids of a group, with n and intervals."""
    arrival, turn = correct_by(curves, methods), wrong_past(curves, methods)
    if arrival is None:
        words = [f"no correct answer among {completions(curves.n)}"]
    else:
        words = [
            f"{100 * SHARE:.0f}% of the {arrival.n:,} correct answers seen within {_budget_words(curves)}"
            f" come by {token_range(arrival)} tokens"
        ]
        words.append(turn_words(turn))
    return "; ".join(words) + "."


def _budget_words(curves: Curves) -> str:
    """Return the budget; where no limit is known it is only the longest that was seen."""
    if curves.facts.budget is None:
        return f"{curves.budget:,} tokens (the longest; no limit is known)"
    return f"the budget of {curves.budget:,} tokens"


def turn_words(turn: TurningPoint | None) -> str:
    """Return from where on an answer is more often wrong than right."""
    if turn is None:
        return "at no length are answers more often wrong than right"
    told = f"{share_range(turn.correct, 0)} of {turn.correct.n:,} answers right"
    if not turn.told:
        return f"no clear point past which answers are more often wrong ({_past(turn)} {told})"
    return f"{_past(turn)} an answer is more often wrong than right ({told})"


def explanations(curves: Curves) -> list[str]:
    """Return why a group's picture is an odd one, and what to do about it."""
    table, buckets = curves.observed.table, curves.buckets
    told = []
    if curves.n == 1:
        told.append("A single completion: its intervals are as wide as they can be. Split less finely.")
    elif int(table.censored.sum()) == curves.n:
        told.append(
            f"All {completions(curves.n)} were cut off: nothing is known of their answers. Evaluate again"
            " with a larger token limit."
        )
    if table.times[-1] == 0:
        told.append(
            "Every completion has 0 tokens: the responses are empty, or the source does not count tokens."
            " Look at them on the Completions page, or import them again with token counts."
        )
    elif curves.n > 1 and table.times.size == 1:
        told.append(
            f"All {completions(curves.n)} have {int(table.times[0]):,} tokens: there is no earlier or later"
            " here. Split less finely, or compare evals."
        )
    elif buckets.at_risk.size == 1:
        told.append(
            f"All are over in the first bucket of {buckets.size:,} tokens: take a smaller one, such as"
            f" {max(int(table.times[-1]) // 16, 1):,}."
        )
    if table.times[-1] > 0 and table.times[0] == 0:
        zero = int(table.all_events[0] + table.censored[0])
        told.append(f"{completions(zero)} of 0 tokens, such as empty responses: in the first bucket.")
    return told


def group_notes(hazard: Hazard) -> list[str]:
    """Return the explanations of all groups, each with the names of the groups that it is of."""
    groups: dict[str, list[str]] = {}
    for curves in hazard.curves:
        for told in explanations(curves):
            groups.setdefault(told, []).append(curves.group.title)
    return [f"{listed(names, 3)}: {told}" for told, names in groups.items()]


def method_sentence(methods: Methods, *, repeated: bool) -> str:
    """Return how the intervals are made, for footers."""
    name = INTERVAL_NAMES["wilson" if methods.interval == "reasonscape" else methods.interval]
    words = f"95% intervals: hazards {name}, incidences log-log"
    if not repeated:
        return words
    return f"{words}, repeats {'clustered by item' if methods.repeats == 'cluster' else 'as independent'}"


def n_words(curves: Curves) -> str:
    """Return how many completions a group has, and of how many items where they repeat."""
    if curves.items is None:
        return f"n = {curves.n:,}"
    about = "about " if curves.sampled else ""
    return f"n = {curves.n:,} of {about}{curves.items:,} item{'' if curves.items == 1 else 's'}"


def notes(hazard: Hazard) -> tuple[str, ...]:
    """Return what a reader must know before quoting the numbers, one sentence each."""
    curves = hazard.curves
    total = sum(one.n for one in curves)
    unknown = sum(one.facts.truncation_unknown for one in curves)
    visible = sum(one.facts.visible_tokens for one in curves)
    facts = [one.facts for one in curves] + [one.facts for one in hazard.without]
    without = sum(one.without_tokens for one in facts)
    errors = sum(one.errors for one in facts)
    told = []
    if unknown:
        told.append(
            f"For {_of(unknown, total)} the source does not say whether they were cut off:"
            " censoring cannot be seen there, and they count as they were graded."
        )
    if visible:
        told.append(
            f"The tokens of {_of(visible, total)} were counted in the visible text: hidden"
            " reasoning is not included."
        )
    if without:
        told.append(f"{completions(without)} without a token count, in no curve.")
    if hazard.without and curves:
        told.append(f"{no_tokens(hazard.without)}.")
    if errors:
        told.append(f"{completions(errors)} left out that failed.")
    partial = [one for one in curves if one.partial]
    if partial:
        told.append(
            f"The last bucket reaches past the budget at {_groups(partial)}: it holds fewer tokens than the"
            " others, and so fewer answers."
        )
    if any(one.few.any() for one in curves):
        told.append(f"Buckets with fewer than {FEW_AT_RISK} completions at risk are faded.")
    sampled = [one for one in curves if one.sampled]
    if sampled and hazard.methods.repeats == "cluster":
        least = min(one.sampled or 0 for one in sampled)
        told.append(
            f"Variances at {_groups(sampled)} are estimated from a sample of at least {least:,} items, all"
            " completions of each; the curves are of all."
        )
    few = [one for one in curves if one.items is not None and one.items < FEW_ITEMS]
    if few and hazard.methods.repeats == "cluster":
        told.append(
            f"Fewer than {FEW_ITEMS} items at {_groups(few)}: intervals that take the items as the sample are"
            " then somewhat too narrow (they cover 88 to 94%)."
        )
    return tuple(told)


def _of(some: int, total: int) -> str:
    return f"all {completions(total)}" if some == total else f"{some:,} of {completions(total)}"


def _groups(curves: Sequence[Curves]) -> str:
    return listed([one.group.title for one in curves], 3)
