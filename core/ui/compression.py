"""The Compression page's cached results: panels, figures and loops, keyed as in core.ui.cache."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from core import charts
from core.export import part
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers import compression as tier
from core.tiers.compression import Figures, Length, LoopCounts, Options, Panels
from core.tiers.compression.files import FORMATS
from core.tiers.files import ResultFile, zipped
from core.tiers.loops import LoopRule
from core.tiers.methods import Methods
from core.tiers.split import Split, read_splits
from core.ui import download
from core.ui.cache import Spec, kept
from core.ui.download import MIME, Download
from core.ui.sidebar import View

ROWS = 2
"""Rows of panels on screen at a time; one where many completions are selected."""


@dataclass(frozen=True)
class Row:
    """A row of panels: a split value, if there is a split, and an eval where each has panels of its own."""

    split: Split | None
    eval_id: int | None


@kept("Finding out what length is measured in …")
def length(dataset: Dataset, filters: Filters, wanted: str) -> Length:
    """Return what lengths of the selection are measured in."""
    return tier.read_length(dataset, filters, wanted)


@kept("Listing what there is to compare …")
def rows(dataset: Dataset, filters: Filters, dimension: str | None, *, stacked: bool) -> list[Row]:
    """Return all rows of panels of the selection."""
    splits = [None] if dimension is None else read_splits(dataset, filters, dimension)
    if not stacked:
        return [Row(one, None) for one in splits]
    return [
        Row(one, int(own.value))
        for one in splits
        for own in read_splits(dataset, one.filters if one else filters, "eval_id")
    ]


def groups(shown: Sequence[Row], filters: Filters) -> list[tuple[Split | None, Filters]]:
    """Return the selections that rows are drawn from: one for each split value, of the evals in sight."""
    evals: dict[Split | None, list[int]] = {}
    for row in shown:
        evals.setdefault(row.split, []).extend([] if row.eval_id is None else [row.eval_id])
    return [
        (split, replace(own, eval_id=tuple(ids)) if ids else own)
        for split, ids in evals.items()
        for own in [split.filters if split else filters]
    ]


@kept("Counting completions in bins …")
def panels(dataset: Dataset, filters: Filters, options: Options, length: Length) -> Panels:
    """Return the panels of a selection."""
    return tier.panels_of(dataset, filters, options, length)


@kept("Drawing the panels …")
def chart(
    dataset: Dataset, filters: Filters, options: Options, length: Length, of: str, *, dark: bool
) -> Spec:
    """Return the specification of the chart of panels."""
    return charts.to_spec(tier.panel_chart(panels(dataset, filters, options, length), of=of, dark=dark))


@kept("Comparing correct with incorrect responses …")
def figures(
    dataset: Dataset, filters: Filters, options: Options, length: Length, methods: Methods
) -> Figures:
    """Return the figures of a selection."""
    return tier.figures_of(dataset, panels(dataset, filters, options, length), methods)


@kept("Counting suspected loops …")
def loops(dataset: Dataset, filters: Filters, rule: LoopRule) -> LoopCounts:
    """Return how many completions are suspected loops."""
    return tier.count_loops(dataset, filters, rule)


@kept("Listing suspected loops …")
def loop_list(
    dataset: Dataset, filters: Filters, rule: LoopRule, sort: str, first: int, most: int
) -> pd.DataFrame:
    """Return some of the suspected loops."""
    return tier.list_loops(dataset, filters, rule, sort=sort, first=first, most=most)


@kept(False)
def has_texts(dataset: Dataset) -> bool:
    """Return whether the dataset has texts of responses."""
    return tier.has_texts(dataset)


@kept("Comparing correct with incorrect responses …")
def answer(dataset: Dataset, filters: Filters, methods: Methods, length: Length, rule: LoopRule) -> str:
    """Return what failures look like, in a sentence or two."""
    return tier.read_answer(dataset, filters, methods, length, loops(dataset, filters, rule))


def downloads(view: View, options: Options, dimension: str | None, *, dark: bool) -> list[Download]:
    """Return everything that the rows stand for, one download per format, made on the click.

    With a split, or with several images, it is a ZIP with a file for each.
    """
    filters, methods, own = view.filters, view.methods, view.named_filters

    def files(form: str) -> list[ResultFile]:
        return [
            file
            for one, found in tier.split_panels(view.dataset, filters, options, dimension)
            for file in tier.result_files(view.dataset, found, own, methods, form, split=one, dark=dark)
        ]

    def content(form: str) -> bytes:
        return files(form)[0].make()

    def archive(form: str) -> bytes:
        return zipped(files(form))

    made = []
    for form in FORMATS:
        one = dimension is None and not (form == "png" and options.stacked)
        if one and form == "png":
            # The chart on screen is all there is, and has its own download.
            continue
        parts = () if dimension is None else (dimension,)
        name = functools.partial(download.name_of, view, "compression", *parts)
        if one:
            make = functools.partial(content, form)
            made.append(Download(f"All {form.upper()}", name(extension=form), make, MIME[form]))
        else:
            label = f"{form.upper()} per {dimension or 'eval'} (ZIP)"
            make = functools.partial(archive, form)
            made.append(Download(label, name(form, extension="zip"), make, MIME["zip"]))
    return made


def place_of(split: Split | None) -> tuple[str, ...]:
    """Return the parts of a file name that tell a split value."""
    return () if split is None else (part(split.dimension, split.value),)
