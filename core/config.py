"""The dataset config: evals, base tasks, surfaces, projections and tiers, validated with pydantic.

The file is ReasonScape's; keys that this project does not know are kept through a load and a save.
"""

import json
import math
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from core.errors import ConfigError

Scalar = bool | int | float | str
ParamFilter = dict[str, Scalar | list[Scalar]]
"""Every key must equal the point's param; a list means "one of"; {} matches everything."""
ParamFilters = ParamFilter | list[ParamFilter]
"""One filter, or a list of filters of which any may match."""
IdentityField = Literal["model", "template", "sampler"]

NAME_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What a dataset may be called: it becomes two file names."""


class _Entry(BaseModel):
    """An object of the config: immutable, unknown keys kept."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)


class EvalEntry(_Entry):
    """One (model, template, sampler); its place in the list is its eval_id."""

    label: str
    hf_id: str | None = None
    filters: dict[IdentityField, str | list[str]] = Field(default_factory=dict)
    groups: list[str] = Field(default_factory=list)
    hidden: bool = False


def _check_axis(axis: str, values: list[Scalar] | None, bins: list[tuple[float, float]] | None) -> None:
    if (values is None) == (bins is None):
        raise ValueError(f"give either {axis}values or {axis}bins")
    if any(low > high for low, high in bins or []):
        raise ValueError(f"every pair of {axis}bins is [low, high] with low <= high")


class Surface(_Entry):
    """A two-dimensional slice of a task's params."""

    id: str
    label: str
    x_data: str
    y_data: str
    x_values: list[Scalar] | None = None
    y_values: list[Scalar] | None = None
    x_bins: list[tuple[float, float]] | None = None
    y_bins: list[tuple[float, float]] | None = None
    filter: ParamFilters = Field(default_factory=dict)

    @model_validator(mode="after")
    def _axes(self) -> Self:
        _check_axis("x_", self.x_values, self.x_bins)
        _check_axis("y_", self.y_values, self.y_bins)
        return self


class Projection(_Entry):
    """A one-dimensional sweep along one param."""

    id: str
    label: str
    axis: str
    values: list[Scalar] | None = None
    bins: list[tuple[float, float]] | None = None
    labels: list[str] | None = None
    filter: ParamFilters = Field(default_factory=dict)

    @model_validator(mode="after")
    def _axis(self) -> Self:
        _check_axis("", self.values, self.bins)
        steps = len(self.values if self.values is not None else self.bins or [])
        if self.labels is not None and len(self.labels) != steps:
            raise ValueError(f"labels has {len(self.labels)} entries for {steps} values")
        return self


class BaseTask(_Entry):
    """How a task is named and sliced."""

    label: str
    category: str | None = None
    surfaces: list[Surface] = Field(default_factory=list)
    projections: list[Projection] = Field(default_factory=list)


class Tier(_Entry):
    """A difficulty band: a filter per task (a task not listed is not in the tier) or one for all."""

    id: str
    label: str
    filters: dict[str, ParamFilters] | None = None
    filter: ParamFilters | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if self.filters is not None and self.filter is not None:
            raise ValueError("give either filters (one per task) or filter (one for all), not both")
        return self


class DatasetConfig(_Entry):
    """A dataset: where its database is and how its points are named, grouped and sliced."""

    db: str
    name: str
    threshold: float = Field(default=1.0, gt=0.0, le=1.0)
    evals: list[EvalEntry] = Field(default_factory=list)
    basetasks: dict[str, BaseTask] = Field(default_factory=dict)
    tiers: list[Tier] = Field(default_factory=list)

    @field_validator("tiers")
    @classmethod
    def _tier_ids(cls, tiers: list[Tier]) -> list[Tier]:
        _no_twins("tier id", [tier.id for tier in tiers])
        return tiers

    @model_validator(mode="after")
    def _slice_ids(self) -> Self:
        tasks = self.basetasks.values()
        _no_twins("surface id", [s.id for task in tasks for s in task.surfaces])
        _no_twins("projection id", [p.id for task in tasks for p in task.projections])
        return self

    @property
    def groups(self) -> list[str]:
        """The groups that any eval has, in order of first appearance."""
        return list(dict.fromkeys(group for entry in self.evals for group in entry.groups))

    @property
    def eval_names(self) -> list[str]:
        """What each eval is called on screen: its label, with its eval_id where another has the same."""
        labels = [entry.label for entry in self.evals]
        return [
            label if labels.count(label) == 1 else f"{label} (eval {number})"
            for number, label in enumerate(labels)
        ]

    def surface(self, surface_id: str) -> tuple[str, Surface] | None:
        """Return the base_task and surface of an id."""
        return next(
            ((t, s) for t, b in self.basetasks.items() for s in b.surfaces if s.id == surface_id), None
        )

    def projection(self, projection_id: str) -> tuple[str, Projection] | None:
        """Return the base_task and projection of an id."""
        return next(
            ((t, p) for t, b in self.basetasks.items() for p in b.projections if p.id == projection_id), None
        )

    def task_label(self, base_task: str) -> str:
        """Return what a task is called on screen."""
        task = self.basetasks.get(base_task)
        return task.label if task else base_task


def _no_twins(what: str, names: list[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise ValueError(f"{what} used twice: {', '.join(twins)}")


def tier_filter(tier: Tier, base_task: str) -> ParamFilters | None:
    """Return the filter that a tier has for a task, or None where the tier has no points in it."""
    if tier.filters is not None:
        return tier.filters.get(base_task)
    return tier.filter if tier.filter is not None else {}


def matches(filters: ParamFilters, params: dict[str, Any]) -> bool:
    """Whether a point's params satisfy a config filter.

    Numbers compare by value (2 and 2.0 are one), booleans and text only with their own kind.
    """
    if isinstance(filters, list):
        return any(matches(one, params) for one in filters)
    for name, wanted in filters.items():
        if name not in params:
            return False
        options = wanted if isinstance(wanted, list) else [wanted]
        if not any(same_value(option, params[name]) for option in options):
            return False
    return True


def same_value(one: Any, other: Any) -> bool:
    """Whether two param values are equal, a boolean never equal to a number."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def load_config(path: Path) -> DatasetConfig:
    """Read and validate a dataset config.

    Raises
    ------
    ConfigError
        The file is absent, is not JSON, or does not fit; the message names the file, the place inside
        the JSON, what is wrong and what is valid.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"Config not found: {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Config cannot be read: {path}: {error}") from error
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"Config is not valid JSON: {path}: {error}") from error
    if not isinstance(document, dict):
        raise ConfigError(f"Config {path} must be a JSON object, not {type(document).__name__}")
    if not document.get("db"):
        raise ConfigError("Config must specify 'db' path")
    document.setdefault("name", path.stem)
    try:
        return DatasetConfig.model_validate(document)
    except ValidationError as error:
        raise ConfigError(_explain(path, document, error)) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _explain(path: Path, document: dict[str, Any], error: ValidationError) -> str:
    faults: dict[tuple[int | str, ...], list[str]] = {}
    given: dict[tuple[int | str, ...], str] = {}
    for fault in error.errors():
        place = _place(document, fault["loc"], lacking=fault["type"] == "missing")
        faults.setdefault(place, []).append(fault["msg"].removeprefix("Value error, "))
        given[place] = "" if fault["type"] == "missing" else f"; given: {_short(fault['input'])}"
    # Where a part of a value is at fault, that the whole could have been of another type is no news.
    places = [one for one in faults if not any(one == other[: len(one)] for other in faults if one != other)]
    lines = [
        f"{'.'.join(map(str, place)) or '(top)'}: {_either(faults[place])}{given[place]}"
        for place in places[:5]
    ]
    more = len(places) - len(lines)
    return f"Config {path} is not valid: " + "; ".join(lines) + (f"; and {more} more" if more > 0 else "")


def _place(document: Any, steps: tuple[int | str, ...], *, lacking: bool) -> tuple[int | str, ...]:
    """Return the steps that lead into the document; pydantic also names the types that it tried."""
    place: list[int | str] = []
    value = document
    for step in steps:
        inside = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if step in inside:
            value = value[step]
            place.append(step)
    return (*place, steps[-1]) if lacking else tuple(place)


def _either(messages: list[str]) -> str:
    first, *others = dict.fromkeys(messages)
    return " or ".join([first, *(other.removeprefix("Input should be ") for other in others)])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def dump_config(config: DatasetConfig) -> str:
    """Return a config as the text of its file: only what was set, unknown keys included."""
    document = config.model_dump(mode="json", exclude_unset=True)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def save_config(config: DatasetConfig, path: Path) -> None:
    """Write a config so that at any moment the file is either the old or the new one, whole."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(dump_config(config))
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes a file that only its owner may read; the config is as readable as its folder.
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def is_number(value: object) -> bool:
    """Whether a param value is a finite number (a boolean is not)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
