"""Tables with columns of their own: which they have, what each probably is, and the mapping file.

No Streamlit here. A mapping is what `python -m core import --map` reads: our field -> their column.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.importers.csv_rows import DELIMITERS, CsvRows, read_header, read_rows
from core.importers.cutting import BOM
from core.importers.fields import NAME_LENGTH
from core.importers.reader import Options, RawRecord
from core.importers.record import FIELDS as RECORD_FIELDS
from core.importers.record import PARAM_PREFIX
from core.importers.records import PARQUET, Records
from core.importers.sources import open_beginning
from core.ui.imports_fields import FIELDS, NAMES, NUMBERS

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


def value_of(row: Mapping[str, Any], column: str) -> Any:
    """Return what a column has in a record, dots reaching into objects."""
    if column in row:
        return row[column]
    value: Any = row
    for part in column.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def guess_mapping(tables: Sequence[Table]) -> dict[str, str]:
    """Return which column each field probably is; a column serves one field, in the order of the form."""
    rows = [row for table in tables for row in table.rows]
    left = {name: _bare(name) for table in tables for name in table.columns}
    found = {name: name for name in FIELDS if name in left}
    for name in found:
        del left[name]
    for field in FIELDS.values():
        if field.name in found or (field.name == "outcome" and "score" in found):
            continue
        for wanted in (_bare(field.name), *field.names.split()):
            columns = [name for name, bare in left.items() if bare == wanted]
            if columns and fits(field.name, [value_of(row, columns[0]) for row in rows]):
                found[field.name] = columns[0]
                del left[columns[0]]
                break
    if "base_task" not in found and "category" in found:
        # Benchmarks in one table are often told apart by nothing else.
        found["base_task"] = found.pop("category")
    return {name: found[name] for name in FIELDS if name in found}


def guess_params(tables: Sequence[Table], mapping: Mapping[str, str]) -> list[str]:
    """Return the columns that look like params: numbers of few values that nothing else has taken."""
    used = set(mapping.values())
    found = []
    for name in dict.fromkeys(column for table in tables for column in table.columns):
        values = [value_of(row, name) for table in tables for row in table.rows]
        given = [value for value in values if value is not None and value != ""]
        few = 1 < len({str(value) for value in given}) <= max(2, len(given) // 3)
        if (
            name not in used
            and name not in RECORD_FIELDS
            and few
            and all(_is_number(value) for value in given)
        ):
            found.append(name)
    return [name for name in found if not name.startswith(PARAM_PREFIX)]


def mapping_file(fields: Mapping[str, str | None], params: Iterable[str]) -> dict[str, str]:
    """Return the content of the mapping file; a column that is called as its field needs no entry."""
    entries = {ours: theirs for ours, theirs in fields.items() if theirs and theirs != ours}
    for column in params:
        entries[PARAM_PREFIX + column.rpartition(".")[2]] = column
    return entries


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].casefold())


def fits(field: str, values: Iterable[Any]) -> bool:
    """Whether a column's values can be those of a field."""
    given = [value for value in values if value is not None and value != ""]
    if field == "score":
        return bool(given) and all(_is_score(value) for value in given)
    if field in NUMBERS:
        return all(_is_number(value) for value in given)
    if field in NAMES:
        return all(isinstance(value, str | int | float) and len(str(value)) <= NAME_LENGTH for value in given)
    return True


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bool)


def _is_score(value: Any) -> bool:
    if isinstance(value, bool) or str(value).strip().lower() in ("true", "false"):
        return True
    return _is_number(value) and 0.0 <= float(value) <= 1.0
