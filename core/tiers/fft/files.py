"""Spectra as files: the bytes of one result in each format, several images where one would hold too much."""

from collections.abc import Callable
from functools import partial

from core import charts
from core.export import csv_bytes, file_name, json_bytes, part
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.fft.chart import Page, pages, spectra_chart
from core.tiers.fft.compare import Comparison
from core.tiers.fft.compare_chart import comparison_chart
from core.tiers.fft.document import comparison_frame, lines_frame, to_document
from core.tiers.fft.grid import FftGrid
from core.tiers.fft.lines import read_lines
from core.tiers.files import ResultFile, check_form, numbered

FORMATS = ("png", "json", "csv")


def name_parts(kind: str, comparison: Comparison | None = None) -> list[str]:
    """Return what comes after `fft` in the name of a file."""
    parts = [] if kind == "indicator" else [kind]
    if comparison is not None:
        parts = [part("compare", f"{comparison.eval_a}-{comparison.eval_b}")]
    return parts


def result_files(
    dataset: Dataset,
    grid: FftGrid,
    filters: Filters,
    kind: str,
    form: str,
    *,
    log: bool = False,
    comparison: Comparison | None = None,
    compared: bool = False,
    dark: bool = False,
) -> list[ResultFile]:
    """Return a result in one format.

    Parameters
    ----------
    filters : Filters
        Whose values are appended to the name.
    comparison : Comparison, optional
        Stands in the JSON.
    compared : bool
        Whether image and CSV are of the comparison instead of the spectra.

    Raises
    ------
    FilterError
        There is no such format or kind.
    """
    check_form(form, FORMATS)
    shown = comparison if compared and form != "json" else None
    name = file_name(
        grid.config.name, "fft", *name_parts(kind, shown), extension=form, filters=filters.to_dict()
    )
    if shown is not None:
        make = partial(_comparison, grid, shown, form, dark=dark)
        return numbered(name, "", [make])
    if form == "png":
        return numbered(
            name, "", [partial(_page, dataset, grid, page, kind, log, dark=dark) for page in pages(grid)]
        )
    makers: dict[str, Callable[[], bytes]] = {
        "json": lambda: json_bytes(to_document(grid, lines, kind, comparison)),
        "csv": lambda: csv_bytes(lines_frame(grid, lines, kind)),
    }
    lines = read_lines(dataset, grid, kind, grid.rows, grid.columns)
    return numbered(name, "", [makers[form]])


def _comparison(grid: FftGrid, comparison: Comparison, form: str, *, dark: bool) -> bytes:
    if form == "csv":
        return csv_bytes(comparison_frame(comparison))
    return charts.to_png(comparison_chart(grid, comparison, dark=dark))


def _page(dataset: Dataset, grid: FftGrid, page: Page, kind: str, log: bool, *, dark: bool) -> bytes:
    lines = read_lines(dataset, grid, kind, page.rows, page.columns)
    return charts.to_png(spectra_chart(grid, page, lines, kind=kind, log=log, dark=dark))
