"""The widgets of the Surface page, bound to the address: surfaces, projections, a pair to build, the view."""

import weakref
from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from core.errors import ReasonScapeError
from core.store.dataset import Dataset
from core.tiers import surface as tier
from core.tiers.surface import PRESETS, Pair, Panel, SurfaceGrid
from core.tiers.surface import View as Direction
from core.ui import surface_cache
from core.ui.sidebar import View
from core.ui.wording import apart, escape

FIRST = 4
"""Surfaces that are shown while none is chosen."""

SURFACES, PROJECTIONS, PANELS = "shown_surfaces", "shown_projections", "panels"
BUILD_TASK, BUILD_X, BUILD_Y = "build_task", "build_x", "build_y"
AZIMUTH, ELEVATION = "azimuth", "elevation"
_SAID = "_surface_said"


def choose_surfaces(view: View, offered: Sequence[Panel]) -> tuple[str, ...]:
    """Show the choice of surfaces and return their ids; the first few while none is chosen."""
    labels = apart([panel.id for panel in offered], [panel.title for panel in offered])
    _prune(SURFACES, labels)
    chosen = st.multiselect(
        "Surfaces",
        list(labels),
        format_func=lambda one: labels.get(one, one),
        key=SURFACES,
        bind="query-params",
        placeholder=f"The first {FIRST} of {len(labels)}" if len(labels) > FIRST else "All",
        disabled=not labels,
    )
    return tuple(chosen) or tuple(labels)[:FIRST]


def choose_projections(view: View) -> tuple[str, ...]:
    """Show the choice of projections and return their ids."""
    tasks = view.filters.base_task or view.dataset.catalog.base_tasks
    found = [
        (projection.id, f"{entry.label}: {projection.label}")
        for base_task, entry in view.config.basetasks.items()
        if base_task in tasks
        for projection in entry.projections
    ]
    labels = apart([one for one, _ in found], [label for _, label in found])
    _prune(PROJECTIONS, labels)
    return tuple(
        st.multiselect(
            "Projections",
            list(labels),
            format_func=lambda one: labels.get(one, one),
            key=PROJECTIONS,
            bind="query-params",
            placeholder="None",
            disabled=not labels,
            help="One-dimensional sweeps of the config, shown as curves at the end of the page.",
        )
    )


def build_pair(view: View, *, expanded: bool) -> Pair | None:
    """Show the builder of a surface from two params and return the pair that is chosen, if it is."""
    offers = surface_cache.axis_params(view.dataset)
    tasks = [task for task in offers if not view.filters.base_task or task in view.filters.base_task]
    if message := st.session_state.pop(_SAID, None):
        st.info(escape(message), icon=":material/info:")
    if not tasks:
        if expanded:
            st.caption("No task of this selection has two params with several values to build one from.")
        return None
    active = expanded or any(st.session_state.get(key) for key in (BUILD_TASK, BUILD_X, BUILD_Y))
    with st.expander("Build a surface from two params", icon=":material/add_chart:", expanded=active):
        st.caption(
            "The values of each param, or bins of about equally many items where it has more than 12. The"
            " surface stands beside the others; it is kept where you append it to the config."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            labels = apart(tasks, map(view.config.task_label, tasks))
            task = _choice("Task", BUILD_TASK, labels, "Choose a task")
            params = offers[task] if task else []
            x = _choice("x axis", BUILD_X, {one: one for one in params}, "Param")
            y = _choice("y axis", BUILD_Y, {one: one for one in params if one != x}, "Param")
            pair = Pair(task, x, y) if task and x and y else None
            st.button(
                "Append to the config",
                key="append_surface",
                icon=":material/playlist_add:",
                disabled=pair is None,
                on_click=_append,
                # A session remembers this after the page was left, and would keep a replaced database open.
                args=(weakref.ref(view.dataset), pair),
            )
    return pair


def _choice(label: str, key: str, labels: Mapping[str, str], placeholder: str) -> str | None:
    if st.session_state.get(key) not in labels:
        st.session_state.pop(key, None)
    chosen: str | None = st.selectbox(
        label,
        list(labels),
        index=None,
        format_func=lambda one: labels.get(one, one),
        key=key,
        bind="query-params",
        placeholder=placeholder,
        width=220,
        disabled=not labels,
    )
    return chosen


def _append(shown: weakref.ref[Dataset], pair: Pair) -> None:
    """Append the pair's surface to the config (a callback), show it, and say so."""
    if (dataset := shown()) is None:
        st.session_state[_SAID] = "The database was replaced meanwhile; look at it as it is now, and append"
        return
    try:
        surface = tier.build_surface(dataset, pair)
        new = tier.append_surface(dataset.config_path, pair.base_task, surface)
    except ReasonScapeError as fault:
        st.session_state[_SAID] = str(fault)
        return
    for key in (BUILD_TASK, BUILD_X, BUILD_Y):
        st.session_state[key] = None
    st.session_state[SURFACES] = [*(st.session_state.get(SURFACES) or []), new]
    st.session_state[_SAID] = f"Appended to {dataset.config_path.name} as {new}."


def choose_panels(grid: SurfaceGrid) -> list[tuple[int, str]]:
    """Show the choice of evals on surfaces to turn in 3-D and return them."""
    names = grid.config.eval_names
    labels = apart(
        grid.choices, [f"{names[one]} · {grid.panel(surface).title}" for one, surface in grid.choices]
    )
    _prune(PANELS, labels)
    return st.multiselect(
        "Show in 3-D",
        grid.choices,
        format_func=lambda one: labels.get(one, str(one)),
        key=PANELS,
        bind="query-params",
        max_selections=tier.MOST_SCENES,
        placeholder=f"Choose up to {tier.MOST_SCENES}",
    )


def choose_view() -> Direction:
    """Show the view control and return where to look from: all panels, the address and the image share it."""
    default = Direction()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        azimuth = st.slider(
            "Azimuth", 0, 359, default.azimuth, key=AZIMUTH, bind="query-params", format="%d°", width=240
        )
        elevation = st.slider(
            "Elevation", 0, 90, default.elevation, key=ELEVATION, bind="query-params", format="%d°", width=240
        )
        for name, preset in PRESETS.items():
            st.button(
                name,
                key=f"view {name}",
                on_click=_look,
                args=(preset,),
                type="primary" if preset == Direction(azimuth, elevation) else "secondary",
            )
    return Direction(azimuth, elevation)


def _look(preset: Direction) -> None:
    """Set the view to a preset (a callback)."""
    st.session_state[AZIMUTH] = preset.azimuth
    st.session_state[ELEVATION] = preset.elevation


def _prune(key: str, options: Collection[object]) -> None:
    """Forget what is chosen and, after another filter, no longer offered."""
    if chosen := st.session_state.get(key):
        st.session_state[key] = [one for one in chosen if one in options]
