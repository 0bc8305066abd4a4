"""Hazard: when completions end, and whether rightly."""

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import hazard as tier
from core.ui import download, figure, hazard, hazard_controls, hazard_panels, sidebar, states
from core.ui.fragment import fragment
from core.ui.wording import count, escape

view = sidebar.current()
dark = figure.is_dark()

summary = st.container()
with st.container(horizontal=True, vertical_alignment="bottom"):
    split = hazard_controls.choose_split(view)
    bucket = hazard_controls.choose_bucket(view)
try:
    grouping = hazard.groups(view.dataset, view.filters, split)
    total = len(grouping.groups)
    pages = -(-total // hazard.PAGE)
    page = 1
    if pages > 1:
        with st.container(horizontal=True, vertical_alignment="center"):
            page = st.pagination(pages, key="hazard_page", bind="query-params")
            st.caption(f"{count(total, 'group')}, {hazard.PAGE} at a time")
    asked = (view.dataset, view.filters, view.methods, split, page, bucket)
    found = hazard.hazard(*asked)
except ReasonScapeError as fault:
    states.stop(fault)

if not found.curves:
    with summary:
        st.subheader("Nothing to follow here")
    st.info(escape(f"{tier.no_tokens(found.without)}."), icon=":material/info:")
    st.stop()

summary.markdown(f"**{escape(tier.summary(found))}**")
if found.bucket_size > bucket:
    st.caption(
        f"Buckets of {count(bucket, 'token')} are too many to draw here: these are of {found.bucket_size:,}."
        + (" The files of all groups have what you asked for." if pages > 1 else "")
    )
st.caption(hazard_panels.HOW_TO_READ)
hazard_panels.show_panels(view, found, hazard.specs(*asked, dark=dark))
st.caption(escape(tier.footer(found)))
with st.expander("How this is computed", icon=":material/functions:"):
    st.markdown(tier.FORMULAS)


@fragment
def explore() -> None:
    """Show what another budget would do, to the groups and between evals."""
    st.subheader("What would a smaller budget cost?")
    budget = hazard_controls.choose_budget(hazard.largest_tokens(view.dataset, view.filters), bucket)
    hazard_panels.show_budget(found, budget)
    st.subheader("Evals beside each other")
    rest = tier.rest_of(split)
    parts = hazard.groups(view.dataset, view.filters, rest).groups if rest else ()
    evals = sorted({one for group in grouping.groups for one in group.evals})
    hazard_panels.show_comparison(view, split, evals, parts, found.bucket_size, budget, dark=dark)
    st.subheader("Files")
    download.row(
        *hazard.page_downloads(view, found, budget, page, pages),
        *(hazard.all_downloads(view, split, bucket, budget, total) if pages > 1 else ()),
    )


explore()
states.notes(tier.notes(found))
