"""`python -m core report`: leaderboard, clusters, surfaces and hazards of a selection, in one file."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from core.cli.options import (
    Config,
    FilterText,
    Format,
    Interval,
    Output,
    OutputDir,
    Repeats,
    Threshold,
    one_of,
    read_filters,
)
from core.cli.output import Destination
from core.store.dataset import open_dataset
from core.tiers.methods import Methods
from core.tiers.report import read_report, to_html, to_markdown


def run(
    config: Config,
    filters: FilterText = None,
    interval: Interval = "wilson",
    repeats: Repeats = "cluster",
    threshold: Threshold = None,
    output_format: Annotated[Format, typer.Option("--format", help="html or markdown.")] = Format.HTML,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    """Write a report of a selection: leaderboard, clusters, surfaces, hazards, methods and sources.

    The HTML file holds its figures and needs no network. A section that cannot be made says why.

    Example: python -m core report data/demo.json --filters '{"tiers": ["easy"]}' --output report.html
    """
    one_of(output_format, Format.HTML, Format.MARKDOWN)
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    report = read_report(dataset, selected, Methods(interval, repeats))
    where = Destination.of(dataset, "report", output_format, selected, output, output_dir)
    if output_format is Format.MARKDOWN:
        where.write_text(to_markdown(report))
        return
    # Megabytes of images are nothing to read in a terminal.
    replace(where, output=output or Path(where.name)).write_text(to_html(report))
