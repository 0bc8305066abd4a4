"""`python -m core import`: evaluation results into a dataset."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from core.errors import SourceError
from core.importers import import_sources, terminal_progress


def run(
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE...", help="Files or folders of results.")],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Dataset to make or add to: DIR/NAME.json, .duckdb.")
    ],
    data: Annotated[Path, typer.Option(metavar="DIR", help="Data folder.")] = Path("data"),
    source_format: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="records or reasoning_gym; default: recognised."),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option("--map", metavar="FILE", help='JSON of {"our field": "their column"} for tables.'),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FIELD=VALUE", help="Override model, template or sampler (repeatable)."
        ),
    ] = None,
    no_text: Annotated[bool, typer.Option("--no-text", help="Do not store the texts of responses.")] = False,
    no_config: Annotated[bool, typer.Option("--no-config", help="Leave the config file alone.")] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Start the database over from these sources.")
    ] = False,
) -> None:
    """Import results; what is there already is not imported again, and the config is only appended to.

    Example: python -m core import results/ --name mine
    """
    with terminal_progress() as progress:
        report = import_sources(
            sources,
            name=name,
            data=data,
            format=source_format,
            mapping=mapping,
            overrides=_pairs(overrides or []),
            keep_text=not no_text,
            write_config=not no_config,
            rebuild=rebuild,
            progress=progress,
        )
    sys.stdout.write(report.to_text() + "\n")


def _pairs(texts: list[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        field, equals, value = text.partition("=")
        if not equals or not value:
            raise SourceError(f"--set takes FIELD=VALUE, such as model=my-model; given: {text!r}")
        pairs[field] = value
    return pairs
