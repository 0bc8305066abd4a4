"""The table of evals, whose selected rows are the eval filter: the table and the sidebar stay the same."""

from typing import Any

import pandas as pd
import streamlit as st

from core.config import DatasetConfig, ParamFilter, ParamFilters
from core.tiers.evals import EvalsTable, tier_column
from core.ui import filter_state as keys
from core.ui import linked_table

TICK, CROSS = "✓", "✗"


def show(table: EvalsTable) -> pd.DataFrame:
    """Show the evals, the filtered ones selected, and return the rows as shown."""
    ids = [int(eval_id) for eval_id in table.frame["eval_id"]]

    def take(selected: list[int]) -> list[int]:
        wanted = chosen_evals(st.session_state.get(keys.EVALS) or [], ids, selected)
        st.session_state[keys.EVALS] = wanted
        return wanted

    frame = screen_frame(table)
    linked_table.show(
        frame,
        ids,
        sorted(st.session_state.get(keys.EVALS) or []),
        take,
        name="evals",
        mode="multi-row",
        columns=_columns(table),
        alt="Evals: identity, groups, tiers and number of completions; selected rows are the eval filter",
    )
    return frame


def chosen_evals(before: list[int], visible: list[int], selected: list[int]) -> list[int]:
    """Return the eval filter after a selection: what the table does not show stays as it was."""
    return sorted({eval_id for eval_id in before if eval_id not in visible} | set(selected))


def screen_frame(table: EvalsTable) -> pd.DataFrame:
    """Return the evals as shown: ticks for tiers, and columns of problems only where there are any."""
    frame = table.frame.drop(columns=["name"]).copy()
    for tier in table.tiers:
        frame[tier_column(tier)] = frame[tier_column(tier)].map({True: TICK, False: CROSS})
    return frame.drop(columns=[name for name in ("truncated", "error", "empty") if not frame[name].any()])


def _columns(table: EvalsTable) -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    tiers = {
        tier_column(tier): text(tier.label, help="Whether the eval has points in this tier.")
        for tier in table.tiers
    }
    return {
        "eval_id": number("eval_id", width=60, help="The eval's place in the config."),
        "label": text("Label", pinned=True),
        "model": text("Model"),
        "template": text("Template"),
        "sampler": text("Sampler"),
        "groups": st.column_config.ListColumn("Groups", width=180),
        "hf_id": text("hf_id", width=130),
        **tiers,
        "n": number("n", format="localized", help="Counted: correct, incorrect and invalid."),
        "items": number("Items", format="localized"),
        "completions": number(
            "Completions", format="localized", help="All, truncated and failed ones included."
        ),
        "truncated": number("Truncated", format="localized"),
        "error": number(
            "Errors", format="localized", help="Failed for other reasons than the model; left out."
        ),
        "empty": number("Empty", format="localized", help="Responses without a byte."),
    }


def token_columns(tokens: pd.DataFrame) -> dict[str, Any]:
    """Return the column configuration of the table of token statistics."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    averages = {
        name: number(name, format="%.1f") for name in tokens.columns if name not in ("eval_id", "label")
    }
    return {
        **averages,
        "eval_id": number("eval_id", width=60),
        "label": text("Label", pinned=True),
        "tests": number("Tests", format="localized", help="Completions with a token count."),
        "tokens": number("Tokens", format="localized", step=1),
        "average": number("Average", format="%.1f"),
    }


def tier_definitions(config: DatasetConfig) -> pd.DataFrame:
    """Return what each tier takes of each task, in words."""
    rows = []
    for tier in config.tiers:
        by_task = tier.filters if tier.filters is not None else {None: tier.filter or {}}
        for task, wanted in by_task.items():
            rows.append(
                {
                    "Tier": tier.label,
                    "id": tier.id,
                    "Task": "all tasks" if task is None else config.task_label(task),
                    "Takes": filter_words(wanted),
                }
            )
    return pd.DataFrame(rows, columns=["Tier", "id", "Task", "Takes"])


def filter_words(wanted: ParamFilters) -> str:
    """Return a config filter in words, such as "length is 2 or 3 and digits is 1"."""
    if isinstance(wanted, list):
        return "; or ".join(_one_filter(one) for one in wanted)
    return _one_filter(wanted)


def _one_filter(wanted: ParamFilter) -> str:
    parts = [
        f"{name} is {' or '.join(map(keys.param_text, value if isinstance(value, list) else [value]))}"
        for name, value in wanted.items()
    ]
    return " and ".join(parts) or "all points"
