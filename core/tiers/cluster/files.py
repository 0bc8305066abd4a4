"""Clusters as files: the bytes of one result in each format, and one set of them per split value."""

from collections.abc import Callable, Iterator
from functools import partial

from core import charts
from core.errors import NothingFoundError
from core.export import csv_bytes, file_name, json_bytes, part
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.cluster.document import export_frame, markdown, pairs_export, to_document
from core.tiers.cluster.sheet import image, image_count
from core.tiers.cluster.table import Clusters, read_clusters
from core.tiers.files import ResultFile, check_form, numbered
from core.tiers.methods import Methods
from core.tiers.split import Split, read_splits

FORMATS = {"markdown": "md", "json": "json", "csv": "csv", "png": "png"}
"""Extension of each format."""


def split_clusters(
    dataset: Dataset,
    filters: Filters,
    methods: Methods,
    dimension: str,
    *,
    stack: str,
    rule: str,
    pairs: bool,
) -> Iterator[tuple[Split, Clusters]]:
    """Yield the clusters of each value of a dimension; values without a cell in any section are left out.

    Raises
    ------
    FilterError
        As `read_clusters`, or the dataset has no such dimension.
    NothingFoundError
        No value has anything.
    """
    found = False
    for one in read_splits(dataset, filters, dimension):
        try:
            clusters = read_clusters(dataset, one.filters, methods, stack=stack, rule=rule, pairs=pairs)
        except NothingFoundError:
            continue
        found = True
        yield one, clusters
    if not found:
        raise NothingFoundError("No results found matching filters")


def result_files(
    clusters: Clusters,
    filters: Filters,
    form: str,
    *,
    split: Split | None = None,
    pairs: bool = False,
    width: int = 1200,
) -> list[ResultFile]:
    """Return a result in one format: one file, or several images where one would be too tall.

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
    name = file_name(
        clusters.config.name, "cluster", clusters.stack, suffix, extension=FORMATS[form],
        filters=filters.to_dict(),
    )  # fmt: skip
    makers = _makers(clusters, form, pairs=pairs, width=width)
    return numbered(name, suffix, makers)


def _makers(clusters: Clusters, form: str, *, pairs: bool, width: int) -> list[Callable[[], bytes]]:
    if form == "markdown":
        return [lambda: markdown(clusters, pairs=pairs).encode()]
    if form == "json":
        return [lambda: json_bytes(to_document(clusters, pairs=pairs))]
    if form == "csv":
        return [lambda: csv_bytes(pairs_export(clusters) if pairs else export_frame(clusters))]
    return [partial(_png, clusters, number, width) for number in range(image_count(clusters, width=width))]


def _png(clusters: Clusters, number: int, width: int) -> bytes:
    return charts.to_png(image(clusters, number, width=width))
