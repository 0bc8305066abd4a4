"""Each key of the filters with its SQL and its words, from one definition, so that they cannot drift.

The SQL speaks of `points p` and of the membership tables that core.store.membership loads.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.config import DatasetConfig, Scalar

if TYPE_CHECKING:
    from core.filters.value import Filters


@dataclass(frozen=True)
class Clause:
    """One condition on points: its SQL over `points p`, its parameters, and its words."""

    key: str
    sql: str
    parameters: Mapping[str, Any]
    words: str


def clauses_of(filters: "Filters", config: DatasetConfig) -> Iterable[Clause]:
    """Yield one clause for each key that restricts the points."""
    if filters.eval_id:
        labels = [config.evals[i].label for i in filters.eval_id]
        yield _membership("eval_id", "point_id", "eval_points", filters.eval_id, _some("eval", labels))
    if filters.groups:
        yield _group_clause(filters.groups)
    if filters.tiers:
        labels = [tier.label for tier in config.tiers if tier.id in filters.tiers]
        yield _membership("tiers", "params_id", "tier_params", filters.tiers, _some("tier", labels))
    if filters.base_task:
        names, parameters = _bind("base_task", filters.base_task)
        labels = [config.task_label(task) for task in filters.base_task]
        yield Clause("base_task", f"p.base_task IN ({names})", parameters, _some("task", labels))
    for key, table in (("surfaces", "surface_params"), ("projections", "projection_params")):
        ids = getattr(filters, key)
        if ids:
            yield _membership(key, "params_id", table, ids, _some(key[:-1], list(ids)))
    for number, (name, values) in enumerate(filters.params):
        yield _param_clause(number, name, values)


def _membership(key: str, column: str, table: str, ids: Iterable[Any], words: str) -> Clause:
    names, parameters = _bind(key, ids)
    sql = f"p.{column} IN (SELECT {column} FROM {table} WHERE facet IN ({names}))"
    return Clause(key, sql, parameters, words)


def _group_clause(groups: tuple[tuple[str, ...], ...]) -> Clause:
    alternatives, parameters = [], {}
    for number, group in enumerate(groups):
        names, bound = _bind(f"groups_{number}", group)
        parameters.update(bound)
        alternatives.append(
            "p.point_id IN (SELECT e.point_id FROM eval_points e WHERE e.facet IN ("
            f"SELECT g.eval_id FROM eval_groups g WHERE g.name IN ({names}) "
            f"GROUP BY g.eval_id HAVING count(DISTINCT g.name) = {len(set(group))}))"
        )
    words = " or ".join(" and ".join(group) for group in groups)
    return Clause("groups", "(" + " OR ".join(alternatives) + ")", parameters, f"groups {words}")


def _param_clause(number: int, name: str, values: tuple[Scalar, ...]) -> Clause:
    numbers = [float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    texts = [as_stored(v) for v in values if isinstance(v, bool | str)]
    options = []
    parameters: dict[str, Any] = {f"param_{number}_name": name}
    for kind, some in (("number", numbers), ("text", texts)):
        if some:
            names, bound = _bind(f"param_{number}_{kind}", some)
            parameters.update(bound)
            options.append(f"{kind} IN ({names})")
    sql = (
        f"p.params_id IN (SELECT params_id FROM data.param_values WHERE name = $param_{number}_name"
        f" AND ({' OR '.join(options)}))"
    )
    return Clause("params", sql, parameters, f"{name} {_or(values)}")


def as_stored(value: Scalar) -> Scalar:
    """Return a param value as the database has it: a boolean as its text."""
    return str(value).lower() if isinstance(value, bool) else value


def _bind(key: str, values: Iterable[Any]) -> tuple[str, dict[str, Any]]:
    parameters = {f"{key}_{number}": value for number, value in enumerate(values)}
    return ", ".join(f"${name}" for name in parameters), parameters


def _some(noun: str, labels: list[str]) -> str:
    if len(labels) > 4:
        return f"{len(labels)} {noun}s"
    return f"{noun}{'s' if len(labels) > 1 else ''} {', '.join(labels)}"


def _or(values: Iterable[Scalar]) -> str:
    return "is " + " or ".join(str(as_stored(value)) for value in values)
