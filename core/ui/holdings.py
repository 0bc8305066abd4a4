"""What the open dataset holds, for the pages that work on all of it, whatever the filters say."""

import streamlit as st

from core.errors import FilterError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.holdings import holdings
from core.ui import cache
from core.ui import filter_state as keys


def sentence(dataset: Dataset) -> str:
    """Return what a dataset holds and how much of it the sidebar's filters select, without a full stop."""
    whole = cache.selection(dataset, Filters().resolved(dataset.catalog))
    try:
        filters = keys.read_filters(st.session_state).resolved(dataset.catalog)
    except FilterError:
        # The sidebar says what is wrong with them.
        return holdings(dataset, whole)
    return holdings(dataset, whole, cache.selection(dataset, filters))
