"""`python -m core fft`: spectra of the prompts, and two evals with their tokenizers compared."""

from typing import Annotated

import typer

from core.cli.files import Kind, write_files
from core.cli.options import (
    Config,
    FilterText,
    Format,
    Output,
    OutputDir,
    Threshold,
    one_of,
    read_filters,
)
from core.store.dataset import open_dataset
from core.tiers.fft import default_evals, read_comparison, read_grid, result_files

KINDS: dict[Format, Kind] = {Format.PNG: "png", Format.JSON: "text", Format.CSV: "csv"}


def run(
    config: Config,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="indicator: where the same tokens recur, whatever their ids; raw: of the ids, over what 100"
            " relabellings give.",
        ),
    ] = "indicator",
    show: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Projection to show (repeatable; default: all)."),
    ] = None,
    compare: Annotated[
        tuple[int, int] | None,
        typer.Option(
            metavar="A B",
            help="Image and CSV of two evals: distance of their tokenizers, tokens per byte and accuracy by"
            " task. JSON always has it, by default of two evals with different tokenizers.",
        ),
    ] = None,
    log: Annotated[bool, typer.Option("--log/--linear", help="Axis of power in the image.")] = False,
    filters: FilterText = None,
    threshold: Threshold = None,
    output_format: Annotated[Format, typer.Option("--format", help="png, json or csv.")] = Format.PNG,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    r"""Show the mean spectrum of the prompts: rows projections, columns (tokenizer, template).

    JSON: an object per line with the share of power in 64 bands of 0 to 0.5 cycles per token.

    Examples: python -m core fft data/demo.json --filters '{"base_task": "arithmetic"}'

    python -m core fft data/demo.json --compare 3 5 --output compare.png
    """
    one_of(output_format, Format.PNG, Format.JSON, Format.CSV)
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    grid = read_grid(dataset, selected, shown=tuple(show or ()))
    pair = compare or default_evals(grid)
    comparison = None if pair is None else read_comparison(dataset, grid, *pair)
    files = result_files(
        dataset,
        grid,
        selected,
        kind,
        output_format.value,
        log=log,
        comparison=comparison,
        compared=compare is not None,
    )
    write_files(files, KINDS[output_format], output, output_dir)
