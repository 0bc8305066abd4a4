"""`python -m core surface`: accuracy over two params."""

import sys
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
from core.tiers.files import ResultFile
from core.tiers.methods import Methods
from core.tiers.surface.browser_png import BrowserError, start_browser
from core.tiers.surface.difference import read_surface_difference
from core.tiers.surface.files import result_files, split_surfaces
from core.tiers.surface.view import View

DEFAULT = View()
KINDS: dict[Format, Kind] = {Format.PNG: "png", Format.JSON: "text", Format.CSV: "csv"}


def run(
    config: Config,
    split: Annotated[
        str,
        typer.Option(
            metavar="DIM",
            help="A file per value of model, template, sampler, eval_id, base_task, tier, surface or a param;"
            " none: all together.",
        ),
    ] = "base_task",
    filters: FilterText = None,
    interval: Interval = "wilson",
    repeats: Repeats = "cluster",
    threshold: Threshold = None,
    difference: Annotated[
        tuple[int, int] | None,
        typer.Option(
            metavar="A B",
            help="Eval A minus eval B in every cell, paired on items, Benjamini-Hochberg at 5%.",
        ),
    ] = None,
    output_format: Annotated[Format, typer.Option("--format", help="png, json or csv.")] = Format.PNG,
    three_d: Annotated[
        bool,
        typer.Option("--3d/--flat", help="PNG in 3-D (needs Chrome or Chromium; else flat), or as heatmaps."),
    ] = True,
    azimuth: Annotated[
        int, typer.Option(min=0, max=359, help="3-D: degrees around, seen from above.")
    ] = DEFAULT.azimuth,
    elevation: Annotated[
        int, typer.Option(min=0, max=90, help="3-D: degrees above the floor.")
    ] = DEFAULT.elevation,
    width: Width = 1200,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    r"""Show accuracy over two params of each task: the surfaces of the config, per eval.

    JSON: an object per eval and surface; x and y are the steps of the axes, every array has a row per y.

    Examples: python -m core surface data/demo.json --flat --output-dir figures

    python -m core surface data/demo.json --split none --format json --filters '{"base_task": "arithmetic"}'
    """
    one_of(output_format, Format.PNG, Format.JSON, Format.CSV)
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    methods = Methods(interval, repeats)
    view = View(azimuth, elevation) if three_d and difference is None else None
    if output_format is Format.PNG and view is not None:
        try:
            start_browser()
        except BrowserError as fault:
            print(f"Note: drawn flat. {fault}", file=sys.stderr)
            view = None
    files: list[ResultFile] = []
    for one, grid in split_surfaces(dataset, selected, methods, None if split == "none" else split):
        for problem in grid.problems:
            print(f"Note: {problem}", file=sys.stderr)
        compared = None if difference is None else read_surface_difference(dataset, grid, *difference)
        files += result_files(
            grid, selected, output_format.value, difference=compared, split=one, view=view, width=width
        )
    write_files(files, KINDS[output_format], output, output_dir)
