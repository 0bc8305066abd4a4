"""An open dataset: the config, the read-only database, and a cursor for every query."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from core.config import DatasetConfig, Scalar, load_config, whole
from core.errors import DatasetError
from core.filters import Catalog
from core.flags import Flag, flags_path, read_flags
from core.store.attach import attach
from core.store.flagged import load_flagged
from core.store.membership import load_membership

Fingerprint = tuple[str | int, ...]
"""(path, size, mtime_ns, inode) of database, config and flags: another value is another dataset.

What is written here is moved into place, so that a clock that was set back cannot hide it: two files that
exist at once have different inodes.
"""

MEMORY_LIMIT = "1GB"

ATTEMPTS = 10
"""Times that a dataset is opened whose files change meanwhile."""

LOST = (duckdb.IOException, duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)
"""What DuckDB raises where the file of an open database is cut, or its disk has gone."""


class Dataset:
    """A points database with the facets of its config, open for reading.

    Queries name the file's tables `data.points` and so on, and the tables in memory of
    core.store.membership and core.store.flagged without a prefix. Safe to use from several threads: each
    query has its own cursor. `lost_flags` are flags of completions that the database does not have. Once
    the file could not be read any more `broken` is true, and the dataset has to be opened again.
    """

    def __init__(
        self,
        config: DatasetConfig,
        config_path: Path,
        db_path: Path,
        mark: Fingerprint,
        connection: duckdb.DuckDBPyConnection,
        lost_flags: tuple[Flag, ...] = (),
    ) -> None:
        self.config = config
        self.config_path = config_path
        self.db_path = db_path
        self.fingerprint = mark
        self.lost_flags = lost_flags
        self.broken = False
        self._connection = connection
        self.catalog = self._read_catalog()

    def sql(self, query: str, **parameters: Any) -> pa.Table:
        """Run a query with `$name` parameters and return its rows.

        Raises
        ------
        DatasetError
            The file of the database can no longer be read.
        """
        cursor = self._connection.cursor()
        try:
            return cursor.sql(query, params=parameters or None).to_arrow_table()
        except LOST as error:
            self.broken = True
            reason = str(error).splitlines()[0]
            raise DatasetError(
                f"The database {self.db_path} can no longer be read ({reason}); see that its disk is there"
                " and try again"
            ) from error
        finally:
            cursor.close()

    def rows(self, query: str, **parameters: Any) -> list[dict[str, Any]]:
        """Run a query for a handful of rows, each a dictionary."""
        rows: list[dict[str, Any]] = self.sql(query, **parameters).to_pylist()
        return rows

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _read_catalog(self) -> Catalog:
        tasks = [
            row["base_task"]
            for row in self.rows("SELECT DISTINCT base_task FROM data.points ORDER BY base_task")
        ]
        # Tasks stand in the order of the config everywhere; those it does not name follow.
        order = {task: place for place, task in enumerate(self.config.basetasks)}
        params: dict[str, list[Scalar]] = {}
        for row in self.rows(
            """
            SELECT DISTINCT name, number, text
            FROM data.param_values
            SEMI JOIN data.points USING (params_id)
            ORDER BY name, number, text"""
        ):
            params.setdefault(row["name"], []).append(stored_value(row["number"], row["text"]))
        return Catalog(
            self.config,
            tuple(sorted(tasks, key=lambda task: (order.get(task, len(order)), task))),
            {name: tuple(values) for name, values in params.items()},
        )


def stored_value(number: float | None, text: str) -> Scalar:
    """Return a param's value from its row of `param_values`; a boolean is its text there."""
    return text if number is None else whole(number)


def database_path(config_path: Path, config: DatasetConfig, root: Path | None = None) -> Path:
    """Return where a config's database is; `db` is relative to the config.

    Raises
    ------
    DatasetError
        What the config says is no path; with a root, the database lies outside it.
    """
    try:
        path = (config_path.parent / config.db).resolve()
    except (ValueError, OSError, RuntimeError) as error:
        raise DatasetError(
            f"The database of {config_path.name} is no path: {config.db!r} ({error})"
        ) from error
    if root is not None and not path.is_relative_to(root.resolve()):
        raise DatasetError(
            f"The database of {config_path.name} lies outside the data folder ({config.db}); the app opens"
            " only what is in it: move the database beside its config, or start the app with --data"
        )
    return path


def fingerprint(config_path: Path, root: Path | None = None) -> Fingerprint:
    """Return what identifies the present state of a dataset's files. Raises ConfigError, DatasetError."""
    db_path = database_path(config_path, load_config(config_path), root)
    try:
        marks = [(path, path.stat()) for path in (db_path, config_path)]
        flags = flags_path(config_path)
        with suppress(FileNotFoundError):
            marks.append((flags, flags.stat()))
    except FileNotFoundError:
        raise DatasetError(f"Database not found: {db_path}") from None
    except OSError as error:
        raise DatasetError(f"The database {db_path} cannot be read: {error.strerror}") from error
    return tuple(
        part for path, stat in marks for part in (str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino)
    )


def open_dataset(config_path: Path, root: Path | None = None) -> Dataset:
    """Open a dataset read-only, with external access and configuration locked.

    Parameters
    ----------
    config_path : Path
        The dataset config.
    root : Path, optional
        Folder that the database must lie in.

    Raises
    ------
    ConfigError, DatasetError
        The config or the database cannot be used; the message says why and what to do.
    """
    for _ in range(ATTEMPTS):
        mark = fingerprint(config_path, root)
        dataset = _open(config_path, root, mark)
        # A file replaced in between would be read under the fingerprint of the one before it.
        if fingerprint(config_path, root) == mark:
            return dataset
        dataset.close()
    raise DatasetError(
        f"The files of {config_path.stem} change all the time; try again when they are written"
    )


def _open(config_path: Path, root: Path | None, mark: Fingerprint) -> Dataset:
    config = load_config(config_path)
    db_path = database_path(config_path, config, root)
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": MEMORY_LIMIT,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    try:
        attach(connection, db_path, "data")
        load_membership(connection, config)
        lost_flags = load_flagged(connection, read_flags(flags_path(config_path)))
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        return Dataset(config, config_path, db_path, mark, connection, lost_flags)
    except duckdb.Error as error:
        connection.close()
        raise DatasetError(f"The database {db_path} cannot be read: {error}") from error
    except BaseException:
        connection.close()
        raise
