"""The Completions page's cached results, its list as widget state, and its downloads."""

import functools
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import FilterError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers import completions as tier
from core.tiers.completions import Completion, HardestItems, ItemAnswers, Wanted
from core.tiers.loops import LEAST_BYTES, LOOP_RATIO, LoopRule
from core.ui import download, drill
from core.ui.cache import kept
from core.ui.download import MIME, Download
from core.ui.sidebar import View

VIEW, PAGE, OPEN = "list.view", "list.page", "list.completion"
SEARCH, SEARCHED, CASE = "list.search", "list.searched", "list.case"
DESCENDING, FLAGGED = "list.largest_first", "list.flagged"
LOOP_BYTES, LOOP_PERCENT = "list.loop_bytes", "list.loop_percent"
RANGED, LEAST, MOST = "list.ranges", "list.least.", "list.most."
"""Keys of the list's widgets beside those of core.ui.drill; the last two end in a param's name."""

MOST_EXPORTED, MOST_BYTES = 10_000, 200_000_000
"""Completions and bytes of one download."""


@kept("Counting the outcomes …")
def outcomes(dataset: Dataset, filters: Filters) -> dict[str, int]:
    """Return how many selected completions have each outcome."""
    return tier.read_outcomes(dataset, filters)


def summary(view: View) -> str:
    """Return what is selected and what became of it, in one sentence."""
    return tier.summary(view.selection, outcomes(view.dataset, view.filters))


@kept("Counting the completions …")
def count(dataset: Dataset, filters: Filters, wanted: Wanted) -> int:
    """Return how many completions a list has."""
    return tier.count_completions(dataset, filters, wanted)


@kept("Reading the list …")
def page(dataset: Dataset, filters: Filters, wanted: Wanted, number: int) -> pd.DataFrame:
    """Return a page of a list."""
    return tier.read_page(dataset, filters, wanted, number)


@kept("Reading the completion …")
def completion(dataset: Dataset, filters: Filters, completion_id: int, rule: LoopRule) -> Completion:
    """Return one completion with its texts."""
    return tier.read_completion(dataset, filters, completion_id, rule)


@kept("Reading the item …")
def item(dataset: Dataset, filters: Filters, item_id: int) -> ItemAnswers:
    """Return every completion of an item."""
    return tier.read_item(dataset, filters, item_id)


@kept("Looking for the hardest items …")
def hardest(dataset: Dataset, filters: Filters, kind: str, fewest: int, number: int) -> HardestItems:
    """Return a page of items, the hardest first."""
    return tier.read_hardest(dataset, filters, kind=kind, fewest=fewest, page=number)


def read_wanted(state: Mapping[Any, Any]) -> Wanted:
    """Return the list that the widgets describe.

    Parameters
    ----------
    state : mapping
        Values by widget key; a widget that is not there restricts nothing.

    Raises
    ------
    FilterError
        The item numbers cannot be read, or a range ends before it begins.
    """
    a, b, kind = (state.get(key) for key in (drill.PAIR_A, drill.PAIR_B, drill.PAIR))
    pair = None if kind is None or a is None or b is None or a == b else (int(a), int(b), str(kind))
    ranges = [(name, (state.get(LEAST + name), state.get(MOST + name))) for name in state.get(RANGED) or ()]
    return Wanted(
        outcomes=tuple(state.get(drill.OUTCOMES) or ()),
        items=read_items(state.get(drill.ITEMS) or ""),
        ranges=tuple((name, limits) for name, limits in ranges if limits != (None, None)),
        tokens=(state.get(drill.FROM_TOKENS), state.get(drill.TO_TOKENS)),
        loops=read_rule(state) if state.get(drill.LOOPS) else None,
        search=state.get(SEARCH) or "",
        searched=state.get(SEARCHED) or tier.SEARCHED[0],
        match_case=bool(state.get(CASE)),
        pair=pair,
        flagged=bool(state.get(FLAGGED)),
        sort=state.get(drill.SORT) or tier.SORTS[0],
        descending=bool(state.get(DESCENDING)),
    )


def read_rule(state: Mapping[Any, Any]) -> LoopRule:
    """Return what a suspected loop is."""
    least, percent = state.get(LOOP_BYTES), state.get(LOOP_PERCENT)
    return LoopRule(
        int(LEAST_BYTES if least is None else least), LOOP_RATIO if percent is None else percent / 100
    )


def read_items(text: str) -> tuple[int, ...]:
    """Return item numbers from a text field: digits parted by spaces or commas.

    Raises
    ------
    FilterError
        Something else stands there.
    """
    words = text.replace(",", " ").split()
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise FilterError(f"Items are numbers with spaces between, such as 12 15; given: {text!r}")
    return tuple(dict.fromkeys(map(int, words)))


def downloads(view: View, wanted: Wanted, total: int) -> None:
    """Show the downloads of a list with what they hold."""

    def make(form: str) -> bytes:
        some = tier.records(view.dataset, view.filters, wanted, MOST_EXPORTED)
        return tier.joined(tier.lines(some, form), MOST_BYTES)

    download.row(
        *(
            Download(
                {"csv": "List CSV", "jsonl": "List JSON Lines"}[form],
                download.name_of(view, "completions", *wanted.outcomes, extension=form),
                functools.partial(make, form),
                MIME[form],
            )
            for form in tier.FORMATS
        )
    )
    told = "" if total <= MOST_EXPORTED else f"the first {MOST_EXPORTED:,} of {total:,} completions, "
    st.caption(
        f"Each file: {told}prompts and responses as they are, at most {MOST_BYTES // 1_000_000} MB."
        " The command line has no limit: `python -m core completions`."
    )
