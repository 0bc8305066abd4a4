"""`python -m core hazard`: when completions end, and whether rightly."""

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
from core.errors import FilterError
from core.store.dataset import open_dataset
from core.tiers.hazard.files import comparison_files, group_files, read_comparisons
from core.tiers.hazard.groups import DEFAULT_SPLIT, split_dimensions
from core.tiers.hazard.table import BUCKET_SIZE, read_hazard
from core.tiers.hazard.words import group_notes
from core.tiers.methods import Methods

KINDS: dict[Format, Kind] = {Format.PNG: "png", Format.JSON: "text", Format.CSV: "csv"}


def run(
    config: Config,
    split: Annotated[
        str,
        typer.Option(
            metavar="DIMS",
            help="A file per combination of values of these, with commas: model, template, sampler, eval_id,"
            " base_task, tier, surface or a param; none: all together.",
        ),
    ] = ",".join(DEFAULT_SPLIT),
    bucket_size: Annotated[int, typer.Option(metavar="B", help="Tokens in a bucket.")] = BUCKET_SIZE,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="JSON: what a budget of N tokens would cost in accuracy. With --compare: where evals are"
            " compared (default: the most that all were followed to).",
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="IDS",
            help="Compare evals, such as 0,2: the others minus the first, within each value of the rest of"
            " the split.",
        ),
    ] = None,
    log_rank: Annotated[
        bool, typer.Option("--log-rank", help="With --compare: add log-rank tests against the first eval.")
    ] = False,
    filters: FilterText = None,
    interval: Interval = "wilson",
    repeats: Repeats = "cluster",
    threshold: Threshold = None,
    output_format: Annotated[Format, typer.Option("--format", help="png, json or csv.")] = Format.PNG,
    width: Width = 960,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    r"""Show when completions end and whether rightly: hazards and cumulative incidences over tokens.

    Correct and incorrect (with invalid) are competing ends, truncated completions are censored. JSON:
    parallel arrays over buckets, bucket_start exclusive, bucket_end inclusive.

    Examples: python -m core hazard data/demo.json --bucket-size 16 --output-dir figures

    python -m core hazard data/demo.json --split base_task --compare 2,3 --budget 64 --format csv
    """
    one_of(output_format, Format.PNG, Format.JSON, Format.CSV)
    evals = None if compare is None else _evals(compare)
    if log_rank and evals is None:
        raise FilterError("--log-rank needs --compare, such as --compare 0,1")
    dataset = open_dataset(config)
    selected, methods, dimensions = (
        read_filters(filters, threshold),
        Methods(interval, repeats),
        split_dimensions(split),
    )
    form = output_format.value
    if evals is None:
        hazard = read_hazard(dataset, selected, methods, split=dimensions, bucket_size=bucket_size)
        for note in group_notes(hazard):
            print(f"Note: {note}", file=sys.stderr)
        files = group_files(hazard, selected, form, budget=budget, width=width)
    else:
        compared = read_comparisons(
            dataset, selected, methods, evals, split=dimensions, bucket_size=bucket_size
        )
        files = comparison_files(compared, selected, form, budget=budget, log_rank=log_rank, width=width)
    write_files(files, KINDS[output_format], output, output_dir)


def _evals(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(one) for one in text.split(","))
    except ValueError:
        raise FilterError(f"--compare takes eval ids with commas, such as 0,2; given: {text!r}") from None
