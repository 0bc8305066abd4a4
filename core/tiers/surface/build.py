"""A surface built on the spot from any two params of a task, and how it gets into the config.

Axes are those an import would infer: core.stats.bins cuts numeric ones, a param with text keeps its values.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.config import (
    BaseTask,
    Scalar,
    Step,
    Surface,
    free_id,
    is_number,
    load_config,
    save_config,
    surface_over,
    title,
    value_order,
    whole_steps,
)
from core.errors import ConfigError, FilterError
from core.stats.bins import bin_count, cut
from core.store.dataset import Dataset
from core.tiers.surface.axes import read_param_sets

MOST_TEXTS = 40
"""A param with more texts than this is no axis."""


@dataclass(frozen=True)
class Pair:
    """Two params of a task to build a surface from."""

    base_task: str
    x: str
    y: str


def read_axis_params(dataset: Dataset, base_task: str) -> list[str]:
    """Return the params of a task that can be an axis: two values at least, and not too many texts."""
    values: dict[str, set[Scalar]] = {}
    for _, params in read_param_sets(dataset, base_task):
        for name, value in params.items():
            values.setdefault(name, set()).add(value)
    return [
        name
        for name, some in sorted(values.items())
        if len(some) > 1 and (all(map(is_number, some)) or len(some) <= MOST_TEXTS)
    ]


def build_surface(dataset: Dataset, pair: Pair) -> Surface:
    """Return the surface of two params of a task.

    Raises
    ------
    FilterError
        No such task, or a param of it that cannot be an axis; the message names those that can.
    """
    if pair.base_task not in dataset.catalog.base_tasks:
        raise FilterError(
            f"No base_task {pair.base_task!r} in this dataset; valid: {', '.join(dataset.catalog.base_tasks)}"
        )
    valid = read_axis_params(dataset, pair.base_task)
    for name in (pair.x, pair.y):
        if name not in valid:
            raise FilterError(
                f"Param {name!r} of {pair.base_task} cannot be an axis; valid: {', '.join(valid) or 'none'}"
            )
    if pair.x == pair.y:
        raise FilterError(f"A surface needs two different params, not {pair.x!r} twice")
    sets = read_param_sets(dataset, pair.base_task)
    weights = _items(dataset, pair.base_task)
    bins = bin_count(sum(weights.values()), axes=2)
    steps = {}
    for name in (pair.x, pair.y):
        counted: Counter[Scalar] = Counter()
        for params_id, params in sets:
            if name in params:
                counted[params[name]] += weights.get(params_id, 0)
        steps[name] = _steps(counted, bins)
    return surface_over(pair.base_task, (pair.x, steps[pair.x]), (pair.y, steps[pair.y]))


def _items(dataset: Dataset, base_task: str) -> dict[int, int]:
    rows = dataset.rows(
        """
        SELECT params_id, count(*) AS items
        FROM data.items
        WHERE base_task = $task
        GROUP BY params_id""",
        task=base_task,
    )
    return {row["params_id"]: row["items"] for row in rows}


def _steps(counted: Mapping[Scalar, int], bins: int) -> list[Step]:
    if not all(map(is_number, counted)):
        texts: list[Step] = [*sorted(counted, key=value_order)]
        return texts
    return whole_steps(cut([(float(value), items) for value, items in counted.items()], bins))


def append_surface(config_path: Path, base_task: str, surface: Surface) -> str:
    """Append a surface to a task of a config file, changing nothing else, and return its id.

    The file is read anew, so that what was written since it was opened stays. An id that is taken gets a
    number.

    Raises
    ------
    ConfigError
        The config cannot be read or written, or the task has a surface of these params and values already.
    """
    config = load_config(config_path)
    task = config.basetasks.get(base_task) or BaseTask(label=title(base_task))
    same = surface.model_dump(exclude={"id", "label"}, exclude_defaults=True)
    for one in task.surfaces:
        if one.model_dump(exclude={"id", "label"}, exclude_defaults=True) == same:
            raise ConfigError(f"The config has this surface already: {one.id}")
    taken = {s.id for entry in config.basetasks.values() for s in entry.surfaces}
    unique = free_id(surface.id, taken)
    entry = task.model_copy(update={"surfaces": [*task.surfaces, surface.model_copy(update={"id": unique})]})
    try:
        save_config(
            config.model_copy(update={"basetasks": {**config.basetasks, base_task: entry}}), config_path
        )
    except OSError as fault:
        raise ConfigError(f"{config_path} cannot be written: {fault.strerror or fault}") from fault
    return unique
