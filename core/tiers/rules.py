"""What a tier's rule takes: its points, items and completions, task by task, before it is saved."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from core.config import ParamFilters, Scalar, Tier, matches, tier_filter, value_order
from core.store.dataset import Dataset


@dataclass(frozen=True)
class ParamSet:
    """A (base_task, params) with how much there is of it, over all evals."""

    base_task: str
    params: dict[str, Any]
    points: int
    items: int
    completions: int


@dataclass(frozen=True)
class RuleCount:
    """How much of a task a rule takes; `sets` of its `of_sets` combinations of params."""

    base_task: str
    sets: int
    of_sets: int
    points: int
    items: int
    completions: int


def read_param_sets(dataset: Dataset) -> list[ParamSet]:
    """Return the param sets that have points, in the order of tasks and params."""
    rows = dataset.rows("""
        WITH counted AS (
            SELECT params_id, count(*) AS points,
                sum(correct + incorrect + invalid + truncated + error)::BIGINT AS completions
            FROM data.points
            GROUP BY params_id
        ), of_items AS (SELECT params_id, count(*) AS items FROM data.items GROUP BY params_id)
        SELECT s.base_task, s.params, c.points, coalesce(i.items, 0) AS items, c.completions
        FROM data.param_sets s
        JOIN counted c USING (params_id)
        LEFT JOIN of_items i USING (params_id)
        ORDER BY s.params_id""")
    order = {task: place for place, task in enumerate(dataset.catalog.base_tasks)}
    sets = [ParamSet(**{**row, "params": orjson.loads(row["params"])}) for row in rows]
    return sorted(sets, key=lambda one: order.get(one.base_task, len(order)))


def values_of(sets: Iterable[ParamSet], tasks: Sequence[str]) -> dict[str, list[Scalar]]:
    """Return the params of some tasks with their values, those of a single value left out."""
    found: dict[str, dict[tuple[bool, Scalar], Scalar]] = {}
    for one in sets:
        if one.base_task in tasks:
            for name, value in one.params.items():
                # True and 1 are two values of a param, and one key of a dictionary.
                found.setdefault(name, {})[isinstance(value, bool), value] = value
    return {
        name: sorted(values.values(), key=value_order)
        for name, values in sorted(found.items())
        if len(values) > 1
    }


def count_rule(sets: Iterable[ParamSet], tier: Tier) -> list[RuleCount]:
    """Return how much a tier takes of each task that it has a rule for, where it takes nothing too."""
    by_task: dict[str, list[ParamSet]] = {}
    for one in sets:
        by_task.setdefault(one.base_task, []).append(one)
    counts = []
    for task, of_task in by_task.items():
        wanted = tier_filter(tier, task)
        if wanted is None:
            continue
        taken = [one for one in of_task if matches(wanted, one.params)]
        counts.append(
            RuleCount(
                task,
                len(taken),
                len(of_task),
                sum(one.points for one in taken),
                sum(one.items for one in taken),
                sum(one.completions for one in taken),
            )
        )
    return counts


def rule_words(rule: ParamFilters) -> str:
    """Return a filter in words: "length is 2 or 3 and digits is 1"."""
    if isinstance(rule, list):
        return " or ".join(f"({rule_words(one)})" for one in rule) or "nothing"
    parts = []
    for name, wanted in rule.items():
        options = wanted if isinstance(wanted, list) else [wanted]
        parts.append(f"{name} is {' or '.join(map(_text, options)) or 'nothing'}")
    return " and ".join(parts) or "all of it"


def _text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
