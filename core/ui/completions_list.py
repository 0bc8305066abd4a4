"""The list of completions: pages, rows, and the one that is open, by mouse and by keyboard."""

from typing import Any

import orjson
import pandas as pd
import streamlit as st

from core.config import DatasetConfig
from core.tiers import completions as tier
from core.tiers.completions import Wanted
from core.tiers.completions.text import one_line
from core.ui import address, linked_table, states
from core.ui import completions as page
from core.ui.filter_state import param_text
from core.ui.sidebar import View
from core.ui.wording import count, escape

ROWS_IN_SIGHT = 10
CELL = 120
"""Characters of an answer in a row."""

MARKS = {"correct": "✓", "incorrect": "✗", "invalid": "∅", "truncated": "…", "error": "!"}

_STEP = "_list_step"


def show(view: View, wanted: Wanted, total: int) -> int | None:
    """Show a page of a list and return the id of the completion that is open, None where none is."""
    if not total:
        states.no_rows("No completion of the selection is like that: lift a condition above.")
        return open_number()
    pages = tier.pages_of(total)
    number = 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if pages > 1:
            number = st.pagination(pages, key=page.PAGE, bind="query-params")
        frame = page.page(view.dataset, view.filters, wanted, number)
        ids = [int(one) for one in frame["completion_id"]]
        if step := st.session_state.pop(_STEP, None):
            # Someone went on beyond the end of the page before.
            st.session_state[page.OPEN] = ids[0] if step == "first" else ids[-1]
        chosen = open_number()
    if total > tier.MOST_LISTED:
        st.caption(f"The first {tier.MOST_LISTED:,} of {total:,}: narrow the list to see others.")

    def take(selected: list[int]) -> list[int]:
        st.session_state[page.OPEN] = selected[0] if selected else None
        return selected

    linked_table.show(
        screen_frame(frame, view.config),
        ids,
        [chosen] if chosen in ids else [],
        take,
        name="completions",
        mode="single-row",
        columns=_columns(),
        alt=f"Completions, page {number} of {pages}: eval, task, params, outcome, answer and tokens",
        most_rows=ROWS_IN_SIGHT,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        _steps(ids, chosen, number, pages, total)
    return chosen


def open_number() -> int | None:
    """Draw the number of the completion that is open and return it, None where none is."""
    value = st.number_input(
        "Completion",
        min_value=0,
        value=None,
        step=1,
        placeholder="select a row",
        key=address.whole_number(page.OPEN),
        bind="query-params",
        width=170,
        help="Its number in the database; another import may number otherwise.",
    )
    return None if value is None else int(value)


def _steps(ids: list[int], chosen: int | None, number: int, pages: int, total: int) -> None:
    place = ids.index(chosen) if chosen in ids else None
    first, last = number == 1 and place in (None, 0), number == pages and place == len(ids) - 1
    for label, shortcut, by, end in (("Previous", "P", -1, first), ("Next", "N", 1, last)):
        st.button(
            label,
            key=f"list step {by}",
            shortcut=shortcut,
            disabled=end,
            on_click=_go,
            args=(ids, place, by, number),
        )
    if place is not None:
        st.caption(f"{(number - 1) * tier.PAGE_ROWS + place + 1:,} of {count(total, 'completion')}")
    elif chosen is not None:
        st.caption("The open completion is not on this page of the list.")


def _go(ids: list[int], place: int | None, by: int, number: int) -> None:
    """Open the completion before or after the open one (a callback)."""
    target = 0 if place is None else place + by
    if 0 <= target < len(ids):
        st.session_state[page.OPEN] = ids[target]
    else:
        st.session_state[page.PAGE] = number + by
        st.session_state[_STEP] = "first" if by > 0 else "last"


def screen_frame(frame: pd.DataFrame, config: DatasetConfig) -> pd.DataFrame:
    """Return rows of a list as shown: nothing hidden in a text, columns only where there is something."""
    shown = pd.DataFrame(
        {
            "eval": [config.eval_names[int(one)] for one in frame["eval_id"]],
            "task": [config.task_label(task) for task in frame["base_task"]],
            "params": [params_text(text) for text in frame["params"]],
            "outcome": [f"{MARKS[one]} {one}" for one in frame["outcome"]],
            "answer": [_cell(text) for text in frame["answer"]],
            "reference": [_cell(text) for text in frame["reference"]],
            "completion_tokens": frame["completion_tokens"],
            "ratio": frame["ratio"],
            "score": frame["score"],
            "loop": ["loop" if one is True else "" for one in frame["loop"]],
            "flag": ["" if pd.isna(one) else f"⚑ {one_line(one, CELL)}" for one in frame["flag"]],
            "item_id": frame["item_id"],
            "repeat": frame["repeat"],
        }
    )
    empty = [name for name in ("loop", "flag") if not shown[name].any()]
    empty += [
        name
        for name in ("answer", "reference", "completion_tokens", "ratio", "score")
        if shown[name].isna().all()
    ]
    return shown.drop(columns=empty)


def _cell(text: Any) -> str | None:
    return None if pd.isna(text) else one_line(text, CELL)


def params_text(params: str) -> str:
    """Return params, a JSON object, as "digits 2, length 3"."""
    values = orjson.loads(params)
    return ", ".join(f"{name} {param_text(value)}" for name, value in values.items())


def _columns() -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "eval": text("Eval", width=190),
        "task": text("Task", width=110),
        "params": text("Params", width=140),
        "outcome": text("Outcome", width=100),
        "answer": text("Answer", width=130, help="What was read from the response."),
        "reference": text("Reference", width=110, help="The right answer, as the source has it."),
        "completion_tokens": number("Tokens", format="localized", width=70),
        "ratio": number("Ratio", format="%.2f", width=60, help="Compressed bytes per byte of the response."),
        "score": number("Score", format="%.2f", width=60),
        "loop": text("Loop", help="Suspected: long, and compresses to next to nothing."),
        "flag": text("Flag"),
        "item_id": number("Item", width=70),
        "repeat": number("Repeat", width=70, help="Which completion of the item it is, from 0."),
    }


def heading(config: DatasetConfig, one: tier.Completion) -> str:
    """Return the words that name a completion, made safe for Markdown."""
    names = [config.eval_names[number] for number in one.eval_ids] or [one.model]
    params = params_text(one.params)
    parts = [", ".join(names), config.task_label(one.base_task), *([params] if params else [])]
    return escape(" · ".join([*parts, f"item {one.item_id}, repeat {one.repeat}"]))
