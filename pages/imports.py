"""Import: evaluation results of other tools into a dataset, looked at before anything is written."""

import streamlit as st

from core.errors import ReasonScapeError
from core.ui import (
    datasets,
    holdings,
    imports_inspect,
    imports_mapping,
    imports_order,
    imports_place,
    imports_preview,
    imports_source,
    imports_tables,
    imports_tasks,
    imports_watch,
    sidebar,
    states,
)
from core.ui.imports_run import Order
from core.ui.wording import escape

dataset = sidebar.opened()
data = datasets.data_folder().resolve()

if dataset is None:
    st.markdown("**0 datasets are open: the results that you import become the first.**")
else:
    here = escape(holdings.sentence(dataset))
    st.markdown(f"**{here}; results of your own become a dataset beside it, or are added to it.**")
imports_place.sweep(data)
imports_watch.show(data)
if (fault := imports_order.fault()) is not None:
    states.error(fault)

st.markdown(
    "Bring in your own results: give a folder or upload files, see what they are, then import."
    " Nothing is written before you start the import."
)
chosen = imports_source.choose(data)
if chosen is None:
    with st.expander("What can be imported", icon=":material/help:", expanded=True):
        st.markdown(imports_source.FORMATS)
    st.stop()

try:
    looked = imports_preview.look(imports_preview.marks_of(chosen.sources))
except ReasonScapeError as fault:
    states.stop(fault)
st.subheader("What was found")
st.markdown(f"**{escape(imports_preview.summary(looked))}.**")
imports_preview.show_files(looked, chosen)
if not looked.files:
    st.stop()

part = imports_tables.choose(looked, chosen)
if part is None:
    st.stop()

st.subheader("Import")
name = imports_order.ask_name(chosen, data)
values = imports_order.ask_values(part.fixed)
if name is None or values is None:
    st.stop()
tasks = imports_tasks.ask(part, values, data / f"{name}.json")
scorers, filters = imports_order.ask_scores({file.format for file in part.files})
keep_text = st.toggle(
    "Keep the texts of responses",
    value=True,
    key="imports_text",
    help="Without them the database is smaller, and Completions shows no responses.",
)
order = Order(
    sources=part.sources,
    name=name,
    shown=chosen.shown,
    format=part.format,
    mapping=part.mapping,
    overrides=values,
    tasks=tasks,
    scorers=scorers,
    filters=filters,
    keep_text=keep_text,
)
usable = imports_tables.show_trial(part, order, chosen)
if usable:
    imports_inspect.show(order, chosen)
    imports_order.show_plan(order, chosen, data, looked)
problems = part.problems or (() if usable else ("None of the first records can be used.",))
imports_order.start_button(order, chosen, data, problems)
with st.expander("The same on the command line", icon=":material/terminal:"):
    st.code(imports_order.command_line(order, chosen), language="bash", wrap_lines=True)
    if part.mapping:
        st.download_button(
            "Mapping file",
            imports_mapping.file_text(part.mapping),
            file_name=f"{name}.mapping.json",
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
        )
