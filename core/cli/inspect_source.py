"""`python -m core inspect-source`: what a source is, before it is imported."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from core.cli.imports import Filter, Mapping, Overrides, Scorer, Tasks, read_options
from core.cli.options import Format, Output, one_of
from core.cli.output import Destination
from core.export import to_json
from core.importers import terminal_progress
from core.importers.formats import NAMES
from core.importers.inspection import Inspection, inspect_sources
from core.importers.planning import NOT_RECOGNISED
from core.importers.summing_up import HINT
from core.importers.tables import read_table
from core.tiers.coverage import page_coverage, source_facts
from core.tiers.words import capital

SHOWN = 5
_WORKS = {"yes": "works", "partly": "works in part", "no": "does not work"}

SourceFormat = Annotated[
    str | None,
    typer.Option("--source-format", metavar="F", help=f"{', '.join(NAMES)}; default: recognised."),
]


def run(
    sources: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files or folders of results.")],
    source_format: SourceFormat = None,
    mapping: Mapping = None,
    overrides: Overrides = None,
    tasks: Tasks = None,
    scorers: Scorer = None,
    answer_filters: Filter = None,
    output_format: Annotated[Format, typer.Option("--format", help="table or json.")] = Format.TABLE,
    output: Output = None,
) -> None:
    """Say what a source is, how many records it has, which fields are there, and which pages will work.

    Reads everything, as an import would, and keeps nothing.

    Example: python -m core inspect-source logs/
    """
    one_of(output_format, Format.TABLE, Format.JSON)
    options = read_options(mapping, overrides, tasks, scorers, answer_filters)
    with terminal_progress() as progress:
        found = inspect_sources(sources, options, format=source_format, progress=progress)
    where = Destination(output, None, "")
    where.write_text(to_json(_document(found)) if output_format is Format.JSON else "\n".join(_lines(found)))


def _document(found: Inspection) -> dict[str, Any]:
    return {**asdict(found), "pages": [asdict(one) for one in page_coverage(source_facts(asdict(found)))]}


def _lines(found: Inspection) -> Iterator[str]:
    for name, count in found.formats.items():
        yield f"Format {name}: {count:,} {'file' if count == 1 else 'files'}"
    for reason, paths in found.left_out.items():
        yield f"Left out: {len(paths):,} {reason}: {_some(paths)}"
    yield f"Records: {found.read:,} read, {found.kept:,} usable"
    for reason, count in found.skipped.items():
        yield f"  {count:,} {reason}: {_some(found.places.get(reason, ()), of=count)}"
    if not found.kept:
        if NOT_RECOGNISED in found.left_out:
            yield from _columns(found.left_out[NOT_RECOGNISED])
            yield f"{capital(HINT)}.".replace("--format", "--source-format")
        return
    yield f"Evals: {found.evals:,}, of the models {_counted(found.models)}"
    yield f"Tasks: {found.tasks:,}: {_counted(found.base_tasks)}"
    yield f"Items: {found.items:,}, {found.shared_items:,} of them shared by several evals"
    yield f"Params: {_counted(found.params) or 'none'}"
    yield "Fields:"
    for name, count in found.fields.items():
        share = "all" if count == found.kept else f"{count:,}" if count else "none"
        yield f"  {name:<18} {share}"
    if found.remarks:
        yield "Notes:"
    for what, details in found.remarks.items():
        said = _some([detail for detail in details if detail])
        yield f"  {what}{': ' if said else ''}{said}"
    yield "Pages:"
    for one in page_coverage(source_facts(asdict(found))):
        yield f"  {one.page:<18} {_WORKS[one.works]}{': ' if one.lacks else ''}{'; '.join(one.lacks)}"


def _columns(paths: Sequence[str]) -> Iterator[str]:
    for path in paths[:SHOWN]:
        if table := read_table(Path(path)):
            yield f"Columns of {path}: {_some(table.columns, most=20)}"


def _counted(counts: dict[str, int] | Any) -> str:
    return _some([f"{name} ({count:,})" for name, count in counts.items()], most=20)


def _some(texts: Any, most: int = SHOWN, *, of: int | None = None) -> str:
    shown = list(texts)
    more = (len(shown) if of is None else of) - min(len(shown), most)
    return ", ".join(shown[:most]) + (f", and {more:,} more" if more > 0 else "")
