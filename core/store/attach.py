"""Attaching a points database to a connection, with the faults a file can have told apart."""

from pathlib import Path

import duckdb

from core.errors import DatasetError
from core.store.schema import SCHEMA_VERSION

REBUILD = "rebuild it with: python -m core import SOURCE... --name {name} --data {folder} --rebuild"


_MADE = """\
SELECT view_name FROM duckdb_views() WHERE database_name = ? AND NOT internal
UNION ALL
SELECT function_name FROM duckdb_functions() WHERE database_name = ? AND NOT internal"""


def quoted(text: str) -> str:
    """Return text as an SQL string literal, for the statements that take no parameters."""
    return "'" + text.replace("'", "''") + "'"


def attach(connection: duckdb.DuckDBPyConnection, db_path: Path, catalog: str) -> None:
    """Attach a points database read-only under a catalog name; the connection then reads no other file.

    The file may be somebody else's. A view in it could stand for any file of this machine, so external
    access ends before its first table is read, and a file that has views or macros is refused.

    Raises
    ------
    DatasetError
        No such file, not a points database, or a database of another schema version.
    """
    if not db_path.is_file():
        raise DatasetError(f"Database not found: {db_path}")
    hint = REBUILD.format(name=db_path.stem, folder=db_path.parent)
    path = str(db_path.absolute())
    try:
        connection.execute(f"SET allowed_paths = [{quoted(path)}, {quoted(f'{path}.wal')}]")
        connection.execute("SET enable_external_access = false")
        connection.execute(f"ATTACH {quoted(path)} AS {catalog} (READ_ONLY)")
        made = connection.execute(_MADE, [catalog, catalog]).fetchall()
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise DatasetError(f"Not a points database: {db_path} ({reason}); {hint}") from error
    if made:
        raise DatasetError(f"Not a points database: {db_path} (it has views or macros); {hint}")
    try:
        row = connection.execute(f"SELECT schema_version FROM {catalog}.meta").fetchone()
    except duckdb.Error as error:
        raise DatasetError(f"Not a points database: {db_path} (it has no schema version); {hint}") from error
    if row is None or row[0] != SCHEMA_VERSION:
        raise DatasetError(
            f"{db_path} has schema version {row[0] if row else 'none'}, this program reads version"
            f" {SCHEMA_VERSION}; {hint}"
        )
