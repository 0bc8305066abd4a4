"""What a reader must know before quoting a comparison, one sentence each, from the data."""

import pandas as pd

from core.tiers.compare.items import RULES
from core.tiers.compare.table import Against, Comparison
from core.tiers.compare.words import winners
from core.tiers.surface.table import FEW_ITEMS
from core.tiers.words import listed

DIRECTION = (
    "Differences are A minus B on common items. Gained are the items on which A does better, lost those on"
    " which B does; with several completions of an item its mean outcome is compared, and items on which both"
    " do equally well are both right where at least half of their completions are, else both wrong."
)
CORRECTED = (
    "p-values are corrected within tasks and within tiers (Holm), and within surface cells"
    " (Benjamini-Hochberg); the overall one is a single test, and intervals are not corrected."
)


def comparison_notes(comparison: Comparison, rule: str) -> tuple[str, ...]:
    """Return the notes of A against B under a truncation rule."""
    rows = comparison.rows[comparison.rows["truncated"] == rule]
    notes = [
        DIRECTION,
        CORRECTED,
        _measure(comparison, rows),
        _few(rows),
        _part_disagreements(comparison),
        _visible(comparison),
        comparison.setup.weights,
        *comparison.setup.unknown,
    ]
    return tuple(note for note in notes if note)


def against_notes(against: Against) -> tuple[str, ...]:
    """Return the notes of A against all others."""
    notes = [
        DIRECTION,
        "p-values are corrected over the other evals (Holm); intervals are not corrected.",
        against_disagreements(against),
    ]
    return tuple(note for note in notes if note)


def _measure(comparison: Comparison, rows: pd.DataFrame) -> str:
    if comparison.measure == "score":
        return (
            "A completion without a score counts 1 where it is correct and 0 where not; a truncated one has"
            " no score that counts."
        )
    if comparison.measure == "skill":
        return (
            "The guess-corrected difference is the raw one divided by 1 − the mean chance of guessing right"
            " on the items compared; the test is that of the raw difference."
        )
    if float(rows["gamma"].max()) > 0:
        return (
            "The difference is of raw accuracy: where answers can be guessed it is smaller than that in"
            " skill, which the measure Guess-corrected shows."
        )
    return ""


def _few(rows: pd.DataFrame) -> str:
    few = int(((rows["scope"] == "cell") & (rows["n_items"] > 0) & (rows["n_items"] < FEW_ITEMS)).sum())
    if not few:
        return ""
    return f"{few:,} surface cells have fewer than {FEW_ITEMS} common items: too few to find any difference."


def _part_disagreements(comparison: Comparison) -> str:
    told = [
        name
        for scope in ("task", "tier")
        for name in _turned(comparison.of(scope, RULES[0]), comparison.of(scope, RULES[1]))
    ]
    if not told:
        return ""
    return (
        f"Truncated counted as wrong or left out, {len(told)} of the tasks and tiers have another winner or"
        f" none: {listed(told)}."
    )


def against_disagreements(against: Against) -> str:
    """Return the evals against which the truncation rules disagree about the winner, "" where none."""
    told = _turned(against.of(RULES[0]), against.of(RULES[1]))
    if not told:
        return ""
    return (
        f"Truncated counted as wrong or left out, {len(told)} comparisons have another winner or none:"
        f" {listed(told)}."
    )


def _turned(one: pd.DataFrame, other: pd.DataFrame) -> list[str]:
    """Return the labels of parts that have another winner, or none, under the other truncation rule."""
    pairs = zip(one["label"], winners(one), winners(other), strict=True)
    return [str(label) for label, first, second in pairs if first != second]


def _visible(comparison: Comparison) -> str:
    if not comparison.visible_tokens:
        return ""
    return "Tokens are visible tokens of the response text; hidden reasoning is not included."
