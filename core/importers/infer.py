"""The config of a dataset after an import: inferred when new, only appended to when it is there.

An entry that exists is never changed, moved or removed, so eval_ids are stable and edits survive.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from core.config import (
    BaseTask,
    DatasetConfig,
    EvalEntry,
    Projection,
    Surface,
    Tier,
    free_id,
    load_config,
    save_config,
    title,
)
from core.importers.slices import infer_projections, infer_surfaces, read_numeric_params
from core.store.attach import attach
from core.store.membership import eval_matches

Slice = TypeVar("Slice", Surface, Projection)

TIER_PARAM = "difficulty"
TIER_ORDER = ("trivial", "very easy", "easy", "medium", "hard", "very hard", "expert", "extreme")
MAX_TIERS = 12


@dataclass(frozen=True)
class Identity:
    """What an eval is, and what its source says of it."""

    model: str
    template: str
    sampler: str
    label: str
    hf_id: str | None
    groups: tuple[str, ...]


def append_missing(config_path: Path, db_path: Path, *, name: str) -> list[str]:
    """Bring a config up to its database and return what was added, such as "eval 3: phi-4".

    Parameters
    ----------
    config_path
        Made where absent; left alone where nothing is missing.
    db_path
        The points database that was just built.
    name
        The dataset's name, for a new config.

    Raises
    ------
    ConfigError
        The config that is there cannot be read or is not valid.
    DatasetError
        The database cannot be read.
    """
    new = not config_path.exists()
    config = (
        DatasetConfig(db=os.path.relpath(db_path, config_path.parent), name=name, threshold=1.0)
        if new
        else load_config(config_path)
    )
    with duckdb.connect(":memory:") as connection:
        attach(connection, db_path, "data")
        evals = _missing_evals(config, _identities(connection))
        tasks, added = _appended_tasks(config, connection)
        tiers = _tiers(connection) if new else []
    first = len(config.evals)
    added = [f"eval {first + place}: {entry.label}" for place, entry in enumerate(evals)] + added
    added += [f"tier {tier.id}" for tier in tiers]
    if added or new:
        update: dict[str, Any] = {"evals": [*config.evals, *evals], "basetasks": tasks}
        save_config(config.model_copy(update=update | ({"tiers": tiers} if new else {})), config_path)
    return added


def _identities(connection: duckdb.DuckDBPyConnection) -> list[Identity]:
    """Return the identities in order of first appearance, with the first hint that each field has."""
    hints: dict[tuple[str, str, str], list[tuple[Any, ...]]] = {}
    for row in connection.execute(
        "SELECT model, template, sampler, label, hf_id, groups FROM data.eval_hints"
    ).fetchall():
        hints.setdefault(row[:3], []).append(row[3:])
    result = []
    for model, template, sampler in connection.execute("""
        SELECT model, template, sampler
        FROM data.point_identities
        GROUP BY ALL
        ORDER BY min(point_id)""").fetchall():
        rows = hints.get((model, template, sampler), [])
        label, hf_id, groups = (next((row[i] for row in rows if row[i]), None) for i in range(3))
        result.append(Identity(model, template, sampler, label or model, hf_id, tuple(groups or ())))
    return result


def _missing_evals(config: DatasetConfig, identities: list[Identity]) -> list[EvalEntry]:
    taken = {entry.label for entry in config.evals}
    here = {(one.model, one.template, one.sampler) for one in identities}
    # An eval of the config may be of earlier results, which the database no longer has.
    gone = [
        one
        for entry in config.evals
        for one in _identities_of(entry)
        if (one.model, one.template, one.sampler) not in here
    ]
    result = []
    for one in identities:
        if any(eval_matches(entry, one.model, one.template, one.sampler) for entry in config.evals):
            continue
        label = _label(one, [other for other in (*identities, *gone) if other.label == one.label], taken)
        taken.add(label)
        fields: dict[str, Any] = {"label": label}
        if one.hf_id:
            fields["hf_id"] = one.hf_id
        fields["filters"] = {"model": one.model, "template": one.template, "sampler": one.sampler}
        fields["groups"] = list(dict.fromkeys(one.groups))
        result.append(EvalEntry.model_validate(fields))
    return result


def _identities_of(entry: EvalEntry) -> list[Identity]:
    """Return the identity of an eval that takes one, as the sources would have named it; else nothing."""
    names = [entry.filters.get(name) for name in ("model", "template", "sampler")]
    if not all(isinstance(name, str) for name in names):
        return []
    model, template, sampler = map(str, names)
    return [Identity(model, template, sampler, entry.label, entry.hf_id, tuple(entry.groups))]


def _label(one: Identity, namesakes: list[Identity], taken: set[str]) -> str:
    """Return the label with the fewest parts that tell all namesakes apart and that is not taken."""
    for parts in ((), ("template",), ("sampler",), ("template", "sampler"), ("model", "template", "sampler")):
        # All namesakes get the same parts, so that their labels read alike.
        apart = len({_with(other, parts) for other in namesakes}) == len(namesakes)
        if apart and _with(one, parts) not in taken:
            return _with(one, parts)
    return free_id(_with(one, ("model", "template", "sampler")), taken)


def _with(one: Identity, parts: Iterable[str]) -> str:
    return " · ".join([one.label, *(getattr(one, part) for part in parts)])


def _appended_tasks(
    config: DatasetConfig, connection: duckdb.DuckDBPyConnection
) -> tuple[dict[str, BaseTask], list[str]]:
    """Return all base tasks with what was missing, and what that was."""
    numeric = read_numeric_params(connection)
    tasks, added = dict(config.basetasks), []
    surface_ids = {s.id for task in tasks.values() for s in task.surfaces}
    projection_ids = {p.id for task in tasks.values() for p in task.projections}
    for base_task, label, category in connection.execute("""
        SELECT s.base_task, min(h.label), min(h.category)
        FROM data.param_sets s LEFT JOIN data.task_hints h USING (base_task)
        GROUP BY s.base_task
        ORDER BY min(s.params_id)""").fetchall():
        task = tasks.get(base_task)
        if task is None:
            fields = {"label": label or title(base_task)} | ({"category": category} if category else {})
            task = BaseTask.model_validate(fields)
            added.append(f"task {base_task}")
        surfaces: list[Surface] = []
        projections: list[Projection] = []
        if base_task in numeric:
            pairs = [frozenset((s.x_data, s.y_data)) for s in task.surfaces]
            surfaces = infer_surfaces(base_task, numeric[base_task], pairs)
            axes = {p.axis for p in task.projections}
            projections = [p for p in infer_projections(base_task, numeric[base_task]) if p.axis not in axes]
        surfaces = [_renamed(surface, surface_ids) for surface in surfaces]
        projections = [_renamed(projection, projection_ids) for projection in projections]
        added += [f"surface {s.id}" for s in surfaces] + [f"projection {p.id}" for p in projections]
        if surfaces or projections or base_task not in tasks:
            tasks[base_task] = task.model_copy(
                update={
                    "surfaces": [*task.surfaces, *surfaces],
                    "projections": [*task.projections, *projections],
                }
            )
    return tasks, added


def _renamed(entry: Slice, taken: set[str]) -> Slice:
    """Return the entry under an id that no other has, and take that id."""
    unique = free_id(entry.id, taken)
    taken.add(unique)
    return entry.model_copy(update={"id": unique})


def _tiers(connection: duckdb.DuckDBPyConnection) -> list[Tier]:
    """Return one tier for each value of a param named difficulty; none where there are too many."""
    documents = connection.execute(
        """
        SELECT s.params
        FROM data.param_sets s
        JOIN (
            SELECT min(params_id) AS params_id
            FROM data.param_values
            WHERE name = $name
            GROUP BY number, text) v USING (params_id)
        ORDER BY s.params_id""",
        {"name": TIER_PARAM},
    ).fetchall()
    values = [json.loads(params)[TIER_PARAM] for (params,) in documents]
    if len(values) > MAX_TIERS:
        return []
    if all(isinstance(value, int | float) for value in values):
        values.sort()
    elif all(str(value).lower() in TIER_ORDER for value in values):
        values.sort(key=lambda value: TIER_ORDER.index(str(value).lower()))
    taken: set[str] = set()
    result = []
    for value in values:
        tier_id = free_id(str(value), taken)
        taken.add(tier_id)
        label = title(tier_id)
        result.append(Tier.model_validate({"id": tier_id, "label": label, "filter": {TIER_PARAM: value}}))
    return result
