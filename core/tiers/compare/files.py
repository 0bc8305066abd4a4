"""Comparisons as files: the bytes of one result in each format."""

from collections.abc import Callable, Sequence
from functools import partial

from core import charts
from core.export import csv_bytes, file_name, json_bytes
from core.filters import Filters
from core.tiers.compare.chart import Result, forest_chart, pages
from core.tiers.compare.document import (
    against_document,
    against_markdown,
    export_frame,
    markdown,
    to_document,
)
from core.tiers.compare.lengths import Lengths
from core.tiers.compare.table import Against
from core.tiers.files import ResultFile, check_form, numbered
from core.tiers.methods import Methods

FORMATS = {"markdown": "md", "json": "json", "csv": "csv", "png": "png"}
"""Extension of each format."""


def name_parts(result: Result) -> tuple[str, str]:
    """Return what tells a comparison's files from another's: the two evals, or one against all."""
    return f"eval{result.a}", "all" if isinstance(result, Against) else f"eval{result.b}"


def result_files(
    result: Result,
    lengths: Sequence[Lengths],
    filters: Filters,
    methods: Methods,
    form: str,
    *,
    rule: str = "wrong",
    width: int = 1200,
) -> list[ResultFile]:
    """Return a result in one format: one file, or several images where one would be too tall.

    Parameters
    ----------
    lengths
        Of a pair, one per truncation rule; none against all.
    filters
        Whose values are appended to the name: what the user filtered by.
    rule
        The truncation rule of the Markdown tables and of the image; JSON and CSV have both.

    Raises
    ------
    FilterError
        There is no such format.
    """
    check_form(form, FORMATS)
    # The name of a pair has its evals already, and no others are compared.
    named = filters if isinstance(result, Against) else filters.without("eval_id", "groups")
    name = file_name(
        result.config.name,
        "compare",
        *name_parts(result),
        extension=FORMATS[form],
        filters=named.to_dict(),
    )
    makers: list[Callable[[], bytes]]
    if form == "png":
        makers = [partial(_png, result, rule, page, width) for page in range(pages(result, rule))]
    elif form == "csv":
        makers = [lambda: csv_bytes(export_frame(result))]
    elif form == "json":
        makers = [lambda: json_bytes(_document(result, lengths, methods))]
    else:
        makers = [lambda: _markdown(result, lengths, rule).encode()]
    return numbered(name, "", makers)


def _document(result: Result, lengths: Sequence[Lengths], methods: Methods) -> dict[str, object]:
    if isinstance(result, Against):
        return against_document(result, methods)
    return to_document(result, lengths, methods)


def _markdown(result: Result, lengths: Sequence[Lengths], rule: str) -> str:
    return against_markdown(result, rule) if isinstance(result, Against) else markdown(result, lengths, rule)


def _png(result: Result, rule: str, page: int, width: int) -> bytes:
    return charts.to_png(forest_chart(result, rule, page=page, width=width))
