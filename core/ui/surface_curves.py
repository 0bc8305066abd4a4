"""Curves on screen: a row or a column of a surface, and any curve with its downloads."""

import functools

import streamlit as st

from core.tiers import surface as tier
from core.tiers.surface import Curve, SurfaceGrid
from core.ui import download, figure, states, surface_cache
from core.ui.fragment import fragment
from core.ui.sidebar import View
from core.ui.surface_cache import Asked
from core.ui.wording import escape


@fragment
def show_slice(view: View, grid: SurfaceGrid, asked: Asked, *, dark: bool) -> None:
    """Show the choice of a row or a column of one surface, and its curves."""
    st.subheader("A row or a column")
    ids = [panel.id for panel in grid.panels]
    with st.container(horizontal=True):
        surface = st.selectbox(
            "Surface",
            ids,
            format_func=lambda one: grid.panel(one).title if one in ids else one,
            key="slice_surface",
            bind="query-params",
            width=320,
        )
        panel = grid.panel(surface if surface in ids else ids[0])
        along = st.segmented_control(
            "Along",
            ["x", "y"],
            default="x",
            required=True,
            format_func={"x": panel.surface.x_data, "y": panel.surface.y_data}.__getitem__,
            key="slice_along",
            bind="query-params",
        )
        fixed, texts = (
            (panel.surface.y_data, panel.y_texts) if along == "x" else (panel.surface.x_data, panel.x_texts)
        )
        at = st.selectbox(f"at {escape(fixed)}", texts, key=f"slice_{along}", bind="query-params", width=160)
    place = texts.index(at) if at in texts else 0
    curve = tier.slice_surface(grid, panel.id, along or "x", place)
    show_curve(view, curve, "slice", asked, dark=dark)


def show_curve(view: View, curve: Curve, kind: str, asked: Asked, *, dark: bool) -> None:
    """Show a curve with its downloads.

    Parameters
    ----------
    kind : str
        slice or projection: begins the key of the chart, and stands in the names of the files.
    asked
        What tells the surfaces of this selection from others.
    """
    if curve.frame.empty:
        states.no_rows(f"No eval has a point on {curve.title}.")
        return
    chart = functools.partial(tier.curve_chart, curve, view.config, view.filters, view.methods, dark=dark)
    spec = surface_cache.curve_chart(asked, curve, kind, curve.key, view.config, dark=dark)
    figure.show(spec, key=f"{kind} {curve.key}", height=320)
    download.row(
        download.csv(view, kind, curve.frame, parts=(curve.key,)),
        download.png(view, kind, chart, parts=(curve.key,)),
    )
