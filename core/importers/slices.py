"""Surfaces and projections that a new config gets: slices along the numeric params of a task.

A param is numeric when every value it has in the task is a number. An axis has at most MAX_STEPS steps: the
values themselves, or, where there are more, quantile bins that hold about ITEMS_WANTED items each.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import duckdb
import numpy as np
from numpy.typing import NDArray

from core.config import Projection, Scalar, Surface

MAX_STEPS = 12
MAX_SURFACES = 3
"""Per task, those that the config has already included."""

MIN_CELL_ITEMS = 5
ITEMS_WANTED = 10
MIN_BINS = 3

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class NumericParams:
    """The numeric params of a task: values by (param set, name), NaN where absent; items per param set."""

    names: tuple[str, ...]
    values: Floats
    items: Integers


@dataclass(frozen=True)
class Axis:
    """The steps of one param, in ascending order; each is a closed [low, high]."""

    steps: tuple[tuple[float, float], ...]
    binned: bool

    @property
    def values(self) -> list[Scalar] | None:
        """The steps as values, None where they are bins."""
        return None if self.binned else [_number(low) for low, _ in self.steps]

    @property
    def bins(self) -> list[tuple[float, float]] | None:
        """The steps as bins, None where they are values."""
        return [(_number(low), _number(high)) for low, high in self.steps] if self.binned else None

    def places(self, values: Floats) -> Integers:
        """Return the step of each value, -1 for NaN."""
        highs = np.array([high for _, high in self.steps])
        return np.where(np.isnan(values), -1, np.searchsorted(highs, values)).astype(np.int64)


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
    bins = _clipped(int(params.items.sum()) // ITEMS_WANTED)
    for column, name in enumerate(params.names):
        axis = _axis(params.values[:, column], params.items, bins)
        if len(axis.steps) > 1:
            fields = {"id": f"{base_task}_{name}", "label": title(name), "axis": name}
            steps = {"bins": axis.bins} if axis.binned else {"values": axis.values}
            result.append(Projection.model_validate(fields | steps | {"filter": {}}))
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
    bins = _clipped(int(np.sqrt(params.items.sum() / ITEMS_WANTED)))
    axes = [_axis(column, params.items, bins) for column in params.values.T]
    ranked = []
    for first, second in combinations(range(len(axes)), 2):
        # The axis with more steps lies flat, where there is more room.
        x, y = sorted((first, second), key=lambda column: -len(axes[column].steps))
        new = frozenset((params.names[x], params.names[y])) not in pairs
        cells = _full_cells(params, (axes[x], x), (axes[y], y))
        if new and cells > 1 and len(axes[y].steps) > 1:
            ranked.append((-cells, x, y))
    best = sorted(ranked)[: max(0, MAX_SURFACES - len(pairs))]
    return [_surface(base_task, (params.names[x], axes[x]), (params.names[y], axes[y])) for _, x, y in best]


def title(name: str) -> str:
    """Return a param or task name as a label: tower_of_hanoi -> Tower Of Hanoi."""
    return " ".join(word[0].upper() + word[1:] for word in name.replace("_", " ").split()) or name


def _surface(base_task: str, x: tuple[str, Axis], y: tuple[str, Axis]) -> Surface:
    fields: dict[str, object] = {
        "id": f"{base_task}_{x[0]}_x_{y[0]}",
        "label": f"{title(x[0])} x {title(y[0])}",
        "x_data": x[0],
        "y_data": y[0],
    }
    for side, (_, axis) in (("x", x), ("y", y)):
        fields |= {f"{side}_bins": axis.bins} if axis.binned else {f"{side}_values": axis.values}
    return Surface.model_validate(fields | {"filter": {}})


def _full_cells(params: NumericParams, x: tuple[Axis, int], y: tuple[Axis, int]) -> int:
    columns = x[0].places(params.values[:, x[1]])
    rows = y[0].places(params.values[:, y[1]])
    there = (columns >= 0) & (rows >= 0)
    items = np.bincount(columns[there] * len(y[0].steps) + rows[there], weights=params.items[there])
    return int((items >= MIN_CELL_ITEMS).sum())


def _axis(values: Floats, items: Integers, most_bins: int) -> Axis:
    """Return the distinct values, or, above MAX_STEPS of them, runs of them with about equally many items."""
    there = ~np.isnan(values)
    distinct, place = np.unique(values[there], return_inverse=True)
    if len(distinct) <= MAX_STEPS:
        return Axis(tuple((float(value), float(value)) for value in distinct), binned=False)
    weights = np.bincount(place, weights=items[there])
    middle = (np.cumsum(weights) - weights / 2) / weights.sum()
    run = np.floor(middle * most_bins).astype(int)
    return Axis(
        tuple((float(distinct[run == k].min()), float(distinct[run == k].max())) for k in np.unique(run)),
        binned=True,
    )


def _clipped(bins: int) -> int:
    return min(max(bins, MIN_BINS), MAX_STEPS)


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value
