"""Filters drawn from what a dataset has."""

import random
from typing import Any

from core.store import Dataset


def draw_filters(dataset: Dataset, draw: random.Random) -> dict[str, Any]:
    """Return filters in their JSON form, each value one that the dataset has."""
    config, catalog = dataset.config, dataset.catalog
    tasks = config.basetasks.values()
    offered: dict[str, list[Any]] = {
        "eval_id": list(range(len(config.evals))),
        "tiers": [tier.id for tier in config.tiers],
        "base_task": list(catalog.base_tasks),
        "surfaces": [s.id for task in tasks for s in task.surfaces],
        "projections": [p.id for task in tasks for p in task.projections],
    }
    found: dict[str, Any] = {
        key: draw.sample(values, draw.randint(1, len(values)))
        for key, values in offered.items()
        if values and draw.random() < 0.3
    }
    if config.groups and draw.random() < 0.3:
        some = [draw.sample(config.groups, min(2, len(config.groups))) for _ in range(2)]
        found["groups"] = draw.choice([some, some[0][:1]])
    if catalog.params and draw.random() < 0.3:
        name = draw.choice(sorted(catalog.params))
        found["params"] = {name: draw.sample(catalog.params[name], 1)}
    if draw.random() < 0.3:
        found["threshold"] = draw.choice([0.25, 1 / 3, 0.5, 0.999, 1.0])
    if draw.random() < 0.3:
        found["flagged"] = draw.choice(["include", "exclude"])
    return found
