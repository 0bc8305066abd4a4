"""Surfaces as a JSON document and as rows for CSV."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.export import plain
from core.tiers.split import Split
from core.tiers.surface.axes import Panel
from core.tiers.surface.difference import RATE, SurfaceDifference
from core.tiers.surface.drops import METHOD, read_drops
from core.tiers.surface.table import SurfaceGrid

ARRAYS = ("accuracy", "center", "lower", "upper", "n", "n_items", "truncated_ratio")
DIFFERENCE_ARRAYS = (
    "difference", "lower", "upper", "p", "q", "differs", "n_items", "left_out", "counted_difference",
)  # fmt: skip

COUNTS = ("n", "n_items", "left_out")

Document = dict[str, Any]


def to_document(
    grid: SurfaceGrid,
    difference: SurfaceDifference | None = None,
    *,
    split: Split | None = None,
) -> Document:
    """Return a grid as plain values, full precision, missing as None.

    `surfaces` has one object per eval and surface. Its `x` and `y` are the steps of the axes (a value, or
    [low, high] of a bin); every other array is a matrix with a row per y and a column per x.
    """
    document: Document = {
        "dataset": grid.config.name,
        "filters": grid.filters.to_dict(),
        "methods": {
            "interval": grid.methods.interval,
            "repeats": grid.methods.repeats,
            "level": 0.95,
            "threshold": grid.filters.threshold,
            "notes": [*grid.problems, *grid.notes],
        },
        "split": None if split is None else {"dimension": split.dimension, "value": split.value},
        "surfaces": [
            {
                "eval_id": eval_id,
                "label": grid.config.evals[eval_id].label,
                **_axes(panel),
                **{name: _matrix(cells, panel, name) for name in ARRAYS},
            }
            for eval_id in grid.evals
            for panel in grid.panels
            if len(cells := grid.of(eval_id, panel.id))
        ],
        "axes": {"method": METHOD, "rows": plain(read_drops(grid).drop(columns=["name", "title"]))},
    }
    if difference is not None:
        document["difference"] = _difference(grid, difference)
    return document


def _axes(panel: Panel) -> Document:
    return {
        "task": panel.base_task,
        "surface": panel.id,
        "surface_label": panel.surface.label,
        "x_data": panel.surface.x_data,
        "y_data": panel.surface.y_data,
        "x": _steps(panel.x),
        "y": _steps(panel.y),
    }


def _steps(steps: Sequence[Any]) -> list[Any]:
    return [list(step) if isinstance(step, tuple) else step for step in steps]


def _difference(grid: SurfaceGrid, difference: SurfaceDifference) -> Document:
    return {
        "a": difference.a,
        "b": difference.b,
        "m": difference.tests,
        "rate": RATE,
        "notes": list(difference.notes),
        "surfaces": [
            {**_axes(panel), **{name: _matrix(cells, panel, name) for name in DIFFERENCE_ARRAYS}}
            for panel in grid.panels
            if len(cells := difference.cells[difference.cells["surface"] == panel.id])
        ],
    }


def _matrix(cells: pd.DataFrame, panel: Panel, name: str) -> list[list[Any]]:
    """Return a column as rows of y by columns of x; None where there is no cell or no number."""
    rows: list[list[Any]] = [[None] * len(panel.x) for _ in panel.y]
    for x, y, value in zip(cells["x"], cells["y"], cells[name].tolist(), strict=True):
        rows[y][x] = int(value) if name in COUNTS else plain(value)
    return rows


EXPORT = (
    "n", "n_items", "correct", "incorrect", "invalid", "truncated", "error", "accuracy", "center", "margin",
    "lower", "upper", "truncated_ratio", "gamma", "adjusted_successes", "adjusted_trials",
)  # fmt: skip


def export_frame(grid: SurfaceGrid) -> pd.DataFrame:
    """Return the cells as rows for CSV: eval, task, surface, both params with their steps, estimates."""
    cells = _with_steps(grid, grid.cells)
    cells.insert(1, "label", [grid.config.evals[eval_id].label for eval_id in cells["eval_id"]])
    return cells[["eval_id", "label", *STEPS, *EXPORT]]


STEPS = ("task", "surface", "x_data", "x", "y_data", "y")


def difference_frame(grid: SurfaceGrid, difference: SurfaceDifference) -> pd.DataFrame:
    """Return the compared cells as rows for CSV, with the ids of the two evals."""
    cells = _with_steps(grid, difference.cells).assign(eval_a=difference.a, eval_b=difference.b)
    return cells[["eval_a", "eval_b", *STEPS, *DIFFERENCE_ARRAYS, "method"]]


def _with_steps(grid: SurfaceGrid, cells: pd.DataFrame) -> pd.DataFrame:
    panels = [grid.panel(surface) for surface in cells["surface"]]
    return cells.assign(
        task=[panel.base_task for panel in panels],
        x_data=[panel.surface.x_data for panel in panels],
        y_data=[panel.surface.y_data for panel in panels],
        x=[panel.x_texts[x] for panel, x in zip(panels, cells["x"], strict=True)],
        y=[panel.y_texts[y] for panel, y in zip(panels, cells["y"], strict=True)],
    )
