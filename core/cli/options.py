"""Options that all commands share, with their help, and the values they stand for."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from core.errors import FilterError
from core.filters import STRUCTURE, Filters


class Format(StrEnum):
    """Output formats; each command names those it offers."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSONL = "jsonl"
    HTML = "html"
    PNG = "png"


Config = Annotated[Path, typer.Argument(metavar="CONFIG", help="Dataset config, such as data/demo.json.")]
FilterText = Annotated[
    str | None,
    typer.Option(
        "--filters",
        metavar="JSON",
        help=f"Which completions count (default: all), a JSON object of any of\n\n{STRUCTURE}",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="X", help="A score of at least X counts as correct (default: the config's, else 1.0)."
    ),
]
Interval = Annotated[
    str,
    typer.Option(metavar="I", help="wilson, reasonscape, jeffreys or clopper-pearson; 95%, z = 1.96."),
]
Repeats = Annotated[
    str,
    typer.Option(metavar="R", help="cluster (completions of one item are one cluster) or independent."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", metavar="P", help="File to write (default: text to stdout, PNG to an automatic name)."
    ),
]
Width = Annotated[int, typer.Option(min=400, max=8000, help="Width of a PNG in CSS pixels.")]
OutputDir = Annotated[
    Path | None,
    typer.Option("--output-dir", metavar="D", help="Folder for automatic names; --output is then ignored."),
]
Search = Annotated[str, typer.Option(metavar="T", help="Keep what has this text in it, case ignored.")]


def read_filters(text: str | None, threshold: float | None = None) -> Filters:
    """Return the filters of --filters and --threshold; the flag wins over the JSON. Raises FilterError."""
    filters = Filters.from_json(text) if text else Filters()
    if threshold is None:
        return filters
    return Filters.from_dict({**filters.to_dict(), "threshold": threshold})


def one_of(chosen: Format, *offered: Format) -> Format:
    """Return the format, or raise FilterError where the command does not offer it."""
    if chosen not in offered:
        raise FilterError(f"No format {chosen.value!r} here; valid: {', '.join(o.value for o in offered)}")
    return chosen
