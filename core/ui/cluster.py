"""The Cluster page's cached results, its table of cliques and its downloads."""

import functools
from typing import Any

import streamlit as st

from core import charts
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers import cluster as tier
from core.tiers.cluster import Clusters, Section, clique_frame
from core.tiers.cluster.files import FORMATS, result_files, split_clusters
from core.tiers.files import bundled, zipped
from core.tiers.methods import Methods
from core.tiers.split import Split
from core.ui import download, drill, linked_table
from core.ui import filter_state as keys
from core.ui.cache import Spec, kept
from core.ui.download import MIME, Download, name_of
from core.ui.sidebar import View

FORMAT_NAMES = {"markdown": "Markdown", "json": "JSON", "csv": "CSV", "png": "PNG"}

SHORT = 12
"""Most rows in sight of a table that stands among others."""


@kept("Looking for evals that are not separated …")
def clusters(
    dataset: Dataset, filters: Filters, methods: Methods, *, stack: str, rule: str, pairs: bool
) -> Clusters:
    """Return the clusters of a selection, the tokens of their cliques left out."""
    return tier.read_clusters(dataset, filters, methods, stack=stack, rule=rule, pairs=pairs, tokens=False)


@kept("Summing up the tokens of the cliques …")
def section(
    dataset: Dataset, filters: Filters, methods: Methods, *, stack: str, rule: str, pairs: bool, value: str
) -> Section:
    """Return one section with the tokens of its cliques."""
    found = clusters(dataset, filters, methods, stack=stack, rule=rule, pairs=pairs)
    return tier.add_clique_tokens(dataset, found, value).section(value)


@kept("Drawing the cliques …")
def chart(
    dataset: Dataset, filters: Filters, methods: Methods, *, stack: str, rule: str, pairs: bool, value: str,
    page: int, dark: bool,
) -> Spec:  # fmt: skip
    """Return the specification of the chart of one page of a section."""
    found = clusters(dataset, filters, methods, stack=stack, rule=rule, pairs=pairs)
    one = section(dataset, filters, methods, stack=stack, rule=rule, pairs=pairs, value=value)
    return charts.to_spec(tier.section_chart(found, one, page=page, dark=dark))


def show_links(
    view: View, filters: Filters, stack: str, section: Section, clicked: dict[str, Any] | None
) -> None:
    """Show links to the completions of a section, of one eval where a mark was clicked."""
    base_task, tier_id, surface = (section.value if stack == one else None for one in tier.STACKS)
    chosen = drill.narrowed(filters, base_task=base_task, tier=tier_id, surface=surface)
    what = f"Completions of {section.label}"
    if clicked:
        eval_id = int(clicked["eval_id"])
        chosen = drill.narrowed(chosen, eval_id=eval_id)
        what += f" by {view.config.eval_names[eval_id]}"
    drill.outcome_links(view, what, key="cluster", filters=chosen)


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
        height=linked_table.height(len(frame), SHORT),
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


def show_pairs(view: View, section: Section, stack: str) -> None:
    """Show the difference of every two evals of a section, with its download; nothing where it has none."""
    if section.pairs is None:
        return
    st.subheader("Pairwise differences")
    st.caption(
        "Row minus column: raw accuracy (not guess-corrected) on common items, truncated as wrong, with its"
        f" 95% interval; \\* significant at 5% after Holm, m = {section.pairs['p'].count():,} pairs."
    )
    st.dataframe(
        tier.pairs_matrix(section),
        column_config={"row minus column": st.column_config.TextColumn(pinned=True)},
        hide_index=True,
        alt="Difference of every two evals with its interval",
    )
    download.row(download.csv(view, "differences", section.pairs, parts=(stack, section.value)))


def downloads(view: View, found: Clusters, split: Split | None, *, pairs: bool) -> list[Download]:
    """Return all sections of what is shown, one download per format; several images come as a ZIP."""
    own = view.named_filters

    def make(form: str) -> bytes:
        whole = tier.add_clique_tokens(view.dataset, found)
        files = result_files(whole, own, form, split=split, pairs=pairs)
        return bundled(files)

    made = []
    for form in FORMATS:
        files = result_files(found, own, form, split=split, pairs=pairs)
        first = files[0]
        bytes_ = functools.partial(make, form)
        if len(files) == 1:
            made.append(Download(FORMAT_NAMES[form], first.name, bytes_, MIME[form]))
        else:
            name = first.name.removesuffix(f".{FORMATS[form]}") + f"_{FORMATS[form]}.zip"
            label = f"{FORMAT_NAMES[form]} (ZIP)"
            made.append(Download(label, name, bytes_, MIME["zip"]))
    return made


def split_downloads(view: View, dimension: str, *, stack: str, rule: str, pairs: bool) -> list[Download]:
    """Return one ZIP per format with a file per split value, computed on the click."""
    own = view.named_filters

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
            MIME["zip"],
        )
        for form in FORMATS
    ]
