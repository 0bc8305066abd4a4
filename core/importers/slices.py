"""Surfaces and projections that a new config gets: slices along the numeric params of a task.

A param is numeric when every value it has in the task is a number. core.stats.bins says how an axis is cut.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import duckdb
import numpy as np
from numpy.typing import NDArray

from core.config import Projection, Step, Surface, surface_over, title, whole_steps
from core.stats.bins import bin_count, cut

MAX_SURFACES = 3
"""Per task, those that the config has already included."""

MIN_CELL_ITEMS = 5

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class NumericParams:
    """The numeric params of a task: values by (param set, name), NaN where absent; items per param set."""

    names: tuple[str, ...]
    values: Floats
    items: Integers


def read_numeric_params(connection: duckdb.DuckDBPyConnection) -> dict[str, NumericParams]:
    """Return the numeric params of every task of the attached catalog `data`."""
    rows = (
        connection.sql("""
            SELECT s.base_task, v.name, v.params_id, v.number, i.items
            FROM data.param_values v
            JOIN data.param_sets s USING (params_id)
            JOIN (SELECT params_id, count(*) AS items FROM data.items GROUP BY params_id) i USING (params_id)
            WHERE (s.base_task, v.name) NOT IN (
                SELECT t.base_task, w.name
                FROM data.param_values w JOIN data.param_sets t USING (params_id)
                WHERE w.number IS NULL)
            ORDER BY s.base_task, v.params_id, v.name""")
        .to_arrow_table()
        .to_pandas()
    )
    result = {}
    for base_task, task in rows.groupby("base_task"):
        wide = task.pivot(index="params_id", columns="name", values="number")
        items = task.groupby("params_id")["items"].first()
        result[str(base_task)] = NumericParams(
            tuple(map(str, wide.columns)), wide.to_numpy(dtype=float), items.to_numpy(dtype=np.int64)
        )
    return result


def infer_projections(base_task: str, params: NumericParams) -> list[Projection]:
    """Return one projection for each numeric param that has at least two values."""
    result = []
    bins = bin_count(int(params.items.sum()))
    for column, name in enumerate(params.names):
        steps = _steps(params.values[:, column], params.items, bins)
        if len(steps) > 1:
            fields = {"id": f"{base_task}_{name}", "label": title(name), "axis": name}
            kind = "bins" if isinstance(steps[0], tuple) else "values"
            result.append(Projection.model_validate(fields | {kind: steps, "filter": {}}))
    return result


def infer_surfaces(
    base_task: str, params: NumericParams, have: Iterable[frozenset[str]] = ()
) -> list[Surface]:
    """Return surfaces for the pairs of params with the most cells of at least MIN_CELL_ITEMS items.

    Parameters
    ----------
    base_task, params
        The task and its numeric params.
    have
        The pairs that have a surface already: they are left out, and count towards MAX_SURFACES.
    """
    pairs = set(have)
    bins = bin_count(int(params.items.sum()), axes=2)
    axes = [_steps(column, params.items, bins) for column in params.values.T]
    ranked = []
    for first, second in combinations(range(len(axes)), 2):
        # The axis with more steps lies flat, where there is more room.
        x, y = sorted((first, second), key=lambda column: -len(axes[column]))
        new = frozenset((params.names[x], params.names[y])) not in pairs
        cells = _full_cells(params, (axes[x], x), (axes[y], y))
        if new and cells > 1 and len(axes[y]) > 1:
            ranked.append((-cells, x, y))
    best = sorted(ranked)[: max(0, MAX_SURFACES - len(pairs))]
    return [
        surface_over(base_task, (params.names[x], axes[x]), (params.names[y], axes[y])) for _, x, y in best
    ]


def _full_cells(params: NumericParams, x: tuple[list[Step], int], y: tuple[list[Step], int]) -> int:
    columns = _places(x[0], params.values[:, x[1]])
    rows = _places(y[0], params.values[:, y[1]])
    there = (columns >= 0) & (rows >= 0)
    items = np.bincount(columns[there] * len(y[0]) + rows[there], weights=params.items[there])
    return int((items >= MIN_CELL_ITEMS).sum())


def _places(steps: list[Step], values: Floats) -> Integers:
    """Return the step of each value, -1 for NaN; every value lies on one of the ascending steps."""
    highs = np.array([step[1] if isinstance(step, tuple) else step for step in steps], dtype=float)
    return np.where(np.isnan(values), -1, np.searchsorted(highs, values)).astype(np.int64)


def _steps(values: Floats, items: Integers, most_bins: int) -> list[Step]:
    there = ~np.isnan(values)
    distinct, place = np.unique(values[there], return_inverse=True)
    weights = np.bincount(place, weights=items[there]).astype(int)
    return whole_steps(cut(zip(distinct.tolist(), weights.tolist(), strict=True), most_bins))
