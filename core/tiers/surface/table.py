"""The grid of surfaces: accuracy per eval and cell of two params, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from core.config import DatasetConfig
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.cells import estimate_cells
from core.tiers.methods import Methods
from core.tiers.points import read_choices, read_points
from core.tiers.surface.axes import Panel, axis_problems, read_places
from core.tiers.surface.build import Pair, build_surface, read_axis_params
from core.tiers.surface.notes import surface_notes
from core.tiers.words import listed

KEYS = ["eval_id", "surface", "x", "y"]

FEW_ITEMS = 5
"""Cells with fewer items are hatched: their intervals say little."""


class NoSurfaceError(NothingFoundError):
    """The selection has results and the config no surface for them."""


@dataclass(frozen=True)
class SurfaceGrid:
    """The surfaces of a selection.

    Attributes
    ----------
    cells
        One row per eval_id, surface, x and y (places on the axes), with the columns of
        core.tiers.cells.estimate_cells; cells without points are not there.
    panels
        The surfaces that have cells, in display order.
    evals
        Eval ids that have cells, in the order of the config.
    problems
        What surfaces ask for that is not in the data, one sentence each.
    notes
        What a reader must know before quoting the numbers, one sentence each.
    """

    cells: pd.DataFrame
    panels: tuple[Panel, ...]
    evals: tuple[int, ...]
    config: DatasetConfig
    filters: Filters
    methods: Methods
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    def panel(self, surface: str) -> Panel:
        """Return the panel of a surface id. Raises FilterError where there is none."""
        found = next((panel for panel in self.panels if panel.id == surface), None)
        if found is None:
            valid = ", ".join(panel.id for panel in self.panels)
            raise FilterError(f"No surface {surface!r} in this selection; valid: {valid or 'none'}")
        return found

    def name(self, eval_id: int) -> str:
        """Return what an eval is called."""
        return self.config.eval_names[eval_id]

    @cached_property
    def choices(self) -> tuple[tuple[int, str], ...]:
        """The (eval_id, surface) pairs that have cells, in display order."""
        pairs = zip(self.cells["eval_id"].tolist(), self.cells["surface"], strict=True)
        return tuple(dict.fromkeys(pairs))

    def of(self, eval_id: int, surface: str) -> pd.DataFrame:
        """Return the cells of one eval on one surface."""
        return self.cells[(self.cells["eval_id"] == eval_id) & (self.cells["surface"] == surface)]


def read_surfaces(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    *,
    shown: Sequence[str] = (),
    built: Sequence[Pair] = (),
) -> SurfaceGrid:
    """Read the surfaces of a selection.

    Parameters
    ----------
    filters : Filters
        As the user gave them. A surface filter leaves only those surfaces.
    shown : sequence of str
        Ids of the surfaces to read; all of the selected tasks where empty and nothing is built.
    built : sequence of Pair
        Surfaces to build on the spot; they stand after those of the config.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have.
    NothingFoundError
        Nothing matches the filters.
    NoSurfaceError
        Something matches, but no surface has any of it; the message says what to add.
    """
    filters = filters.resolved(dataset.catalog)
    points = read_points(dataset, filters)
    if points.empty:
        raise NothingFoundError("No results found matching filters")
    offered = offered_panels(dataset, filters, tuple(dict.fromkeys(points["task"])))
    _require(shown, offered)
    wanted = [panel for panel in offered if panel.id in shown] if shown or built else list(offered)
    wanted += [_built(dataset, pair, wanted) for pair in dict.fromkeys(built)]
    if not wanted:
        raise NoSurfaceError(what_to_add(dataset, tuple(dict.fromkeys(points["task"]))))
    places = read_places(dataset, wanted)
    cells = _cells(dataset, filters, methods, points, places)
    problems = [problem for panel in wanted for problem in axis_problems(dataset, panel)]
    if cells.empty:
        raise NoSurfaceError(
            " ".join(problems) or "No point of this selection is on any surface: lift a filter on params."
        )
    present = set(cells["surface"])
    panels = tuple(panel for panel in wanted if panel.id in present)
    order = {panel.id: place for place, panel in enumerate(panels)}
    cells = (
        cells.assign(_place=cells["surface"].map(order))
        .sort_values(["eval_id", "_place", "y", "x"])
        .drop(columns="_place")
        .reset_index(drop=True)
    )
    evals = tuple(sorted({int(one) for one in cells["eval_id"]}))
    notes = surface_notes(cells, panels, few=FEW_ITEMS)
    return SurfaceGrid(cells, panels, evals, dataset.config, filters, methods, tuple(problems), notes)


def offered_panels(dataset: Dataset, filters: Filters, tasks: Sequence[str]) -> tuple[Panel, ...]:
    """Return the surfaces of tasks in the config that a surface filter leaves, in display order."""
    return tuple(
        Panel(base_task, entry.label, surface)
        for base_task in dataset.catalog.base_tasks
        if base_task in tasks and (entry := dataset.config.basetasks.get(base_task))
        for surface in entry.surfaces
        if not filters.surfaces or surface.id in filters.surfaces
    )


def _require(shown: Sequence[str], offered: Sequence[Panel]) -> None:
    valid = [panel.id for panel in offered]
    for one in shown:
        if one not in valid:
            raise FilterError(f"No surface {one!r} in this selection; valid: {', '.join(valid) or 'none'}")


def _built(dataset: Dataset, pair: Pair, others: Sequence[Panel]) -> Panel:
    surface = build_surface(dataset, pair)
    if any(panel.id == surface.id for panel in others):
        surface = surface.model_copy(update={"id": f"{surface.id}-built"})
    return Panel(pair.base_task, dataset.config.task_label(pair.base_task), surface)


def what_to_add(dataset: Dataset, tasks: Sequence[str]) -> str:
    """Return what to add to the config so that a task has a surface."""
    labels = listed([dataset.config.task_label(task) for task in tasks])
    if not any(len(read_axis_params(dataset, task)) > 1 for task in tasks):
        have = "has" if len(tasks) == 1 else "have"
        return f"A surface needs two params that vary; {labels} {have} fewer."
    return (
        f"The config has no surface for {labels}: add one to basetasks.{tasks[0]}.surfaces in"
        f" {dataset.config_path.name}, such as\n"
        '{"id": "my_surface", "label": "A x B", "x_data": "a", "y_data": "b",'
        ' "x_values": [1, 2, 3], "y_values": [1, 2], "filter": {}}'
    )


def _cells(
    dataset: Dataset, filters: Filters, methods: Methods, points: pd.DataFrame, places: pd.DataFrame
) -> pd.DataFrame:
    placed = points.merge(places, on="params_id")
    if placed.empty:
        return pd.DataFrame(columns=KEYS)
    choices = read_choices(dataset, filters).merge(placed[[*KEYS, "params_id"]], on=["eval_id", "params_id"])
    return estimate_cells(placed, choices, KEYS, methods)
