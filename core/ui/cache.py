"""Results kept between runs, keyed on the dataset's fingerprint and on what was asked; never on frames.

The leading underscore tells Streamlit not to hash the dataset: its fingerprint stands for it. The spinner
says what is being done, and shows only while it is done for the first time.
"""

from typing import Any

import pandas as pd
import streamlit as st

from core.filters import Filters
from core.store.dataset import Dataset, Fingerprint
from core.tiers import evals as evals_tier
from core.tiers import offers as offers_tier
from core.tiers import scores as scores_tier
from core.tiers import selection as selection_tier
from core.tiers import tasks as tasks_tier
from core.tiers.evals import EvalsTable
from core.tiers.methods import Methods
from core.tiers.offers import Offers
from core.tiers.scores import DrawsTable, Leaderboard
from core.tiers.selection import Relaxation, Selection
from core.tiers.tasks import TaskRow

Spec = dict[str, Any]
"""A finished chart as Vega-Lite: to draw it again takes longer than to keep it."""

ENTRIES = 64
"""Results kept per function: small tables, the last ones that someone looked at."""


def offers(dataset: Dataset) -> Offers:
    """Return what the dataset offers to filter by."""
    return _offers(dataset.fingerprint, dataset)


@st.cache_data(show_spinner="Reading what there is to filter by …", max_entries=ENTRIES)
def _offers(mark: Fingerprint, _dataset: Dataset) -> Offers:
    return offers_tier.read_offers(_dataset)


def selection(dataset: Dataset, filters: Filters) -> Selection:
    """Return how much the filters leave."""
    return _selection(dataset.fingerprint, filters, dataset)


@st.cache_data(show_spinner="Counting what is selected …", max_entries=ENTRIES)
def _selection(mark: Fingerprint, filters: Filters, _dataset: Dataset) -> Selection:
    return selection_tier.count_selection(_dataset, filters)


def relaxations(dataset: Dataset, filters: Filters) -> list[Relaxation]:
    """Return the filters of which lifting one alone leaves points."""
    return _relaxations(dataset.fingerprint, filters, dataset)


@st.cache_data(show_spinner="Looking for the filter to lift …", max_entries=ENTRIES)
def _relaxations(mark: Fingerprint, filters: Filters, _dataset: Dataset) -> list[Relaxation]:
    return selection_tier.relax_hints(_dataset, filters)


def scores(dataset: Dataset, filters: Filters, methods: Methods, *, rank_incomplete: bool) -> Leaderboard:
    """Return the leaderboard."""
    return _scores(dataset.fingerprint, filters, methods, rank_incomplete, dataset)


@st.cache_data(show_spinner="Ranking the evals …", max_entries=ENTRIES)
def _scores(
    mark: Fingerprint, filters: Filters, methods: Methods, rank_incomplete: bool, _dataset: Dataset
) -> Leaderboard:
    return scores_tier.read_scores(_dataset, filters, methods, rank_incomplete=rank_incomplete)


def score_chart(
    dataset: Dataset, filters: Filters, methods: Methods, *, rank_incomplete: bool, dark: bool
) -> Spec:
    """Return the specification of the leaderboard's chart."""
    return _score_chart(dataset.fingerprint, filters, methods, rank_incomplete, dark, dataset)


@st.cache_data(show_spinner="Drawing the scores …", max_entries=ENTRIES)
def _score_chart(
    mark: Fingerprint,
    filters: Filters,
    methods: Methods,
    rank_incomplete: bool,
    dark: bool,
    _dataset: Dataset,
) -> Spec:
    board = scores(_dataset, filters, methods, rank_incomplete=rank_incomplete)
    return scores_tier.interval_chart(board, dark=dark).to_dict()


def differences(dataset: Dataset, filters: Filters, baseline: int) -> pd.DataFrame:
    """Return every other eval's difference to a baseline."""
    return _differences(dataset.fingerprint, filters, baseline, dataset)


@st.cache_data(show_spinner="Pairing the evals with the baseline, item by item …", max_entries=ENTRIES)
def _differences(mark: Fingerprint, filters: Filters, baseline: int, _dataset: Dataset) -> pd.DataFrame:
    return scores_tier.read_differences(_dataset, filters, baseline)


def draws(dataset: Dataset, filters: Filters, methods: Methods, *, rank_incomplete: bool) -> DrawsTable:
    """Return rank sets and the chance of being first."""
    return _draws(dataset.fingerprint, filters, methods, rank_incomplete, dataset)


@st.cache_data(show_spinner="Drawing items again and ranking each draw …", max_entries=ENTRIES)
def _draws(
    mark: Fingerprint, filters: Filters, methods: Methods, rank_incomplete: bool, _dataset: Dataset
) -> DrawsTable:
    return scores_tier.read_draws(_dataset, filters, methods, rank_incomplete=rank_incomplete)


def evals(dataset: Dataset, filters: Filters, search: str) -> EvalsTable:
    """Return the evals that filters and a search leave."""
    return _evals(dataset.fingerprint, filters, search, dataset)


@st.cache_data(show_spinner="Summing up the evals …", max_entries=ENTRIES)
def _evals(mark: Fingerprint, filters: Filters, search: str, _dataset: Dataset) -> EvalsTable:
    return evals_tier.read_evals(_dataset, filters, search=search)


def tasks(dataset: Dataset, filters: Filters, search: str) -> list[TaskRow]:
    """Return the tasks that filters and a search leave."""
    return _tasks(dataset.fingerprint, filters, search, dataset)


@st.cache_data(show_spinner="Summing up the tasks …", max_entries=ENTRIES)
def _tasks(mark: Fingerprint, filters: Filters, search: str, _dataset: Dataset) -> list[TaskRow]:
    return tasks_tier.read_tasks(_dataset, filters, search=search)


def by_param(
    dataset: Dataset, filters: Filters, base_task: str, param: str, methods: Methods
) -> pd.DataFrame:
    """Return accuracy along a param of a task."""
    return _by_param(dataset.fingerprint, filters, base_task, param, methods, dataset)


@st.cache_data(show_spinner="Computing accuracy by param …", max_entries=ENTRIES)
def _by_param(
    mark: Fingerprint, filters: Filters, base_task: str, param: str, methods: Methods, _dataset: Dataset
) -> pd.DataFrame:
    return tasks_tier.accuracy_by_param(_dataset, filters, base_task, param, methods)


def param_chart(
    dataset: Dataset, filters: Filters, base_task: str, param: str, methods: Methods, *, dark: bool
) -> Spec:
    """Return the specification of the chart of accuracy along a param."""
    return _param_chart(dataset.fingerprint, filters, base_task, param, methods, dark, dataset)


@st.cache_data(show_spinner="Drawing accuracy by param …", max_entries=ENTRIES)
def _param_chart(
    mark: Fingerprint,
    filters: Filters,
    base_task: str,
    param: str,
    methods: Methods,
    dark: bool,
    _dataset: Dataset,
) -> Spec:
    cells = by_param(_dataset, filters, base_task, param, methods)
    return tasks_tier.param_chart(cells, _dataset, filters, base_task, param, methods, dark=dark).to_dict()
