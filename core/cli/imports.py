"""`python -m core import`: evaluation results into a dataset."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from core.cli.output import write_stdout
from core.errors import SourceError
from core.importers import import_sources, terminal_progress
from core.importers.formats import NAMES
from core.importers.progress import Lines
from core.importers.reader import Options
from core.importers.user_options import checked_overrides, checked_tasks, read_mapping

FormatName = Annotated[
    str | None,
    typer.Option("--format", metavar="F", help=f"{', '.join(NAMES)}; default: recognised file by file."),
]
Mapping = Annotated[
    Path | None,
    typer.Option("--map", metavar="FILE", help='JSON of {"our field": "their column"} for tables.'),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Override model, template or sampler (repeatable)."),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        metavar="THEIRS=OURS",
        help="Import a source's task under another name, to bring sources together (repeatable).",
    ),
]
Scorer = Annotated[
    list[str] | None,
    typer.Option(
        "--scorer",
        metavar="NAME",
        help="Score to take where a source has several: an Inspect scorer (or scorer.key), a metric of the"
        " other formats (repeatable, first found; default: the source's headline or first).",
    ),
]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="NAME",
        help="Answer filter of lm-evaluation-harness to take (repeatable; default: the first).",
    ),
]


def run(
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE...", help="Files or folders of results.")],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Dataset to make or add to: DIR/NAME.json, .duckdb.")
    ],
    data: Annotated[Path, typer.Option(metavar="DIR", help="Data folder.")] = Path("data"),
    source_format: FormatName = None,
    mapping: Mapping = None,
    overrides: Overrides = None,
    tasks: Tasks = None,
    scorers: Scorer = None,
    answer_filters: Filter = None,
    no_text: Annotated[bool, typer.Option("--no-text", help="Do not store the texts of responses.")] = False,
    no_config: Annotated[bool, typer.Option("--no-config", help="Leave the config file alone.")] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Start the database over from these sources.")
    ] = False,
    progress_form: Annotated[
        str,
        typer.Option("--progress", metavar="FORM", help="bar, or json: an object per line on stderr."),
    ] = "bar",
) -> None:
    """Import results; what is there already is not imported again, and the config is only appended to.

    Example: python -m core import results/ --name mine
    """
    if progress_form not in ("bar", "json"):
        raise SourceError(f"--progress is bar or json; given: {progress_form!r}")
    lines = Lines(sys.stderr) if progress_form == "json" else None
    with terminal_progress() if lines is None else nullcontext(lines) as progress:
        report = import_sources(
            sources,
            name=name,
            data=data,
            format=source_format,
            mapping=mapping,
            overrides=pairs_of(overrides, "--set", "model=my-model"),
            tasks=pairs_of(tasks, "--task", "gsm8k_cot=gsm8k"),
            scorers=scorers or (),
            filters=answer_filters or (),
            keep_text=not no_text,
            write_config=not no_config,
            rebuild=rebuild,
            progress=progress,
        )
    if lines is not None:
        lines.report(report)
    write_stdout([report.to_text() + "\n"])


def read_options(
    mapping: Path | None,
    overrides: list[str] | None,
    tasks: list[str] | None,
    scorers: list[str] | None,
    answer_filters: list[str] | None,
) -> Options:
    """Return how sources are to be read. Raises SourceError."""
    return Options(
        read_mapping(mapping),
        checked_overrides(pairs_of(overrides, "--set", "model=my-model")),
        checked_tasks(pairs_of(tasks, "--task", "gsm8k_cot=gsm8k")),
        tuple(scorers or ()),
        tuple(answer_filters or ()),
    )


def pairs_of(texts: list[str] | None, flag: str, example: str) -> dict[str, str]:
    """Return the pairs of a flag that is given once for each. Raises SourceError."""
    pairs = {}
    for text in texts or []:
        field, equals, value = text.partition("=")
        if not equals or not value or not field:
            form = "FIELD=VALUE" if flag == "--set" else "THEIRS=OURS"
            raise SourceError(f"{flag} takes {form}, such as {example}; given: {text!r}")
        pairs[field] = value
    return pairs
