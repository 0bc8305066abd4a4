"""One-dimensional views: a row or a column of a surface, and the projections of the config."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from core.config import Projection
from core.errors import FilterError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.cells import estimate_cells
from core.tiers.methods import Methods
from core.tiers.points import read_choices, read_points
from core.tiers.surface.axes import axis_steps, step_texts
from core.tiers.surface.table import SurfaceGrid

COLUMNS = [
    "eval_id", "name", "position", "value", "n", "n_items", "accuracy", "center", "lower", "upper",
    "truncated_ratio",
]  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """Accuracy along one axis: a row per eval and step with COLUMNS.

    Attributes
    ----------
    key
        What tells this curve from others in a file name.
    title
        What it is of.
    axis
        The param along it.
    steps
        Texts of all steps in order, those without points too.
    """

    frame: pd.DataFrame
    key: str
    title: str
    axis: str
    steps: tuple[str, ...]


def slice_surface(grid: SurfaceGrid, surface: str, along: str, place: int) -> Curve:
    """Return a row or a column of a surface for every eval of a grid.

    Parameters
    ----------
    along : str
        "x" for a row, along the x axis at one value of y; "y" for a column.
    place : int
        Place on the other axis.

    Raises
    ------
    FilterError
        No such surface, direction or place.
    """
    if along not in ("x", "y"):
        raise FilterError(f"A slice runs along x or y, not {along!r}")
    panel = grid.panel(surface)
    other = "y" if along == "x" else "x"
    texts, others = (panel.x_texts, panel.y_texts) if along == "x" else (panel.y_texts, panel.x_texts)
    axis, fixed = panel.surface.x_data, panel.surface.y_data
    if along == "y":
        axis, fixed = fixed, axis
    if not 0 <= place < len(others):
        raise FilterError(f"No place {place} on {fixed}; valid: 0 to {len(others) - 1}")
    cells = grid.cells[(grid.cells["surface"] == surface) & (grid.cells[other] == place)]
    frame = _named(cells.rename(columns={along: "position"}), grid.config.eval_names, texts)
    title = f"{panel.title}, at {fixed} {others[place]}"
    return Curve(frame, f"{surface}_{fixed}-{others[place]}", title, axis, texts)


def read_projections(
    dataset: Dataset, filters: Filters, methods: Methods, shown: Sequence[str]
) -> tuple[Curve, ...]:
    """Return accuracy along projections of the config, for every eval that filters leave.

    Raises
    ------
    FilterError
        No such projection, or the filters name what the dataset does not have.
    """
    filters = filters.resolved(dataset.catalog)
    valid = [p.id for task in dataset.config.basetasks.values() for p in task.projections]
    found = {one: dataset.config.projection(one) for one in shown}
    for one, projection in found.items():
        if projection is None:
            raise FilterError(f"No projection {one!r} in this dataset; valid: {', '.join(valid) or 'none'}")
    members: pd.DataFrame = dataset.sql(
        "SELECT facet AS projection, params_id, position FROM projection_params ORDER BY facet, params_id"
    ).to_pandas()
    placed = read_points(dataset, filters).merge(members[members["projection"].isin(found)], on="params_id")
    if placed.empty:
        return ()
    keys = ["projection", "eval_id", "position"]
    choices = read_choices(dataset, filters).merge(placed[[*keys, "params_id"]], on=["eval_id", "params_id"])
    cells = estimate_cells(placed, choices, keys, methods)
    return tuple(
        _curve(dataset, base_task, projection, cells)
        for base_task, projection in filter(None, found.values())
        if (cells["projection"] == projection.id).any()
    )


def _curve(dataset: Dataset, base_task: str, projection: Projection, cells: pd.DataFrame) -> Curve:
    texts = tuple(projection.labels or ())
    if len(set(texts)) != len(texts) or not texts:
        texts = step_texts(axis_steps(projection.values, projection.bins))
    frame = _named(cells[cells["projection"] == projection.id], dataset.config.eval_names, texts)
    title = f"{dataset.config.task_label(base_task)}: {projection.label}"
    return Curve(frame, projection.id, title, projection.axis, texts)


def _named(cells: pd.DataFrame, names: Sequence[str], texts: Sequence[str]) -> pd.DataFrame:
    frame = cells.assign(
        name=[names[eval_id] for eval_id in cells["eval_id"]],
        value=[texts[place] for place in cells["position"]],
    )
    return frame[COLUMNS].sort_values(["eval_id", "position"]).reset_index(drop=True)
