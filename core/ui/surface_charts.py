"""Surfaces on screen: the grid of heatmaps with its words as page text, 3-D panels, tables."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.tiers import surface as tier
from core.tiers.surface import SurfaceGrid
from core.tiers.surface import View as Direction
from core.ui import cache, chart_selection, download, drill, figure
from core.ui.sidebar import View
from core.ui.wording import count, escape

SIDEWAYS = """<style>
[class*="st-key-sideways_"] { overflow-x: auto; }
.moves-sideways { display: none; font-size: 0.85rem; margin: 0; }
@media (max-width: 640px) { .moves-sideways { display: block; } }
</style><p class="moves-sideways">What is wider than the screen moves sideways →</p>"""
"""Streamlit lets a chart wider than the screen move the whole page; a phone shows no bar to move it by."""

NO_BAR = {"displaylogo": False, "modeBarButtonsToRemove": ["toImage"]}


def show_spec(spec: dict[str, Any], *, key: str, fields: Sequence[str] = ()) -> dict[str, Any] | None:
    """Show the specification of finished heatmaps under their title, with their footer as caption.

    Cells keep their size: where the screen is narrower than the grid, the grid moves sideways. Returns the
    fields of the cell that is selected, where there are fields to tell.
    """
    screen = {name: value for name, value in spec.items() if name not in ("title", "usermeta")}
    words = str(screen.pop("description", ""))
    st.html(SIDEWAYS)
    with figure.words_around(spec), st.container(key=f"sideways_{key}"):
        if not fields:
            st.vega_lite_chart(spec=screen, theme=None, width="content", key=key, alt=words)
            return None
        screen = chart_selection.selectable(screen, fields)
        event = st.vega_lite_chart(
            spec=screen, theme=None, width="content", key=key, alt=words, on_select="rerun"
        )
    return chart_selection.picked(event, fields)


def show_links(view: View, grid: SurfaceGrid, cell: dict[str, Any] | None) -> None:
    """Show links to the completions of the cell that was clicked; nothing where none was."""
    if cell is None:
        return
    panel, eval_id = grid.panel(cell["surface"]), int(cell["eval_id"])
    x, y = int(cell["x"]), int(cell["y"])
    params = tier.cell_params(panel, x, y, cache.offers(view.dataset).params)
    task = view.config.basetasks.get(panel.base_task)
    # A surface that was built on the page has no id to filter by; nor has it a filter of its own.
    known = panel.id if task is not None and panel.surface in task.surfaces else None
    filters = drill.narrowed(
        view.filters, eval_id=eval_id, base_task=panel.base_task, surface=known, params=params
    )
    place = f"{panel.surface.x_data} {panel.x_texts[x]}, {panel.surface.y_data} {panel.y_texts[y]}"
    what = f"Completions of {grid.name(eval_id)}, {panel.title}, {place}"
    drill.outcome_links(view, what, key="surface", filters=filters)


def show_scenes(
    grid: SurfaceGrid, choices: Sequence[tuple[int, str]], direction: Direction, *, dark: bool
) -> None:
    """Show surfaces in 3-D, two beside each other, all seen from the same side."""
    columns = st.columns(2) if len(choices) > 1 else [st.container()]
    for place, choice in enumerate(choices):
        with columns[place % len(columns)], st.container(gap="xsmall"):
            st.markdown(f"**{escape(grid.name(choice[0]))}** · {escape(grid.panel(choice[1]).title)}")
            st.plotly_chart(
                tier.surface_scene(grid, choice, direction, dark=dark),
                theme=None,
                key=f"scene {place}",
                config=NO_BAR,
                alt=tier.scene_alt(grid, choice),
            )
    st.caption(
        escape(
            "Height and colour: accuracy; grey veil: lower bound of the interval. A missing cell is a hole."
            f" {grid.methods.sentence()}."
        )
    )


def show_drops(view: View, drops: pd.DataFrame) -> None:
    """Show which axis of each surface matters more, with the download of its numbers."""
    st.subheader("Which axis matters more")
    st.dataframe(
        drops_table(drops),
        hide_index=True,
        placeholder="—",
        alt=f"Drop in accuracy per step along both axes, {count(len(drops), 'row')}",
    )
    st.caption(escape(tier.DROPS_METHOD))
    download.row(download.csv(view, "surface-axes", drops))


def drops_table(drops: pd.DataFrame) -> pd.DataFrame:
    """Return the drops per step as texts: a row per eval and surface."""
    return pd.DataFrame(
        {
            "Eval": drops["name"],
            "Surface": drops["title"],
            "Drop per step of x": _texts(drops, "x"),
            "Drop per step of y": _texts(drops, "y"),
            "Matters more": drops["matters_more"],
        }
    )


def _texts(drops: pd.DataFrame, side: str) -> list[str | None]:
    return [
        None if pd.isna(drop) else f"{param}: {drop:.3f} [{low:.3f}, {high:.3f}]".replace("-", "−")
        for param, drop, low, high in zip(
            drops[side], drops[f"{side}_drop"], drops[f"{side}_lower"], drops[f"{side}_upper"], strict=True
        )
    ]
