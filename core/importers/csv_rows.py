"""CSV records: the header in the parent process, the rows of a block in a worker.

An empty cell is absent; a quoted empty cell ("") is an empty text, as Arrow writes them (pandas
writes both as an empty cell).
"""

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv

from core.importers.cutting import BOM
from core.importers.reader import Fault, RawRecord
from core.importers.record import PARAM_PREFIX

DELIMITERS = (",", "\t", ";")

COLUMNS = "not as many columns as the header"
NOT_UTF8 = "not UTF-8 text"

MARK = "\uffff"
"""No character of any text."""

_ESCAPED = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")


class Header(NamedTuple):
    """The columns of a CSV file, and why they cannot be used."""

    columns: tuple[str, ...]
    delimiter: str
    fault: str = ""


class CsvRows(NamedTuple):
    """A block of whole CSV rows; `first` is the line that it begins at (the header's, in the first block)."""

    data: bytes
    first: int
    columns: tuple[str, ...]
    delimiter: str
    mapping: Mapping[str, str]


def read_header(content: bytes, known: Collection[str]) -> Header | None:
    """Return the header in the first line of a file, by the delimiter that gives most known columns."""
    line = content.removeprefix(BOM).split(b"\n", 1)[0].rstrip(b"\r")
    try:
        decoded = line.decode("utf-8")
    except UnicodeDecodeError:
        return None
    rows = {sign: _cells(decoded, sign) for sign in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda sign: sum(name in known for name in rows[sign]))
    columns = tuple(rows[delimiter])
    if len(columns) < 2:
        return None
    twice = sorted({name for name in columns if columns.count(name) > 1})
    return Header(columns, delimiter, f"columns that appear twice: {', '.join(twice)}" if twice else "")


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        # Quoted cells parted by another sign are an error to this one.
        return []


def read_rows(block: CsvRows) -> Iterator[RawRecord | Fault]:
    """Read the rows of a block; a row that does not fit the header is a fault, blank lines are nothing."""
    line = block.first
    data = block.data
    if block.first == 1:
        end = data.find(b"\n") + 1
        data, line = data[end:] if end else b"", 2
    if not data.strip():
        return
    faulty: list[pa.csv.InvalidRow] = []
    table = _parse(_marked(data), block, faulty)
    mapped = {theirs for ours, theirs in block.mapping.items() if ours.startswith(PARAM_PREFIX)}
    params = frozenset(mapped | {name for name in block.columns if name.startswith(PARAM_PREFIX)})
    columns = [column.to_pylist() for column in table.columns]
    # Arrow numbers rows from 1; those it refused hold the places where the others' lines jump.
    refused = {row.number: row for row in faulty}
    number = 1
    for cells in zip(*columns, strict=True):
        while number in refused:
            yield from _refused(refused[number], line)
            line += 1 + refused[number].text.count("\n")
            number += 1
        if any(cell is not None for cell in cells):
            yield _record(f"line {line}", block.columns, cells, params)
        line += 1 + sum(cell.count(b"\n") for cell in cells if cell)
        number += 1
    while number in refused:
        yield from _refused(refused[number], line)
        line += 1 + refused[number].text.count("\n")
        number += 1


def _parse(data: bytes, block: CsvRows, faulty: "list[pa.csv.InvalidRow]") -> pa.Table:
    def keep(row: "pa.csv.InvalidRow") -> str:
        faulty.append(row)
        return "skip"

    return pa.csv.read_csv(
        io.BytesIO(data),
        read_options=pa.csv.ReadOptions(
            use_threads=False, block_size=len(data) + 1, column_names=list(block.columns)
        ),
        parse_options=pa.csv.ParseOptions(
            delimiter=block.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=False,
            invalid_row_handler=keep,
        ),
        # Bytes, not text: one cell that is not UTF-8 must not cost the block.
        convert_options=pa.csv.ConvertOptions(
            check_utf8=False,
            column_types=dict.fromkeys(block.columns, pa.binary()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _marked(data: bytes) -> bytes:
    """Put a mark in place of bytes that are not UTF-8: Arrow can only refuse rows that are text."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _ESCAPED.sub(MARK, data.decode("utf-8", "surrogateescape")).encode("utf-8")
    return data


def _refused(row: "pa.csv.InvalidRow", line: int) -> Iterator[Fault]:
    if row.text.strip():
        yield Fault(f"line {line}", COLUMNS)


def _record(
    place: str, columns: tuple[str, ...], cells: tuple[bytes | None, ...], params: frozenset[str]
) -> RawRecord | Fault:
    values: dict[str, Any] = {}
    try:
        for name, cell in zip(columns, cells, strict=True):
            if cell is not None:
                text = cell.decode("utf-8")
                if MARK in text:
                    return Fault(place, NOT_UTF8)
                values[name] = param_value(text) if name in params else text
    except UnicodeDecodeError:
        return Fault(place, NOT_UTF8)
    return RawRecord(place, values)


def param_value(text: str) -> Any:
    """Return the number or boolean that a cell spells as JSON does; "007" and "1e5x" stay texts."""
    if text in ("true", "false", "True", "False"):
        return text.lower() == "true"
    if _NUMBER.fullmatch(text):
        return float(text) if set(text) & set(".eE") else int(text)
    return text
