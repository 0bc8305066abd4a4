"""Tables with columns of their own, which no format recognises: what their columns and first records are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.importers.csv_rows import DELIMITERS, CsvRows, read_header, read_rows
from core.importers.cutting import BOM
from core.importers.reader import Options, RawRecord
from core.importers.records import PARQUET, Records
from core.importers.sources import open_beginning

SAMPLE = 50
"""Records that columns and their kinds are read from."""

MOST_COLUMNS = 200
NESTED = 3
"""Levels of nested objects whose keys are offered as columns."""


@dataclass(frozen=True)
class Table:
    """A file of rows or objects: its columns, nested ones with dots, and its first records as they are."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]


def read_table(path: Path) -> Table | None:
    """Return a file as a table; None where it is none, or cannot be read."""
    try:
        rows = tuple(_parquet(path) if _is_parquet(path) else _text(path))
    except (OSError, ValueError, pa.ArrowException):
        return None
    columns = list(dict.fromkeys(name for row in rows for name in _names(row)))
    return Table(path, tuple(columns[:MOST_COLUMNS]), rows) if len(columns) > 1 else None


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def _parquet(path: Path) -> list[Mapping[str, Any]]:
    with pq.ParquetFile(path, pre_buffer=False) as file:
        batch = next(file.iter_batches(batch_size=SAMPLE, use_threads=False), None)
        return [] if batch is None else batch.to_pylist(maps_as_pydicts="lossy")


def _text(path: Path) -> Iterable[Mapping[str, Any]]:
    content = open_beginning(path).content.removeprefix(BOM)
    if content.lstrip()[:1] in (b"{", b"["):
        reader = Records()
        chunks = reader.chunks(path, None, Options())
        records = (one for chunk in islice(chunks, 3) for one in reader.records(chunk.payload))
        return [one.values for one in islice(records, SAMPLE) if isinstance(one, RawRecord)]
    header = _csv_header(content)
    if header is None:
        return []
    columns, delimiter = header
    # The last line of the beginning may be cut.
    whole = content[: content.rfind(b"\n") + 1] if b"\n" in content else content
    rows = read_rows(CsvRows(whole, 1, columns, delimiter, {}))
    return [_all_columns(one.values, columns) for one in islice(rows, SAMPLE) if isinstance(one, RawRecord)]


def _csv_header(content: bytes) -> tuple[tuple[str, ...], str] | None:
    """Return the columns by the sign that parts most of them, where the rows below have as many."""
    best: tuple[tuple[str, ...], str] | None = None
    for sign in DELIMITERS:
        first = content.partition(b"\n")[0].decode("utf-8", "replace").split(sign)
        header = read_header(content, {name.strip().strip('"') for name in first})
        if header is None or header.delimiter != sign or header.fault:
            continue
        if best is None or len(header.columns) > len(best[0]):
            best = header.columns, sign
    return best


def _all_columns(values: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    # An empty cell is no key of a record, and a column all the same.
    return {name: values.get(name) for name in columns}


def _names(row: Mapping[str, Any], prefix: str = "", level: int = 1) -> Iterable[str]:
    for name, value in row.items():
        if isinstance(value, dict) and level < NESTED and value:
            yield from _names(value, f"{prefix}{name}.", level + 1)
        else:
            yield f"{prefix}{name}"
