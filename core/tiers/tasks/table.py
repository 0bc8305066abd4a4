"""What each task is made of: params with their values, slices, and how much there is of it."""

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.config import BaseTask, Scalar, Surface, value_order
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.points import read_points

MOST_VALUES = 12
"""A param with more values is told as a range, and binned in a chart."""


@dataclass(frozen=True)
class TaskRow:
    """One base task of a selection; params maps a name to the values that its points have, n are counted."""

    base_task: str
    label: str
    category: str | None
    params: dict[str, tuple[Scalar, ...]]
    config: BaseTask
    correct: int
    n: int
    items: int
    points: int
    completions: int
    evals: int


def read_tasks(dataset: Dataset, filters: Filters, *, search: str = "") -> list[TaskRow]:
    """Return the tasks that filters leave, in display order.

    Parameters
    ----------
    search : str
        Keeps tasks that have it in id, label, category, a param's name, a surface or a projection.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have.
    """
    filters = filters.resolved(dataset.catalog)
    points = read_points(dataset, filters)
    values = _params(dataset, points)
    rows = []
    for task in dataset.catalog.base_tasks:
        part = points[points["task"] == task]
        if part.empty:
            continue
        n = int(part[["correct", "incorrect", "invalid"]].to_numpy().sum())
        config = dataset.config.basetasks.get(task) or BaseTask(label=task)
        per_eval = part.groupby("eval_id")["all_items"].sum()
        row = TaskRow(
            base_task=task,
            label=config.label,
            category=config.category,
            params=values.get(task, {}),
            config=config,
            correct=int(part["correct"].sum()),
            n=n,
            items=int(per_eval.max()),
            points=len(part),
            completions=n + int(part[["truncated", "error"]].to_numpy().sum()),
            evals=int(part["eval_id"].nunique()),
        )
        if search.strip().casefold() in _words(row).casefold():
            rows.append(row)
    return rows


def _words(row: TaskRow) -> str:
    slices = [f"{s.id} {s.label}" for s in row.config.surfaces]
    slices += [f"{p.id} {p.label}" for p in row.config.projections]
    return "\n".join([row.base_task, row.label, row.category or "", *row.params, *slices])


def _params(dataset: Dataset, points: pd.DataFrame) -> dict[str, dict[str, tuple[Scalar, ...]]]:
    rows = dataset.sql(
        "SELECT params_id, base_task, params FROM data.param_sets ORDER BY params_id"
    ).to_pandas()
    rows = rows[rows["params_id"].isin(points["params_id"])]
    found: dict[str, dict[str, set[Scalar]]] = {}
    for task, text in zip(rows["base_task"], rows["params"], strict=True):
        for name, value in json.loads(text).items():
            found.setdefault(task, {}).setdefault(name, set()).add(value)
    return {
        task: {name: tuple(sorted(some, key=value_order)) for name, some in params.items()}
        for task, params in found.items()
    }


def task_frame(rows: list[TaskRow]) -> pd.DataFrame:
    """Return tasks as a table of one row each: what is shown, exported and printed."""
    return pd.DataFrame(
        [
            {
                "base_task": row.base_task,
                "label": row.label,
                "category": row.category,
                "params": "; ".join(f"{name}: {value_range(values)}" for name, values in row.params.items()),
                "surfaces": "; ".join(surface_text(surface) for surface in row.config.surfaces),
                "projections": "; ".join(f"{p.label} ({p.axis})" for p in row.config.projections),
                "evals": row.evals,
                "points": row.points,
                "items": row.items,
                "n": row.n,
                "completions": row.completions,
            }
            for row in rows
        ],
        columns=[
            "base_task", "label", "category", "params", "surfaces", "projections", "evals", "points", "items",
            "n", "completions",
        ],
    )  # fmt: skip


def task_document(dataset: Dataset, rows: list[TaskRow]) -> dict[str, Any]:
    """Return tasks as plain values for JSON."""
    return {
        "dataset": dataset.config.name,
        "tasks": [
            {
                "base_task": row.base_task,
                "label": row.label,
                "category": row.category,
                "params": {name: list(values) for name, values in row.params.items()},
                "surfaces": [s.model_dump(mode="json", exclude_none=True) for s in row.config.surfaces],
                "projections": [p.model_dump(mode="json", exclude_none=True) for p in row.config.projections],
                "evals": row.evals, "points": row.points, "items": row.items, "n": row.n,
                "completions": row.completions,
            }
            for row in rows
        ],
    }  # fmt: skip


def projection_frame(dataset: Dataset, filters: Filters) -> pd.DataFrame:
    """Return the projections of the tasks that filters leave, one row each, as the config has them."""
    return pd.DataFrame(
        [
            {
                "base_task": row.base_task, "id": p.id, "projection": p.label, "axis": p.axis,
                "values": p.values if p.values is not None else [list(pair) for pair in p.bins or []],
                "filter": p.filter,
            }
            for row in read_tasks(dataset, filters)
            for p in row.config.projections
        ],
        columns=["base_task", "id", "projection", "axis", "values", "filter"],
    )  # fmt: skip


def value_range(values: tuple[Scalar, ...]) -> str:
    """Return values in words: all of them, or the range and their number where they are many."""
    if len(values) <= MOST_VALUES:
        return ", ".join(str(value) for value in values)
    return f"{values[0]} to {values[-1]} ({len(values)} values)"


def surface_text(surface: Surface) -> str:
    """Return a surface's label, axes and filter in words."""
    text = f"{surface.label} ({surface.x_data} x {surface.y_data})"
    return f"{text} where {json.dumps(surface.filter)}" if surface.filter else text
