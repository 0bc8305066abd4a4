"""Tasks: what was evaluated, how each task is sliced, and how accuracy runs along one param."""

import functools

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers.tasks import param_chart, summary, task_frame
from core.ui import cache, download, figure, sidebar, states, task_detail
from core.ui.wording import count, escape

view = sidebar.current()

first = st.container()
search = st.text_input(
    "Search",
    key="tasks_search",
    bind="query-params",
    type="search",
    placeholder="Label, category, param, surface or projection",
    width=420,
)
try:
    rows = cache.tasks(view.dataset, view.filters, search or "")
except ReasonScapeError as fault:
    states.stop(fault)
if not rows:
    states.no_rows(f"No task has “{search}” in its label, category, params, surfaces or projections.")
    st.stop()

first.markdown(f"**{escape(summary(rows))}**")
frame = task_frame(rows)
by_id = {row.base_task: row for row in rows}
st.caption(f"{count(len(rows), 'task')}. Select one to see it in detail.")
table = st.container()
download.row(download.csv(view, "tasks", frame))

st.subheader("Task in detail")
left, right = st.columns(2)
with left:
    chosen = st.selectbox(
        "Task",
        list(by_id),
        format_func=task_detail.labels(rows).__getitem__,
        key=task_detail.KEY,
        bind="query-params",
    )
row = by_id[chosen or rows[0].base_task]
with table:
    # Filled after the choice was read from the address, so that its row is the selected one.
    task_detail.show_table(frame, list(by_id), row.base_task)
params = [name for name, values in row.params.items() if len(values) > 1] or list(row.params)
with right:
    param = st.selectbox("Accuracy by", params, key="by", bind="query-params", disabled=not params)

left, right = st.columns(2)
with left:
    task_detail.show(row)
with right:
    if param is None:
        st.caption("This task has no params.")
        st.stop()
    asked = view.dataset, view.filters, row.base_task, param, view.methods
    dark = figure.is_dark()
    try:
        cells = cache.by_param(*asked)
        chart = cache.param_chart(*asked, dark=dark)
    except ReasonScapeError as fault:
        states.stop(fault)
    clicked = figure.show(chart, key="param_chart", height=240, fields=("eval_id", "value"))
    task_detail.show_links(view, row, param, clicked)
    download.row(
        download.csv(view, "accuracy", cells, parts=(row.base_task, param)),
        download.png(
            view,
            "accuracy",
            functools.partial(param_chart, cells, *asked, dark=dark),
            parts=(row.base_task, param),
        ),
    )
