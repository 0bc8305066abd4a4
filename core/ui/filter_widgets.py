"""The filter widgets of the sidebar, each bound to the address, offering only what the dataset has."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.config import DatasetConfig, Projection, Scalar, Surface, value_order
from core.store.dataset import Dataset
from core.ui import cache
from core.ui import filter_state as keys
from core.ui.wording import apart, escape, listed

Option = TypeVar("Option", bound=Hashable)
Offered = dict[str, list[str]]
"""For each widget key the texts that it takes in the address."""

MOST_VALUES = 200
"""A param with more values is not offered: a list of thousands helps nobody and is sent with every run."""
MOST_PARAMS = 12
"""With more params than this, only those of the chosen tasks are shown."""

_READ, _UNKNOWN, _MORE_OPEN = "_address_read", "_address_unknown", "_more_filters_open"


def show(dataset: Dataset) -> dict[str, Any]:
    """Draw the filters and return their values by widget key, for core.ui.filter_state.read_filters."""
    config, catalog = dataset.config, dataset.catalog
    offered: Offered = {}
    # Read before the widgets drop from the address what they do not know.
    address = {key: st.query_params.get_all(key) for key in st.query_params}
    _choice("Evals", keys.EVALS, apart(range(len(config.evals)), config.eval_names), offered)
    _choice("Groups", keys.GROUPS, _same(config.groups), offered, help="Evals that have all of these groups.")
    tiers = apart([tier.id for tier in config.tiers], [tier.label for tier in config.tiers])
    _choice("Tiers", keys.TIERS, tiers, offered)
    tasks = apart(catalog.base_tasks, map(config.task_label, catalog.base_tasks))
    _choice("Tasks", keys.TASKS, tasks, offered)
    with st.expander("More filters", icon=":material/tune:", expanded=_more_open(address)):
        _more(dataset, offered, address)
    _unknown(address, offered)
    # A widget that is not drawn in this run may have left its value behind until the run ends.
    drawn = {*offered, keys.ANY_GROUPS, keys.THRESHOLD}
    return {key: st.session_state[key] for key in drawn if key in st.session_state}


def has_unknown() -> bool:
    """Whether the address asked for something in vain."""
    return bool(st.session_state.get(_UNKNOWN))


def forget_unknown() -> None:
    """Stop saying what the address asked for in vain."""
    st.session_state.pop(_UNKNOWN, None)


def _choice(
    label: str, key: str, options: Mapping[Option, str], offered: Offered, *, help: str | None = None
) -> None:
    if options:
        offered[key] = list(options.values())
        st.multiselect(
            label,
            list(options),
            format_func=lambda option: options.get(option, str(option)),
            key=key,
            bind="query-params",
            placeholder="All",
            help=help,
        )


def _more(dataset: Dataset, offered: Offered, address: Mapping[str, list[str]]) -> None:
    config = dataset.config
    offers = cache.offers(dataset)
    tasks = set(st.session_state.get(keys.TASKS) or dataset.catalog.base_tasks)
    surfaces = [(task, surface) for task, entry in config.basetasks.items() for surface in entry.surfaces]
    projections = [(task, one) for task, entry in config.basetasks.items() for one in entry.projections]
    _slices("Surfaces", keys.SURFACES, config, surfaces, tasks, offered, address)
    _slices("Projections", keys.PROJECTIONS, config, projections, tasks, offered, address)
    if config.groups:
        st.text_input(
            "Any of these groups",
            key=keys.ANY_GROUPS,
            bind="query-params",
            placeholder="a:x, b:y | c:z",
            help="Alternatives are parted by a bar; one applies where an eval has all its groups."
            " The command line's JSON works too.",
        )
    if offers.partial_scores:
        st.number_input(
            "Correct from a score of",
            min_value=0.01,
            max_value=1.0,
            step=0.05,
            value=None,
            placeholder=f"{config.threshold:g}, the dataset's own",
            key=keys.THRESHOLD,
            bind="query-params",
        )
    _params(offers.params, tasks, offered, address)


def _slices(
    label: str,
    key: str,
    config: DatasetConfig,
    slices: Sequence[tuple[str, Surface | Projection]],
    tasks: set[str],
    offered: Offered,
    address: Mapping[str, list[str]],
) -> None:
    labels = [f"{config.task_label(task)}: {entry.label}" for task, entry in slices]
    texts = apart([entry.id for _, entry in slices], labels)
    shown = {entry.id for task, entry in slices if task in tasks} | _chosen(key, texts, address)
    _choice(label, key, {one: text for one, text in texts.items() if one in shown}, offered)


def _params(
    params: Mapping[str, Mapping[str, tuple[Scalar, ...]]],
    tasks: set[str],
    offered: Offered,
    address: Mapping[str, list[str]],
) -> None:
    wanted: dict[str, dict[Scalar, str]] = {}
    active = []
    for name, by_task in params.items():
        every = dict.fromkeys(value for values in by_task.values() for value in values)
        texts = apart(every, map(keys.param_text, every))
        chosen = _chosen(keys.PARAM + name, texts, address)
        here = {value for task in by_task if task in tasks for value in by_task[task]}
        # A filter that is set stays in sight, whatever else is chosen: none is lifted behind someone's back.
        if len(here) > 1 or chosen:
            wanted[name] = {value: texts[value] for value in sorted(here | chosen, key=value_order)}
        if chosen:
            active.append(name)
    too_long = [name for name in wanted if len(wanted[name]) > MOST_VALUES and name not in active]
    many = len(wanted) > MOST_PARAMS
    for name in active if many else [name for name in wanted if name not in too_long]:
        _choice(escape(name), keys.PARAM + name, wanted[name], offered)
    if many:
        st.caption(f"Choose tasks to filter by their params: there are {len(wanted)} params in all.")
    elif too_long:
        st.caption(escape(f"Not offered, having more than {MOST_VALUES} values: {listed(too_long)}."))


def _chosen(key: str, texts: Mapping[Option, str], address: Mapping[str, list[str]]) -> set[Option]:
    """Return what a widget will have: its value, or what the address says before the widget exists."""
    if key in st.session_state:
        return set(st.session_state[key]) & set(texts)
    return {option for option, text in texts.items() if text in address.get(key, [])}


def _same(names: list[str]) -> dict[str, str]:
    return apart(names, names)


def _more_open(address: Mapping[str, list[str]]) -> bool:
    if _MORE_OPEN not in st.session_state:
        active = any(key in keys.MORE or key.startswith(keys.PARAM) for key in address)
        st.session_state[_MORE_OPEN] = active
    return bool(st.session_state[_MORE_OPEN])


def _unknown(address: Mapping[str, list[str]], offered: Offered) -> None:
    """Say what the address asked for in vain: without a word, other numbers than the sender's would show."""
    if _READ not in st.session_state:
        st.session_state[_READ] = True
        st.session_state[_UNKNOWN] = keys.unknown_in_address(address, offered)
    if unknown := st.session_state.get(_UNKNOWN):
        words = f"Not in this dataset, so not filtered by: {listed(unknown)}"
        st.warning(escape(words), icon=":material/link_off:")
