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
import pyarrow.parquet as pq

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
from core.importers.parsing import parse_json
from core.importers.reader import Chunk, Fault, Opening, Options, RawRecord, Remark, Run, Verdict
from core.importers.record import FIELDS, PARAM_PREFIX, UNUSED
from core.importers.sources import open_beginning

PARQUET = b"PAR1"

BATCH_BYTES = 4 * 1024 * 1024
BATCH_ROWS = 8192

_TELLING = frozenset({"model", "base_task", "outcome", "score", "response"})
"""Recognition wants two known fields, one of them among these."""

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


class Records:
    """Reader of the `records` format."""

    name = "records"

    def recognise(self, opening: Opening, options: Options) -> Verdict:
        """Say whether a file has records: known fields in its first objects, header or schema."""
        return Verdict(_recognised(opening, FIELDS | set(options.mapping.values())))

    def meaning(self, path: Path) -> str:
        """Return "": records carry their identity themselves."""
        return ""

    def prepare(self, paths: Sequence[Path], new: Sequence[Path], run: Run) -> Mapping[Path, Any]:
        """Return nothing: every file stands for itself."""
        return {}

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
            return (_renamed_record(one, payload.mapping) for one in read_rows(payload))
        return _batch_records(payload)


def _recognised(opening: Opening, known: set[str] | frozenset[str]) -> bool:
    if opening.raw.startswith(PARQUET):
        try:
            return _enough(pq.read_schema(opening.path).names, known)
        except (pa.ArrowException, OSError):
            # A damaged Parquet file is no other format's either; reading it says what is wrong.
            return True
    content = opening.content.removeprefix(BOM).lstrip()
    if content.startswith(b"["):
        return content[1:].lstrip()[:1] == b"{" and _enough(_keys(content), known)
    first, _, rest = content.partition(b"\n")
    if not rest and first.startswith(b"{"):
        return _enough(_keys(first), known)
    for line in content.splitlines()[:-1] or [content]:
        try:
            value = parse_json(line) if line.lstrip().startswith(b"{") else None
        except ValueError:
            continue
        if isinstance(value, dict):
            return _enough(value, known)
    header = read_header(content, known)
    return header is not None and _enough(header.columns, known)


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


def _json_records(block: JsonLines) -> Iterator[RawRecord | Fault]:
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
            yield RawRecord(place, rename(value, block.mapping))
        else:
            yield Fault(place, NO_OBJECT)


def _parquet_chunks(path: Path, mapping: Mapping[str, str]) -> Iterator[Chunk]:
    row = 1
    try:
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=1024 * 1024) as file:
            known = FIELDS | {source.split(".")[0] for source in mapping.values()} | set(mapping.values())
            names = file.schema_arrow.names
            used = [name for name in names if name in known or name.startswith(PARAM_PREFIX)]
            for name in names:
                if name not in used:
                    yield Chunk(Remark(UNUSED, name, file.metadata.num_rows), 0)
            size = path.stat().st_size / max(1, file.metadata.num_rows)
            for batch in file.iter_batches(batch_size=_batch_rows(file), columns=used, use_threads=False):
                yield Chunk(Batch(batch, row, mapping), int(size * batch.num_rows))
                row += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        yield Chunk(Fault(f"row {row}", f"the Parquet data is damaged ({type(error).__name__})"), 0)


def _batch_rows(file: pq.ParquetFile) -> int:
    """Return how many rows make a batch of about 4 MB, so that rows of 5 MB come one at a time."""
    groups = (file.metadata.row_group(number) for number in range(file.metadata.num_row_groups))
    widest = max((group.total_byte_size / max(1, group.num_rows) for group in groups), default=1.0)
    return max(1, min(BATCH_ROWS, int(BATCH_BYTES / max(1.0, widest))))


def _batch_records(batch: Batch) -> Iterator[RawRecord | Fault]:
    rows = batch.rows.to_pylist(maps_as_pydicts="lossy")
    for number, row in enumerate(rows, start=batch.first):
        yield RawRecord(f"row {number}", rename(row, batch.mapping))


def _renamed_record(one: RawRecord | Fault, mapping: Mapping[str, str]) -> RawRecord | Fault:
    return RawRecord(one.place, rename(one.values, mapping)) if isinstance(one, RawRecord) else one


def rename(values: dict[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """Return a record under our field names; "usage.output_tokens" also reaches into nested objects."""
    if not mapping:
        return values
    found = {ours: _reach(values, theirs) for ours, theirs in mapping.items()}
    used = set(mapping.values())
    return {key: value for key, value in values.items() if key not in used} | found


def _reach(values: dict[str, Any], path: str) -> Any:
    if path in values:
        return values[path]
    value: Any = values
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value
