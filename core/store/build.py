"""Building a points database: aside, from staged Parquet, and moved into place when it is whole.

A kill at any moment leaves the old database as it was; what the next build finds of an unfinished one it
removes. Everything here is set-based SQL: memory does not grow with the number of completions.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import duckdb

from core import __version__
from core.errors import DatasetError, advice
from core.store.aggregate import write_aggregates
from core.store.attach import attach, quoted
from core.store.imports import ImportRow, remove_replaced, write_imports
from core.store.load import load_staging
from core.store.schema import SCHEMA_VERSION, TABLES

MEMORY_LIMIT = "500MB"
"""Beyond this DuckDB spills to the folder of the build."""

BUILDING = ".building"
"""What the name of an unfinished database ends with."""

Result = TypeVar("Result")
OnStep = Callable[[str], None]


@dataclass(frozen=True)
class BuildReport:
    """What a build wrote: the files of this run with their duplicates counted, and the totals after it."""

    imports: list[ImportRow]
    points: int
    items: int
    completions: int


def build_database(
    db_path: Path,
    staging: Path,
    imports: list[ImportRow],
    *,
    rebuild: bool,
    keep_text: bool,
    on_step: OnStep = lambda step: None,
    derive: Callable[[duckdb.DuckDBPyConnection, OnStep], object] = lambda connection, on_step: None,
) -> BuildReport:
    """Add staged completions to a database, or make it, and move the result into place.

    Parameters
    ----------
    db_path : Path
        Where the database is or will be; its folder exists.
    staging : Path
        Folder of `part-*.parquet` files; `import_no` in them is the index in `imports`.
    imports : list of ImportRow
        The files of this run.
    rebuild : bool
        Start over instead of adding to the database that is there.
    keep_text : bool
        Whether responses are stored.
    on_step : callable
        Told in words what is being done.
    derive : callable
        Given the filled database, adds what is computed from it.

    Raises
    ------
    DatasetError
        The existing database cannot be added to, or there is no room for the new one.
    """

    def fill(connection: duckdb.DuckDBPyConnection) -> BuildReport:
        report = _fill(connection, staging, imports, keep_text=keep_text, on_step=on_step)
        derive(connection, on_step)
        return report

    return rewrite_database(db_path, staging / "spill", fill, start_over=rebuild, on_step=on_step)


def rewrite_database(
    db_path: Path,
    spill: Path,
    change: Callable[[duckdb.DuckDBPyConnection], Result],
    *,
    start_over: bool = False,
    on_step: OnStep = lambda step: None,
) -> Result:
    """Change a copy of a database, or a new one, and move it into place when it is whole.

    Parameters
    ----------
    db_path : Path
        Where the database is or will be; its folder exists.
    spill : Path
        Folder that DuckDB makes for what does not fit into memory.
    change : callable
        Makes the changes; what it returns is returned.
    start_over : bool
        Begin with an empty database instead of a copy.
    on_step : callable
        Told in words what is being done.

    Raises
    ------
    DatasetError
        The existing database cannot be read, or the new one not written.
    """
    aside = _aside(db_path)
    _remove(aside)
    try:
        if db_path.exists() and not start_over:
            with duckdb.connect(":memory:") as check:
                attach(check, db_path, "old")
            shutil.copyfile(db_path, aside)
        with duckdb.connect(str(aside), config={"memory_limit": MEMORY_LIMIT}) as connection:
            connection.execute(f"SET temp_directory = {quoted(str(spill))}")
            result = change(connection)
            connection.execute("CHECKPOINT")
        on_step("Moving the database into place")
        _sync(aside)
        os.replace(aside, db_path)
        _sync(db_path.parent)
    except (duckdb.Error, OSError) as error:
        raise DatasetError(
            f"The database {db_path} could not be written, nothing was changed: {error}{advice(error)}"
        ) from error
    finally:
        _remove(aside)
    return result


def remove_unfinished(db_path: Path) -> None:
    """Remove what a killed build left beside a database; the caller holds the dataset's lock."""
    _remove(_aside(db_path))


def _aside(db_path: Path) -> Path:
    return db_path.with_name(f"{db_path.name}{BUILDING}")


def _remove(aside: Path) -> None:
    for path in (aside, aside.with_name(aside.name + ".wal")):
        path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fill(
    connection: duckdb.DuckDBPyConnection,
    staging: Path,
    imports: list[ImportRow],
    *,
    keep_text: bool,
    on_step: Callable[[str], None],
) -> BuildReport:
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE IF NOT EXISTS {name} {columns}")
    connection.execute("DELETE FROM meta")
    connection.execute("INSERT INTO meta VALUES (?, ?)", [SCHEMA_VERSION, __version__])
    first_import = remove_replaced(connection, imports)
    if any(staging.glob("part-*.parquet")):
        imports = load_staging(
            connection, staging, imports, first_import=first_import, keep_text=keep_text, on_step=on_step
        )
    write_imports(connection, imports, first_import)
    on_step("Adding up points")
    write_aggregates(connection)
    counts = [_count(connection, table) for table in ("points", "items", "completions")]
    return BuildReport(imports, *counts)


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    rows = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    return int(rows[0][0])
