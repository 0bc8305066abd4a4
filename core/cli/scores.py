"""`python -m core scores`: the leaderboard."""

from typing import Annotated

import typer

from core import charts
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
from core.cli.output import Destination
from core.export import csv_bytes, to_json, to_markdown
from core.store.dataset import open_dataset
from core.tiers.methods import Methods
from core.tiers.scores import (
    export_frame,
    leaderboard_image,
    read_differences,
    read_draws,
    read_scores,
    text_frame,
    to_document,
)


def run(
    config: Config,
    filters: FilterText = None,
    interval: Interval = "wilson",
    repeats: Repeats = "cluster",
    threshold: Threshold = None,
    draws: Annotated[
        bool, typer.Option("--draws", help="Add rank sets and P(first) from 1,000 draws.")
    ] = False,
    by_tier: Annotated[
        bool, typer.Option("--by-tier", help="A column per task and tier in text and PNG.")
    ] = False,
    baseline: Annotated[
        int | None, typer.Option(metavar="EVAL_ID", help="Add every eval's paired difference to this one.")
    ] = None,
    rank_incomplete: Annotated[
        bool, typer.Option("--rank-incomplete", help="Rank evals that lack a cell on the cells they have.")
    ] = False,
    output_format: Annotated[
        Format, typer.Option("--format", help="table, json, markdown, csv or png.")
    ] = Format.TABLE,
    width: Width = 1400,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    """Rank evals by plain score, with 95% intervals, shared ranks, ReasonScore and a cell per task.

    Example: python -m core scores data/demo.json --filters '{"tiers": ["easy"]}' --format json
    """
    one_of(output_format, Format.TABLE, Format.JSON, Format.MARKDOWN, Format.CSV, Format.PNG)
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    methods = Methods(interval, repeats)
    board = read_scores(dataset, selected, methods, rank_incomplete=rank_incomplete)
    drawn = read_draws(dataset, selected, methods, rank_incomplete=rank_incomplete) if draws else None
    differences = None if baseline is None else read_differences(dataset, selected, baseline)
    where = Destination.of(dataset, "leaderboard", output_format, selected, output, output_dir)
    if output_format is Format.PNG:
        where.write_png(lambda: charts.to_png(leaderboard_image(board, by_tier=by_tier, width=width)))
    elif output_format is Format.JSON:
        where.write_text(to_json(to_document(board, drawn, differences)))
    elif output_format is Format.CSV:
        where.write_csv(csv_bytes(export_frame(board, drawn, differences)))
    else:
        frame = text_frame(board, drawn, differences, by_tier=by_tier)
        table = to_markdown(frame) if output_format is Format.MARKDOWN else frame.to_string(index=False)
        lines = [
            board.summary(),
            methods.sentence() + ".",
            *([drawn.method + "."] if drawn else []),
            *board.notes,
        ]
        where.write_text("\n\n".join([table, "\n".join(lines)]))
