"""Surface: where in difficulty each eval fails, as heatmaps, in 3-D, against another eval, and as curves."""

import functools

import streamlit as st

from core import charts
from core.errors import ReasonScapeError
from core.tiers import surface as tier
from core.ui import (
    download,
    figure,
    sidebar,
    states,
    surface_cache,
    surface_charts,
    surface_controls,
    surface_curves,
)
from core.ui.fragment import fragment
from core.ui.wording import escape

view = sidebar.current()
dark = figure.is_dark()
names = view.config.eval_names

summary = st.container()
tasks = view.filters.base_task or view.dataset.catalog.base_tasks
offered = tier.offered_panels(view.dataset, view.filters, tasks)
left, right = st.columns(2)
with left:
    shown = surface_controls.choose_surfaces(view, offered)
with right:
    projections = surface_controls.choose_projections(view)
pair = surface_controls.build_pair(view, expanded=not offered)
built = (pair,) if pair else ()
try:
    grid = surface_cache.grid(view.dataset, view.filters, view.methods, shown, built)
except tier.NoSurfaceError as fault:
    buildable = any(len(params) > 1 for params in surface_cache.axis_params(view.dataset).values())
    with summary:
        if not buildable:
            st.info(escape(fault), icon=":material/info:")
            st.stop()
        states.error(fault)
    st.info("Or build one here, from any two params of a task.", icon=":material/add_chart:")
    st.stop()
except ReasonScapeError as fault:
    states.stop(fault)
asked = (view.dataset.fingerprint, view.filters, view.methods, shown, built)

summary.markdown(f"**{escape(tier.summarise(grid))}**")
for problem in grid.problems:
    st.warning(
        escape(f"{problem} Correct the surface in the config, or build one above."), icon=":material/warning:"
    )


@fragment
def show_grid() -> None:
    """Show heatmaps, a page of evals and surfaces at a time."""
    pages = tier.pages(grid)
    number = st.pagination(len(pages), key="grid_page", bind="query-params") if len(pages) > 1 else 1
    page = pages[number - 1]
    cell = surface_charts.show_spec(
        surface_cache.heatmaps(asked, grid, number - 1, dark=dark), key="heatmaps", fields=tier.CELL
    )
    surface_charts.show_links(view, grid, cell)
    st.caption(
        "Number and colour: accuracy. Hatched: fewer than 5 items. Empty: no point. Dashed with —: points,"
        " and no counted completion. Hover for center, bounds and n;"
        " click a cell for its completions."
    )
    download.row(
        download.csv(view, "surface", tier.export_frame(grid)),
        download.png(
            view,
            "surface",
            functools.partial(tier.surface_heatmaps, grid, page, dark=dark),
            parts=("grid", *([f"page-{number}"] if len(pages) > 1 else [])),
        ),
    )


@fragment
def show_difference() -> None:
    """Compare two evals cell by cell, when both are chosen."""
    st.subheader("Difference of two evals")
    with st.container(horizontal=True):
        a, b = (
            st.selectbox(
                label,
                grid.evals,
                index=None,
                format_func=names.__getitem__,
                key=key,
                bind="query-params",
                placeholder="Choose an eval",
                width=320,
            )
            for label, key in (("Eval A", "minuend"), ("minus eval B", "subtrahend"))
        )
    if a is None or b is None:
        st.caption("Choose two evals: every cell then shows A minus B on the items both answered.")
        return
    try:
        found = surface_cache.difference(asked, view.dataset, grid, a, b)
    except ReasonScapeError as fault:
        states.error(fault)
        return
    st.markdown(f"**{escape(found.sentence(grid))}**")
    pages = tier.panel_pages(grid)
    number = st.pagination(len(pages), key="difference_page", bind="query-params") if len(pages) > 1 else 1
    chart = functools.partial(tier.difference_heatmaps, grid, found, pages[number - 1], dark=dark)
    surface_charts.show_spec(charts.to_spec(chart()), key="difference")
    st.markdown("\n".join(f"- {escape(note)}" for note in found.notes))
    parts = (f"difference-{a}-{b}",)
    download.row(
        download.csv(view, "surface", tier.difference_frame(grid, found), parts=parts),
        download.png(view, "surface", chart, parts=("grid", *parts)),
    )


@fragment
def show_scenes() -> None:
    """Show the chosen surfaces in 3-D; only this fragment sends them again, so that a turn by mouse stays."""
    st.subheader("In 3-D")
    choices = surface_controls.choose_panels(grid)
    if not choices:
        st.caption("Choose evals and surfaces: they then stand as landscapes, seen from one side.")
        return
    direction = surface_controls.choose_view()
    surface_charts.show_scenes(grid, choices, direction, dark=dark)
    make_html = functools.partial(tier.scenes_html, grid, choices, direction, dark=dark)
    make_png = functools.partial(tier.scenes_png, grid, choices, direction, dark=dark)
    html, png = (download.name_of(view, "surface", "3d", extension=one) for one in ("html", "png"))
    files = [download.Download("Surface 3-D HTML", html, make_html, "text/html")]
    if tier.find_browser():
        files.insert(0, download.Download("Surface 3-D PNG", png, make_png, "image/png"))
    else:
        st.caption(escape(tier.HOW_TO))
    download.row(*files)


show_grid()
show_scenes()
show_difference()
surface_curves.show_slice(view, grid, asked, dark=dark)
surface_charts.show_drops(view, surface_cache.drops(asked, grid))
if projections:
    st.subheader("Projections")
    for curve in surface_cache.projections(view.dataset, view.filters, view.methods, projections):
        surface_curves.show_curve(view, curve, "projection", asked, dark=dark)
states.notes(grid.notes)
