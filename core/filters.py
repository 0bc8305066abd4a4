"""Filters: one frozen value that says which points count, as JSON, as SQL and as a sentence.

Each key is defined once, in `_clauses`, with its SQL and its words, so that screen and query cannot drift.
The SQL speaks of `points p` and of the membership tables that core.store.membership loads.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from core.config import DatasetConfig, Scalar, same_value
from core.errors import FilterError

KEYS = ("eval_id", "groups", "tiers", "base_task", "projections", "surfaces", "params", "threshold")

STRUCTURE = """\
{"eval_id": [0, 1],                 evals by their place in the config
 "groups": ["a:x", "b:y"],          both groups; [["a:x"], ["b:y"]] means either
 "tiers": ["easy"],                 by id or label
 "base_task": ["arithmetic"],       one or several tasks
 "surfaces": ["id"],                points on any of these surfaces
 "projections": ["id"],             points on any of these projections
 "params": {"length": [2, 3]},      every named param is one of the listed values
 "threshold": 0.5}                  a score of at least this counts as correct"""


@dataclass(frozen=True)
class Catalog:
    """What a dataset has to filter by; `params` maps a name to its values in the points."""

    config: DatasetConfig
    base_tasks: tuple[str, ...]
    params: Mapping[str, tuple[Scalar, ...]]


@dataclass(frozen=True)
class Clause:
    """One condition on points: its SQL over `points p`, its parameters, and its words."""

    key: str
    sql: str
    parameters: Mapping[str, Any]
    words: str


@dataclass(frozen=True)
class Filters:
    """Which points count and from which score a completion is correct.

    An empty field restricts nothing. `groups` is a list of alternatives, each a tuple of groups that all
    must be there. `threshold` None means the dataset config's.
    """

    eval_id: tuple[int, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    tiers: tuple[str, ...] = ()
    base_task: tuple[str, ...] = ()
    projections: tuple[str, ...] = ()
    surfaces: tuple[str, ...] = ()
    params: tuple[tuple[str, tuple[Scalar, ...]], ...] = field(default=())
    threshold: float | None = None

    @classmethod
    def from_json(cls, text: str) -> "Filters":
        """Read the command line's form.

        Raises
        ------
        FilterError
            Not JSON, an unknown key or a wrong type.
        """
        try:
            document = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise FilterError(f"Invalid JSON in --filters: {error}") from error
        return cls.from_dict(document)

    @classmethod
    def from_dict(cls, document: Any) -> "Filters":
        """Read the JSON object form; see STRUCTURE. Raises FilterError."""
        if not isinstance(document, dict):
            raise FilterError(f"Filters must be a JSON object such as\n{STRUCTURE}")
        unknown = sorted(set(document) - set(KEYS))
        if unknown:
            raise FilterError(f"Unknown filter {', '.join(map(repr, unknown))}; valid: {', '.join(KEYS)}")
        texts = {
            key: _texts(key, document[key])
            for key in ("tiers", "base_task", "projections", "surfaces")
            if key in document
        }
        return cls(
            eval_id=_integers("eval_id", document.get("eval_id", [])),
            groups=_groups(document.get("groups", [])),
            params=_params(document.get("params", {})),
            threshold=_threshold(document.get("threshold")),
            **texts,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object form, without the keys that restrict nothing."""
        document: dict[str, Any] = {
            key: list(getattr(self, key))
            for key in ("eval_id", "tiers", "base_task", "projections", "surfaces")
            if getattr(self, key)
        }
        if self.groups:
            document["groups"] = (
                list(self.groups[0]) if len(self.groups) == 1 else [list(group) for group in self.groups]
            )
        if self.params:
            document["params"] = {name: list(values) for name, values in self.params}
        if self.threshold is not None:
            document["threshold"] = self.threshold
        return {key: document[key] for key in KEYS if key in document}

    def without(self, *keys: str) -> "Filters":
        """Return the same filters with some keys lifted."""
        empty: dict[str, Any] = {f.name: f.default for f in fields(self) if f.name in keys}
        return replace(self, **empty)

    def resolved(self, catalog: Catalog) -> "Filters":
        """Return the filters with tier labels as ids and the threshold filled in.

        Raises
        ------
        FilterError
            A value that the dataset does not have; the message names those it has.
        """
        config = catalog.config
        labels = {tier.label: tier.id for tier in config.tiers}
        tiers = tuple(
            tier if any(t.id == tier for t in config.tiers) else labels.get(tier, tier) for tier in self.tiers
        )
        _require("eval_id", self.eval_id, range(len(config.evals)))
        _require("groups", (g for group in self.groups for g in group), config.groups)
        _require("tiers", tiers, [tier.id for tier in config.tiers])
        _require("base_task", self.base_task, catalog.base_tasks)
        tasks = config.basetasks.values()
        _require("surfaces", self.surfaces, [s.id for task in tasks for s in task.surfaces])
        _require("projections", self.projections, [p.id for task in tasks for p in task.projections])
        _require("params", (name for name, _ in self.params), catalog.params)
        for name, values in self.params:
            _require(f"params.{name}", map(_as_stored, values), catalog.params[name])
        threshold = config.threshold if self.threshold is None else self.threshold
        return replace(self, tiers=tiers, threshold=threshold)

    def evals(self, config: DatasetConfig) -> tuple[int, ...]:
        """Return the eval ids that eval_id and groups leave; a hidden eval only when it is named."""
        return tuple(
            number
            for number, entry in enumerate(config.evals)
            if (number in self.eval_id if self.eval_id else not entry.hidden)
            and (not self.groups or any(set(group) <= set(entry.groups) for group in self.groups))
        )

    def clauses(self, config: DatasetConfig) -> list[Clause]:
        """Return one clause for each key that restricts the points."""
        return list(_clauses(self, config))

    def predicate(self, config: DatasetConfig) -> tuple[str, dict[str, Any]]:
        """Return SQL over `points p` that is true for the points that count, and its parameters."""
        clauses = self.clauses(config)
        parameters = {name: value for clause in clauses for name, value in clause.parameters.items()}
        return "\n  AND ".join(clause.sql for clause in clauses) or "true", parameters

    def sentence(self, config: DatasetConfig) -> str:
        """Return what is selected, in words: the subtitle of every chart."""
        words = [clause.words for clause in self.clauses(config)]
        if self.threshold is not None and self.threshold != config.threshold:
            words.append(f"correct from a score of {self.threshold:g}")
        return "; ".join(words) if words else "all evals, all tasks"


def _clauses(filters: Filters, config: DatasetConfig) -> Iterable[Clause]:
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
    texts = [_as_stored(v) for v in values if isinstance(v, bool | str)]
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


def _as_stored(value: Scalar) -> Scalar:
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
    return "is " + " or ".join(str(_as_stored(value)) for value in values)


def _require(key: str, wanted: Iterable[Any], valid: Iterable[Any]) -> None:
    options = list(valid)
    missing = [value for value in wanted if not any(same_value(value, option) for option in options)]
    if missing:
        listed = ", ".join(map(str, options[:30])) + (", ..." if len(options) > 30 else "")
        raise FilterError(f"No {key} {missing[0]!r} in this dataset; valid: {listed or 'none'}")


def _integers(key: str, value: Any) -> tuple[int, ...]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        raise FilterError(f"Filter {key!r} must be a list of integers, such as [0, 1]; given: {value!r}")
    return tuple(dict.fromkeys(values))


def _texts(key: str, value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(v, str) for v in values):
        raise FilterError(f'Filter {key!r} must be a list of texts, such as ["a", "b"]; given: {value!r}')
    return tuple(dict.fromkeys(values))


def _groups(value: Any) -> tuple[tuple[str, ...], ...]:
    values = value if isinstance(value, list) else [value]
    if all(isinstance(v, str) for v in values):
        return (tuple(dict.fromkeys(values)),) if values else ()
    if all(isinstance(v, list) for v in values):
        return tuple(_texts("groups", group) for group in values if group)
    raise FilterError(f"Filter 'groups' is a list of texts, or a list of such lists; given: {value!r}")


def _params(value: Any) -> tuple[tuple[str, tuple[Scalar, ...]], ...]:
    if not isinstance(value, dict):
        raise FilterError(
            f"Filter 'params' must be an object such as {{\"length\": [2, 3]}}; given: {value!r}"
        )
    result = []
    for name, some in value.items():
        values = some if isinstance(some, list) else [some]
        if not values or not all(isinstance(v, bool | int | float | str) for v in values):
            raise FilterError(f"Filter 'params.{name}' must be a value or a list of values; given: {some!r}")
        # True == 1, but as a param it is another value.
        distinct = dict.fromkeys((isinstance(v, bool), v) for v in values)
        result.append((name, tuple(v for _, v in distinct)))
    return tuple(sorted(result))


def _threshold(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise FilterError(f"Filter 'threshold' must be a number above 0 and at most 1; given: {value!r}")
    return float(value)
