"""Compression: what failures look like as information, by length and by how far zlib compresses them."""

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import compression as tier
from core.ui import (
    compression,
    compression_controls,
    compression_figures,
    compression_loops,
    download,
    figure,
    sidebar,
    states,
)
from core.ui.wording import escape

view = sidebar.current()
dark = figure.is_dark()

summary = st.container()
dimension, options = compression_controls.choose(view)
try:
    length = compression.length(view.dataset, view.filters, options.length)
    rows = compression.rows(view.dataset, view.filters, dimension, stacked=options.stacked)
except ReasonScapeError as fault:
    states.stop(fault)

at_a_time = compression.ROWS if view.few else 1
pages = -(-len(rows) // at_a_time)
number = st.pagination(pages, key="compression_page", bind="query-params") if pages > 1 else 1
shown = rows[at_a_time * (number - 1) : at_a_time * number]
groups = compression.groups(shown, view.filters)
found = compression_figures.show_rows(view, groups, options, length, dark=dark)
counts = compression.loops(view.dataset, view.filters, options.rule)
told = compression.answer(view.dataset, view.filters, view.methods, length, options.rule)
with summary:
    st.markdown(f"**{escape(told)}**")
    st.caption(
        "How to read: right is longer, up is more information; responses below the diagonal band repeat"
        " themselves."
    )
with st.expander("Figures", expanded=view.few, key="figures", bind="query-params") as figures:
    if figures.open:
        compression_figures.show_figures(view, groups, options, length, found)
states.notes(tier.panel_notes(*found))
compression_loops.show(view, options.rule, counts)
with st.expander("How this is computed", icon=":material/functions:"):
    st.markdown(compression_figures.HOW)
st.subheader("All files")
download.row(*compression.downloads(view, options, dimension, dark=dark))
