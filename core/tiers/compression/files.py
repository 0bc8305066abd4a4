"""Compression as files: the bytes of one result in each format, and one set of them per split value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from core import charts
from core.errors import NothingFoundError
from core.export import csv_bytes, file_name, json_bytes, part
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.compression.chart import panel_chart
from core.tiers.compression.document import figure_frame, to_document
from core.tiers.compression.figures import Figures, read_figures
from core.tiers.compression.length import Length, read_length
from core.tiers.compression.panels import Panels, read_panels, stack_pages
from core.tiers.compression.suspects import count_loops, list_loops
from core.tiers.files import ResultFile, check_form, numbered
from core.tiers.loops import LoopRule
from core.tiers.methods import Methods
from core.tiers.split import Split, read_splits

FORMATS = ("png", "json", "csv")

IMAGE_ROWS = 3
"""Most rows of panels of one image: more are further images."""

MOST_LISTED = 100
"""Suspected loops that a document lists, the largest first."""


@dataclass(frozen=True)
class Options:
    """The choices of the page that change what is shown, as the command line has them too."""

    stacked: bool = False
    series: str | None = None
    length: str = "auto"
    rule: LoopRule = field(default_factory=LoopRule)


def split_panels(
    dataset: Dataset, filters: Filters, options: Options, dimension: str | None
) -> Iterator[tuple[Split | None, Panels]]:
    """Yield the panels of each value of a dimension.

    Parameters
    ----------
    dimension : str, optional
        None yields the panels of all.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have, or it has no such dimension.
    NothingFoundError
        Nothing matches the filters.
    """
    filters = filters.resolved(dataset.catalog)
    # One measure for all values, so that their files compare.
    length = read_length(dataset, filters, options.length)
    splits = [None] if dimension is None else read_splits(dataset, filters, dimension)
    if not splits:
        raise NothingFoundError("No results found matching filters")
    for one in splits:
        yield one, panels_of(dataset, filters if one is None else one.filters, options, length)


def panels_of(dataset: Dataset, filters: Filters, options: Options, length: Length) -> Panels:
    """Return the panels of a selection with the options of the page or the command."""
    return read_panels(
        dataset, filters, stacked=options.stacked, series=options.series, length=length, rule=options.rule
    )


def figures_of(dataset: Dataset, panels: Panels, methods: Methods) -> Figures:
    """Return the figures of panels."""
    return read_figures(dataset, panels.filters, panels.parts, panels.length, methods)


def result_files(
    dataset: Dataset,
    panels: Panels,
    filters: Filters,
    methods: Methods,
    form: str,
    *,
    split: Split | None = None,
    dark: bool = False,
) -> list[ResultFile]:
    """Return a result in one format: one file, or several images where one would hold too much.

    Parameters
    ----------
    filters : Filters
        Whose values are appended to the name: what the user filtered by, without the split.

    Raises
    ------
    FilterError
        There is no such format.
    """
    check_form(form, FORMATS)
    suffix = "" if split is None else part(split.dimension, split.value)
    name = file_name(panels.config.name, "compression", suffix, extension=form, filters=filters.to_dict())
    makers: list[Callable[[], bytes]]
    if form == "png":
        makers = [
            partial(_image, panels, stacks, "" if split is None else split.label, dark=dark)
            for stacks in stack_pages(panels.stacks, IMAGE_ROWS)
        ]
    elif form == "csv":
        makers = [lambda: csv_bytes(figure_frame(panels, figures_of(dataset, panels, methods)))]
    else:
        makers = [partial(_document, dataset, panels, methods, split)]
    return numbered(name, suffix, makers)


def _image(panels: Panels, stacks: tuple[int | None, ...], of: str, *, dark: bool) -> bytes:
    return charts.to_png(panel_chart(panels, stacks, of=of, dark=dark))


def _document(dataset: Dataset, panels: Panels, methods: Methods, split: Split | None) -> bytes:
    document = to_document(
        panels,
        figures_of(dataset, panels, methods),
        count_loops(dataset, panels.filters, panels.rule),
        list_loops(dataset, panels.filters, panels.rule, most=MOST_LISTED),
        split=split,
    )
    return json_bytes(document)
