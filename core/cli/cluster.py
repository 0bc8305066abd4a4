"""`python -m core cluster`: which evals are not separated."""

from collections.abc import Iterable
from typing import Annotated

import typer

from core.cli.files import Kind, write_files
from core.cli.options import (
    Config,
    FilterText,
    Format,
    Interval,
    Output,
    OutputDir,
    Repeats,
    Threshold,
    Width,
    one_of,
    read_filters,
)
from core.store.dataset import open_dataset
from core.tiers.cluster import Clusters, read_clusters
from core.tiers.cluster.files import result_files, split_clusters
from core.tiers.methods import Methods
from core.tiers.split import Split


def run(
    config: Config,
    stack: Annotated[
        str, typer.Option(metavar="S", help="A section per base_task, tier or surface.")
    ] = "base_task",
    split: Annotated[
        str | None,
        typer.Option(
            metavar="DIM",
            help="A file per value of model, template, sampler, eval_id, base_task, tier, surface or param.",
        ),
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            metavar="R", help="overlap (of intervals) or paired (difference on common items, Holm at 5%)."
        ),
    ] = "overlap",
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Add the difference of every two evals; CSV then has a row per pair."),
    ] = False,
    filters: FilterText = None,
    interval: Interval = "wilson",
    repeats: Repeats = "cluster",
    threshold: Threshold = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="markdown, json, csv or png.")
    ] = Format.MARKDOWN,
    width: Width = 1200,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    """Find the largest groups of evals of which no two are separated, and which member spends least tokens.

    Example: python -m core cluster data/demo.json --stack tier --rule paired --format json
    """
    one_of(output_format, Format.MARKDOWN, Format.JSON, Format.CSV, Format.PNG)
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    methods = Methods(interval, repeats)
    results: Iterable[tuple[Split | None, Clusters]] = (
        [(None, read_clusters(dataset, selected, methods, stack=stack, rule=rule, pairs=pairs))]
        if split is None
        else split_clusters(dataset, selected, methods, split, stack=stack, rule=rule, pairs=pairs)
    )
    files = [
        file
        for one, clusters in results
        for file in result_files(clusters, selected, output_format.value, split=one, pairs=pairs, width=width)
    ]
    kind: Kind = "png" if output_format is Format.PNG else "csv" if output_format is Format.CSV else "text"
    write_files(files, kind, output, output_dir, several=split is not None)
