"""The project's own interchange format: one completion a record.

JSON Lines (plain, gzip, zstandard), a JSON array of objects, CSV, Parquet. Which it is shows in the
content; a mapping file renames columns.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from core.importers.csv_rows import CsvRows, read_header, read_rows
from core.importers.cutting import (
    BOM,
    NO_OBJECT,
    Block,
    Broken,
    csv_row_end,
    cut_array,
    cut_lines,
)
from core.importers.parquet import PARQUET, batches_of, column_names
from core.importers.parsing import parse_json
from core.importers.reader import Chunk, Fault, Opening, Options, PlainReader, RawRecord, Remark, Verdict
from core.importers.record import FIELDS, PARAM_PREFIX, UNUSED
from core.importers.sources import open_beginning

__all__ = ["PARQUET", "Records"]

_TELLING = frozenset({"model", "base_task", "outcome", "score", "response"})
"""Recognition wants two known fields, one of them among these."""

NOT_FOUND = "mapped columns that the source does not have"

_KEY = re.compile(rb'"((?:[^"\\]|\\.){1,200})"\s*:')


class JsonLines(NamedTuple):
    """A block of JSON objects, one a line; `unit` says whether places are lines or array items."""

    data: bytes
    first: int
    unit: str
    mapping: Mapping[str, str]


class Batch(NamedTuple):
    """Some rows of a Parquet file."""

    rows: pa.RecordBatch
    first: int
    mapping: Mapping[str, str]


class Records(PlainReader):
    """Reader of the `records` format."""

    name = "records"

    def recognise(self, opening: Opening, options: Options) -> Verdict:
        """Say whether a file has records: known fields in its first objects, header or schema."""
        names = _names(opening, FIELDS | set(options.mapping.values()))
        if names is None or _enough(names, FIELDS | set(options.mapping.values())):
            return Verdict(names is None or bool(names))
        absent = _unmapped(names, options.mapping)
        if absent and set(names) & {path.partition(".")[0] for path in options.mapping.values()}:
            return Verdict(True, f"{NOT_FOUND}: {', '.join(absent)}; it has {_few(names)}")
        return Verdict(False)

    def chunks(self, path: Path, prepared: Any, options: Options) -> Iterable[Chunk]:
        """Cut a file into blocks of whole records."""
        with path.open("rb") as file:
            start = file.read(len(PARQUET))
        if start == PARQUET:
            yield from _parquet_chunks(path, options.mapping)
            return
        with path.open("rb") as file:
            yield from _text_chunks(file, path, options)

    def records(self, payload: Any) -> Iterable[RawRecord | Fault | Remark]:
        """Read the records of a block."""
        if isinstance(payload, Fault | Remark):
            return [payload]
        if isinstance(payload, JsonLines):
            return _json_records(payload)
        if isinstance(payload, CsvRows):
            return _csv_records(payload)
        return _batch_records(payload)


def _names(opening: Opening, known: set[str] | frozenset[str]) -> list[str] | None:
    """Return the names of a table's columns or of its first record's fields; None where it is damaged."""
    if opening.raw.startswith(PARQUET):
        # A damaged Parquet file is no other format's either; reading it says what is wrong.
        return column_names(opening.path)
    content = opening.content.removeprefix(BOM).lstrip()
    if content.startswith(b"["):
        return _keys(content) if content[1:].lstrip()[:1] == b"{" else []
    first, _, rest = content.partition(b"\n")
    if not rest and first.startswith(b"{"):
        return _keys(first)
    for line in content.splitlines()[:-1] or [content]:
        try:
            value = parse_json(line) if line.lstrip().startswith(b"{") else None
        except ValueError:
            continue
        if isinstance(value, dict):
            return list(value)
    header = read_header(content, known)
    return [] if header is None else list(header.columns)


def _few(names: Sequence[str]) -> str:
    shown = [name[:40] for name in names[:12]]
    return ", ".join(shown) + (", ..." if len(names) > len(shown) else "")


def _keys(content: bytes) -> list[str]:
    return [match.decode("utf-8", "replace") for match in _KEY.findall(content)]


def _enough(names: Iterable[str], known: set[str] | frozenset[str]) -> bool:
    found = {name for name in names if name in known}
    return len(found) >= 2 and bool(found & _TELLING or found - FIELDS)


def _text_chunks(file: io.BufferedReader, path: Path, options: Options) -> Iterator[Chunk]:
    content = open_beginning(path).content.removeprefix(BOM).lstrip()
    if content.startswith(b"["):
        for piece in cut_array(file):
            yield _json_chunk(piece, "item", options.mapping)
        return
    known = FIELDS | set(options.mapping.values())
    header = read_header(content, known)
    if header is None or content.startswith(b"{") or not _enough(header.columns, known):
        for piece in cut_lines(file):
            yield _json_chunk(piece, "line", options.mapping)
        return
    if header.fault:
        yield Chunk(Fault("line 1", header.fault), 0)
        return
    for piece in cut_lines(file, csv_row_end):
        if isinstance(piece, Broken):
            yield Chunk(Fault(f"line {piece.number}", piece.reason), 0)
        else:
            rows = CsvRows(piece.data, piece.first, header.columns, header.delimiter, options.mapping)
            yield Chunk(rows, piece.size)


def _json_chunk(piece: Block | Broken, unit: str, mapping: Mapping[str, str]) -> Chunk:
    if isinstance(piece, Broken):
        return Chunk(Fault(f"{unit} {piece.number}", piece.reason), 0)
    return Chunk(JsonLines(piece.data, piece.first, unit, mapping), piece.size)


def _csv_records(block: CsvRows) -> Iterator[RawRecord | Fault | Remark]:
    if block.first == 1:
        yield from (Remark(NOT_FOUND, path) for path in _unmapped(block.columns, block.mapping))
    for one in read_rows(block):
        if isinstance(one, RawRecord):
            yield RawRecord(one.place, rename(one.values, block.mapping))
        else:
            yield one


def _json_records(block: JsonLines) -> Iterator[RawRecord | Fault | Remark]:
    absent = _Absent(block.mapping)
    for number, line in enumerate(block.data.split(b"\n"), start=block.first):
        if not line.strip():
            continue
        place = f"{block.unit} {number}"
        try:
            value = parse_json(line)
        except ValueError as error:
            yield Fault(place, str(error))
            continue
        if isinstance(value, dict):
            absent.see(value)
            yield RawRecord(place, rename(value, block.mapping))
        else:
            yield Fault(place, NO_OBJECT)
    yield from absent.remarks()


def _parquet_chunks(path: Path, mapping: Mapping[str, str]) -> Iterator[Chunk]:
    names = column_names(path) or []
    known = FIELDS | {source.split(".")[0] for source in mapping.values()} | set(mapping.values())
    used = [name for name in names if name in known or name.startswith(PARAM_PREFIX)]
    yield from (Chunk(Remark(NOT_FOUND, missing), 0) for missing in _unmapped(names, mapping))
    total = 0
    for first, size, rows in batches_of(path, used):
        if isinstance(rows, str):
            yield Chunk(Fault(f"row {first}", rows), 0)
        else:
            total += rows.num_rows
            yield Chunk(Batch(rows, first, mapping), size)
    yield from (Chunk(Remark(UNUSED, name, total), 0) for name in names if name not in used and total)


def _batch_records(batch: Batch) -> Iterator[RawRecord | Fault]:
    rows = batch.rows.to_pylist(maps_as_pydicts="lossy")
    for number, row in enumerate(rows, start=batch.first):
        yield RawRecord(f"row {number}", rename(row, batch.mapping))


def rename(values: dict[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """Return a record under our field names; "usage.output_tokens" also reaches into nested objects."""
    if not mapping:
        return values
    found = {ours: _reach(values, theirs) for ours, theirs in mapping.items()}
    used = {_column(values, theirs) for theirs in mapping.values()}
    return {key: value for key, value in values.items() if key not in used} | found


def _column(values: Mapping[str, Any], path: str) -> str:
    """Return the key of a record that a mapped path begins at, unless that key is a field of ours."""
    root = path if path in values else path.partition(".")[0]
    return root if root == path or root not in FIELDS else path


def _unmapped(names: Iterable[str], mapping: Mapping[str, str]) -> list[str]:
    """Return the mapped columns that are not among the names, by their first part at least."""
    there = set(names)
    return [path for path in mapping.values() if path not in there and path.partition(".")[0] not in there]


def _reach(values: dict[str, Any], path: str) -> Any:
    if path in values:
        return values[path]
    value: Any = values
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


class _Absent:
    """Finds out which mapped paths no record of a block has."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._left = set(mapping.values())
        self._seen = 0

    def see(self, values: Mapping[str, Any]) -> None:
        """Take in a record under the source's names."""
        self._seen += 1
        if self._left:
            self._left = {path for path in self._left if not _there(values, path)}

    def remarks(self) -> Iterator[Remark]:
        """Return one remark for each path that was not found."""
        if self._seen:
            yield from (Remark(NOT_FOUND, path, self._seen) for path in sorted(self._left))


def _there(values: Any, path: str) -> bool:
    if path in values:
        return True
    for part in path.split("."):
        if not isinstance(values, dict) or part not in values:
            return False
        values = values[part]
    return True
