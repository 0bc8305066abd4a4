"""`python -m core completions`: completions with their texts as records, and the hardest items."""

import itertools
import math
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import orjson
import typer

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
from core.cli.output import Destination
from core.errors import FilterError, NothingFoundError
from core.export import csv_bytes, plain
from core.filters import Filters
from core.store.dataset import Dataset, open_dataset
from core.tiers.completions import (
    FEWEST_EVALS,
    KINDS,
    OUTCOMES,
    PAIRS,
    SEARCHED,
    SORTS,
    Wanted,
    lines,
    read_hardest,
    records,
)
from core.tiers.completions.wanted import Pair, Range
from core.tiers.loops import LEAST_BYTES, LOOP_RATIO, LoopRule

_ALL = 2**31 - 1


def run(
    config: Config,
    outcome: Annotated[
        list[str] | None, typer.Option(metavar="O", help=f"One of {', '.join(OUTCOMES)}; repeatable.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Write the first N completions (default: all).")
    ] = None,
    search: Annotated[str, typer.Option(metavar="T", help="Keep what has this plain text in it.")] = "",
    search_in: Annotated[str, typer.Option(metavar="W", help=f"Where: {', '.join(SEARCHED)}.")] = SEARCHED[0],
    match_case: Annotated[bool, typer.Option("--match-case", help="Capitals matter.")] = False,
    tokens: Annotated[
        str, typer.Option(metavar="A:B", help="Range of completion tokens; either end may be left out.")
    ] = "",
    param_range: Annotated[
        list[str] | None,
        typer.Option(metavar="P=A:B", help="Range of a numeric param; repeatable."),
    ] = None,
    item: Annotated[
        list[int] | None, typer.Option(metavar="ID", help="Completions of this item; repeatable.")
    ] = None,
    loops: Annotated[bool, typer.Option("--loops", help="Suspected loops only.")] = False,
    loop_bytes: Annotated[
        int, typer.Option(metavar="N", help="A suspected loop has at least N bytes.")
    ] = LEAST_BYTES,
    loop_ratio: Annotated[
        float, typer.Option(metavar="X", help="And compresses to less than this share of them.")
    ] = LOOP_RATIO,
    pair: Annotated[
        str,
        typer.Option(
            metavar="A,B,KIND",
            help=f"Two eval_ids and which of their common items: {', '.join(PAIRS)}; gained: A does better.",
        ),
    ] = "",
    flagged_only: Annotated[bool, typer.Option("--flagged-only", help="Flagged completions only.")] = False,
    sort: Annotated[str, typer.Option(metavar="S", help=f"By {', '.join(SORTS)}.")] = SORTS[0],
    descending: Annotated[bool, typer.Option("--descending", help="The largest first.")] = False,
    hardest: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help=f"Items instead, the lowest pass rate first: {', '.join(KINDS)} (one: failed by one eval"
            " alone).",
        ),
    ] = "",
    fewest: Annotated[
        int, typer.Option(metavar="N", help="Hardest items: answered by at least N evals.")
    ] = FEWEST_EVALS,
    filters: FilterText = None,
    threshold: Threshold = None,
    output_format: Annotated[Format, typer.Option("--format", help="csv or jsonl.")] = Format.CSV,
    output: Output = None,
    output_dir: OutputDir = None,
) -> None:
    """Write completions with prompt, response, answer, outcome and where each comes from.

    Example: python -m core completions data/demo.json --outcome incorrect --limit 20 --format jsonl
    """
    form = one_of(output_format, Format.CSV, Format.JSONL).value
    if limit is not None and limit < 1:
        raise FilterError(f"--limit must be at least 1; given: {limit}")
    dataset = open_dataset(config)
    selected = read_filters(filters, threshold)
    if hardest:
        asked = {
            "--outcome": outcome, "--search": search, "--tokens": tokens, "--param-range": param_range,
            "--item": item, "--loops": loops, "--pair": pair, "--flagged-only": flagged_only,
        }  # fmt: skip
        if ignored := [flag for flag, value in asked.items() if value]:
            raise FilterError(f"--hardest lists items: it takes --filters and --fewest, not {ignored[0]}")
        where = Destination.of(
            dataset, f"hardest-items_{hardest}", output_format, selected, output, output_dir
        )
        where.write_parts(_items(dataset, selected, hardest, fewest, limit, form), csv=form == "csv")
        return
    wanted = Wanted(
        outcomes=tuple(dict.fromkeys(outcome or ())),
        items=tuple(dict.fromkeys(item or ())),
        ranges=tuple(map(read_param_range, param_range or ())),
        tokens=_whole(read_range(tokens, "--tokens")),
        loops=LoopRule(loop_bytes, loop_ratio) if loops else None,
        search=search,
        searched=search_in,
        match_case=match_case,
        pair=read_pair(pair) if pair else None,
        flagged=flagged_only,
        sort=sort,
        descending=descending,
    )
    kind = "_".join(["completions", *wanted.outcomes])
    where = Destination.of(dataset, kind, output_format, selected, output, output_dir)
    found = _some(records(dataset, selected, wanted, limit))
    where.write_parts(lines(found, form), csv=form == "csv")
    if dataset.lost_flags:
        print(f"{len(dataset.lost_flags)} flags match no completion of this dataset", file=sys.stderr)


def _some(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Return the rows, or raise NothingFoundError where there are none."""
    first = next(rows, None)
    if first is None:
        raise NothingFoundError("No results found matching filters")
    return itertools.chain([first], rows)


def _items(
    dataset: Dataset, filters: Filters, kind: str, fewest: int, limit: int | None, form: str
) -> Iterable[bytes]:
    found = read_hardest(dataset, filters, kind=kind, fewest=fewest, rows=limit or _ALL).rows
    if found.empty:
        raise NothingFoundError("No results found matching filters")
    if form == "csv":
        return [csv_bytes(found)]
    return [orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in plain(found)]


def read_range(text: str, option: str) -> Range:
    """Read `A:B`, `A:`, `:B` or one number for both ends; nothing is no limit. Raises FilterError."""
    low, colon, high = text.strip().partition(":")
    try:
        ends = [float(end) if end.strip() else None for end in (low, high if colon else low)]
    except ValueError:
        ends = [math.nan]
    if not all(end is None or math.isfinite(end) for end in ends):
        raise FilterError(f"{option} is a range such as 100:2000, 100: or :2000; given: {text!r}")
    return ends[0], ends[1]


def read_param_range(text: str) -> tuple[str, Range]:
    """Read `length=2:5`. Raises FilterError."""
    name, sign, limits = text.partition("=")
    if not sign or not limits.strip():
        raise FilterError(f"--param-range is a param and a range, such as length=2:5; given: {text!r}")
    return name.strip(), read_range(limits, "--param-range")


def _whole(limits: Range) -> tuple[int | None, int | None]:
    if any(end is not None and not end.is_integer() for end in limits):
        raise FilterError("--tokens takes whole numbers, such as 100:2000")
    low, high = (None if end is None else int(end) for end in limits)
    return low, high


def read_pair(text: str) -> Pair:
    """Read `0,1,gained`. Raises FilterError."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts[:2]):
        raise FilterError(
            f"--pair is two eval_ids and one of {', '.join(PAIRS)}, such as 0,1,gained; given: {text!r}"
        )
    return int(parts[0]), int(parts[1]), parts[2]
