"""The suspected loops on screen: a list that the database sorts and cuts, and the text of one of them."""

import pandas as pd
import streamlit as st

from core.tiers import compression as tier
from core.tiers.compression import LoopCounts
from core.tiers.loops import LoopRule
from core.ui import compression, download, drill, linked_table
from core.ui.download import Download
from core.ui.fragment import fragment
from core.ui.sidebar import View
from core.ui.wording import count, escape, listed

PAGE = 10
MOST_SHOWN = 20_000
"""Characters of a response that are shown at once; a download has all."""

MOST_EXPORTED = 1_000
"""Loops in the CSV file, in the order of the list."""


@fragment
def show(view: View, rule: LoopRule, counts: LoopCounts) -> None:
    """Show the suspected loops, the largest first, and on demand the text of one."""
    st.subheader("Suspected loops")
    st.caption(escape(f"Rule: {rule.sentence(view.config)}."))
    if hint := correct_hint(view, counts):
        st.info(escape(hint), icon=":material/lightbulb:")
    if not counts.loops:
        st.markdown(
            "No response of this selection is suspected."
            if counts.sized
            else "No response here has sizes, so none could be looked at: loops are found in texts."
        )
        return
    if not view.few and not st.toggle("List them", key="loop_list", bind="query-params"):
        # To find the largest of millions takes as long as to count them.
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sort = st.segmented_control(
            "Order",
            list(tier.SORTS),
            default="largest",
            required=True,
            format_func=str.capitalize,
            key="loop_sort",
            bind="query-params",
        )
        pages = -(-counts.loops // PAGE)
        page = st.pagination(pages, key="loop_page", bind="query-params") if pages > 1 else 1
    first = PAGE * (page - 1)
    found = compression.loop_list(view.dataset, view.filters, rule, sort or "largest", first, PAGE)
    if not compression.has_texts(view.dataset):
        st.info(escape(tier.NO_TEXTS), icon=":material/visibility_off:")
    ids = [int(one) for one in found["completion_id"]]
    labels = {
        one: f"{first + place}. {name} · {task} · {size:,} bytes"
        for place, (one, name, task, size) in enumerate(
            zip(ids, found["eval"], map(view.config.task_label, found["task"]), found["bytes"], strict=True),
            1,
        )
    }
    if st.session_state.get("loop_read") not in labels:
        st.session_state.pop("loop_read", None)
    table = st.container()
    chosen = st.selectbox(
        "Read a response",
        ids,
        index=None,
        format_func=lambda one: labels.get(one, str(one)),
        key="loop_read",
        placeholder="Choose one, or select its row",
    )
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    with table:
        linked_table.show(
            loop_table(found, view),
            ids,
            [] if chosen is None else [chosen],
            _take,
            name="loops",
            mode="single-row",
            columns={
                "Bytes": number(format="localized"),
                "Tokens": number(format="localized"),
                "Ratio": number(format="%.4f"),
                "Begins": text(width="medium"),
                "Ends": text(width="medium"),
            },
            alt=f"Suspected loops {first + 1:,} to {first + len(ids):,} of {counts.loops:,}, {sort} first",
        )  # fmt: skip
    if chosen is not None:
        _show_text(view, found[found["completion_id"] == chosen].iloc[0])
    export = download.csv(
        view,
        "loops",
        lambda: tier.list_loops(view.dataset, view.filters, rule, sort=sort or "largest", most=MOST_EXPORTED),
    )
    download.row(export)
    if counts.loops > MOST_EXPORTED:
        st.caption(f"The file has the first {MOST_EXPORTED:,} of {counts.loops:,}.")
    if rule == LoopRule():
        label = f"Open {count(counts.loops, 'completion')} in Completions"
        drill.link(view, label, key="loops", filters=view.filters, loops=True)


def _take(selected: list[int]) -> list[int]:
    st.session_state["loop_read"] = selected[0] if selected else None
    return selected


def correct_hint(view: View, counts: LoopCounts) -> str:
    """Return what to do about tasks of which correct responses are suspected, "" where there are none."""
    rows = counts.frame[counts.frame["outcome"] == "correct"]
    if rows.empty:
        return ""
    worst = rows.sort_values("loops", ascending=False, kind="stable")["task"]
    names = listed([view.config.task_label(task) for task in worst], 3)
    return (
        f"{count(counts.of('correct'), 'correct response')} suspected, of {names}: where right answers repeat"
        " themselves, leave the task out above, or give it a loop_ratio of its own in the config."
    )


def loop_table(found: pd.DataFrame, view: View) -> pd.DataFrame:
    """Return the list as it is shown."""
    return pd.DataFrame(
        {
            "Eval": found["eval"],
            "Task": [view.config.task_label(task) for task in found["task"]],
            "Outcome": found["outcome"],
            "Bytes": found["bytes"].astype("Int64"),
            "Ratio": found["ratio"].astype(float).round(4),
            "Tokens": found["tokens"].astype("Int64"),
            "Begins": found["begins"],
            "Ends": found["ends"],
            "Item": found["item"],
        }
    )


def _show_text(view: View, row: pd.Series) -> None:
    completion_id = int(row["completion_id"])
    text = tier.read_response(view.dataset, completion_id)
    facts = [row["eval"], view.config.task_label(row["task"]), row["outcome"], row["place"]]
    st.markdown(f"**{escape(', '.join(filter(None, facts)))}**")
    if text is None:
        st.info(escape(tier.NO_TEXTS), icon=":material/visibility_off:")
        return
    shown = text[:MOST_SHOWN]
    st.code(shown, language=None, wrap_lines=True, height=360)
    if len(shown) < len(text):
        st.caption(f"The first {len(shown):,} of {len(text):,} characters; the download has all.")
    else:
        st.caption(f"{len(text):,} characters.")
    name = download.name_of(view, "response", str(completion_id), extension="txt")
    download.row(Download("Response", name, text.encode, "text/plain"))
