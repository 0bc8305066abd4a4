"""The sidebar that all pages share: dataset, filters, statistics, and what they select."""

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import streamlit as st

from core.config import DatasetConfig
from core.errors import FilterError, ReasonScapeError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.methods import INTERVAL_NAMES, REPEATS, Methods
from core.tiers.selection import Selection
from core.ui import cache, datasets, filter_texts, filter_widgets, states
from core.ui import filter_state as keys
from core.ui.wording import capital, count, escape

FEW = 1_000_000
"""Completions up to which a page reads all of them for what stands further down."""


@dataclass(frozen=True)
class View:
    """What every page works on: the dataset, the resolved filters, the methods, and how much is selected."""

    dataset: Dataset
    filters: Filters
    methods: Methods
    selection: Selection

    @property
    def config(self) -> DatasetConfig:
        """The dataset's config."""
        return self.dataset.config

    @property
    def sentence(self) -> str:
        """What is selected, in words."""
        return self.filters.sentence(self.config)

    @property
    def named_filters(self) -> Filters:
        """The filters whose values a file name shows: the dataset's own threshold is none."""
        return self.filters.named(self.config)

    @property
    def few(self) -> bool:
        """Whether so few completions are selected that what reads each of them is soon done, unasked."""
        return self.selection.completions <= FEW


_VIEW, _SHOWN = "_view", "_sidebar_shown"

PAGES = Path(__file__).parents[2] / "pages"


def current(*, show_unmatched: bool = False) -> View:
    """Return the view that the sidebar made in this run; ends the page where nothing is selected.

    Parameters
    ----------
    show_unmatched : bool
        Go on where no eval of the config has a point, to name the points that no eval takes.
    """
    if _VIEW not in st.session_state:
        _start_over_in_app()
    # Taken, not read: the next run must bring its own.
    view: View = st.session_state.pop(_VIEW)
    st.session_state.pop(_SHOWN, None)
    if view.selection.empty:
        if view.filters.clauses(view.config):
            states.nothing_selected(cache.relaxations(view.dataset, view.filters), lift, clear)
        if not show_unmatched:
            states.no_points(view.config)
    return view


def opened() -> Dataset | None:
    """Return the dataset of this run, whatever the filters leave of it; None where none could be opened."""
    if not st.session_state.pop(_SHOWN, False):
        _start_over_in_app()
    view: View | None = st.session_state.pop(_VIEW, None)
    return view.dataset if view else None


def show(folder: Path, *, needed: bool = True) -> View | None:
    """Draw the sidebar, set the view for the page, and return it; None where there is no dataset.

    Parameters
    ----------
    folder : Path
        The data folder.
    needed : bool
        End the run where no dataset can be opened; otherwise the page works without one.
    """
    for key in (_VIEW, _SHOWN):
        st.session_state.pop(key, None)
    try:
        dataset = datasets.pick(folder, on_change=clear)
    except ReasonScapeError as fault:
        if not needed:
            with st.sidebar:
                states.error(fault)
            st.session_state[_SHOWN] = True
            return None
        if isinstance(fault, datasets.NoDatasetsError):
            states.no_datasets(folder)
        states.stop(fault)
    with st.sidebar:
        values = filter_widgets.show(dataset)
        methods = _methods()
        summary = st.container()
        _clear_button()
    try:
        filters = keys.read_filters(values).resolved(dataset.catalog)
    except FilterError as fault:
        states.stop(fault)
    selection = cache.selection(dataset, filters)
    with summary:
        _summary(selection, filters, dataset.config)
    view = View(dataset, filters, methods, selection)
    st.session_state[_VIEW] = view
    st.session_state[_SHOWN] = True
    return view


def _start_over_in_app() -> NoReturn:
    # Until st.navigation was called once, Streamlit takes a folder called pages for an app of its own and
    # runs the page that an address names without app.py: the first to open a shared link would meet it.
    def start() -> None:
        """Stand for the page of app.py."""

    pages = [st.Page(path) for path in sorted(PAGES.glob("*.py"))]
    st.navigation([st.Page(start, default=True), *pages], position="hidden")
    st.rerun()


def clear() -> None:
    """Lift all filters (a callback)."""
    keys.lift(st.session_state)
    filter_widgets.forget_unknown()


def lift(filter_key: str) -> None:
    """Lift the filter of one key of Filters (a callback)."""
    keys.lift(st.session_state, filter_key)


def _methods() -> Methods:
    with st.expander("Statistics", icon=":material/functions:"):
        interval = st.selectbox(
            "Interval",
            list(INTERVAL_NAMES),
            format_func=filter_texts.interval_text,
            key="interval",
            bind="query-params",
            help="All are two-sided, 95%. ReasonScape's is Wilson on guess-corrected counts.",
        )
        repeats = st.selectbox(
            "Repeats",
            REPEATS,
            format_func=filter_texts.REPEATS_NAMES.__getitem__,
            key="repeats",
            bind="query-params",
            disabled=interval == "reasonscape",
            help="Several completions of one item are not as many independent observations.",
        )
    return Methods(interval or "wilson", repeats or REPEATS[0])


def _summary(selection: Selection, filters: Filters, config: DatasetConfig) -> None:
    amounts = [
        count(selection.points, "point"),
        count(selection.items, "item"),
        count(selection.completions, "completion"),
    ]
    st.caption(
        f"**Selected:** {escape(capital(filters.sentence(config)))}.  \n"
        f"{count(selection.evals, 'eval')}, {', '.join(amounts)}."
    )


def _clear_button() -> None:
    # Not from the filters: it must be there where they cannot be read.
    active = any(st.session_state[key] for key in keys.keys_of(st.session_state))
    st.button(
        "Clear filters",
        key="clear_filters",
        icon=":material/filter_alt_off:",
        on_click=clear,
        disabled=not active and not filter_widgets.has_unknown(),
        width="stretch",
    )
