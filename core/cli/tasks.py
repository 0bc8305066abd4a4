"""`python -m core tasks`: the tasks of a dataset."""

from typing import Annotated

import typer

from core.cli.options import Config, FilterText, Format, Output, OutputDir, Search, one_of, read_filters
from core.cli.output import Destination
from core.errors import NothingFoundError
from core.export import csv_bytes, to_json, to_markdown
from core.store.dataset import open_dataset
from core.tiers.tasks import read_tasks, task_document, task_frame


def run(
    config: Config,
    search: Search = "",
    filters: FilterText = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="table, json, markdown or csv.")
    ] = Format.TABLE,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    """List tasks: category, params with their values, surfaces, projections, and how much there is of each.

    Example: python -m core tasks data/demo.json --search sort --format json
    """
    one_of(output_format, Format.TABLE, Format.JSON, Format.MARKDOWN, Format.CSV)
    dataset = open_dataset(config)
    selected = read_filters(filters)
    rows = read_tasks(dataset, selected, search=search)
    if not rows:
        raise NothingFoundError("No results found matching filters")
    where = Destination.of(dataset, "tasks", output_format, selected, output, output_dir)
    frame = task_frame(rows)
    if output_format is Format.JSON:
        where.write_text(to_json(task_document(dataset, rows)))
    elif output_format is Format.CSV:
        where.write_csv(csv_bytes(frame))
    elif output_format is Format.MARKDOWN:
        where.write_text(to_markdown(frame))
    else:
        where.write_text(frame.fillna("—").to_string(index=False, max_colwidth=60))
