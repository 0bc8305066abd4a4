"""Facet membership: which points an eval has, which param sets a tier, surface or projection has.

Loaded from the config into tables in memory when a dataset is opened, so that the config can change
without a new import and queries join instead of parsing params.
"""

from typing import Any

import duckdb
import orjson
import pyarrow as pa

from core.config import (
    DatasetConfig,
    EvalEntry,
    Scalar,
    Surface,
    is_number,
    matches,
    same_value,
    tier_filter,
)

ParamSets = list[tuple[int, str, dict[str, Any]]]


def load_membership(connection: duckdb.DuckDBPyConnection, config: DatasetConfig) -> None:
    """Make the membership tables of a config beside an attached catalog `data`.

    eval_points(facet, point_id), facet an eval_id; eval_groups(eval_id, name);
    tier_params(facet, position, params_id); surface_params(facet, params_id, x, y) and
    projection_params(facet, params_id, position), x, y and position being places on the axes.
    """
    param_sets: ParamSets = [
        (params_id, base_task, orjson.loads(params))
        for params_id, base_task, params in connection.execute(
            "SELECT params_id, base_task, params FROM data.param_sets ORDER BY params_id"
        ).fetchall()
    ]
    _create(connection, "eval_groups", "eval_id INTEGER, name VARCHAR", [
        (number, group) for number, entry in enumerate(config.evals) for group in dict.fromkeys(entry.groups)
    ])  # fmt: skip
    _create(connection, "tier_params", "facet VARCHAR, position INTEGER, params_id INTEGER", [
        (tier.id, position, params_id)
        for position, tier in enumerate(config.tiers)
        for params_id, base_task, params in param_sets
        if (wanted := tier_filter(tier, base_task)) is not None and matches(wanted, params)
    ])  # fmt: skip
    _create(
        connection, "surface_params", "facet VARCHAR, params_id INTEGER, x INTEGER, y INTEGER",
        _surfaces(config, param_sets),
    )  # fmt: skip
    _create(
        connection, "projection_params", "facet VARCHAR, params_id INTEGER, position INTEGER",
        _projections(config, param_sets),
    )  # fmt: skip
    _load_eval_points(connection, config)


def _create(
    connection: duckdb.DuckDBPyConnection, name: str, columns: str, rows: list[tuple[Any, ...]]
) -> None:
    connection.execute(f"CREATE TABLE {name} ({columns})")
    if rows:
        table = pa.table({f"c{i}": list(column) for i, column in enumerate(zip(*rows, strict=True))})
        connection.register("new_rows", table)
        connection.execute(f"INSERT INTO {name} SELECT * FROM new_rows")
        connection.unregister("new_rows")


def axis_position(
    value: Any, values: list[Scalar] | None, bins: list[tuple[float, float]] | None
) -> int | None:
    """Return where a param value stands on an axis of values, or of closed bins (the first that fits)."""
    if values is not None:
        return next((i for i, one in enumerate(values) if same_value(one, value)), None)
    if not is_number(value):
        return None
    return next((i for i, (low, high) in enumerate(bins or []) if low <= value <= high), None)


def surface_place(surface: Surface, params: dict[str, Any]) -> tuple[int, int] | None:
    """Return where params stand on a surface, as places on x and y; None where they are not on it."""
    x = axis_position(params.get(surface.x_data), surface.x_values, surface.x_bins)
    y = axis_position(params.get(surface.y_data), surface.y_values, surface.y_bins)
    return None if x is None or y is None or not matches(surface.filter, params) else (x, y)


def _surfaces(config: DatasetConfig, param_sets: ParamSets) -> list[tuple[str, int, int, int]]:
    rows = []
    for params_id, base_task, params in param_sets:
        task = config.basetasks.get(base_task)
        for surface in task.surfaces if task else ():
            if place := surface_place(surface, params):
                rows.append((surface.id, params_id, *place))
    return rows


def _projections(config: DatasetConfig, param_sets: ParamSets) -> list[tuple[str, int, int]]:
    rows = []
    for params_id, base_task, params in param_sets:
        task = config.basetasks.get(base_task)
        for projection in task.projections if task else ():
            place = axis_position(params.get(projection.axis), projection.values, projection.bins)
            if place is not None and matches(projection.filter, params):
                rows.append((projection.id, params_id, place))
    return rows


def eval_matches(entry: EvalEntry, model: str, template: str, sampler: str) -> bool:
    """Whether an eval of the config takes an identity; a key missing from its filters matches any value."""
    identity = {"model": model, "template": template, "sampler": sampler}
    return all(
        identity[name] in (wanted if isinstance(wanted, list) else [wanted])
        for name, wanted in entry.filters.items()
    )


def _load_eval_points(connection: duckdb.DuckDBPyConnection, config: DatasetConfig) -> None:
    identities = connection.execute("SELECT DISTINCT model, template, sampler FROM data.points").fetchall()
    _create(
        connection,
        "eval_identities",
        "eval_id INTEGER, model VARCHAR, template VARCHAR, sampler VARCHAR",
        [
            (number, *identity)
            for number, entry in enumerate(config.evals)
            for identity in sorted(identities)
            if eval_matches(entry, *identity)
        ],
    )
    connection.execute("""
        CREATE TABLE eval_points AS
        SELECT e.eval_id AS facet, p.point_id
        FROM eval_identities e JOIN data.points p USING (model, template, sampler)""")
