"""Dataset: which pages work with it, what it was built from, and how its evals, tasks and tiers are named."""

import pandas as pd
import streamlit as st

from core.errors import ReasonScapeError
from core.export import csv_bytes, file_name
from core.tiers.coverage import coverage_frame
from core.ui import (
    coverage_table,
    edit_evals,
    edit_save,
    edit_sources,
    edit_tiers,
    holdings,
    sidebar,
    states,
)
from core.ui.wording import count, escape

EDITS = ("Evals", "Tasks", "Tiers", "Sources")

dataset = sidebar.opened()
if dataset is None:
    states.stop("No dataset is open")
config = dataset.config
rows = coverage_table.coverage(dataset)
sources, files = edit_sources.sources(dataset)


def download(kind: str, frame: pd.DataFrame) -> None:
    """Offer a table as CSV."""
    name = file_name(config.name, kind, extension="csv")
    st.download_button(
        f"{kind.capitalize()} CSV",
        data=lambda: csv_bytes(frame),
        file_name=name,
        mime="text/csv",
        key=f"download {name}",
        on_click="ignore",
        icon=":material/download:",
        help=name,
    )


st.markdown(
    f"**{escape(holdings.sentence(dataset))}, from {count(files, 'file')};"
    f" {escape(coverage_table.sentence(rows))}**"
)
st.caption("Edits go to the dataset's config and never touch the results; each can be undone.")
try:
    editing = edit_save.read(dataset.config_path)
except ReasonScapeError as fault:
    states.stop(fault)
edit_save.show_history(editing)

chosen = st.segmented_control(
    "Edit",
    EDITS,
    default=EDITS[0],
    required=True,
    key="edit",
    bind="query-params",
    label_visibility="collapsed",
)
if chosen == "Tasks":
    edit_evals.show_tasks(editing, dataset)
elif chosen == "Tiers":
    edit_tiers.show(editing, dataset)
elif chosen == "Sources":
    edit_sources.show(sources, files)
    download("sources", sources)
else:
    edit_evals.show_evals(editing)

st.subheader("Which pages work")
st.caption("What keeps a page from working is a field that the sources did not have, or the config lacks.")
coverage_table.show(rows)
download("pages", coverage_frame(rows))
