"""Reading a source file as the workers do, without a database."""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from core.importers.formats import READERS, reader_named
from core.importers.reader import Options, Reader
from core.importers.sources import open_beginning
from core.importers.staging import SCHEMA
from core.importers.staging_job import Job, stage
from core.importers.tally import Tally


def reader_of(path: Path, options: Options = Options()) -> Reader | None:  # noqa: B008
    """Return the reader that recognises a file and would import it."""
    opening = open_beginning(path)
    for reader in READERS:
        verdict = reader.recognise(opening, options)
        if verdict.mine:
            return reader if not verdict.refusal else None
    return None


def read(
    path: Path,
    *,
    format: str = "records",
    mapping: Mapping[str, str] | None = None,
    overrides: Mapping[str, str] | None = None,
    prepared: Any = None,
    keep_text: bool = True,
) -> tuple[list[dict[str, Any]], Tally]:
    """Return the staged rows of a file in file order, without their numbers, and the counts."""
    options = Options(mapping or {}, overrides or {})
    tally = Tally()
    with TemporaryDirectory() as folder:
        for number, chunk in enumerate(reader_named(format).chunks(path, prepared, options)):
            job = Job(
                import_no=0,
                chunk=number,
                size=chunk.size,
                payload=chunk.payload,
                format=format,
                file_key="the file",
                overrides=options.overrides,
                keep_text=keep_text,
                folder=Path(folder),
            )
            tally.add(stage([job])[0].tally)
        rows: list[dict[str, Any]] = []
        for part in sorted(Path(folder).glob("part-*.parquet")):
            table = pq.read_table(part)
            assert table.schema.equals(SCHEMA)
            rows += table.drop_columns(["import_no", "chunk", "row"]).to_pylist()
    assert tally.kept == len(rows)
    return rows, tally


def json_lines(*records: Mapping[str, Any]) -> bytes:
    """Return records as JSON Lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def record(**values: Any) -> dict[str, Any]:
    """Return a record that is complete, with some values of its own."""
    return {"model": "m", "base_task": "t", "outcome": "correct"} | values
