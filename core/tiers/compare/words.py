"""A comparison in words: the verdict to paste, what would separate two evals, how numbers are written."""

import math

import numpy as np
import pandas as pd

from core.config import DatasetConfig
from core.filters import Filters
from core.tiers.compare.items import MEASURE_WORDS, RULE_NAMES, RULES
from core.tiers.compare.rows import CORRECTIONS
from core.tiers.compare.scopes import SCOPE_NAMES
from core.tiers.compare.table import Against, Comparison
from core.tiers.words import EM_DASH, count, number

COUNTS = {"both_right": "Both right", "gained": "Gained", "lost": "Lost", "both_wrong": "Both wrong"}
COUNT_WORDS = {
    "both_right": "A and B do equally well, at least half right",
    "gained": "A does better than B",
    "lost": "B does better than A",
    "both_wrong": "A and B do equally well, less than half right",
}
"""What is counted, in items; with one completion each, at least half right means right."""


def amount(value: float, measure: str, *, signed: bool = False) -> str:
    """Return a difference in the unit of its measure: percentage points, or the score's own."""
    if math.isnan(value):
        return EM_DASH
    sign = "+" if signed else "-"
    if measure == "score":
        text, unit = f"{value:{sign}.3f}", "of mean score"
    else:
        text, unit = f"{100 * value:{sign}.1f}", "percentage points"
    return f"{text.replace('-', '−')} {unit}"


def span(lower: float, upper: float, measure: str) -> str:
    """Return an interval without its unit."""
    if math.isnan(lower) or math.isnan(upper):
        return EM_DASH
    scale, digits = (1, 3) if measure == "score" else (100, 1)
    return " to ".join(f"{scale * bound:.{digits}f}".replace("-", "−") for bound in (lower, upper))


def interval_text(difference: float, lower: float, upper: float, digits: int = 3) -> str:
    """Return a difference with its interval, such as +0.031 [+0.002, +0.060]."""
    if math.isnan(difference):
        return EM_DASH
    if math.isnan(lower) or math.isnan(upper):
        return _signed(difference, digits)
    return f"{_signed(difference, digits)} [{_signed(lower, digits)}, {_signed(upper, digits)}]"


def _signed(value: float, digits: int) -> str:
    # Rounded first: a minus sign before a zero says nothing.
    rounded = round(value, digits)
    return number(0.0, digits) if rounded == 0 else f"{rounded:+,.{digits}f}".replace("-", "−")


def interval_name(name: str) -> str:
    """Return the name of an interval with the word: 95% Bonett-Price interval, 95% t interval over items."""
    head, over, tail = name.partition(" over ")
    return f"{head} interval{over}{tail}"


def p_number(p: float) -> str:
    """Return a p-value with two or three decimals, four where it is small."""
    if math.isnan(p):
        return EM_DASH
    if p < 0.0001:
        return "< 0.0001"
    return f"{p:.{2 if p >= 0.1 else 3 if p >= 0.001 else 4}f}"


def p_text(p: float) -> str:
    """Return a p-value with its sign of relation."""
    text = p_number(p)
    return f"p {text}" if text[0] in f"<{EM_DASH}" else f"p = {text}"


def items_text(n: int) -> str:
    """Return a number of common items."""
    return count(n, "common item")


def filter_words(filters: Filters, config: DatasetConfig) -> str:
    """Return what is compared of both evals, in words: the filters but those on evals and groups."""
    return filters.without("eval_id", "groups").sentence(config).removeprefix("all evals, ")


def winners(rows: pd.DataFrame) -> list[int]:
    """Return for each row 1 where A is better, -1 where B is, 0 where no difference was established."""
    sides = np.sign(rows["difference"].fillna(0)).astype(int)
    return [int(one) for one in sides.where(rows["differs"].astype(bool), 0)]


def winner(row: pd.Series) -> int:
    """Return 1 where A is better, -1 where B is, 0 where no difference was established."""
    if not row["differs"]:
        return 0
    return 1 if row["difference"] > 0 else -1


def verdict(comparison: Comparison, rule: str = "wrong") -> str:
    """Return the overall result in a sentence to paste.

    It names both evals, the difference with its interval, test and n, the measure, and what was left out.
    """
    row, measure = comparison.overall(rule), comparison.measure
    a, b = comparison.names
    if not row["n_items"]:
        return f"{a} and {b} cannot be compared: they have no common items{_left_out(row, a, b)}."
    won = winner(row)
    first, second, sign = (b, a, -1) if won < 0 else (a, b, 1)
    low, high = sorted((sign * row["lower"], sign * row["upper"]))
    facts = "; ".join(
        [
            f"{interval_name(row['interval'])} {span(low, high, measure)}",
            f"{row['test']}, {p_text(row['p_value'])}",
            items_text(row["n_items"]),
            f"{_measure(comparison, row)}, truncated completions {RULE_NAMES[rule]}{_left_out(row, a, b)}",
        ]
    )
    if won:
        return f"{first} is better than {second} by {amount(sign * row['difference'], measure)} ({facts})."
    seen = amount(row["difference"], measure, signed=True)
    reach = _reach(row, measure)
    return f"{a} and {b} are not separated: the first minus the second is {seen} ({facts}); {reach}."


def _reach(row: pd.Series, measure: str) -> str:
    if math.isnan(row["mde"]):
        return "with so few differing items no true difference would be found with 80% power"
    return f"a true difference of {amount(row['mde'], measure)} would be found with about 80% power"


def _measure(comparison: Comparison, row: pd.Series) -> str:
    """Return what was compared, with the chance of guessing right where it is taken out."""
    words = MEASURE_WORDS[comparison.measure]
    if comparison.measure == "skill":
        return f"{words} (difference divided by 1 − {row['gamma']:.3f})"
    return words


def _left_out(row: pd.Series, a: str, b: str) -> str:
    reasons = {
        "only_a": f"that only {a} has",
        "only_b": f"that only {b} has",
        "unpaired": "that cannot be paired",
        "all_truncated": "of which every completion of one was truncated",
    }
    told = [f"{row[name]:,} {words}" for name, words in reasons.items() if row[name]]
    return f"; items left out: {', '.join(told)}" if told else ""


def disagreement(comparison: Comparison) -> str:
    """Return that the two truncation rules disagree about the winner, "" where they agree."""
    wrong, left_out = (comparison.overall(rule) for rule in RULES)
    if not left_out["n_items"] or not wrong["n_items"]:
        return ""
    first, second = winner(wrong), winner(left_out)
    if first == second and wrong["difference"] * left_out["difference"] >= 0:
        return ""
    names = {1: f"{comparison.names[0]} is better", -1: f"{comparison.names[1]} is better", 0: "neither is"}
    if first == second:
        end = "the difference points the other way, though neither is established"
    else:
        end = f"{names[second]}, and with them counted as wrong {names[first]}"
    return (
        f"The two results disagree about the winner: with truncated completions left out {end}. The budget of"
        " tokens that each had decides here; say which result you quote."
    )


def needed(comparison: Comparison, rule: str = "wrong") -> str:
    """Return how many more items would separate the two, with the assumption."""
    row, measure = comparison.overall(rule), comparison.measure
    if not row["n_items"]:
        return "Nothing can be said: there are no common items."
    if row["differs"]:
        return f"None: {items_text(row['n_items'])} separate them already ({p_text(row['p_value'])})."
    if math.isinf(row["items_needed"]):
        return "No number can be given: no difference was seen, and items do not make one."
    if math.isnan(row["items_needed"]):
        return "Nothing can be said: the differences of the items do not vary."
    stays = (
        f"the share of items on which only one is right stays at {_discordant(row):.0%}"
        if row["test"] == "exact McNemar"
        else "the spread of the items' differences stays as it is"
    )
    total = int(row["items_needed"])
    text = (
        f"About {max(0, total - int(row['n_items'])):,} more common items, {total:,} in all: so many find a"
        f" true difference as large as the one seen ({amount(abs(row['difference']), measure)}) with about"
        f" 80% power at 5%, if {stays}."
    )
    if math.isnan(row["items_least"]):
        return text
    return (
        f"{text} The difference seen is itself uncertain: at the far end of its interval"
        f" {int(row['items_least']):,} in all would do, and nearer to 0 no number does."
    )


def _discordant(row: pd.Series) -> float:
    return float((row["gained"] + row["lost"] + 1) / (row["n_items"] + 2))


def section_sentence(comparison: Comparison, scope: str, rule: str) -> str:
    """Return in how many parts of a scope which eval is better, with correction and m."""
    rows = comparison.of(scope, rule)
    tested = rows[rows["n_items"] > 0]
    noun = SCOPE_NAMES[scope]
    if tested.empty:
        return f"No {noun} has common items."
    a, b = comparison.names
    m = len(tested)
    won = winners(tested)
    end = f"after {CORRECTIONS[scope]} at 5% (m = {m:,})"
    if not any(won):
        return f"In none of {m:,} {noun}s a difference is established {end}."
    return f"Of {m:,} {noun}s {a} is better in {won.count(1):,} and {b} in {won.count(-1):,} {end}."


def against_summary(against: Against, rule: str = "wrong") -> str:
    """Return the result of A against all others in one sentence."""
    rows = against.of(rule)
    tested = rows[rows["n_items"] > 0]
    if tested.empty:
        return f"{against.name} has no item in common with another eval."
    won = winners(tested)
    m = len(tested)
    return (
        f"{against.name} is better than {won.count(1):,} and worse than {won.count(-1):,} of {m:,} other"
        f" evals, and not separated from {won.count(0):,} (paired on common items, Holm at 5%, m = {m:,};"
        f" {MEASURE_WORDS[against.measure]}, truncated completions {RULE_NAMES[rule]})."
    )
