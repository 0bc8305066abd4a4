"""`python -m core modelinfo`: fetches the metadata of the models, and sets the results against them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from core import charts
from core.cli.modelinfo_fetch import PAUSE, fetch_all
from core.cli.options import (
    Config,
    FilterText,
    Format,
    Interval,
    Output,
    Repeats,
    Threshold,
    Width,
    one_of,
    read_filters,
)
from core.cli.output import Destination
from core.config import DatasetConfig, load_config
from core.errors import DatasetError, FilterError, NothingFoundError
from core.export import csv_bytes, file_name, to_json, to_markdown
from core.store.dataset import open_dataset
from core.tiers import modelinfo as tier
from core.tiers.methods import Methods


def run(
    config: Config,
    metadata_dir: Annotated[
        Path | None,
        typer.Option(
            "--output-dir",
            metavar="D",
            help="Metadata folder: D/index.json, and files in D/<org>/<name>/ (default: metadata/ beside the"
            " config, where the app looks).",
        ),
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch/--no-fetch", help="Fetch what is missing, or use the cache only.")
    ] = True,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask again for models whose metadata are complete.")
    ] = False,
    pause: Annotated[float, typer.Option(min=0.0, max=60.0, help="Seconds between two requests.")] = PAUSE,
    against: Annotated[
        str, typer.Option(metavar="X", help=f"What results are set against: {', '.join(tier.AXES)}.")
    ] = "parameters",
    score: Annotated[
        str, typer.Option(metavar="S", help=f"How evals are scored in the PNG: {', '.join(tier.SCORES)}.")
    ] = "plain",
    colour_by: Annotated[
        str | None,
        typer.Option(metavar="G", help="Kind of group that colours the PNG, such as family; or eval."),
    ] = None,
    chart: Annotated[
        str, typer.Option(metavar="C", help=f"What the PNG shows: {', '.join(tier.CHARTS)}.")
    ] = "score",
    filters: FilterText = None,
    interval: Interval = "wilson",
    repeats: Repeats = "cluster",
    threshold: Threshold = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="table, json, markdown, csv or png.")
    ] = Format.TABLE,
    width: Width = 960,
    output: Output = None,
) -> None:
    """Fetch model metadata from the Hugging Face hub, and set results against size, architecture and price.

    For every hf_id of the config: its .md files, config.json and recipe.yaml. What is in the cache is not
    asked for again; a run that is interrupted goes on the next time. A token in HF_TOKEN is used, never
    written. An eval may have "parameters": "7B" and "price": {"input": 0.15, "output": 0.60} (per million
    tokens) in the config.

    Example: python -m core modelinfo data/demo.json --format json
    """
    one_of(output_format, Format.TABLE, Format.JSON, Format.MARKDOWN, Format.CSV, Format.PNG)
    axis, kind = tier.axis(against), tier.score_kind(score)
    tier.chart_axes(chart, axis, kind)
    selected, methods = read_filters(filters, threshold), Methods(interval, repeats)
    entries = load_config(config)
    folder = metadata_dir or tier.folder_of(config)
    if fetch:
        fetch_all(entries, folder, pause=pause, refresh=refresh)
    metadata = tier.read_metadata(folder)
    try:
        dataset = open_dataset(config)
    except DatasetError as fault:
        print(f"Note: without results: {fault}", file=sys.stderr)
        _write_models(entries, metadata, output_format, output)
        return
    info = tier.read_modelinfo(dataset, selected, methods, metadata)
    where = Destination.of(dataset, "modelinfo", output_format, selected, output, None)
    sentences = [tier.summarise(info, axis), tier.correlation_sentence(info, axis, kind)]
    if output_format is Format.PNG:
        shown_axis, shown_score = tier.chart_axes(chart, axis, kind)
        where.write_png(_chart(info, shown_axis, shown_score, colour_by, width))
    elif output_format is Format.JSON:
        where.write_text(to_json(tier.to_document(info, [one for one in sentences if one])))
    elif output_format is Format.CSV:
        where.write_csv(csv_bytes(tier.export_frame(info)))
    else:
        _write_text(info, sentences, output_format, where)


def _chart(
    info: tier.ModelInfo, axis: tier.Axis, score: tier.Score, colour_by: str | None, width: int
) -> Callable[[], bytes]:
    if tier.shown_rows(info, axis, score).empty:
        raise NothingFoundError(f"No eval has both {score.label} and {axis.label}")
    chosen = tier.default_colouring(info) if colour_by is None else colour_by
    drawn = tier.scatter_chart(info, axis, score, colour_by=chosen, width=width)
    return lambda: charts.to_png(drawn)


def _write_text(info: tier.ModelInfo, sentences: list[str], form: Format, where: Destination) -> None:
    draw = to_markdown if form is Format.MARKDOWN else _aligned
    models = draw(tier.models_text(info.model_ids, info.config, info.metadata)) if info.model_ids else ""
    lines = [
        *sentences,
        f"{info.methods.sentence()}.",
        tier.age_sentence(info.metadata, info.model_ids),
        *map(info.metadata.explain, info.model_ids),
        *info.notes,
    ]
    texts = [draw(tier.text_frame(info)), models, "\n".join(line for line in lines if line)]
    where.write_text("\n\n".join(text.rstrip("\n") for text in texts if text))


def _write_models(config: DatasetConfig, metadata: tier.Metadata, form: Format, output: Path | None) -> None:
    """Write what is known of the models where there are no results to set against it."""
    models = tier.hf_ids(config)
    where = Destination(output, None, file_name(config.name, "models", extension=form.value))
    if form is Format.PNG:
        raise FilterError("A PNG needs results; valid without them: table, json, markdown, csv")
    if form is Format.JSON:
        where.write_text(to_json({"dataset": config.name, "models": tier.models_document(models, metadata)}))
    elif form is Format.CSV:
        where.write_csv(csv_bytes(tier.models_frame(models, config, metadata)))
    else:
        draw = to_markdown if form is Format.MARKDOWN else _aligned
        where.write_text(draw(tier.models_text(models, config, metadata)))


def _aligned(frame: pd.DataFrame) -> str:
    return frame.to_string(index=False)
