"""Results kept between runs, keyed on the dataset's fingerprint and on what was asked; never on frames.

The spinner says what is being done, and shows only while it is done for the first time.
"""

from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeVar

import pandas as pd
import streamlit as st

from core import charts
from core.filters import Filters
from core.store.dataset import Dataset, Fingerprint
from core.tiers import evals as evals_tier
from core.tiers import offers as offers_tier
from core.tiers import scores as scores_tier
from core.tiers import selection as selection_tier
from core.tiers import split as split_tier
from core.tiers import tasks as tasks_tier
from core.tiers.evals import EvalsTable
from core.tiers.methods import Methods
from core.tiers.offers import Offers
from core.tiers.scores import DrawsTable, Leaderboard
from core.tiers.selection import Relaxation, Selection
from core.tiers.split import Split
from core.tiers.tasks import TaskRow

Spec = dict[str, Any]
"""A finished chart as Vega-Lite: to draw it again takes longer than to keep it."""

ENTRIES = 64
"""Results kept per function: small tables, the last ones that someone looked at."""


Asked = ParamSpec("Asked")
Result = TypeVar("Result")


def kept(spinner: str | Literal[False]) -> Callable[[Callable[Asked, Result]], Callable[Asked, Result]]:
    """Return the decorator of functions whose results are kept.

    Parameters
    ----------
    spinner : str or False
        What is said while a result is computed.
    """
    return st.cache_data(show_spinner=spinner, max_entries=ENTRIES, hash_funcs={Dataset: _mark})


def _mark(dataset: Dataset) -> Fingerprint:
    return dataset.fingerprint


@kept("Reading what there is to filter by …")
def offers(dataset: Dataset) -> Offers:
    """Return what the dataset offers to filter by."""
    return offers_tier.read_offers(dataset)


@kept("Counting what is selected …")
def selection(dataset: Dataset, filters: Filters) -> Selection:
    """Return how much the filters leave."""
    return selection_tier.count_selection(dataset, filters)


@kept("Looking for the filter to lift …")
def relaxations(dataset: Dataset, filters: Filters) -> list[Relaxation]:
    """Return the filters of which lifting one alone leaves points."""
    return selection_tier.relax_hints(dataset, filters)


@kept("Splitting the selection …")
def splits(dataset: Dataset, filters: Filters, dimension: str) -> list[Split]:
    """Return the values of a dimension in a selection."""
    return split_tier.read_splits(dataset, filters, dimension)


@kept("Ranking the evals …")
def scores(dataset: Dataset, filters: Filters, methods: Methods, *, rank_incomplete: bool) -> Leaderboard:
    """Return the leaderboard."""
    return scores_tier.read_scores(dataset, filters, methods, rank_incomplete=rank_incomplete)


@kept("Drawing the scores …")
def score_chart(
    dataset: Dataset, filters: Filters, methods: Methods, *, rank_incomplete: bool, dark: bool
) -> Spec:
    """Return the specification of the leaderboard's chart."""
    board = scores(dataset, filters, methods, rank_incomplete=rank_incomplete)
    return charts.to_spec(scores_tier.interval_chart(board, dark=dark))


@kept("Pairing the evals with the baseline, item by item …")
def differences(dataset: Dataset, filters: Filters, baseline: int) -> pd.DataFrame:
    """Return every other eval's difference to a baseline."""
    return scores_tier.read_differences(dataset, filters, baseline)


@kept("Drawing items again and ranking each draw …")
def draws(dataset: Dataset, filters: Filters, methods: Methods, *, rank_incomplete: bool) -> DrawsTable:
    """Return rank sets and the chance of being first."""
    return scores_tier.read_draws(dataset, filters, methods, rank_incomplete=rank_incomplete)


@kept("Summing up the evals …")
def evals(dataset: Dataset, filters: Filters, search: str) -> EvalsTable:
    """Return the evals that filters and a search leave."""
    return evals_tier.read_evals(dataset, filters, search=search)


@kept("Summing up the tasks …")
def tasks(dataset: Dataset, filters: Filters, search: str) -> list[TaskRow]:
    """Return the tasks that filters and a search leave."""
    return tasks_tier.read_tasks(dataset, filters, search=search)


@kept("Computing accuracy by param …")
def by_param(
    dataset: Dataset, filters: Filters, base_task: str, param: str, methods: Methods
) -> pd.DataFrame:
    """Return accuracy along a param of a task."""
    return tasks_tier.accuracy_by_param(dataset, filters, base_task, param, methods)


@kept("Drawing accuracy by param …")
def param_chart(
    dataset: Dataset, filters: Filters, base_task: str, param: str, methods: Methods, *, dark: bool
) -> Spec:
    """Return the specification of the chart of accuracy along a param."""
    cells = by_param(dataset, filters, base_task, param, methods)
    chart = tasks_tier.param_chart(cells, dataset, filters, base_task, param, methods, dark=dark)
    return charts.to_spec(chart)
