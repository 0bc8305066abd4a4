"""What a dataset config says, validated with pydantic, and which params its filters match."""

import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from core.config.model_facts import ParameterCount, Price

Scalar = bool | int | float | str
Step = Scalar | tuple[float, float]
"""One place on an axis: a value, or a closed bin."""
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
    """One (model, template, sampler); its place in the list is its eval_id.

    `order` is where it is shown among the others, eval_id + 1 where it is absent. `parameters` and
    `active_parameters` win over what the hub says; see core.config.model_facts.
    """

    label: str
    hf_id: str | None = None
    parameters: ParameterCount | None = None
    active_parameters: ParameterCount | None = None
    price: Price | None = None
    filters: dict[IdentityField, str | list[str]] = Field(default_factory=dict)
    groups: list[str] = Field(default_factory=list)
    hidden: bool = False
    order: float | None = None


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
    """How a task is named and sliced.

    `loop_ratio` is the task's own limit of core.tiers.loops, where repetition is right; 0: never a loop.
    """

    label: str
    category: str | None = None
    loop_ratio: float | None = Field(default=None, ge=0.0, le=1.0)
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
        times = Counter(labels)
        taken = {label for label in labels if times[label] == 1}
        names = []
        for number, label in enumerate(labels):
            name = label if times[label] == 1 else f"{label} (eval {number})"
            while times[label] > 1 and name in taken:
                name += f" (eval {number})"
            taken.add(name)
            names.append(name)
        return names

    @property
    def eval_order(self) -> list[int]:
        """The eval_ids in the order in which evals are shown."""

        def place(eval_id: int) -> tuple[float, bool, int]:
            order = self.evals[eval_id].order
            # Of two in one place the one that was put there comes first.
            return (eval_id + 1.0 if order is None else order), order is None, eval_id

        return sorted(range(len(self.evals)), key=place)

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

    def tier_label(self, tier_id: str) -> str:
        """Return what a tier is called on screen."""
        return next(tier.label for tier in self.tiers if tier.id == tier_id)

    def surface_label(self, surface_id: str) -> str:
        """Return what a surface is called on screen, with its task: two tasks may call theirs the same."""
        found = self.surface(surface_id)
        return f"{self.task_label(found[0])}: {found[1].label}" if found else surface_id


def _no_twins(what: str, names: list[str]) -> None:
    if twins := repeated(names):
        raise ValueError(f"{what} used twice: {', '.join(twins)}")


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


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


def is_number(value: object) -> bool:
    """Whether a param value is a finite number (a boolean is not)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def whole(number: float) -> int | float:
    """Return a number as JSON has it: one without a fraction as an integer."""
    return int(number) if number.is_integer() else number


def whole_steps(steps: Iterable[float | tuple[float, float]]) -> list[Step]:
    """Return the steps of a numeric axis as JSON has them; see `whole`."""
    return [(whole(step[0]), whole(step[1])) if isinstance(step, tuple) else whole(step) for step in steps]


def value_order(value: Scalar) -> tuple[bool, float, str]:
    """Return a sort key of param values: numbers by size (booleans as 0 and 1), then texts."""
    number = isinstance(value, int | float)
    return not number, float(value) if number else 0.0, str(value)


def title(name: str) -> str:
    """Return the name of a param or task as a label: tower_of_hanoi -> Tower Of Hanoi."""
    return " ".join(word[0].upper() + word[1:] for word in name.replace("_", " ").split()) or name


def free_id(wanted: str, taken: Container[str]) -> str:
    """Return an id, with a number behind it where it is taken."""
    free, number = wanted, 2
    while free in taken:
        free, number = f"{wanted}-{number}", number + 1
    return free


def surface_over(base_task: str, x: tuple[str, Sequence[Step]], y: tuple[str, Sequence[Step]]) -> Surface:
    """Return the surface of two params of a task, under the id and label that say so.

    Parameters
    ----------
    base_task
        The task.
    x, y
        Name of the param and its steps: values, or closed bins as tuples.
    """
    fields: dict[str, Any] = {
        "id": f"{base_task}_{x[0]}_x_{y[0]}",
        "label": f"{title(x[0])} x {title(y[0])}",
        "x_data": x[0],
        "y_data": y[0],
    }
    for side, (_, steps) in (("x", x), ("y", y)):
        fields[f"{side}_bins" if isinstance(steps[0], tuple) else f"{side}_values"] = list(steps)
    return Surface.model_validate(fields | {"filter": {}})
