"""Cells: the accuracy of an eval on a task, pooled or in one tier, with everything that is said of it."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from core.filters import Filters
from core.stats.cells import CellEstimates, estimate
from core.stats.clustering import effective_n
from core.store.dataset import Dataset
from core.tiers.methods import Methods
from core.tiers.points import read_choices, read_points, read_tiers

COUNTS = ("correct", "incorrect", "invalid", "truncated", "error")
_SUMS = (
    *COUNTS, "empty", "items", "all_items", "token_n", "token_sum", "token_squares", "tokenized_n",
    "correct_token_n", "correct_token_sum", "incorrect_token_n", "incorrect_token_sum",
    "truncation_unknown", "score_n",
)  # fmt: skip
KEYS = ["eval_id", "task", "tier"]


def read_cells(
    dataset: Dataset, filters: Filters, methods: Methods, points: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return one row per (eval_id, task, tier): counts, estimates and intervals.

    The rows with tier None pool a task over everything selected; those with a tier are there where the
    config has tiers. A point in two tiers counts in both, and once in the pool.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    points : DataFrame, optional
        Rows of `read_points` of the same filters, where they are there already.
    """
    points = read_points(dataset, filters) if points is None else points
    choices = read_choices(dataset, filters).merge(
        points[["eval_id", "params_id", "task"]], on=["eval_id", "params_id"]
    )
    tiers = read_tiers(dataset, filters)[["tier", "params_id"]]
    return estimate_cells(
        _pooled_and_tiered(points, tiers), _pooled_and_tiered(choices, tiers), KEYS, methods
    )


@dataclass(frozen=True)
class OrderedCells:
    """Cells in display order, with the tasks and tiers (ids) that they are of, in that order too."""

    cells: pd.DataFrame
    tasks: tuple[str, ...]
    tiers: tuple[str, ...]


def in_display_order(dataset: Dataset, cells: pd.DataFrame) -> OrderedCells:
    """Sort the rows of `read_cells` by eval, task and tier, the pool before the tiers."""
    tasks = tuple(task for task in dataset.catalog.base_tasks if (cells["task"] == task).any())
    tiers = tuple(tier.id for tier in dataset.config.tiers if (cells["tier"] == tier.id).any())
    task_place = {task: number for number, task in enumerate(tasks)}
    tier_place = {tier: number for number, tier in enumerate(tiers)}
    ordered = (
        cells.assign(
            _task=[task_place[task] for task in cells["task"]],
            _tier=[-1 if tier is None else tier_place[tier] for tier in cells["tier"]],
        )
        .sort_values(["eval_id", "_task", "_tier"])
        .drop(columns=["_task", "_tier"])
        .reset_index(drop=True)
    )
    return OrderedCells(ordered, tasks, tiers)


def _pooled_and_tiered(frame: pd.DataFrame, tiers: pd.DataFrame) -> pd.DataFrame:
    parts = [frame.assign(tier=None), frame.merge(tiers, on="params_id")]
    return pd.concat(
        [part.astype({"tier": object}) for part in parts if len(part)] or parts, ignore_index=True
    )


def estimate_cells(
    points: pd.DataFrame, choices: pd.DataFrame, keys: list[str], methods: Methods
) -> pd.DataFrame:
    """Return one row per combination of keys, with the estimates of statistics over its points.

    Parameters
    ----------
    points : DataFrame
        Rows of core.tiers.points.read_points with the key columns; several rows make a cell, each a stratum.
    choices : DataFrame
        Rows of read_choices with the key columns.
    keys : list of str
        Columns that name a cell; None is a value of its own.

    Returns
    -------
    DataFrame
        truncated_ratio is NaN where the source tells of no completion of the model whether it was cut off.
    """
    groups = points.groupby(keys, dropna=False, sort=True)
    cells = groups[list(_SUMS)].sum()
    cells["tells_truncation"] = groups["tells_truncation"].max()
    cells["least_tries"] = groups["least_tries"].min()
    cells["most_tries"] = groups["most_tries"].max()
    cells = cells.join(_guesses(choices, keys)).fillna(
        {"guess_mass": 0.0, "choices_n": 0, "choices_kinds": 0}
    )
    cells["n"] = cells["correct"] + cells["incorrect"] + cells["invalid"]
    index = groups.ngroup().to_numpy()
    n_eff, all_n_eff = (
        _effective_n(points, index, len(cells), methods, truncated_as_wrong=wrong) for wrong in (False, True)
    )
    counts = {name: cells[name].to_numpy(float) for name in (*COUNTS, "guess_mass")}
    estimates = estimate(**counts, n_eff=n_eff, n_eff_truncated=all_n_eff, method=methods.interval)
    table = cells.reset_index().rename(columns={"items": "n_items"}).assign(**_columns(estimates))
    table["truncated_ratio"] = table["truncated_ratio"].where(table.pop("tells_truncation"))
    for key in keys:
        # A level of missing values only (no tiers) comes out of the join as numbers.
        if table[key].dtype.kind not in "iuf" or table[key].isna().any():
            table[key] = table[key].astype(object).where(table[key].notna(), None)
    return table


def _guesses(choices: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    # Counts are summed per number of choices before they are divided: 888 twelfths are exactly 74.
    counted = choices.groupby([*keys, "choices"], dropna=False)["n"].sum().reset_index()
    counted["guess_mass"] = counted["n"] / counted["choices"]
    by_cell = counted.groupby(keys, dropna=False)
    return pd.DataFrame(
        {
            "guess_mass": by_cell["guess_mass"].sum(),
            "choices_n": by_cell["n"].sum(),
            "choices_kinds": by_cell["choices"].nunique(),
        }
    )


def _effective_n(
    points: pd.DataFrame, cell: np.ndarray, cells: int, methods: Methods, *, truncated_as_wrong: bool
) -> np.ndarray | None:
    """Return effective numbers of trials, or None where completions are taken as independent."""
    if methods.repeats == "independent" or methods.interval == "reasonscape":
        return None
    counted = points["correct"] + points["incorrect"] + points["invalid"]
    items, yk, kk = "items", "yk", "kk"
    if truncated_as_wrong:
        counted = counted + points["truncated"]
        items, yk, kk = "all_items", "all_yk", "all_kk"
    return effective_n(
        cell, points[items], points["correct"], counted, points["yy"], points[yk], points[kk], cells
    ).n_eff


def _columns(estimates: CellEstimates) -> dict[str, Any]:
    shown = [field.name for field in fields(estimates) if field.name not in ("method", "n", *COUNTS)]
    return {name: getattr(estimates, name) for name in shown}
