"""The Hazard page's cached results and its downloads."""

import functools
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from core import charts
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers import hazard as tier
from core.tiers.files import zipped
from core.tiers.hazard import Comparison, Difference, Grouping, Hazard
from core.tiers.hazard.files import comparison_files, group_files
from core.tiers.methods import Methods
from core.ui.cache import Spec, kept
from core.ui.download import Download, csv, name_of
from core.ui.sidebar import View

PAGE = 6
"""Groups shown at a time."""

MOST_FILES = 60
"""Groups that one click draws: a drawing takes about half a second."""

DRAWN_BUCKETS = 3_000
"""Most buckets of a page: the browser gets half a kilobyte for each."""


@kept("Looking for the longest completion …")
def largest_tokens(dataset: Dataset, filters: Filters) -> int:
    """Return the largest token count."""
    return tier.largest_tokens(dataset, filters)


@kept("Splitting the selection …")
def groups(dataset: Dataset, filters: Filters, split: tuple[str, ...]) -> Grouping:
    """Return the groups of a selection."""
    return tier.read_groups(dataset, filters, split)


@kept("Following the completions token by token …")
def hazard(
    dataset: Dataset, filters: Filters, methods: Methods, split: tuple[str, ...], page: int, bucket_size: int
) -> Hazard:
    """Return the curves of a page of groups, counted from 1, in buckets that can be drawn."""
    grouping = groups(dataset, filters, split)
    some = grouping.groups[(page - 1) * PAGE : page * PAGE]
    return tier.read_page(
        dataset, filters, methods, grouping, some, bucket_size=bucket_size, most_buckets=DRAWN_BUCKETS
    )


@kept("Drawing the curves …")
def specs(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    split: tuple[str, ...],
    page: int,
    bucket_size: int,
    *,
    dark: bool,
) -> list[tuple[Spec, Spec]]:
    """Return both plots of each group of a page, their data as the browser takes them."""
    found = hazard(dataset, filters, methods, split, page, bucket_size)
    return [(_packed(upper), _packed(lower)) for upper, lower in tier.screen_specs(found, dark=dark)]


def _packed(spec: Spec) -> Spec:
    # Streamlit would turn rows into Arrow on every run, which takes longer than all else on the page.
    datasets = {name: _arrow(rows) if rows else rows for name, rows in spec["datasets"].items()}
    return {**spec, "datasets": datasets}


def _arrow(rows: list[dict[str, Any]]) -> bytes:
    table, sink = pa.Table.from_pylist(rows), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


@kept("Pairing the evals, item by item …")
def comparison(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    evals: tuple[int, ...],
    split: tuple[str, ...],
    part: tier.Group | None,
    bucket_size: int,
) -> Comparison:
    """Return the curves of some evals beside each other."""
    return tier.read_comparison(
        dataset, filters, methods, evals, split=split, part=part, bucket_size=bucket_size
    )


@kept("Drawing the comparison …")
def comparison_spec(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    evals: tuple[int, ...],
    split: tuple[str, ...],
    part: tier.Group | None,
    bucket_size: int,
    budget: int,
    *,
    dark: bool,
) -> Spec:
    """Return the chart of a comparison, with the budget marked."""
    compared = comparison(dataset, filters, methods, evals, split, part, bucket_size)
    return charts.to_spec(tier.compare_chart(compared, budget, dark=dark))


@kept("Comparing the evals …")
def differences(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    evals: tuple[int, ...],
    split: tuple[str, ...],
    part: tier.Group | None,
    bucket_size: int,
    budget: int,
) -> list[Difference]:
    """Return each eval of a comparison at a budget, and its difference to the first."""
    return tier.differences(comparison(dataset, filters, methods, evals, split, part, bucket_size), budget)


def page_downloads(view: View, found: Hazard, budget: int, page: int, pages: int) -> list[Download]:
    """Return what is shown as files: rows of all its groups, and an image of each."""
    parts = (f"page-{page}",) if pages > 1 else ()
    images = group_files(found, view.named_filters, "png")
    single = images[0]
    return [
        csv(view, "hazard", functools.partial(tier.export_frame, found), parts=parts),
        Download(
            "Hazard JSON",
            name_of(view, "hazard", *parts, extension="json"),
            lambda: tier.json_text(found, budget=budget).encode(),
            "application/json",
        ),
        Download("Hazard PNG", single.name, single.make, "image/png")
        if len(images) == 1
        else Download(
            "Hazard PNG (ZIP)",
            name_of(view, "hazard", *parts, "png", extension="zip"),
            functools.partial(zipped, images),
            "application/zip",
        ),
    ]


def all_downloads(
    view: View, split: tuple[str, ...], bucket_size: int, budget: int, total: int
) -> list[Download]:
    """Return one ZIP per format with a file per group of the whole selection, made on the click."""

    def make(form: str) -> bytes:
        found = tier.read_hazard(
            view.dataset, view.filters, view.methods, split=split, bucket_size=bucket_size
        )
        return zipped(group_files(found, view.named_filters, form, budget=budget))

    forms: Sequence[str] = ("csv", "json", "png") if total <= MOST_FILES else ("csv", "json")
    return [
        Download(
            f"All groups, {form.upper()} (ZIP)",
            name_of(view, "hazard", "all", form, extension="zip"),
            functools.partial(make, form),
            "application/zip",
        )
        for form in forms
    ]


def comparison_downloads(
    view: View, compared: Comparison, budget: int, *, log_rank: bool, dark: bool
) -> list[Download]:
    """Return a comparison as CSV and as an image."""
    made = []
    for form, mime in (("csv", "text/csv"), ("png", "image/png")):
        (file,) = comparison_files(
            [compared], view.named_filters, form, budget=budget, log_rank=log_rank, dark=dark
        )
        made.append(Download(f"Comparison {form.upper()}", file.name, file.make, mime))
    return made
