"""`python -m core views`: the saved views of a dataset, as the pages list them."""

import sys
from typing import Annotated

import pandas as pd
import typer

from core.cli.options import Config, Format, Output, OutputDir, one_of
from core.cli.output import EXTENSIONS, Destination
from core.config import load_config
from core.errors import NothingFoundError
from core.export import csv_bytes, file_name, to_json, to_markdown
from core.views import SavedView, read_views, views_path


def run(
    config: Config,
    output_format: Annotated[
        Format, typer.Option("--format", help="table, json, markdown or csv.")
    ] = Format.TABLE,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    """List the saved views of a dataset: name, page, address, and what each is of.

    An address goes behind that of the app, as http://127.0.0.1:8501/cluster?dataset=demo&tier=Easy.

    Example: python -m core views data/demo.json
    """
    one_of(output_format, Format.TABLE, Format.JSON, Format.MARKDOWN, Format.CSV)
    name = load_config(config).name
    found = read_views(views_path(config))
    for one in found.unusable:
        print(f"Not usable here: {one.name}: {one.fault}", file=sys.stderr)
    if not found.views:
        raise NothingFoundError(f"No saved views in {views_path(config)}; the app saves them under Views")
    rows = [_row(view, config.stem) for view in found.views]
    extension = EXTENSIONS.get(output_format, output_format.value)
    where = Destination(output, output_dir, file_name(name, "views", extension=extension))
    frame = pd.DataFrame(rows)
    if output_format is Format.JSON:
        where.write_text(to_json(rows))
    elif output_format is Format.CSV:
        where.write_csv(csv_bytes(frame))
    elif output_format is Format.MARKDOWN:
        where.write_text(to_markdown(frame))
    else:
        where.write_text(frame.to_string(index=False))


def _row(view: SavedView, dataset: str) -> dict[str, str]:
    return {"name": view.name, "page": view.title, "address": f"/{view.address(dataset)}", "of": view.words()}
