"""The grid of heatmaps: rows evals, columns surfaces, one colour scale, as one Altair chart."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from core import __version__, charts
from core.palette import accuracy_colour, difference_colour, text_on, theme
from core.tiers.surface.axes import Panel
from core.tiers.surface.difference import RATE, SurfaceDifference
from core.tiers.surface.heatmap_column import AXIS_ROOM, CELL_HEIGHT, LEAST_CELL, column
from core.tiers.surface.summary import summarise
from core.tiers.surface.table import FEW_ITEMS, SurfaceGrid
from core.tiers.words import EM_DASH

ROWS, COLUMNS, STEPS = 6, 4, 32
"""Most evals, surfaces and steps of y of one image: more are further images, never smaller ones."""

WIDTH, LEAST_WIDTH = 1000, 640
MOST_CELL = 72
LEAST_AXIS = 40
GAP = 18
SHOWN = [
    "eval_id", "surface", "x", "y", "accuracy", "center", "lower", "upper", "n", "n_items", "truncated",
]  # fmt: skip


@dataclass(frozen=True)
class Page:
    """The evals and surfaces of one image of a grid."""

    evals: tuple[int, ...]
    panels: tuple[Panel, ...]


def pages(
    grid: SurfaceGrid, *, rows: int | None = None, columns: int = COLUMNS, width: int = WIDTH
) -> tuple[Page, ...]:
    """Return how a grid is cut into images, evals first; tall surfaces leave room for fewer evals."""
    rows = rows or min(ROWS, max(2, STEPS // max(len(panel.y) for panel in grid.panels)))
    return tuple(
        Page(grid.evals[top : top + rows], panels)
        for panels in panel_pages(grid, columns=columns, width=width)
        for top in range(0, len(grid.evals), rows)
    )


def panel_pages(
    grid: SurfaceGrid, *, columns: int = COLUMNS, width: int = WIDTH
) -> tuple[tuple[Panel, ...], ...]:
    """Return how the surfaces of a grid are cut into images: as many as fit the width, one at least."""
    cut: list[list[Panel]] = [[]]
    for panel in grid.panels:
        if cut[-1] and (len(cut[-1]) == columns or _step(width, [*cut[-1], panel]) < LEAST_CELL):
            cut.append([])
        cut[-1].append(panel)
    return tuple(map(tuple, cut))


def surface_heatmaps(
    grid: SurfaceGrid, page: Page | None = None, *, width: int = WIDTH, dark: bool = False
) -> alt.HConcatChart:
    """Return the accuracy of evals (rows) on surfaces (columns).

    Parameters
    ----------
    page
        What to show; the first page where absent.
    width : int
        Of the image in CSS pixels at most; cells keep a size in which their number can be read.
    """
    page = page or pages(grid)[0]
    step = _fitted(width, page.panels)
    cells = grid.cells
    cells = cells[cells["eval_id"].isin(page.evals) & cells["surface"].isin([p.id for p in page.panels])]
    cells = _accuracy_cells(cells, grid, dark)
    columns = [
        column(
            cells[cells["surface"] == panel.id],
            panel,
            [grid.name(one) for one in page.evals],
            step=step,
            height=_panel_height(page.panels),
            measure="accuracy",
            scale=_accuracy_scale(dark),
            tooltip=_accuracy_tooltip(panel),
            dark=dark,
            first=place == 0,
            heading_width=step * len(page.panels[0].x),
        )
        for place, panel in enumerate(page.panels)
    ]
    return _finished(
        columns,
        title=f"Accuracy by {_axes_text(page.panels)}",
        grid=grid,
        n=cells["n"],
        method=grid.methods.sentence(),
        description=summarise(grid),
        width=_words_width(step, page.panels),
        dark=dark,
    )


def difference_heatmaps(
    grid: SurfaceGrid,
    difference: SurfaceDifference,
    panels: Sequence[Panel] = (),
    *,
    width: int = WIDTH,
    dark: bool = False,
) -> alt.HConcatChart:
    """Return the difference of two evals on surfaces, with the cells that differ outlined."""
    panels = tuple(panels) or panel_pages(grid, width=width)[0]
    cells = difference.cells[difference.cells["surface"].isin([panel.id for panel in panels])]
    limit = max(0.1, float(difference.cells["difference"].abs().max(skipna=True) or 0))
    a, b = grid.name(difference.a), grid.name(difference.b)
    row = "A minus B"
    step = _fitted(width, panels)
    cells = _difference_cells(cells, limit, dark).assign(name=row)
    columns = [
        column(
            cells[cells["surface"] == panel.id],
            panel,
            [row],
            step=step,
            height=_panel_height(panels),
            measure="difference in accuracy",
            scale=_difference_scale(limit, dark),
            tooltip=_difference_tooltip(panel),
            dark=dark,
            first=place == 0,
            heading_width=step * len(panels[0].x),
        )
        for place, panel in enumerate(panels)
    ]
    return _finished(
        columns,
        title=f"Difference in accuracy: {a} (A) minus {b} (B)",
        grid=grid,
        n=cells["n_items"],
        method=f"paired on items; outlined: Benjamini-Hochberg at {RATE:.0%}, m = {difference.tests:,}",
        description=difference.sentence(grid),
        width=_words_width(step, panels),
        dark=dark,
        unit="common items",
    )


def _accuracy_cells(cells: pd.DataFrame, grid: SurfaceGrid, dark: bool) -> pd.DataFrame:
    names = grid.config.eval_names
    fills = [accuracy_colour(value, dark) for value in cells["accuracy"]]
    return cells[SHOWN].assign(
        name=[names[eval_id] for eval_id in cells["eval_id"]],
        shown=cells["accuracy"],
        text=[EM_DASH if pd.isna(value) else f"{value:.2f}" for value in cells["accuracy"]],
        light=[text_on(fill) == "#ffffff" for fill in fills],
        few=(cells["n"] > 0) & (cells["n_items"] < FEW_ITEMS),
        outlined=False,
    )


def _difference_cells(cells: pd.DataFrame, limit: float, dark: bool) -> pd.DataFrame:
    fills = [difference_colour(value, limit, dark) for value in cells["difference"]]
    return cells.assign(
        shown=cells["difference"],
        text=[EM_DASH if pd.isna(value) else _signed(value) for value in cells["difference"]],
        light=[text_on(fill) == "#ffffff" for fill in fills],
        few=(cells["n_items"] > 0) & (cells["n_items"] < FEW_ITEMS),
        outlined=cells["differs"],
    )


def _signed(value: float) -> str:
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}".replace("-", "−")


def _step(width: int, panels: Sequence[Panel]) -> float:
    """Return the width of a cell where all surfaces of an image have equal ones and fill the width."""
    room = width - 2 * charts.MARGIN - GAP * (len(panels) - 1) - AXIS_ROOM * len(panels)
    return room / sum(len(panel.x) for panel in panels)


def _fitted(width: int, panels: Sequence[Panel]) -> float:
    """Return the width of a cell: never unreadable, and no wider than an image of some size needs."""
    filling = _step(width, panels)
    return max(LEAST_CELL, min(filling, max(MOST_CELL, _step(LEAST_WIDTH, panels))))


def _words_width(step: float, panels: Sequence[Panel]) -> int:
    """Return the width that title and footer surely have."""
    cells = step * sum(len(panel.x) for panel in panels)
    return round(cells + LEAST_AXIS * len(panels) + GAP * (len(panels) - 1)) + 2 * charts.MARGIN


def _panel_height(panels: Sequence[Panel]) -> int:
    """Return the one height of all surfaces of an image, so that their rows stand in line."""
    return CELL_HEIGHT * max(len(panel.y) for panel in panels)


def _accuracy_scale(dark: bool) -> alt.Scale:
    return alt.Scale(domain=[0, 1], range=list(theme(dark).sequential), interpolate="rgb")


def _difference_scale(limit: float, dark: bool) -> alt.Scale:
    return alt.Scale(domain=[-limit, limit], range=list(theme(dark).diverging), interpolate="rgb")


def _accuracy_tooltip(panel: Panel) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("column:N", title=panel.surface.x_data),
        alt.Tooltip("row:N", title=panel.surface.y_data),
        alt.Tooltip("accuracy:Q", title="accuracy", format=".3f"),
        alt.Tooltip("center:Q", title="center", format=".3f"),
        alt.Tooltip("lower:Q", title="95% from", format=".3f"),
        alt.Tooltip("upper:Q", title="95% to", format=".3f"),
        alt.Tooltip("n:Q", title="n", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
        alt.Tooltip("truncated:Q", title="truncated", format=","),
    ]


def _difference_tooltip(panel: Panel) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("column:N", title=panel.surface.x_data),
        alt.Tooltip("row:N", title=panel.surface.y_data),
        alt.Tooltip("difference:Q", title="difference", format="+.3f"),
        alt.Tooltip("lower:Q", title="95% from", format="+.3f"),
        alt.Tooltip("upper:Q", title="95% to", format="+.3f"),
        alt.Tooltip("p:Q", title="p", format=".2~g"),
        alt.Tooltip("q:Q", title="p after Benjamini-Hochberg", format=".2~g"),
        alt.Tooltip("n_items:Q", title="common items", format=","),
        alt.Tooltip("left_out:Q", title="items left out", format=","),
    ]


def _axes_text(panels: Sequence[Panel]) -> str:
    if len(panels) > 1:
        return f"two params of the task, {len(panels)} surfaces"
    surface = panels[0].surface
    return f"{surface.x_data} and {surface.y_data}, {panels[0].task_label}"


def _finished(
    columns: list[alt.FacetChart],
    *,
    title: str,
    grid: SurfaceGrid,
    n: pd.Series,
    method: str,
    description: str,
    width: int,
    dark: bool,
    unit: str = "completions",
) -> alt.HConcatChart:
    counted = n[n > 0]
    some = f"{charts.n_text(counted.min(), counted.max())} {unit} a cell" if len(counted) else "n = 0"
    return charts.finish(
        alt.HConcatChart(hconcat=columns, spacing=GAP),
        title=title,
        subtitle=grid.filters.sentence(grid.config),
        footer=charts.footer_text(grid.config.name, some, method, version=__version__),
        description=description,
        width=width,
        dark=dark,
    )
