"""`python -m core compression`: length against compressed bytes, and the figures of both."""

import sys
from typing import Annotated

import typer

from core.cli.files import Kind, write_files
from core.cli.options import (
    Config,
    FilterText,
    Format,
    Output,
    OutputDir,
    Repeats,
    Threshold,
    one_of,
    read_filters,
)
from core.errors import FilterError
from core.store.dataset import open_dataset
from core.tiers.compression import Options, problems, result_files, split_panels
from core.tiers.files import ResultFile
from core.tiers.loops import LEAST_BYTES, LOOP_RATIO, LoopRule
from core.tiers.methods import Methods

KINDS: dict[Format, Kind] = {Format.PNG: "png", Format.JSON: "text", Format.CSV: "csv"}
STACKS = ("none", "eval_id")


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
    stack: Annotated[
        str, typer.Option(metavar="S", help="eval_id: panels for each eval; none: all evals together.")
    ] = "none",
    series: Annotated[
        str | None,
        typer.Option(
            metavar="DIM",
            help="What colours are of: any dimension or none (default: tier, if there are any).",
        ),
    ] = None,
    length: Annotated[
        str,
        typer.Option(
            metavar="L",
            help="tokens, bytes or auto: tokens, unless there are none, or they include reasoning that the"
            " text lacks.",
        ),
    ] = "auto",
    loop_bytes: Annotated[
        int, typer.Option(metavar="N", help="A suspected loop has at least N bytes.")
    ] = LEAST_BYTES,
    loop_ratio: Annotated[
        float, typer.Option(metavar="R", help="A suspected loop compresses to less than R of its bytes.")
    ] = LOOP_RATIO,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK",
            help="Suspect no response of this task, which repeats rightly (repeatable). In the config:"
            ' "loop_ratio" of a task, 0 for never.',
        ),
    ] = None,
    filters: FilterText = None,
    repeats: Repeats = "cluster",
    threshold: Threshold = None,
    output_format: Annotated[Format, typer.Option("--format", help="png, json or csv.")] = Format.PNG,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    """Show what failures look like as information: length against compressed bytes, by outcome.

    PNG: panels of correct, incorrect and truncated completions. CSV: median ratio and bytes per token, slope,
    and AUC of correct against incorrect, with intervals. JSON: both, and the suspected loops with the
    beginning and the end of their text.

    Examples: python -m core compression data/demo.json --output-dir figures

    python -m core compression data/demo.json --split none --series model --format csv
    """
    one_of(output_format, Format.PNG, Format.JSON, Format.CSV)
    if stack not in STACKS:
        raise FilterError(f"No stack {stack!r}; valid: {', '.join(STACKS)}")
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    methods = Methods(repeats=repeats)
    rule = LoopRule(loop_bytes, loop_ratio, tuple(dict.fromkeys(leave_out or [])))
    options = Options(stack == "eval_id", series, length, rule)
    files: list[ResultFile] = []
    for one, panels in split_panels(dataset, selected, options, None if split == "none" else split):
        where = "" if one is None else f"{one.label}: "
        for problem in problems(panels):
            print(f"Note: {where}{problem}", file=sys.stderr)
        files += result_files(dataset, panels, selected, methods, output_format.value, split=one)
    write_files(files, KINDS[output_format], output, output_dir)
