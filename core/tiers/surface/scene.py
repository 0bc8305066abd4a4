"""Up to a few surfaces in 3-D with Plotly: accuracy as height, the lower bound as a veil below it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from core import charts
from core.palette import theme
from core.tiers.surface.axes import Panel
from core.tiers.surface.table import SurfaceGrid
from core.tiers.surface.view import View

MOST_SCENES = 4
"""Scenes of one page or image: a browser allows 16 WebGL contexts, and software draws them slowly."""

SCENE_HEIGHT = 420
WALLS = {False: "#e3e8ee", True: "#333d4b"}

MARGIN = 0.01
"""Room below 0 and above 1, so that a surface at either end is not cut away."""

VEIL_DROP = 0.005
"""Drawn below the lower bound by this: two faces at one height flicker."""

Choice = tuple[int, str]
"""An eval and a surface."""


def surface_scene(
    grid: SurfaceGrid,
    choice: Choice,
    view: View,
    *,
    width: int | None = None,
    height: int = SCENE_HEIGHT,
    dark: bool = False,
) -> go.Figure:
    """Return one surface as a figure; without a width it takes the room it is given.

    One scene a figure: drawn by software, a second scene shows the ghost of the first.
    """
    colours = theme(dark)
    panel = grid.panel(choice[1])
    return go.Figure(
        data=_traces(grid.of(*choice), panel, dark),
        layout={
            "scene": _scene(panel, view, dark) | {"domain": {"x": [0, 1], "y": [0, 1 - 26 / height]}},
            "annotations": [
                {
                    "text": stats_text(grid, choice), "x": 0.5, "y": 1, "xref": "paper", "yref": "paper",
                    "xanchor": "center", "yanchor": "top", "showarrow": False,
                    "font": {"size": 14, "color": colours.text},
                }
            ],
            "width": width,
            "height": height,
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
            "paper_bgcolor": colours.background,
            "font": {"family": charts.FONT, "color": colours.text, "size": 13},
            "showlegend": False,
        },
    )  # fmt: skip


def scene_alt(grid: SurfaceGrid, choice: Choice) -> str:
    """Return alternative text of a surface."""
    panel = grid.panel(choice[1])
    return (
        f"3-D surface of {grid.name(choice[0])}, {panel.title}: accuracy over {panel.surface.x_data} and"
        f" {panel.surface.y_data}; {stats_text(grid, choice)}"
    )


def stats_text(grid: SurfaceGrid, choice: Choice) -> str:
    """Return the least, mean and largest accuracy of the cells of a surface, and its completions."""
    cells = grid.of(*choice)
    values = cells["accuracy"].dropna()
    n = f"n {int(cells['n'].sum()):,}"
    if values.empty:
        return n
    return f"min {values.min():.2f} · mean {values.mean():.2f} · max {values.max():.2f} · {n}"


def _plain(text: str) -> str:
    """Return text that Plotly's small HTML shows as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _scene(panel: Panel, view: View, dark: bool) -> dict[str, Any]:
    colours = theme(dark)
    axis = {
        # The lowest accuracies have nearly the colour of the page: walls set them off.
        "showbackground": True, "backgroundcolor": WALLS[dark],
        "gridcolor": colours.muted, "zerolinecolor": colours.muted, "gridwidth": 1,
        "linecolor": colours.muted, "tickfont": {"size": 12, "color": colours.text},
    }  # fmt: skip

    def steps(texts: Sequence[str], name: str) -> dict[str, Any]:
        return axis | {
            "title": {"text": _plain(name), "font": {"size": 13, "color": colours.text}},
            "tickmode": "array",
            "tickvals": list(range(len(texts))),
            "ticktext": [_plain(text) for text in texts],
            "range": [-0.15, max(1, len(texts) - 1) + 0.15],
        }

    name = "" if view.overhead else "accuracy"
    height = {
        "title": {"text": name, "font": {"size": 13, "color": colours.text}},
        "range": [-MARGIN, 1 + MARGIN],
        "tickformat": ".1f",
        "dtick": 0.2,
        "showticklabels": not view.overhead,
    }
    return {
        "xaxis": steps(panel.x_texts, panel.surface.x_data),
        "yaxis": steps(panel.y_texts, panel.surface.y_data),
        "zaxis": axis | height,
        "aspectmode": "manual",
        "aspectratio": {"x": 1.1, "y": 1.1, "z": 0.8},
        "camera": view.camera(),
    }


def _traces(cells: pd.DataFrame, panel: Panel, dark: bool) -> list[Any]:
    colours = theme(dark)
    scale = [[place / 9, colour] for place, colour in enumerate(colours.sequential)]
    accuracy, lower = (_matrix(cells, panel, name) for name in ("accuracy", "lower"))
    hover = _hover(cells, panel)
    surfaces: list[Any] = []
    if min(accuracy.shape) > 1:
        surfaces = [
            go.Surface(
                z=lower - VEIL_DROP, opacity=0.35, colorscale=[[0, colours.muted], [1, colours.muted]],
                contours=_mesh(colours.muted, len(panel.x), len(panel.y)), hoverinfo="skip", showscale=False,
            ),
            go.Surface(
                z=accuracy, colorscale=scale, cmin=0, cmax=1, hoverinfo="skip",
                contours=_mesh(colours.text, len(panel.x), len(panel.y)),
                lighting={"ambient": 0.8, "diffuse": 0.3}, showscale=False,
            ),
        ]  # fmt: skip
    known = cells[cells["accuracy"].notna()]
    # A mesh has no face beside a missing cell, none at all in a single row: every cell is there as a point.
    points = go.Scatter3d(
        x=known["x"], y=known["y"], z=known["accuracy"], text=hover, hoverinfo="text",
        mode="markers+lines" if min(accuracy.shape) == 1 else "markers",
        line={"color": colours.muted, "width": 4},
        marker={
            "size": 4, "color": known["accuracy"], "colorscale": scale, "cmin": 0, "cmax": 1,
            "line": {"color": colours.text, "width": 1},
        },
    )  # fmt: skip
    below = go.Scatter3d(
        x=known["x"], y=known["y"], z=known["lower"], hoverinfo="skip", mode="lines", opacity=0.5,
        line={"color": colours.muted, "width": 4, "dash": "dash"},
    )  # fmt: skip
    return [*surfaces, points] if surfaces else [below, points]


def _mesh(colour: str, columns: int, rows: int) -> dict[str, Any]:
    """Return lines along the steps of both axes."""
    line = {"show": True, "color": colour, "width": 1, "highlight": False}
    return {
        "x": line | {"start": 0, "end": columns - 1, "size": 1},
        "y": line | {"start": 0, "end": rows - 1, "size": 1},
    }


def _matrix(cells: pd.DataFrame, panel: Panel, name: str) -> NDArray[np.float32]:
    matrix = np.full((len(panel.y), len(panel.x)), np.nan, dtype=np.float32)
    matrix[cells["y"].to_numpy(int), cells["x"].to_numpy(int)] = cells[name].to_numpy(float)
    return matrix


def _hover(cells: pd.DataFrame, panel: Panel) -> list[str]:
    known = cells[cells["accuracy"].notna()]
    return [
        f"{_plain(panel.place_text(int(cell['x']), int(cell['y'])))}<br>accuracy {cell['accuracy']:.3f}"
        f"<br>center {cell['center']:.3f}, 95% {cell['lower']:.3f} to {cell['upper']:.3f}"
        f"<br>n {int(cell['n']):,}, items {int(cell['n_items']):,}"
        for cell in known.to_dict(orient="records")
    ]
