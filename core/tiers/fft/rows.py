"""The rows of a grid of spectra: projections, and whole tasks where the config has none for them."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.surface.axes import axis_steps, step_texts
from core.tiers.words import listed

ALL_PROMPTS = "all prompts"
"""The one line of a task without projections."""


@dataclass(frozen=True)
class Row:
    """A projection, or a whole task where it has none.

    Attributes
    ----------
    id
        Of the projection; of a task "task " and its id.
    axis
        The param along it; "" for a whole task.
    steps
        Texts of its values in order.
    """

    id: str
    base_task: str
    title: str
    axis: str
    steps: tuple[str, ...]


def task_row(base_task: str) -> str:
    """Return the row id of a whole task."""
    return f"task {base_task}"


MEMBERS = """
    SELECT facet AS row, params_id, position FROM projection_params
    UNION ALL
    SELECT 'task ' || base_task, params_id, 0 FROM data.param_sets"""
"""SQL of what stands on each row: (row, params_id, position)."""


def offered_rows(dataset: Dataset, filters: Filters, tasks: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows of tasks that a projection filter leaves: projections, else the whole task."""
    rows = []
    for base_task in tasks:
        label = dataset.config.task_label(base_task)
        entry = dataset.config.basetasks.get(base_task)
        for projection in entry.projections if entry else ():
            if filters.projections and projection.id not in filters.projections:
                continue
            texts = tuple(projection.labels or ())
            if len(set(texts)) != len(texts) or not texts:
                texts = step_texts(axis_steps(projection.values, projection.bins))
            title = f"{label}: {projection.label}"
            rows.append(Row(projection.id, base_task, title, projection.axis, texts))
        if not (entry and entry.projections):
            rows.append(Row(task_row(base_task), base_task, label, "", (ALL_PROMPTS,)))
    return tuple(rows)


def projections_hint(rows: Sequence[Row]) -> str:
    """Return how to define projections for the tasks that have none, "" where all have some."""
    without = [row for row in rows if not row.axis]
    if not without:
        return ""
    names = listed([row.title for row in without], 4)
    return (
        f"One line for all prompts of {names}: to see a line per value of a param, add a projection to"
        f' basetasks.{without[0].base_task}.projections in the config, such as {{"id": "by_length", "label":'
        ' "Length", "axis": "length", "values": [2, 3, 4]}.'
    )
