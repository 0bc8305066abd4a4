"""What a reader must know before quoting scores against architecture, one sentence each, from the data."""

import pandas as pd

from core.tiers.modelinfo.facts import SOURCE_WORDS
from core.tiers.modelinfo.metadata import Metadata
from core.tiers.words import listed


def info_notes(rows: pd.DataFrame, metadata: Metadata) -> tuple[str, ...]:
    """Return the notes on the rows of core.tiers.modelinfo.table."""
    notes = [
        f"{metadata.problem}." if metadata.problem else "",
        _unknown(rows),
        _without_id(rows),
        _sources(rows),
        _incomplete(rows),
        _visible(rows),
        _cost(rows),
        _currencies(rows),
    ]
    return tuple(note for note in notes if note)


def _unknown(rows: pd.DataFrame) -> str:
    lacking = rows[rows["parameters"].isna()]
    if lacking.empty:
        return ""
    return f"Not in a chart against parameters, since nobody says how many: {listed(list(lacking['name']))}."


def _without_id(rows: pd.DataFrame) -> str:
    lacking = rows[rows["hf_id"].isna()]
    if lacking.empty:
        return ""
    return f"Without hf_id in the config, so nothing can be fetched of: {listed(list(lacking['name']))}."


def _sources(rows: pd.DataFrame) -> str:
    known = rows[rows["parameters"].notna()]
    if known.empty:
        return ""
    counts = known["parameters_source"].map(SOURCE_WORDS).value_counts()
    told = [f"{words} ({number} evals)" for words, number in counts.items()]
    estimated = known.loc[known["parameters_source"] == "estimated", "name"]
    which = f" Estimated: {listed(list(estimated))}." if len(estimated) else ""
    return f"Parameters: {', '.join(told)}.{which}"


def _incomplete(rows: pd.DataFrame) -> str:
    lacking = rows[~rows["complete"].astype(bool)]
    if lacking.empty:
        return ""
    return (
        "Scored on fewer cells than the others, so not comparable with them:"
        f" {listed(list(lacking['name']))}."
    )


def _visible(rows: pd.DataFrame) -> str:
    if not rows["visible_tokens"].any():
        return ""
    return (
        "Tokens are visible tokens, counted by tokenising the response text; hidden reasoning is not"
        " included, so that reasoning models look cheaper than they are."
    )


def _cost(rows: pd.DataFrame) -> str:
    lacking = rows[rows["currency"].notna() & rows["cost"].isna()]
    if lacking.empty:
        return ""
    return f"Priced, but without the token counts that a cost needs: {listed(list(lacking['name']))}."


def _currencies(rows: pd.DataFrame) -> str:
    several = sorted(rows["currency"].dropna().unique())
    if len(several) < 2:
        return ""
    return f"Prices are in {listed(several)}: costs compare only within one currency."
