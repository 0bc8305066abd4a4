"""A build that fails or is killed at any moment leaves the old database whole."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from core.errors import DatasetError
from core.store import build_database, known_imports, open_dataset
from tests.store.contents import everything, query
from tests.store.staging import Row, build, completion, imports_of, stage, write_config

ROOT = Path(__file__).parent.parent.parent
OLD = [completion(item_key=f"{number}", response="old") for number in range(3)]
NEW = [completion(model="new", item_key=f"{number}", response="new") for number in range(4)]


class Stop(Exception):
    """Not a database error: what an interrupt or a fault elsewhere looks like."""


def stop_at(wanted: int, error: BaseException, seen: list[str]) -> Callable[[str], None]:
    def on_step(step: str) -> None:
        seen.append(step)
        if len(seen) - 1 == wanted:
            raise error

    return on_step


def left_behind(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"staging"}


def add_new(path: Path, **options: object) -> None:
    build(path, NEW, imports=imports_of([NEW], first=1), **options)


@pytest.mark.parametrize("rebuild", [False, True])
def test_stopping_at_any_step_changes_nothing(tmp_path: Path, rebuild: bool) -> None:
    path = tmp_path / "small.duckdb"
    build(path, OLD)
    before, content = path.read_bytes(), everything(path)
    steps: list[str] = []
    add_new(tmp_path / "other.duckdb", on_step=steps.append)
    (tmp_path / "other.duckdb").unlink()
    assert len(steps) == len(set(steps)) >= 5
    # A rebuild differs only in what it starts from.
    for number in range(len(steps) - 1 if rebuild else 0, len(steps)):
        error = Stop() if number % 2 else KeyboardInterrupt()
        seen: list[str] = []
        with pytest.raises(type(error)):
            add_new(path, rebuild=rebuild, on_step=stop_at(number, error, seen))
        assert seen == steps[: number + 1]
        assert path.read_bytes() == before
        assert left_behind(tmp_path) == {"small.duckdb"}
    assert everything(path) == content
    add_new(path, rebuild=rebuild)
    assert len(query(path, "SELECT * FROM completions")) == (4 if rebuild else 7)


KILLED = """
import os, signal, sys
from pathlib import Path
from core.store import ImportRow, build_database
folder = Path(sys.argv[1])
row = ImportRow("file-1.jsonl", "key-1", 1, "0", "records", read=4, kept=4)
def on_step(step):
    if step.startswith("Moving"):
        os.kill(os.getpid(), signal.SIGKILL)
build_database(folder / "small.duckdb", folder / "staging", [row], rebuild=False, keep_text=True, on_step=on_step)
"""  # fmt: skip  # noqa: E501


def test_a_kill_leaves_the_old_database_and_the_next_build_cleans_up(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(path, OLD)
    before = path.read_bytes()
    stage(tmp_path / "staging", [NEW])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert left_behind(tmp_path) == {"small.duckdb", "small.duckdb.building"}
    assert path.read_bytes() == before
    dataset = open_dataset(write_config(tmp_path))
    assert dataset.rows("SELECT count(*) AS n FROM data.completions") == [{"n": 3}]
    dataset.close()
    add_new(path)
    assert left_behind(tmp_path) == {"small.duckdb", "small.json"}
    assert len(query(path, "SELECT * FROM completions")) == 7


def refuse(path: Path, staged: list[Row] = NEW, *, rebuild: bool = False) -> str:
    stage(path.parent / "staging", [staged])
    with pytest.raises(DatasetError) as error:
        build_database(path, path.parent / "staging", imports_of([staged]), rebuild=rebuild, keep_text=True)
    return str(error.value)


def test_what_cannot_be_added_to_is_left_alone_and_can_be_rebuilt(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    path.write_text("not a database, but somebody's file")
    assert refuse(path).startswith(f"Not a points database: {path} (")
    assert path.read_text() == "not a database, but somebody's file"
    with pytest.raises(DatasetError, match="Not a points database"):
        known_imports(path)
    build(path, NEW, rebuild=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE meta SET schema_version = 999")
    assert "schema version 999, this program reads version" in refuse(path)
    assert query(path, "SELECT schema_version FROM meta") == [(999,)]
    assert left_behind(tmp_path) == {"small.duckdb"}


def test_a_broken_part_and_a_missing_folder_are_database_errors(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(path, OLD)
    before = path.read_bytes()
    (tmp_path / "staging" / "part-9.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(DatasetError, match="could not be written, nothing was changed: ") as error:
        build_database(path, tmp_path / "staging", imports_of([NEW]), rebuild=False, keep_text=True)
    assert str(path) in str(error.value)
    assert path.read_bytes() == before
    gone = tmp_path / "gone" / "small.duckdb"
    with pytest.raises(DatasetError, match=f"The database {gone} could not be written, nothing was changed"):
        build_database(gone, tmp_path / "staging", imports_of([NEW]), rebuild=False, keep_text=True)
    assert not gone.parent.exists()


def test_a_folder_in_the_way_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    path.mkdir()
    (path / "mine.txt").write_text("mine")
    assert "small.duckdb" in refuse(path)
    assert "small.duckdb" in refuse(path, rebuild=True)
    assert (path / "mine.txt").read_text() == "mine"
    assert left_behind(tmp_path) == {"small.duckdb"}


@pytest.mark.parametrize("folder", ['it\'s "here"; --', "a [b] *{c}", "ünïcode 模型", "$x ~"])
def test_paths_that_quoting_or_patterns_could_break(tmp_path: Path, folder: str) -> None:
    place = tmp_path / folder
    place.mkdir()
    for file, first in ((OLD, 0), (NEW, 1)):
        build(place / "it's.duckdb", file, imports=imports_of([file], first=first), parts=2)
    assert [row.path for row in known_imports(place / "it's.duckdb")] == ["file-0.jsonl", "file-1.jsonl"]
    dataset = open_dataset(write_config(place, "it's"))
    assert dataset.rows("SELECT count(*) AS n FROM data.completions") == [{"n": 7}]
    dataset.close()
