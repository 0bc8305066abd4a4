"""`python -m core compare`: eval A against eval B, or against all others, paired on items."""

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
from core.tiers.compare import (
    RULES,
    Against,
    Comparison,
    check_rule,
    find_eval,
    read_against,
    read_comparison,
    read_lengths,
    result_files,
)
from core.tiers.methods import Methods

KINDS: dict[Format, Kind] = {Format.PNG: "png", Format.CSV: "csv"}


def run(
    config: Config,
    a: Annotated[str, typer.Option("--a", metavar="EVAL", help="Eval A: its eval_id, label or model.")],
    b: Annotated[
        str | None,
        typer.Option("--b", metavar="EVAL", help="Eval B; without it A is compared with every other eval."),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            metavar="M",
            help="accuracy (share correct), skill (the same divided by 1 - chance of guessing right) or score"
            " (mean score).",
        ),
    ] = "accuracy",
    truncated: Annotated[
        str,
        typer.Option(
            metavar="T",
            help="wrong or left_out: what truncated completions count as in Markdown tables and PNG; JSON and"
            " CSV have both.",
        ),
    ] = "wrong",
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
    """Compare two evals on their common items: overall, per task, tier and surface cell.

    Differences are A minus B. Gained are the items on which A does better, lost those on which B does; with
    several completions of an item its mean outcome is compared. p-values: exact McNemar with one completion
    of each item, else sign-flip; Holm over tasks and over tiers, Benjamini-Hochberg over cells. The interval
    and the treatment of repeats concern accuracy by length of response only.

    Example: python -m core compare data/demo.json --a 0 --b 1 --format json
    """
    one_of(output_format, Format.MARKDOWN, Format.JSON, Format.CSV, Format.PNG)
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    methods = Methods(interval, repeats)
    check_rule(truncated)
    first = find_eval(dataset.config, a)
    result: Comparison | Against
    if b is None:
        result, lengths = read_against(dataset, selected, first, measure=measure), []
    else:
        second = find_eval(dataset.config, b)
        result = read_comparison(dataset, selected, first, second, measure=measure)
        lengths = [read_lengths(dataset, selected, methods, first, second, rule=rule) for rule in RULES]
    files = result_files(result, lengths, selected, methods, output_format.value, rule=truncated, width=width)
    write_files(files, KINDS.get(output_format, "text"), output, output_dir)
