"""Surfaces as files: the bytes of one result in each format, and one set of them per split value."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from core import charts
from core.errors import NothingFoundError
from core.export import csv_bytes, file_name, json_bytes, part
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.files import ResultFile, check_form, numbered
from core.tiers.methods import Methods
from core.tiers.split import Split, read_splits
from core.tiers.surface.difference import SurfaceDifference
from core.tiers.surface.document import difference_frame, export_frame, to_document
from core.tiers.surface.heatmap import difference_heatmaps, pages, panel_pages, surface_heatmaps
from core.tiers.surface.scene_image import scene_pages, scenes_png
from core.tiers.surface.table import NoSurfaceError, SurfaceGrid, read_surfaces
from core.tiers.surface.view import View

FORMATS = ("png", "json", "csv")


def split_surfaces(
    dataset: Dataset, filters: Filters, methods: Methods, dimension: str | None
) -> Iterator[tuple[Split | None, SurfaceGrid]]:
    """Yield the surfaces of each value of a dimension; values without a surface are left out.

    Parameters
    ----------
    dimension : str, optional
        None yields the one grid of all.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have, or it has no such dimension.
    NothingFoundError
        Nothing matches the filters, or no value has a surface.
    """
    if dimension is None:
        yield None, read_surfaces(dataset, filters, methods)
        return
    reason: NothingFoundError | None = None
    found = False
    for one in read_splits(dataset, filters, dimension):
        try:
            grid = read_surfaces(dataset, one.filters, methods)
        except NothingFoundError as fault:
            reason = fault if reason is None or isinstance(fault, NoSurfaceError) else reason
            continue
        found = True
        yield one, grid
    if not found:
        raise reason or NothingFoundError("No results found matching filters")


def result_files(
    grid: SurfaceGrid,
    filters: Filters,
    form: str,
    *,
    difference: SurfaceDifference | None = None,
    split: Split | None = None,
    view: View | None = None,
    width: int = 1200,
    dark: bool = False,
) -> list[ResultFile]:
    """Return a result in one format: one file, or several images where one would hold too much.

    Parameters
    ----------
    filters : Filters
        Whose values are appended to the name: what the user filtered by, without the split.
    difference : SurfaceDifference, optional
        Two evals compared: the image and the CSV then show them, the JSON has both.
    view : View, optional
        Images in 3-D, seen from there; heatmaps where absent. A difference is always flat.

    Raises
    ------
    FilterError
        There is no such format.
    """
    check_form(form, FORMATS)
    parts = ["grid" if split is None else part(split.dimension, split.value)]
    if difference is not None:
        parts.append(part("difference", f"{difference.a}-{difference.b}"))
    name = file_name(grid.config.name, "surface", *parts, extension=form, filters=filters.to_dict())
    suffix = "" if split is None else part(split.dimension, split.value)
    makers = _makers(grid, form, difference, split, view, width=width, dark=dark)
    return numbered(name, suffix, makers)


def _makers(
    grid: SurfaceGrid,
    form: str,
    difference: SurfaceDifference | None,
    split: Split | None,
    view: View | None,
    *,
    width: int,
    dark: bool,
) -> list[Callable[[], bytes]]:
    if form == "json":
        return [lambda: json_bytes(to_document(grid, difference, split=split))]
    if form == "csv":
        frame = export_frame(grid) if difference is None else difference_frame(grid, difference)
        return [lambda: csv_bytes(frame)]
    sizes: dict[str, Any] = {"width": width, "dark": dark}
    if difference is not None:
        return [
            partial(_flat, difference_heatmaps, grid, difference, some, **sizes)
            for some in panel_pages(grid, width=width)
        ]
    if view is not None:
        return [partial(scenes_png, grid, choices, view, **sizes) for choices in scene_pages(grid)]
    return [partial(_flat, surface_heatmaps, grid, page, **sizes) for page in pages(grid, width=width)]


def _flat(draw: Callable[..., Any], *arguments: Any, **sizes: Any) -> bytes:
    return charts.to_png(draw(*arguments, **sizes))
