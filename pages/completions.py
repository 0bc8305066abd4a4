"""Completions: the evidence behind a number, one by one, and one item across evals."""

import streamlit as st

from core.errors import NothingFoundError, ReasonScapeError
from core.ui import (
    completions,
    completions_controls,
    completions_detail,
    completions_hardest,
    completions_item,
    completions_list,
    sidebar,
    states,
)
from core.ui.fragment import fragment
from core.ui.wording import capital, count, escape

view = sidebar.current()
st.markdown(f"**{escape(completions.summary(view))}**")

VIEWS = {"list": "Completions", "hardest": "Hardest items"}
shown = st.segmented_control(
    "Show",
    list(VIEWS),
    default="list",
    required=True,
    format_func=VIEWS.__getitem__,
    key=completions.VIEW,
    bind="query-params",
    label_visibility="collapsed",
)


@fragment
def show_list() -> None:
    """Show the list and the completion that is open; what is done here runs only this."""
    summary = st.container()
    completions_controls.show(view)
    try:
        wanted = completions.read_wanted(st.session_state)
        total = completions.count(view.dataset, view.filters, wanted)
        words = wanted.sentence(view.config)
        if words:
            listed = f"{count(total, 'completion')} of {count(view.selection.completions, 'selected one')}"
            summary.markdown(f"{listed}: {escape(words)}.")
        summary.caption("Select a row to read it; the keys P and N go to the previous and the next one.")
        chosen = completions_list.show(view, wanted, total)
    except ReasonScapeError as fault:
        states.error(fault)
        return
    if total:
        completions.downloads(view, wanted, total)
    if chosen is None:
        return
    try:
        one = completions.completion(
            view.dataset, view.filters, chosen, completions.read_rule(st.session_state)
        )
    except NothingFoundError as fault:
        states.no_rows(f"{fault}.")
        return
    with st.container(border=True):
        completions_detail.show(view, one)
    completions_item.show_item(view, one.item_id, one.completion_id)


if shown == "hardest":
    try:
        completions_hardest.show(view)
    except ReasonScapeError as fault:
        states.stop(fault)
else:
    show_list()
if view.dataset.lost_flags:
    lost = count(len(view.dataset.lost_flags), "flag")
    states.notes([f"{capital(lost)} of the sidecar file match no completion of this dataset."])
