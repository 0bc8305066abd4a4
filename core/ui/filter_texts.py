"""What filters read like in the address: the texts that the sidebar's widgets take, by widget key.

The widgets take their options from here, and so do links, so that a link always says what a widget knows.
"""

from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

import orjson

from core.config import DatasetConfig, Scalar
from core.filters import Catalog, Filters
from core.tiers.methods import INTERVAL_NAMES, Methods
from core.tiers.offers import Offers
from core.ui import filter_state as keys
from core.ui.wording import apart

Option = TypeVar("Option", bound=Hashable)

REPEATS_NAMES = {"cluster": "Clustered by item", "independent": "Independent"}

Pairs = list[tuple[str, str]]
"""Query parameters in order; a key stands once for each of its values."""


def eval_texts(config: DatasetConfig) -> dict[int, str]:
    """Return the text of each eval, in the order in which evals are shown."""
    return dict(_eval_texts(tuple(config.eval_order), tuple(config.eval_names)))


@lru_cache(maxsize=16)
def _eval_texts(order: tuple[int, ...], names: tuple[str, ...]) -> dict[int, str]:
    # A page makes dozens of links, each of which names evals.
    return apart(order, [names[eval_id] for eval_id in order])


def group_texts(config: DatasetConfig) -> dict[str, str]:
    """Return the text of each group."""
    return apart(config.groups, config.groups)


def tier_texts(config: DatasetConfig) -> dict[str, str]:
    """Return the text of each tier."""
    return apart([tier.id for tier in config.tiers], [tier.label for tier in config.tiers])


def task_texts(catalog: Catalog) -> dict[str, str]:
    """Return the text of each task."""
    return apart(catalog.base_tasks, map(catalog.config.task_label, catalog.base_tasks))


def surface_texts(config: DatasetConfig) -> dict[str, str]:
    """Return the text of each surface."""
    found = [(task, one) for task, entry in config.basetasks.items() for one in entry.surfaces]
    return apart(
        [one.id for _, one in found], [f"{config.task_label(task)}: {one.label}" for task, one in found]
    )


def projection_texts(config: DatasetConfig) -> dict[str, str]:
    """Return the text of each projection."""
    found = [(task, one) for task, entry in config.basetasks.items() for one in entry.projections]
    return apart(
        [one.id for _, one in found], [f"{config.task_label(task)}: {one.label}" for task, one in found]
    )


def param_texts(by_task: Mapping[str, tuple[Scalar, ...]]) -> dict[Scalar, str]:
    """Return the text of each value of a param, over all tasks."""
    every = dict.fromkeys(value for values in by_task.values() for value in values)
    return apart(every, map(keys.param_text, every))


def interval_text(interval: str) -> str:
    """Return the text of an interval method."""
    return INTERVAL_NAMES[interval].partition(" (")[0]


def filter_pairs(filters: Filters, catalog: Catalog, offers: Offers) -> Pairs:
    """Return resolved filters as query parameters of any page."""
    config = catalog.config
    pairs = [
        *_texts(keys.EVALS, filters.eval_id, eval_texts(config)),
        *_texts(keys.TIERS, filters.tiers, tier_texts(config)),
        *_texts(keys.TASKS, filters.base_task, task_texts(catalog)),
        *_texts(keys.SURFACES, filters.surfaces, surface_texts(config)),
        *_texts(keys.PROJECTIONS, filters.projections, projection_texts(config)),
    ]
    if len(filters.groups) == 1:
        pairs += _texts(keys.GROUPS, filters.groups[0], group_texts(config))
    elif filters.groups:
        pairs.append((keys.ANY_GROUPS, orjson.dumps(filters.groups).decode()))
    for name, values in filters.params:
        pairs += _texts(keys.PARAM + name, values, param_texts(offers.params.get(name, {})))
    if filters.threshold not in (None, config.threshold):
        pairs.append((keys.THRESHOLD, keys.param_text(filters.threshold)))
    if filters.flagged == "exclude":
        pairs.append((keys.FLAGGED, "true"))
    return pairs


def method_pairs(methods: Methods) -> Pairs:
    """Return the methods that are not the default as query parameters of any page."""
    usual = Methods()
    pairs = []
    if methods.interval != usual.interval:
        pairs.append(("interval", interval_text(methods.interval)))
    if methods.repeats != usual.repeats:
        pairs.append(("repeats", REPEATS_NAMES[methods.repeats]))
    return pairs


def _texts(key: str, values: Iterable[Option], texts: Mapping[Option, str]) -> Pairs:
    return [(key, texts[value]) for value in values if value in texts]
