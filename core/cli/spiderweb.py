"""`python -m core spiderweb`: the shape of each eval over the tasks."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from core.cli.files import write_files
from core.cli.options import (
    Config,
    FilterText,
    Interval,
    Output,
    OutputDir,
    Repeats,
    Threshold,
    Width,
    read_filters,
)
from core.errors import FilterError
from core.store.dataset import open_dataset
from core.tiers.methods import Methods
from core.tiers.spiderweb import (
    FEWEST_SPOKES,
    MOST_SPOKES,
    RINGS,
    image_files,
    overlay_file,
    read_spiders,
    table_file,
)


class Form(StrEnum):
    """What the command makes."""

    WEB = "webpng"
    BARS = "barpng"
    JSON = "json"
    CSV = "csv"


def run(
    config: Config,
    filters: FilterText = None,
    interval: Interval = "wilson",
    repeats: Repeats = "cluster",
    threshold: Threshold = None,
    rings: Annotated[
        str, typer.Option(metavar="R", help="tier (a ring or bar per tier) or pooled.")
    ] = "tier",
    overlay: Annotated[
        bool, typer.Option("--overlay", help="All evals (up to five) on one radar, pooled over tiers.")
    ] = False,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format",
            help="webpng (radar), barpng (bars), json or csv; default: webpng, barpng where the tasks are too"
            " few or too many for a radar.",
        ),
    ] = None,
    width: Width = 1000,
    height: Annotated[int, typer.Option(min=400, max=8000, help="Height of a PNG in CSS pixels.")] = 700,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    """Draw the accuracy of each eval per task, one image an eval, or print the numbers of all.

    Example: python -m core spiderweb data/demo.json --filters '{"eval_id": [0]}' --format barpng
    """
    if rings not in RINGS:
        raise FilterError(f"No rings {rings!r}; valid: {', '.join(RINGS)}")
    if overlay and form not in (None, Form.WEB):
        raise FilterError("--overlay is one radar; leave it out or take --format webpng")
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    spiders = read_spiders(dataset, selected, Methods(interval, repeats))
    if form is None:
        form = Form.WEB
        if not overlay and not FEWEST_SPOKES <= len(spiders.tasks) <= MOST_SPOKES:
            form = Form.BARS
            tasks = "1 task" if len(spiders.tasks) == 1 else f"{len(spiders.tasks)} tasks"
            print(f"Bars, since a radar of {tasks} cannot be read.", file=sys.stderr)
    if form in (Form.JSON, Form.CSV):
        file = table_file(spiders, selected, form.value)
        write_files([file], "csv" if form is Form.CSV else "text", output, output_dir)
    elif overlay:
        file = overlay_file(spiders, selected, spiders.evals, width=width, height=height)
        write_files([file], "png", output, output_dir)
    else:
        files = image_files(spiders, selected, form.value, rings=rings, width=width, height=height)
        write_files(files, "png", output, output_dir)
