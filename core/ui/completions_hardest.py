"""The hardest items on screen: those that every eval fails, and those that one eval alone fails."""

import pandas as pd
import streamlit as st

from core.config import DatasetConfig
from core.errors import NothingFoundError
from core.tiers import completions as tier
from core.tiers.completions import HardestItems
from core.tiers.completions.text import one_line
from core.tiers.loops import LoopRule
from core.ui import (
    address,
    completions_detail,
    completions_item,
    completions_list,
    download,
    drill,
    linked_table,
    states,
)
from core.ui import completions as page
from core.ui.completions_list import CELL, params_text
from core.ui.sidebar import View
from core.ui.wording import count, escape

KIND, FEWEST, NUMBER, ITEM = "hard.kind", "hard.fewest", "hard.page", "hard.item"
ROWS = 50


def show(view: View) -> None:
    """Show the hardest items of the selection, and the one that is selected."""
    evals = view.selection.evals
    if evals < tier.FEWEST_EVALS:
        states.no_rows("Hardest items need at least two evals: lift the eval filter.")
        return
    summary = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.segmented_control(
            "Items",
            tier.KINDS,
            default=tier.KINDS[0],
            required=True,
            format_func=tier.KIND_NAMES.__getitem__,
            key=KIND,
            bind="query-params",
        )
        fewest = st.number_input(
            "Answered by at least",
            min_value=1,
            max_value=evals,
            value=tier.FEWEST_EVALS,
            step=1,
            key=address.whole_number(FEWEST),
            bind="query-params",
            width=170,
            help="Evals; items that fewer answered are left out.",
        )
    kind = kind or tier.KINDS[0]
    found = page.hardest(view.dataset, view.filters, kind, int(fewest), 1)
    total = found.total(kind)
    number = 1
    if total > ROWS:
        pages = -(-total // ROWS)
        number = st.pagination(pages, key=NUMBER, bind="query-params")
        found = page.hardest(view.dataset, view.filters, kind, int(fewest), number)
    summary.markdown(f"**{escape(sentence(found, int(fewest)))}**")
    st.caption(
        "Pass rate: the mean over evals of their share of correct completions of the item; an eval fails an"
        " item that it never gets right. Truncated and failed completions say nothing of an item and are left"
        " out."
    )
    if not total:
        states.no_rows("There is no such item in this selection.")
        return
    ids = [int(one) for one in found.rows["item_id"]]
    item = st.number_input(
        "Item",
        min_value=0,
        value=None,
        step=1,
        key=address.whole_number(ITEM),
        bind="query-params",
        placeholder="select a row",
        width=170,
    )

    def take(selected: list[int]) -> list[int]:
        st.session_state[ITEM] = selected[0] if selected else None
        return selected

    frame = screen_frame(found, view.config)
    linked_table.show(
        frame,
        ids,
        [item] if item in ids else [],
        take,
        name="hardest",
        mode="single-row",
        columns={
            "Pass rate": st.column_config.NumberColumn(format="percent", width=90),
            "Most common wrong answer": st.column_config.TextColumn(width="medium"),
        },
        alt="Items, the lowest pass rate first",
        most_rows=10,
    )
    download.row(download.csv(view, "hardest-items", found.rows, parts=(kind,)))
    if item is not None:
        drill.link(view, "All completions of this item", key="item", filters=view.filters, items=(int(item),))
        chosen = completions_list.open_number()
        completions_item.show_item(view, int(item), chosen)
        if chosen is not None:
            _open(view, int(item), chosen)


def _open(view: View, item_id: int, completion_id: int) -> None:
    """Show a completion of the item below it."""
    try:
        one = page.completion(view.dataset, view.filters, completion_id, LoopRule())
    except NothingFoundError:
        return
    if one.item_id == item_id:
        with st.container(border=True):
            completions_detail.show(view, one)


def sentence(found: HardestItems, fewest: int) -> str:
    """Return in a sentence what there is."""
    words = f"{count(found.items, 'item')} answered by at least {count(fewest, 'eval')}:"
    if not found.everyone:
        return f"{words} none is failed by everyone; {count(found.one, 'item')} by one eval alone."
    return (
        f"{words} everyone fails {count(found.everyone, 'item')}, suspects for a wrong reference;"
        f" one eval alone fails {count(found.one, 'item')}."
    )


def screen_frame(found: HardestItems, config: DatasetConfig) -> pd.DataFrame:
    """Return the items for the screen."""
    rows = found.rows
    names = config.eval_names
    shown = pd.DataFrame(
        {
            "Item": rows["item_id"],
            "Task": [config.task_label(task) for task in rows["base_task"]],
            "Params": [params_text(text) for text in rows["params"]],
            "Pass rate": rows["pass_rate"],
            "Evals": rows["evals"],
            "Failing": rows["failing"],
            "Fails alone": ["" if pd.isna(one) else names[int(one)] for one in rows["failing_eval"]],
            "Reference": [None if pd.isna(one) else one_line(one, CELL) for one in rows["reference"]],
            "Most common wrong answer": [
                None if pd.isna(one) else one_line(one, CELL) for one in rows["wrong_answer"]
            ],
            "By evals": rows["wrong_evals"],
        }
    )
    empty = ["Fails alone"] if not shown["Fails alone"].any() else []
    empty += [
        name for name in ("Reference", "Most common wrong answer", "By evals") if shown[name].isna().all()
    ]
    return shown.drop(columns=empty)
