"""Which source files a database already holds."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from core.errors import DatasetError
from core.store.attach import attach


@dataclass(frozen=True)
class ImportRow:
    """One source file of an import, and what became of its records.

    `key` identifies the file's content together with the parts of its path that give it meaning;
    `overrides` is canonical JSON of the `--set` fields. A file whose (path, overrides) is known with
    another key has changed, and replaces its earlier records.
    """

    path: str
    key: str
    size: int
    sha256: str
    format: str
    overrides: str = "{}"
    read: int = 0
    kept: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    places: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def known_imports(db_path: Path) -> list[ImportRow]:
    """Return the files that a database was built from; none where there is no database.

    Raises
    ------
    DatasetError
        The file is not a points database, or one of another version.
    """
    if not db_path.exists():
        return []
    with duckdb.connect(":memory:") as connection:
        attach(connection, db_path, "data")
        return read_imports(connection, "data")


def read_imports(connection: duckdb.DuckDBPyConnection, catalog: str) -> list[ImportRow]:
    """Return the imports of an attached database in the order they were made."""
    try:
        rows = connection.execute(
            f"SELECT path, key, size, sha256, format, overrides, read, kept, skipped, places, notes"
            f" FROM {catalog}.imports ORDER BY import_id"
        ).fetchall()
    except duckdb.Error as error:
        raise DatasetError(f"The imports table cannot be read: {error}") from error
    return [ImportRow(*row[:8], *(json.loads(text) for text in row[8:])) for row in rows]
