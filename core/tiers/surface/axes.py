"""The axes of a surface: what its steps are called, where param sets stand on them, and what is not there."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
import pandas as pd

from core.config import Scalar, Step, Surface, matches, value_order
from core.store.dataset import Dataset
from core.store.membership import axis_position, surface_place
from core.tiers.words import listed

MOST_NAMED = 12


@dataclass(frozen=True)
class Panel:
    """One surface of the grid: a task's surface from the config, or one built on the spot."""

    base_task: str
    task_label: str
    surface: Surface

    @property
    def id(self) -> str:
        """The surface's id."""
        return self.surface.id

    @property
    def title(self) -> str:
        """What the panel is called: the task and the surface."""
        return f"{self.task_label}: {self.surface.label}"

    @cached_property
    def x(self) -> tuple[Step, ...]:
        """The steps of the x axis."""
        return axis_steps(self.surface.x_values, self.surface.x_bins)

    @cached_property
    def y(self) -> tuple[Step, ...]:
        """The steps of the y axis."""
        return axis_steps(self.surface.y_values, self.surface.y_bins)

    @cached_property
    def x_texts(self) -> tuple[str, ...]:
        """The steps of the x axis as texts, all different."""
        return step_texts(self.x)

    @cached_property
    def y_texts(self) -> tuple[str, ...]:
        """The steps of the y axis as texts, all different."""
        return step_texts(self.y)

    def place_text(self, x: int, y: int) -> str:
        """Return the name of a cell, such as "length 3, digits 1"."""
        return f"{self.surface.x_data} {self.x_texts[x]}, {self.surface.y_data} {self.y_texts[y]}"


def axis_steps(
    values: Sequence[Scalar] | None, bins: Sequence[tuple[float, float]] | None
) -> tuple[Step, ...]:
    """Return the steps of an axis."""
    return tuple(values) if values is not None else tuple(bins or ())


def step_texts(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the steps as texts; a text that two steps share gets the number of its place."""
    texts = [_text(step) for step in steps]
    times = Counter(texts)
    return tuple(text if times[text] == 1 else f"{text} ({place + 1})" for place, text in enumerate(texts))


def _text(step: Step) -> str:
    if isinstance(step, tuple):
        low, high = (f"{bound:g}" for bound in step)
        dash = "–" if step[0] >= 0 else " to "
        return low if low == high else f"{low}{dash}{high}"
    if isinstance(step, bool):
        return str(step).lower()
    return f"{step:g}" if isinstance(step, float) else str(step)


def read_param_sets(dataset: Dataset, base_task: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the param sets of a task: id and params."""
    rows = dataset.rows(
        "SELECT params_id, params FROM data.param_sets WHERE base_task = $task ORDER BY params_id",
        task=base_task,
    )
    return [(row["params_id"], orjson.loads(row["params"])) for row in rows]


def read_places(dataset: Dataset, panels: Sequence[Panel]) -> pd.DataFrame:
    """Return (surface, params_id, x, y) of every param set that has a place on a surface.

    Surfaces of the config are in the membership tables; one built on the spot is looked up the same way.
    """
    known = {s.id: s for task in dataset.config.basetasks.values() for s in task.surfaces}
    stored: pd.DataFrame = dataset.sql(
        "SELECT facet AS surface, params_id, x, y FROM surface_params ORDER BY facet, params_id"
    ).to_pandas()
    configured = [panel.id for panel in panels if known.get(panel.id) == panel.surface]
    parts = [stored[stored["surface"].isin(configured)]]
    parts += [_placed(dataset, panel) for panel in panels if panel.id not in configured]
    return pd.concat(parts, ignore_index=True).astype(
        {"surface": object, "params_id": int, "x": int, "y": int}
    )


def _placed(dataset: Dataset, panel: Panel) -> pd.DataFrame:
    rows = [
        (panel.id, params_id, *place)
        for params_id, params in read_param_sets(dataset, panel.base_task)
        if (place := surface_place(panel.surface, params))
    ]
    return pd.DataFrame(rows, columns=["surface", "params_id", "x", "y"])


def axis_problems(dataset: Dataset, panel: Panel) -> list[str]:
    """Return what a surface asks for that is not in the data, one sentence each, with what is there."""
    surface = panel.surface
    sets = [params for _, params in read_param_sets(dataset, panel.base_task)]
    chosen = [params for params in sets if matches(surface.filter, params)]
    if sets and not chosen:
        wanted = orjson.dumps(surface.filter).decode()
        return [f"{panel.title}: no params of the data match its filter {wanted}."]
    problems = []
    for name, values, bins in (
        (surface.x_data, surface.x_values, surface.x_bins),
        (surface.y_data, surface.y_values, surface.y_bins),
    ):
        there = [params[name] for params in chosen if name in params]
        taken = {axis_position(value, values, bins) for value in there}
        steps = axis_steps(values, bins)
        absent = [text for place, text in enumerate(step_texts(steps)) if place not in taken]
        if not there:
            names = sorted({one for params in chosen for one in params})
            problems.append(
                f"{panel.title}: the task has no param {name!r}; its params are"
                f" {listed(names, MOST_NAMED) or 'none'}."
            )
        elif absent:
            have = listed([_text(value) for value in sorted(set(there), key=value_order)], MOST_NAMED)
            problems.append(
                f"{panel.title}: {name} {listed(absent, MOST_NAMED)} {'is' if len(absent) == 1 else 'are'}"
                f" not in the data, which have {have}."
            )
    return problems
