"""How a selection is broken down: parts (stack and series), and cells inside which lengths are compared."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from core.config import DatasetConfig, Scalar
from core.errors import FilterError
from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset, stored_value
from core.tiers.points import points_at
from core.tiers.selection import selected_points
from core.tiers.split import IDENTITY, dimensions

STACK = "eval_id"
NO_SERIES = "none"
BETWEEN = "\x1f"
"""Between the tiers of a cell in SQL; a character that ids do not have."""


@dataclass(frozen=True)
class Parts:
    """The parts of a selection.

    Attributes
    ----------
    series
        The dimension that the series are values of; "none" where there is one series.
    cells
        One row per cell: part, cell, stack (an eval_id or None), series (a value or None), label (of the
        series), eval_id, base_task, tiers (a tuple), n (completions but those that failed).
    ctes
        SQL of CTEs that end with `numbered`, a row per point and part: point_id, part, cell, and n, the
        point's completions but those that failed.
    parameters
        Those of `ctes`.
    """

    series: str
    cells: pd.DataFrame
    ctes: str
    parameters: dict[str, Any]

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row per part, in display order: part, stack, series, label."""
        return self.cells.drop_duplicates("part")[["part", "stack", "series", "label"]].reset_index(drop=True)


def default_series(dataset: Dataset) -> str:
    """Return the dimension that series are of where nobody chose one: tier, where there are tiers."""
    return "tier" if dataset.config.tiers else NO_SERIES


def offered_series(dataset: Dataset) -> list[str]:
    """Return what series can be of."""
    return [*dimensions(dataset), NO_SERIES]


def read_parts(dataset: Dataset, filters: Filters, *, stacked: bool, series: str) -> Parts:
    """Return the parts of a selection.

    A completion counts once in a part, also where several evals take its point, but in each of them where
    stacks or series are evals; and in every tier, surface or param value that its point has.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    stacked : bool
        A stack for each eval, or one of all.
    series : str
        A dimension, or "none".

    Raises
    ------
    FilterError
        The dataset has no such dimension; the message names those it has.
    """
    valid = offered_series(dataset)
    if series not in valid:
        raise FilterError(f"No dimension {series!r} for the series; valid: {', '.join(valid)}")
    selected, parameters = selected_points(dataset, filters)
    number, text, join, bound = _series_columns(series, filters)
    wanted, tier_names = _bind("cell_tier", filters.tiers)
    home = "eval_id" if stacked or series == STACK else "min(eval_id) AS eval_id"
    ctes = f"""\
WITH selected AS ({selected}), homes AS (
    SELECT point_id, {home}
    FROM selected
    GROUP BY ALL
), tier_sets AS (
    SELECT params_id, string_agg(facet, chr(31) ORDER BY position) AS tiers
    FROM (SELECT DISTINCT facet, position, params_id FROM tier_params{_where(tier_names)})
    GROUP BY params_id
), members AS (
    SELECT h.point_id, h.eval_id, p.base_task,
        p.correct + p.incorrect + p.invalid + p.truncated AS n,
        {"h.eval_id" if stacked else "NULL::INTEGER"} AS stack,
        {number} AS series_number, {text} AS series_text,
        {"m.facet" if series == "tier" else "t.tiers"} AS tiers
    FROM homes h
    JOIN {points_at(STORED_THRESHOLD, filters.flagged)} p ON p.point_id = h.point_id
    LEFT JOIN tier_sets t ON t.params_id = p.params_id
    {join}
), numbered AS MATERIALIZED (
    SELECT *,
        (dense_rank() OVER (ORDER BY stack, series_number, series_text) - 1)::INTEGER AS part,
        (dense_rank() OVER (
            ORDER BY stack, series_number, series_text, eval_id, base_task, tiers
        ) - 1)::INTEGER AS cell
    FROM members
)"""
    parameters = {**parameters, **bound, **wanted}
    rows = dataset.rows(
        f"""{ctes}
SELECT part, cell, stack, series_number, series_text, eval_id, base_task, tiers, sum(n)::BIGINT AS n
FROM numbered
GROUP BY ALL
ORDER BY cell""",
        **parameters,
    )
    return Parts(series, _labelled(rows, dataset.config, series), ctes, parameters)


def _series_columns(series: str, filters: Filters) -> tuple[str, str, str, dict[str, Any]]:
    """Return SQL of the two columns that order and name the series, the join they need, its parameters."""
    number, text = "NULL::DOUBLE", "NULL::VARCHAR"
    if series == NO_SERIES:
        return number, text, "", {}
    if series == STACK:
        return "h.eval_id::DOUBLE", text, "", {}
    if series in (*IDENTITY, "base_task"):
        return number, f"p.{series}", "", {}
    if series in ("tier", "surface"):
        bound, names = _bind("series", filters.tiers if series == "tier" else filters.surfaces)
        place = "position" if series == "tier" else "NULL"
        join = f"""LEFT JOIN (
        SELECT DISTINCT facet, {place}::DOUBLE AS position, params_id FROM {series}_params{_where(names)}
    ) m ON m.params_id = p.params_id"""
        return "m.position", "m.facet", join, bound
    join = "LEFT JOIN data.param_values m ON m.params_id = p.params_id AND m.name = $series_name"
    return "m.number", "m.text", join, {"series_name": series}


def _bind(prefix: str, values: tuple[str, ...]) -> tuple[dict[str, Any], str]:
    bound = {f"{prefix}_{place}": value for place, value in enumerate(values)}
    return bound, ", ".join(f"${name}" for name in bound)


def _where(names: str) -> str:
    return f" WHERE facet IN ({names})" if names else ""


def _labelled(rows: list[dict[str, Any]], config: DatasetConfig, series: str) -> pd.DataFrame:
    columns = ["part", "cell", "stack", "series", "label", "eval_id", "base_task", "tiers", "n"]
    labelled = []
    for row in rows:
        value = _value(series, row["series_number"], row["series_text"])
        tiers = tuple(row["tiers"].split(BETWEEN)) if row["tiers"] else ()
        labelled.append(
            {**row, "series": value, "label": series_label(config, series, value), "tiers": tiers}
        )
    # Objects, so that None and whole numbers stay what they are.
    return pd.DataFrame(labelled, columns=columns, dtype=object).astype({"part": int, "cell": int, "n": int})


def _value(series: str, number: float | None, text: str | None) -> Scalar | None:
    if series == STACK:
        return None if number is None else int(number)
    if series in (*IDENTITY, "base_task", "tier", "surface"):
        return text
    return text if number is None else stored_value(number, "")


def series_label(config: DatasetConfig, series: str, value: Scalar | None) -> str:
    """Return what a series is called."""
    if series == NO_SERIES:
        return "all"
    if value is None:
        return f"no {series}"
    if series == STACK:
        return config.eval_names[int(value)]
    if series == "tier":
        return config.tier_label(str(value))
    if series == "surface":
        return config.surface_label(str(value))
    return config.task_label(str(value)) if series == "base_task" else str(value)
