"""The filter widgets of the sidebar, each bound to the address, offering only what the dataset has."""

from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

import streamlit as st

from core.config import Scalar, value_order
from core.store.dataset import Dataset
from core.ui import cache, filter_texts
from core.ui import filter_state as keys
from core.ui.wording import escape, listed

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
    groups = filter_texts.group_texts(config)
    _choice("Evals", keys.EVALS, filter_texts.eval_texts(config), offered)
    _choice("Groups", keys.GROUPS, groups, offered, help="Evals that have all of these groups.")
    _choice("Tiers", keys.TIERS, filter_texts.tier_texts(config), offered)
    _choice("Tasks", keys.TASKS, filter_texts.task_texts(catalog), offered)
    with st.expander("More filters", icon=":material/tune:", expanded=_more_open(address)):
        _more(dataset, offered, address)
    _unknown(address, offered)
    # A widget that is not drawn in this run may have left its value behind until the run ends.
    drawn = {*offered, keys.ANY_GROUPS, keys.THRESHOLD, keys.FLAGGED}
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
    here = [entry for task, entry in config.basetasks.items() if task in tasks]
    surfaces = {one.id for entry in here for one in entry.surfaces}
    projections = {one.id for entry in here for one in entry.projections}
    texts = filter_texts.surface_texts(config)
    _slices("Surfaces", keys.SURFACES, texts, surfaces, offered, address)
    texts = filter_texts.projection_texts(config)
    _slices("Projections", keys.PROJECTIONS, texts, projections, offered, address)
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
    if offers.flagged or keys.FLAGGED in address or st.session_state.get(keys.FLAGGED):
        st.toggle(
            "Leave out flagged completions",
            key=keys.FLAGGED,
            bind="query-params",
            help="Completions that someone flagged on the Completions page, such as those with a wrong"
            " reference. Left out, every number is computed without them.",
        )
    _params(offers.params, tasks, offered, address)


def _slices(
    label: str,
    key: str,
    texts: Mapping[str, str],
    here: set[str],
    offered: Offered,
    address: Mapping[str, list[str]],
) -> None:
    shown = here | _chosen(key, texts, address)
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
        texts = filter_texts.param_texts(by_task)
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
