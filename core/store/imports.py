"""The source files of a database: which it holds, and what a build takes out and writes of them."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa

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


_PLAIN = ("path", "overrides", "key", "size", "sha256", "format", "read", "kept")
"""Fields that the imports table has as they are; the others it has as JSON."""


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


def remove_replaced(connection: duckdb.DuckDBPyConnection, imports: list[ImportRow]) -> int:
    """Remove what files that have changed had brought; return the import_id of the first new file."""
    columns = ("path", "overrides", "key")
    coming = {name: pa.array([getattr(row, name) for row in imports], pa.string()) for name in columns}
    # At once: a statement for each of many small files takes longer than reading them.
    connection.register("coming", pa.table(coming))
    connection.execute("""
        CREATE TEMP TABLE gone AS
        SELECT i.import_id
        FROM imports i JOIN coming c USING (path, overrides)
        WHERE i.key <> c.key""")
    connection.unregister("coming")
    if _whole(connection, "SELECT count(*) FROM gone"):
        in_gone = "import_id IN (SELECT import_id FROM gone)"
        connection.execute(
            "DELETE FROM responses WHERE completion_id IN"
            f" (SELECT completion_id FROM completions WHERE {in_gone})"
        )
        connection.execute(f"DELETE FROM completions WHERE {in_gone}")
        connection.execute(f"DELETE FROM imports WHERE {in_gone}")
        connection.execute("DELETE FROM items WHERE item_id NOT IN (SELECT item_id FROM completions)")
        connection.execute("DELETE FROM prompts WHERE item_id NOT IN (SELECT item_id FROM items)")
        for table in ("prompt_tokens", "spectra"):
            connection.execute(f"DELETE FROM {table} WHERE prompt_id NOT IN (SELECT prompt_id FROM prompts)")
    return _whole(connection, "SELECT coalesce(max(import_id), -1) + 1 FROM imports")


def _whole(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    # All rows: a result that is not read to its end keeps the connection from registering tables.
    rows = connection.execute(query).fetchall()
    return int(rows[0][0]) if rows else 0


def write_imports(connection: duckdb.DuckDBPyConnection, imports: list[ImportRow], first_import: int) -> None:
    """Record the files of this run."""
    now = datetime.now(UTC).replace(tzinfo=None)
    table = pa.table(
        {
            "import_id": pa.array(range(first_import, first_import + len(imports)), pa.int32()),
            **{name: [getattr(row, name) for row in imports] for name in _PLAIN},
            **{
                name: [json.dumps(getattr(row, name), ensure_ascii=False) for row in imports]
                for name in ("skipped", "places", "notes")
            },
            "imported_at": pa.array([now] * len(imports), pa.timestamp("us")),
        }
    )
    # At once: a statement for each of many small files takes longer than reading them.
    connection.register("new_imports", table)
    connection.execute("INSERT INTO imports BY NAME SELECT * FROM new_imports")
    connection.unregister("new_imports")
