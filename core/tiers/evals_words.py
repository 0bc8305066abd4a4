"""Evals in words: what a selection holds of them, and which spends and is cut off most."""

from collections.abc import Sequence

import pandas as pd

from core import charts
from core.tiers.evals import EvalsTable
from core.tiers.tokens import token_text
from core.tiers.words import count


def summary(table: EvalsTable, evals: Sequence[int]) -> str:
    """Return what a table says of some of its evals, in one sentence.

    Parameters
    ----------
    table : EvalsTable
        What `read_evals` returned.
    evals : sequence of int
        The evals to speak of; those without a completion are passed over.
    """
    frame = table.frame[table.frame["eval_id"].isin(evals) & (table.frame["completions"] > 0)]
    if frame.empty:
        return f"None of {len(evals)} evals has a completion here."
    total = int(frame["completions"].sum())
    each = charts.span_text(frame["completions"].min(), frame["completions"].max())
    if len(frame) == 1:
        lead = f"{frame['name'].iloc[0]} has {count(total, 'completion')}"
    else:
        models = int(frame["model"].nunique())
        of = f" of {models} models" if 1 < models < len(frame) else ""
        lead = f"{len(frame)} evals{of} have {count(total, 'completion')}, {each} each"
    return "; ".join(filter(None, [lead, _spent(table, frame), _cut(frame, total)])) + "."


def _spent(table: EvalsTable, frame: pd.DataFrame) -> str:
    """Return who spends most and fewest tokens; "" without counts."""
    tokens = table.tokens[table.tokens["eval_id"].isin(frame["eval_id"]) & table.tokens["average"].notna()]
    if tokens.empty:
        return ""
    kind = "visible tokens" if table.visible_tokens else "tokens"
    ordered = tokens.sort_values("average", kind="stable")
    least, most = ordered.iloc[0], ordered.iloc[-1]
    if most["average"] == least["average"]:
        return f"{token_text(most['average'])} {kind} a completion"
    return (
        f"{most['name']} spends most, {token_text(most['average'])} {kind} a completion, and {least['name']}"
        f" least, {token_text(least['average'])}"
    )


def _cut(frame: pd.DataFrame, total: int) -> str:
    """Return how much is truncated and where most; "" where nothing is."""
    cut = int(frame["truncated"].sum())
    if not cut:
        return ""
    if len(frame) == 1:
        return f"{cut / total:.1%} are truncated"
    shares = frame["truncated"] / frame["completions"]
    worst = frame.iloc[int(shares.to_numpy().argmax())]
    return f"{cut / total:.1%} are truncated, most of {worst['name']} ({shares.max():.1%})"
