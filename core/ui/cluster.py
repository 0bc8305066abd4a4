"""The Cluster page's cached results, its table of cliques and its downloads."""

import functools
from dataclasses import replace

import streamlit as st

from core.filters import Filters
from core.store.dataset import Dataset, Fingerprint
from core.tiers import cluster as tier
from core.tiers import split as split_tier
from core.tiers.cluster import Clusters, Section, clique_frame
from core.tiers.cluster.files import FORMATS, result_files, split_clusters
from core.tiers.files import zipped
from core.tiers.methods import Methods
from core.tiers.split import Split
from core.ui import filter_state as keys
from core.ui.cache import ENTRIES
from core.ui.download import Download, name_of
from core.ui.sidebar import View

FORMAT_NAMES = {"markdown": "Markdown", "json": "JSON", "csv": "CSV", "png": "PNG"}
_MIME = {"markdown": "text/markdown", "json": "application/json", "csv": "text/csv", "png": "image/png"}


def clusters(
    dataset: Dataset, filters: Filters, methods: Methods, *, stack: str, rule: str, pairs: bool
) -> Clusters:
    """Return the clusters of a selection."""
    return _clusters(dataset.fingerprint, filters, methods, stack, rule, pairs, dataset)


@st.cache_data(show_spinner="Looking for evals that are not separated …", max_entries=ENTRIES)
def _clusters(
    mark: Fingerprint,
    filters: Filters,
    methods: Methods,
    stack: str,
    rule: str,
    pairs: bool,
    _dataset: Dataset,
) -> Clusters:
    return tier.read_clusters(_dataset, filters, methods, stack=stack, rule=rule, pairs=pairs)


def splits(dataset: Dataset, filters: Filters, dimension: str) -> list[Split]:
    """Return the values of a dimension in a selection."""
    return _splits(dataset.fingerprint, filters, dimension, dataset)


@st.cache_data(show_spinner="Splitting the selection …", max_entries=ENTRIES)
def _splits(mark: Fingerprint, filters: Filters, dimension: str, _dataset: Dataset) -> list[Split]:
    return split_tier.read_splits(_dataset, filters, dimension)


def show_cliques(found: Clusters, section: Section) -> None:
    """Show the cliques; the row that someone selects becomes the eval filter."""
    frame = clique_frame(section, visible_tokens=found.visible_tokens)
    key = f"cliques {hash((found.stack, found.rule, section.value, section.cliques))}"
    st.dataframe(
        frame,
        column_config={
            "clique": st.column_config.TextColumn("Clique", pinned=True, width=70),
            "size": st.column_config.NumberColumn("Evals", width=70),
            "members": st.column_config.TextColumn("Members, best first", width="large"),
            "centers": st.column_config.TextColumn("Centers"),
        },
        hide_index=True,
        height=table_height(len(frame), 12),
        key=key,
        on_select=functools.partial(_take_selection, key, section.cliques),
        selection_mode="single-row",
        alt=f"Cliques of {section.label}: members, range of centers and mean tokens",
    )


def _take_selection(key: str, cliques: tuple[tuple[int, ...], ...]) -> None:
    chosen = chosen_clique(cliques, st.session_state[key]["selection"]["rows"])
    if chosen is not None:
        st.session_state[keys.EVALS] = chosen


def chosen_clique(cliques: tuple[tuple[int, ...], ...], rows: list[int]) -> list[int] | None:
    """Return the eval filter that a selection of rows asks for, None where it asks for nothing."""
    if not rows or not 0 <= rows[0] < len(cliques):
        return None
    return sorted(cliques[rows[0]])


def table_height(rows: int, most: int) -> int:
    """Return the pixels that show every row, up to `most`."""
    return 35 * (min(rows, most) + 1) + 3


def downloads(view: View, found: Clusters, split: Split | None, *, pairs: bool) -> list[Download]:
    """Return all sections of what is shown, one download per format; several images come as a ZIP."""
    own = _named_filters(view)
    made = []
    for form in FORMATS:
        files = result_files(found, own, form, split=split, pairs=pairs)
        first = files[0]
        if len(files) == 1:
            made.append(Download(FORMAT_NAMES[form], first.name, first.make, _MIME[form]))
        else:
            name = first.name.removesuffix(f".{FORMATS[form]}") + f"_{FORMATS[form]}.zip"
            label = f"{FORMAT_NAMES[form]} (ZIP)"
            made.append(Download(label, name, functools.partial(zipped, files), _ZIP))
    return made


_ZIP = "application/zip"


def split_downloads(view: View, dimension: str, *, stack: str, rule: str, pairs: bool) -> list[Download]:
    """Return one ZIP per format with a file per split value, computed on the click."""
    own = _named_filters(view)

    def make(form: str) -> bytes:
        files = [
            file
            for one, found in split_clusters(
                view.dataset, view.filters, view.methods, dimension, stack=stack, rule=rule, pairs=pairs
            )
            for file in result_files(found, own, form, split=one, pairs=pairs)
        ]
        return zipped(files)

    return [
        Download(
            f"{FORMAT_NAMES[form]} per {dimension} (ZIP)",
            name_of(view, "cluster", stack, dimension, FORMATS[form], extension="zip"),
            functools.partial(make, form),
            _ZIP,
        )
        for form in FORMATS
    ]


def _named_filters(view: View) -> Filters:
    """Return the filters whose values a file name shows: the dataset's own threshold is none."""
    if view.filters.threshold == view.config.threshold:
        return replace(view.filters, threshold=None)
    return view.filters
