"""What sections are made of: the cells of a task, a tier or a surface, and the items behind them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.errors import FilterError
from core.filters import Filters
from core.stats.arrays import BoolArray, FloatArray
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.cells import estimate_cells
from core.tiers.methods import Methods
from core.tiers.points import item_results_at, read_choices, read_tiers
from core.tiers.selection import selected_points

STACKS = ("base_task", "tier", "surface")
STACK_NAMES = {"base_task": "task", "tier": "tier", "surface": "surface"}

_CONDITIONS = {
    "base_task": "p.base_task = $section",
    "tier": "p.params_id IN (SELECT params_id FROM tier_params WHERE facet = $section)",
    "surface": "p.params_id IN (SELECT params_id FROM surface_params WHERE facet = $section)",
}


def stacks(dataset: Dataset) -> list[str]:
    """Return what a dataset can be stacked by."""
    config = dataset.config
    have = {
        "base_task": True,
        "tier": bool(config.tiers),
        "surface": any(task.surfaces for task in config.basetasks.values()),
    }
    return [name for name in STACKS if have[name]]


def check_stack(dataset: Dataset, stack: str) -> None:
    """Refuse a stack that is unknown, or that the config has nothing for. Raises FilterError."""
    if stack not in STACKS:
        raise FilterError(f"No stack {stack!r}; valid: {', '.join(STACKS)}")
    if stack not in stacks(dataset):
        raise FilterError(
            f"The config has no {STACK_NAMES[stack]}s to stack by; valid: {', '.join(stacks(dataset))}"
        )


def section_label(dataset: Dataset, stack: str, value: str) -> str:
    """Return what a section is called on screen."""
    config = dataset.config
    if stack == "tier":
        return config.tier_label(value)
    if stack == "surface":
        return config.surface_label(value)
    return config.task_label(value)


def read_section_cells(
    dataset: Dataset, filters: Filters, methods: Methods, stack: str, points: pd.DataFrame
) -> pd.DataFrame:
    """Return one row per (section, eval_id), sections in display order; `tasks` counts the cell's tasks.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    points : DataFrame
        Rows of core.tiers.points.read_points.
    """
    members = section_params(dataset, filters, stack, points)
    choices = read_choices(dataset, filters).merge(members, on="params_id")
    points = points.merge(members, on="params_id")
    keys = ["position", "section", "eval_id"]
    cells = estimate_cells(points, choices, keys, methods)
    tasks = points.groupby(keys)["task"].nunique().rename("tasks").reset_index()
    table: pd.DataFrame = cells.merge(tasks, on=keys).sort_values(["position", "eval_id"], ignore_index=True)
    return table


def section_params(dataset: Dataset, filters: Filters, stack: str, points: pd.DataFrame) -> pd.DataFrame:
    """Return (position, section, params_id) of the selected params.

    Parameters
    ----------
    points : DataFrame
        Has the columns task and params_id.
    """
    if stack == "base_task":
        order = {task: place for place, task in enumerate(dataset.catalog.base_tasks)}
        tasks = points[["task", "params_id"]].drop_duplicates().rename(columns={"task": "section"})
        return tasks.assign(position=tasks["section"].map(order))
    if stack == "tier":
        tiers = read_tiers(dataset, filters).rename(columns={"tier": "section"})
        return tiers[["position", "section", "params_id"]]
    ids = [surface.id for task in dataset.config.basetasks.values() for surface in task.surfaces]
    found: pd.DataFrame = dataset.sql(
        "SELECT DISTINCT facet AS section, params_id FROM surface_params"
    ).to_pandas()
    if filters.surfaces:
        found = found[found["section"].isin(filters.surfaces)]
    return found.assign(position=found["section"].map({one: place for place, one in enumerate(ids)}))


def section_points(
    dataset: Dataset, filters: Filters, stack: str, value: str
) -> tuple[str, dict[str, object]]:
    """Return SQL of the (eval_id, point_id) pairs of a section, and its parameters."""
    selected, parameters = selected_points(dataset, filters)
    query = f"""\
SELECT s.eval_id, s.point_id
FROM ({selected}) s
JOIN data.points p USING (point_id)
WHERE {_CONDITIONS[stack]}"""
    return query, {**parameters, "section": value}


@dataclass(frozen=True)
class SectionItems:
    """What each eval did on each item of a section; matrices of shape (evals, items), 0 where it has none.

    Attributes
    ----------
    correct, counted, truncated
        Completions of the item, errors left out.
    paired
        Shape (items,): whether other evals can share the item.
    """

    correct: FloatArray
    counted: FloatArray
    truncated: FloatArray
    paired: BoolArray


def read_section_items(
    dataset: Dataset, filters: Filters, stack: str, value: str, evals: list[int]
) -> SectionItems:
    """Return the items of a section for some evals, which become the rows in the order given."""
    selected, parameters = section_points(dataset, filters, stack, value)
    threshold = filters.threshold or STORED_THRESHOLD
    if threshold != STORED_THRESHOLD:
        parameters = {**parameters, "threshold": threshold}
    table = dataset.sql(
        f"""
        WITH selected AS ({selected})
        SELECT s.eval_id, r.item_id, any_value(i.paired) AS paired, sum(r.y)::DOUBLE AS correct,
            sum(r.k)::DOUBLE AS counted, sum(r.truncated)::DOUBLE AS truncated
        FROM {item_results_at(threshold, filters.flagged)} r
        JOIN selected s USING (point_id)
        JOIN data.items i USING (item_id)
        GROUP BY s.eval_id, r.item_id""",
        **parameters,
    )
    columns: Mapping[str, Any] = {name: table[name].to_numpy() for name in table.column_names}
    items, column = np.unique(columns["item_id"], return_inverse=True)
    place = np.full(max([*evals, *columns["eval_id"].tolist(), 0]) + 1, -1)
    place[evals] = np.arange(len(evals))
    row = place[columns["eval_id"]]
    known = row >= 0

    def matrix(name: str) -> FloatArray:
        values = np.zeros((len(evals), items.size))
        values[row[known], column[known]] = columns[name][known]
        return values

    paired = np.zeros(items.size, dtype=np.bool_)
    paired[column] = columns["paired"]
    return SectionItems(
        correct=matrix("correct"),
        counted=matrix("counted"),
        truncated=matrix("truncated"),
        paired=paired,
    )
