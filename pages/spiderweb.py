"""Spiderweb: the shape of each eval over the tasks."""

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import spiderweb as tier
from core.ui import address, download, linked_table, sidebar, spiderweb, states
from core.ui.wording import apart, capital, escape, said_as

view = sidebar.current()

try:
    found = spiderweb.spiders(view.dataset, view.filters, view.methods)
except ReasonScapeError as fault:
    states.stop(fault)

few, many = len(found.tasks) < tier.FEWEST_SPOKES, len(found.tasks) > tier.MOST_SPOKES
summary = st.container()
with st.container(horizontal=True, vertical_alignment="bottom"):
    views = {"bars": "Bars"} if few else {"radar": "Radar", "bars": "Bars", "overlay": "Overlay"}
    form = st.segmented_control(
        "View",
        list(views),
        default="bars" if few or many else "radar",
        required=True,
        format_func=views.__getitem__,
        key="spider_many" if few or many else "spider_view",
        bind="query-params",
    )
    rings = "pooled"
    if found.tiers and form != "overlay":
        names = {"tier": "One per tier", "pooled": "Pooled"}
        rings = (
            st.segmented_control(
                "Rings" if form == "radar" else "Bars",
                tier.RINGS,
                default="tier",
                required=True,
                format_func=names.__getitem__,
                key="rings",
                bind="query-params",
            )
            or "tier"
        )
    names_of = view.config.eval_names
    labels = apart(found.evals, [names_of[one] for one in found.evals])
    address.name_unknown("shown", list(labels.values()), "an eval")
    most = tier.MOST_OVERLAID if form == "overlay" else spiderweb.MOST_PANELS
    chosen = st.multiselect(
        "Show",
        found.evals,
        format_func=said_as(labels),
        key="shown",
        bind="query-params",
        max_selections=spiderweb.MOST_PANELS,
        placeholder=f"The first {most}" if len(found.evals) > most else "All",
        help="One is shown large, up to six side by side, up to five on one radar.",
        width=420,
    )
    tasks: list[str] = []
    if many and form != "bars":
        tasks = st.multiselect(
            "Spokes",
            found.tasks,
            format_func=view.config.task_label,
            key="spokes",
            bind="query-params",
            max_selections=tier.MOST_SPOKES,
            placeholder=f"The first {tier.MOST_SPOKES} of {len(found.tasks)}",
            width=420,
        ) or list(found.tasks[: tier.MOST_SPOKES])

evals = [one for one in found.evals if not chosen or one in chosen][:most]
summary.markdown(f"**{escape(tier.overlay_sentence(found, evals))}**")
if chosen and len(evals) < len(chosen):
    st.caption(f"The first {most} of the {len(chosen)} chosen evals.")

spokes = tuple(tasks)
try:
    if form == "overlay":
        spiderweb.show_overlay(view, found, evals, spokes)
    else:
        kind = form or "radar"
        spiderweb.show_panels(view, found, evals, form=kind, rings=rings, tasks=spokes)
        if len(evals) > 1:
            cells = found.cells[found.cells["eval_id"].isin(evals)]
            words = tier.subtitle(found, evals, radar=kind == "radar")
            st.caption(escape(f"{capital(words)}. {tier.footer(found, cells)}"))
except ReasonScapeError as fault:
    states.error(fault)

with st.expander("The numbers", icon=":material/table:"):
    frame = tier.text_frame(found, evals, rings)
    st.dataframe(
        frame,
        hide_index=True,
        height=linked_table.height(len(frame)),
        alt="Accuracy with its interval, n and tokens of each eval shown, per task and tier",
    )

states.notes(tier.notes(found, evals))

st.subheader("All evals")
try:
    both = spiderweb.downloads(
        view, found, form="bars" if form == "bars" or few else "radar", rings=rings, tasks=spokes
    )
    download.row(*both)
except ReasonScapeError as fault:
    states.error(fault)
