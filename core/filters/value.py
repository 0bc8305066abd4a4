"""The filters as one value: from JSON and back, checked against a dataset, as a predicate and a sentence."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from core.config import DatasetConfig, Scalar, same_value
from core.errors import FilterError
from core.filters import reading
from core.filters.clauses import Clause, as_stored, clauses_of
from core.filters.reading import FLAGGED, KEYS, STRUCTURE


@dataclass(frozen=True)
class Catalog:
    """What a dataset has to filter by; `params` maps a name to its values in the points."""

    config: DatasetConfig
    base_tasks: tuple[str, ...]
    params: Mapping[str, tuple[Scalar, ...]]


@dataclass(frozen=True)
class Filters:
    """Which points count and from which score a completion is correct.

    An empty field restricts nothing. `groups` is a list of alternatives, each a tuple of groups that all
    must be there. `threshold` None means the dataset config's. `flagged` is one of FLAGGED.
    """

    eval_id: tuple[int, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    tiers: tuple[str, ...] = ()
    base_task: tuple[str, ...] = ()
    projections: tuple[str, ...] = ()
    surfaces: tuple[str, ...] = ()
    params: tuple[tuple[str, tuple[Scalar, ...]], ...] = field(default=())
    threshold: float | None = None
    flagged: str = FLAGGED[0]

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
            key: reading.texts(key, document[key])
            for key in ("tiers", "base_task", "projections", "surfaces")
            if key in document
        }
        return cls(
            eval_id=reading.integers("eval_id", document.get("eval_id", [])),
            groups=reading.groups(document.get("groups", [])),
            params=reading.params(document.get("params", {})),
            threshold=reading.threshold(document.get("threshold")),
            flagged=reading.flagged(document.get("flagged")),
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
        if self.flagged != FLAGGED[0]:
            document["flagged"] = self.flagged
        return {key: document[key] for key in KEYS if key in document}

    def without(self, *keys: str) -> "Filters":
        """Return the same filters with some keys lifted."""
        empty: dict[str, Any] = {f.name: f.default for f in fields(self) if f.name in keys}
        return replace(self, **empty)

    def named(self, config: DatasetConfig) -> "Filters":
        """Return the filters without a threshold that is the dataset's own: what names and commands say."""
        return replace(self, threshold=None) if self.threshold == config.threshold else self

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
            _require(f"params.{name}", map(as_stored, values), catalog.params[name])
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
        return list(clauses_of(self, config))

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
        if self.flagged == "exclude":
            words.append("flagged completions left out")
        return "; ".join(words or ["all evals, all tasks"])


def _require(key: str, wanted: Iterable[Any], valid: Iterable[Any]) -> None:
    options = list(valid)
    missing = [value for value in wanted if not any(same_value(value, option) for option in options)]
    if missing:
        listed = ", ".join(map(str, options[:30])) + (", ..." if len(options) > 30 else "")
        raise FilterError(f"No {key} {missing[0]!r} in this dataset; valid: {listed or 'none'}")
