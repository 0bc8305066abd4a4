"""Hazards as files: one per group in each format, and comparisons of evals."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from core import charts
from core.errors import NothingFoundError
from core.export import csv_bytes, file_name, json_bytes, part
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.files import ResultFile, check_form
from core.tiers.hazard.chart import group_chart
from core.tiers.hazard.compare import Comparison, read_comparison, rest_of
from core.tiers.hazard.compare_chart import compare_chart
from core.tiers.hazard.curves import Curves
from core.tiers.hazard.document import (
    comparison_document,
    comparison_frame,
    export_frame,
    json_text,
)
from core.tiers.hazard.groups import read_groups
from core.tiers.hazard.table import Hazard
from core.tiers.methods import Methods

FORMATS = ("png", "json", "csv")


def group_files(
    hazard: Hazard,
    filters: Filters,
    form: str,
    *,
    budget: int | None = None,
    width: int = charts.WIDTH,
    dark: bool = False,
) -> list[ResultFile]:
    """Return one file per group.

    Parameters
    ----------
    filters : Filters
        Whose values are appended to the names: what the user filtered by.
    budget : int, optional
        As core.tiers.hazard.document.to_document takes it.

    Raises
    ------
    FilterError
        There is no such format.
    """
    check_form(form, FORMATS)

    def make(curves: Curves) -> Callable[[], bytes]:
        alone = replace(hazard, curves=(curves,), without=())
        if form == "json":
            return lambda: json_text(alone, budget=budget).encode()
        if form == "csv":
            return lambda: csv_bytes(export_frame(alone))
        return lambda: charts.to_png(group_chart(alone, curves, width=width, dark=dark))

    files = []
    for curves in hazard.curves:
        parts = [part(*pair) for pair in zip(hazard.split, curves.group.values, strict=True)]
        name = file_name(hazard.config.name, "hazard", *parts, extension=form, filters=filters.to_dict())
        files.append(ResultFile(name, "_".join(parts), make(curves)))
    return files


def read_comparisons(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    evals: tuple[int, ...],
    *,
    split: tuple[str, ...],
    bucket_size: int,
) -> list[Comparison]:
    """Return the comparison on each value of the rest of a split that two of the evals share.

    Raises
    ------
    FilterError
        As core.tiers.hazard.compare.read_comparison.
    NothingFoundError
        There is none.
    """
    own = replace(filters, eval_id=tuple(dict.fromkeys(evals)), groups=())
    rest = rest_of(split)
    parts = read_groups(dataset, own, rest).groups if rest else (None,)
    found, reason = [], None
    for one in parts:
        try:
            found.append(
                read_comparison(
                    dataset, filters, methods, evals, split=split, part=one, bucket_size=bucket_size
                )
            )
        except NothingFoundError as fault:
            reason = fault
    if not found:
        raise reason or NothingFoundError("No results found matching filters")
    return found


def comparison_files(
    comparisons: list[Comparison],
    filters: Filters,
    form: str,
    *,
    budget: int | None,
    log_rank: bool,
    width: int = charts.WIDTH,
    dark: bool = False,
) -> list[ResultFile]:
    """Return one file per value of the rest of the split.

    Parameters
    ----------
    budget : int, optional
        Tokens at which the evals are compared; the largest that all reach where absent.

    Raises
    ------
    FilterError
        There is no such format.
    """
    check_form(form, FORMATS)

    def make(one: Comparison) -> Callable[[], bytes]:
        if form == "json":
            return lambda: json_bytes(comparison_document([one], budget=budget, log_rank=log_rank))
        if form == "csv":
            return lambda: csv_bytes(comparison_frame([one], budget=budget, log_rank=log_rank))
        return partial(_png, one, budget, width, dark)

    files = []
    for one in comparisons:
        parts = [part(*pair) for pair in zip(one.hazard.split, one.part, strict=True)]
        compared = part("compare", "-".join(map(str, one.evals)))
        name = file_name(
            one.hazard.config.name,
            "hazard",
            *parts,
            compared,
            extension=form,
            filters=filters.without("eval_id", "groups").to_dict(),
        )
        files.append(ResultFile(name, "_".join(parts), make(one)))
    return files


def _png(one: Comparison, budget: int | None, width: int, dark: bool) -> bytes:
    return charts.to_png(compare_chart(one, budget, width=width, dark=dark))
