"""What filters leave of a dataset, counted one completion at a time: slow, short, and knows no SQL."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from core.config import DatasetConfig, matches, same_value, tier_filter
from core.filters import Filters
from core.store import Dataset
from core.store.membership import eval_matches, surface_place

OUTCOMES = ("correct", "incorrect", "invalid", "truncated", "error")


@dataclass(frozen=True)
class One:
    """A completion as the database has it, and the evals that take it."""

    number: int
    evals: tuple[int, ...]
    model: str
    task: str
    params: dict[str, Any]
    item: int
    outcome: str
    score: float | None
    tokens: int | None
    flagged: bool

    def counts_as(self, threshold: float) -> str:
        """Its outcome where a score of at least the threshold is correct."""
        if self.outcome in ("error", "truncated") or self.score is None:
            return self.outcome
        if self.score >= threshold:
            return "correct"
        return "invalid" if self.outcome == "invalid" else "incorrect"


def everything(dataset: Dataset) -> list[One]:
    """All completions of a dataset."""
    rows = dataset.rows("""
        SELECT c.completion_id, c.item_id, c.outcome, c.score, c.completion_tokens AS tokens,
            p.model, p.template, p.sampler, t.base_task, t.params,
            c.completion_id IN (SELECT completion_id FROM flagged) AS flagged
        FROM data.completions c
        JOIN data.point_identities p USING (point_id)
        JOIN data.param_sets t USING (params_id)
        ORDER BY c.completion_id""")
    return [
        One(
            row["completion_id"],
            tuple(
                number
                for number, entry in enumerate(dataset.config.evals)
                if eval_matches(entry, row["model"], row["template"], row["sampler"])
            ),
            row["model"], row["base_task"], json.loads(row["params"]), row["item_id"], row["outcome"],
            row["score"], row["tokens"], row["flagged"],
        )
        for row in rows
    ]  # fmt: skip


@dataclass(frozen=True)
class Counted:
    """What filters leave: completions that count, by eval where they are asked for by eval."""

    config: DatasetConfig
    filters: Filters
    threshold: float
    evals: tuple[int, ...]
    kept: tuple[One, ...]

    def pairs(self) -> Iterator[tuple[int, One]]:
        """Every completion with each selected eval that takes it."""
        for one in self.kept:
            for eval_id in one.evals:
                if eval_id in self.evals:
                    yield eval_id, one

    def outcomes(self, some: Iterable[One]) -> Counter[str]:
        """How many there are of each outcome, absent ones as 0."""
        found = Counter(one.counts_as(self.threshold) for one in some)
        return Counter({outcome: found[outcome] for outcome in OUTCOMES})

    def by(self, *what: str) -> dict[tuple[Any, ...], Counter[str]]:
        """Outcomes by eval, task, tier (the pool is None) or surface cell."""
        groups: dict[tuple[Any, ...], list[One]] = {}
        for eval_id, one in self.pairs():
            places: list[tuple[Any, ...]] = [()]
            for name in what:
                values = {"eval": [eval_id], "task": [one.task]}.get(name)
                if values is None:
                    values = self.tiers_of(one) if name == "tier" else self.cells_of(one)
                places = [(*place, value) for place in places for value in values]
            for place in places:
                groups.setdefault(place, []).append(one)
        return {place: self.outcomes(some) for place, some in groups.items()}

    def tiers_of(self, one: One) -> list[Any]:
        """The pool, and the tiers that a completion is in and that are not filtered away."""
        return [
            None,
            *(
                tier.id
                for tier in self.config.tiers
                if (not self.filters.tiers or tier.id in self.filters.tiers) and in_tier(tier, one)
            ),
        ]

    def cells_of(self, one: One) -> list[Any]:
        """The surface cells that a completion is in: (surface, x, y)."""
        task = self.config.basetasks.get(one.task)
        return [
            (surface.id, *place)
            for surface in (task.surfaces if task else ())
            if (not self.filters.surfaces or surface.id in self.filters.surfaces)
            and (place := surface_place(surface, one.params)) is not None
        ]


def in_tier(tier: Any, one: One) -> bool:
    wanted = tier_filter(tier, one.task)
    return wanted is not None and matches(wanted, one.params)


def count(rows: list[One], config: DatasetConfig, filters: Filters) -> Counted:
    """Return what filters, with tiers by id, leave of all completions."""
    evals = tuple(
        number
        for number, entry in enumerate(config.evals)
        if (number in filters.eval_id if filters.eval_id else not entry.hidden)
        and (not filters.groups or any(set(some) <= set(entry.groups) for some in filters.groups))
    )
    threshold = config.threshold if filters.threshold is None else filters.threshold
    kept = [
        one for one in rows
        if set(one.evals) & set(evals) and _wanted(one, config, filters)
        and not (filters.flagged == "exclude" and one.flagged)
    ]  # fmt: skip
    return Counted(config, filters, threshold, evals, tuple(kept))


def _wanted(one: One, config: DatasetConfig, filters: Filters) -> bool:
    task = config.basetasks.get(one.task)
    surfaces = {s.id for s in (task.surfaces if task else ()) if surface_place(s, one.params)}
    projections = {
        p.id for p in (task.projections if task else ())
        if p.axis in one.params and _on_axis(p, one.params[p.axis]) and matches(p.filter, one.params)
    }  # fmt: skip
    return (
        (not filters.base_task or one.task in filters.base_task)
        and (not filters.tiers or any(t.id in filters.tiers and in_tier(t, one) for t in config.tiers))
        and (not filters.surfaces or bool(surfaces & set(filters.surfaces)))
        and (not filters.projections or bool(projections & set(filters.projections)))
        and all(
            name in one.params and any(_same(value, one.params[name]) for value in values)
            for name, values in filters.params
        )
    )


def _on_axis(projection: Any, value: Any) -> bool:
    if projection.values is not None:
        return any(same_value(one, value) for one in projection.values)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and any(low <= value <= high for low, high in projection.bins)


def _same(wanted: Any, value: Any) -> bool:
    """The database has a boolean as its text, and so has a filter's value."""
    wanted, value = (str(v).lower() if isinstance(v, bool) else v for v in (wanted, value))
    return isinstance(wanted, str) == isinstance(value, str) and bool(wanted == value)
