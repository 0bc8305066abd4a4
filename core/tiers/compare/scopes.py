"""What a comparison is made over: everything, each task, each tier and each cell of a surface."""

from collections import Counter

import pandas as pd

from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.points import read_tiers
from core.tiers.surface import offered_panels
from core.tiers.surface.axes import read_places

SCOPES = ("overall", "task", "tier", "cell")
SCOPE_NAMES = {"overall": "overall", "task": "task", "tier": "tier", "cell": "surface cell"}
ALL = "all"
"""The value of the overall scope."""

COLUMNS = ["scope", "value", "label", "params_id"]


def read_scopes(dataset: Dataset, filters: Filters, params: pd.DataFrame) -> pd.DataFrame:
    """Return one row per scope, value and param set in it, in display order.

    Columns: COLUMNS, and for cells surface, x and y (ids and places on the axes). A tier or surface that the
    filters do not name, where they name some, is not a scope.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    params : DataFrame
        The param sets that have items: params_id and task.
    """
    everything = params[["params_id"]].assign(scope="overall", value=ALL, label="Overall")
    parts = [everything, _tasks(dataset, params), *_tiers(dataset, filters, params)]
    return pd.concat([*parts, _cells(dataset, filters, params)], ignore_index=True)


def _tasks(dataset: Dataset, params: pd.DataFrame) -> pd.DataFrame:
    order = {task: place for place, task in enumerate(dataset.catalog.base_tasks)}
    tasks = params["task"].tolist()
    labels = {task: dataset.config.task_label(task) for task in order}
    places = pd.Series([order[task] for task in tasks], index=params.index).sort_values(kind="stable")
    return (
        params[["params_id"]]
        .assign(scope="task", value=tasks, label=[labels[task] for task in tasks])
        .reindex(places.index)
    )


def _tiers(dataset: Dataset, filters: Filters, params: pd.DataFrame) -> list[pd.DataFrame]:
    members = read_tiers(dataset, filters)
    members = members[members["params_id"].isin(params["params_id"])].sort_values("position", kind="stable")
    labels = {tier.id: tier.label for tier in dataset.config.tiers}
    return [
        part[["params_id"]].assign(scope="tier", value=tier, label=labels[str(tier)])
        for tier, part in members.groupby("tier", sort=False)
    ]


def _cells(dataset: Dataset, filters: Filters, params: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of the config's surfaces; `value` is the surface's id and the params of the cell."""
    panels = {panel.id: panel for panel in offered_panels(dataset, filters, tuple(params["task"].unique()))}
    places = read_places(dataset, list(panels.values()))
    places = places[places["params_id"].isin(params["params_id"])]
    order = {surface: place for place, surface in enumerate(panels)}
    places = places.assign(_order=places["surface"].map(order))
    places = places.sort_values(["_order", "y", "x"], kind="stable", ignore_index=True)
    cells = list(zip(places["surface"], places["x"], places["y"], strict=True))
    texts = {cell: panels[cell[0]].place_text(cell[1], cell[2]) for cell in dict.fromkeys(cells)}
    # The params say enough, unless two surfaces of a task have the same ones.
    short = {cell: f"{panels[cell[0]].task_label}: {text}" for cell, text in texts.items()}
    times = Counter(short.values())
    labels = {
        cell: one if times[one] == 1 else f"{panels[cell[0]].title}: {texts[cell]}"
        for cell, one in short.items()
    }
    return places[["params_id", "surface", "x", "y"]].assign(
        scope="cell",
        value=[f"{cell[0]}: {texts[cell]}" for cell in cells],
        label=[labels[cell] for cell in cells],
    )
