"""An import from start to end: what is new, what is known, what stays when something goes wrong."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import duckdb
import filelock
import pytest

from core.errors import ConfigError, DatasetError, SourceError
from core.importers import ImportReport, import_sources
from core.importers.gym_params import UNAVAILABLE
from core.importers.reasoning_gym import NO_PARAMS
from core.importers.record import UNUSED
from core.importers.records import NOT_FOUND
from core.importers.report import Mention
from core.importers.summing_up import STALE
from core.store import build_database
from tests.command import ROOT
from tests.importers.staged import json_lines, record


class Place:
    """A folder of sources and the dataset made of them."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "sources"
        self.data = folder / "data"
        self.sources.mkdir()
        self.database = self.data / "d.duckdb"
        self.config = self.data / "d.json"

    def write(self, name: str, *records: dict[str, Any]) -> Path:
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(json_lines(*records))
        return path

    def take(self, *sources: Path, **options: Any) -> ImportReport:
        return import_sources(list(sources) or [self.sources], name="d", data=self.data, **options)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.database), read_only=True) as connection:
            return connection.execute(query).fetchall()

    def models(self) -> dict[str, int]:
        query = (
            "SELECT model, count(*) FROM completions JOIN point_identities USING (point_id) GROUP BY model"
        )
        return dict(self.ask(query))

    def state(self) -> list[bytes]:
        return [self.database.read_bytes(), self.config.read_bytes()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def many(model: str, count: int = 3, **values: Any) -> list[dict[str, Any]]:
    return [record(model=model, item_key=str(number), **values) for number in range(count)]


def test_an_import(place: Place) -> None:
    path = place.write("a.jsonl", *many("a"), record(score=7), record(score=8))
    (place.sources / "notes.txt").write_text("Dear reader")
    report = place.take()
    assert (report.found, report.new, report.known, report.replaced) == (2, 1, 0, 0)
    assert (report.read, report.kept, report.skipped) == (5, 3, {"score outside [0, 1]": 2})
    assert report.places == {"score outside [0, 1]": [f"{path} line 4", f"{path} line 5"]}
    assert report.files_left_out == {"not recognised as any format": [place.sources / "notes.txt"]}
    assert (report.points, report.items, report.completions) == (1, 3, 3)
    assert report.changed and report.config_added
    text = report.to_text()
    for part in (
        "2 found, 1 new",
        "5 read, 3 kept, 2 skipped",
        "score outside [0, 1]",
        "line 4",
        "notes.txt",
    ):
        assert part in text
    (row,) = place.ask("SELECT path, format, read, kept, size FROM imports")
    assert row == (str(path), "records", 5, 3, path.stat().st_size)
    assert sorted(os.listdir(place.data)) == ["d.duckdb", "d.json", "d.lock"]


def test_the_same_again_changes_nothing(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    place.take()
    before = place.state()
    report = place.take()
    assert place.state() == before
    assert (report.changed, report.known, report.new) == (False, 1, 0)
    assert "Nothing new" in report.to_text()


def test_more_files_add_only_those(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    place.take()
    place.write("sub/b.jsonl", *many("b", 2))
    report = place.take()
    assert (report.known, report.new, report.kept) == (1, 1, 2)
    assert place.models() == {"a": 3, "b": 2}


def test_a_changed_file_replaces_its_records(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    place.take()
    place.write("a.jsonl", *many("a", 4))
    report = place.take()
    assert (report.replaced, report.new) == (1, 0)
    assert place.models() == {"a": 4}
    assert len(place.ask("SELECT * FROM imports")) == 1


def test_a_changed_file_that_holds_nothing_leaves_its_records(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    place.take()
    before = place.state()
    place.write("a.jsonl", record(score=7))
    with pytest.raises(SourceError, match="Nothing in the sources can be used"):
        place.take()
    assert place.state() == before
    place.write("b.jsonl", *many("b"))
    report = place.take()
    assert place.models() == {"a": 3, "b": 3}
    assert STALE in report.remarks
    place.write("a.jsonl", *many("a", 5))
    place.take()
    assert place.models() == {"a": 5, "b": 3}


def test_copies_are_not_counted_twice(place: Place, tmp_path: Path) -> None:
    first = place.write("a.jsonl", *many("a"))
    place.write("b.jsonl", *many("a"))
    report = place.take()
    assert (report.new, report.kept) == (1, 3)
    assert report.files_left_out == {f"same content as {first}": [place.sources / "b.jsonl"]}
    shutil.copytree(place.sources, tmp_path / "elsewhere")
    assert not place.take(tmp_path / "elsewhere").changed
    assert place.models() == {"a": 3}


def test_a_file_that_becomes_a_copy_loses_its_records(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    place.write("b.jsonl", *many("b"))
    place.take()
    place.write("b.jsonl", *many("a"))
    place.take()
    assert place.models() == {"a": 3}
    before = place.state()
    place.take()
    assert place.state() == before
    place.write("a.jsonl", *many("c"))
    place.take()
    assert place.models() == {"a": 3, "c": 3}


def test_rebuild_starts_over(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    place.take()
    (place.sources / "a.jsonl").rename(place.sources / "b.jsonl")
    place.write("b.jsonl", *many("b"))
    place.take(rebuild=True)
    assert place.models() == {"b": 3}


def test_set_keeps_two_runs_of_one_model_apart(place: Place) -> None:
    path = place.write("a.jsonl", *many("a"))
    place.take()
    place.take(path, overrides={"model": "a again"})
    assert place.models() == {"a": 3, "a again": 3}
    assert not place.take(path, overrides={"model": "a again"}).changed


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"outcome": "correct"}, "--set cannot change 'outcome'; valid: model, template, sampler"),
        ({"model": "a\nb"}, "--set model: model holds line breaks"),
        ({"model": " "}, "--set model: no value"),
    ],
)
def test_set_refuses(place: Place, overrides: dict[str, str], message: str) -> None:
    place.write("a.jsonl", *many("a"))
    with pytest.raises(SourceError, match=message):
        place.take(overrides=overrides)


def test_mapping_file(place: Place, tmp_path: Path) -> None:
    place.write("a.jsonl", {"who": "a", "what": "t", "ok": 1})
    mapping = tmp_path / "map.json"
    mapping.write_text('{"model": "who", "base_task": "what", "score": "ok"}')
    place.take(mapping=mapping)
    assert place.models() == {"a": 1}
    for text, message in [
        ('{"modell": "who"}', "names unknown fields: modell; valid: answer, base_task"),
        ('["model"]', "must be a JSON object"),
        ('{"model": 1}', "must be a JSON object"),
        ("{", "is not valid JSON"),
    ]:
        mapping.write_text(text)
        with pytest.raises(SourceError, match=message):
            place.take(mapping=mapping)


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b", "x" * 101])
def test_names_that_are_no_file_names(place: Place, name: str) -> None:
    with pytest.raises(SourceError, match="Not a dataset name"):
        import_sources([place.sources], name=name, data=place.data)
    assert not place.data.exists()


def test_nothing_to_import(place: Place) -> None:
    with pytest.raises(SourceError, match=f"no files in {place.sources}"):
        place.take()
    with pytest.raises(SourceError, match=r"Unknown format 'xml'; valid: .*helm, reasoning_gym, records"):
        place.take(format="xml")
    assert not place.database.exists() and not place.config.exists()


def test_a_forced_format(place: Place) -> None:
    (place.sources / "a.txt").write_text("no header, no JSON\n")
    with pytest.raises(SourceError, match="1 not valid JSON"):
        place.take(format="records")


def test_without_text_and_without_config(place: Place) -> None:
    place.write("a.jsonl", *many("a", response="some text"))
    place.take(keep_text=False, write_config=False)
    assert place.ask("SELECT count(*) FROM responses") == [(0,)]
    assert place.ask("SELECT min(response_bytes) FROM completions") == [(9,)]
    assert not place.config.exists()


def test_the_database_that_the_config_names(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    place.data.mkdir()
    (place.data / "far").mkdir()
    place.config.write_text('{"db": "far/away.duckdb", "name": "d", "evals": []}')
    report = place.take()
    assert report.database == place.data / "far" / "away.duckdb"
    assert report.database.exists() and not place.database.exists()


def test_what_is_there_and_broken_is_left_alone(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    place.data.mkdir()
    place.config.write_text('{"db": ')
    with pytest.raises(ConfigError):
        place.take()
    assert not place.database.exists()
    place.config.unlink()
    place.database.write_bytes(b"my only copy")
    with pytest.raises(DatasetError):
        place.take()
    assert place.database.read_bytes() == b"my only copy"


def test_leftovers_of_a_killed_import_go(place: Place) -> None:
    place.write("a.jsonl", *many("a"))
    for name in (".d.import-abcdefgh", ".d.x.import-abcdefgh", ".d.import-mine"):
        (place.data / name).mkdir(parents=True)
    place.take()
    left = sorted(path.name for path in place.data.iterdir() if path.is_dir())
    assert left == [".d.import-mine", ".d.x.import-abcdefgh"]


def test_two_imports_take_turns(place: Place) -> None:
    class Watcher:
        def __init__(self) -> None:
            self.waiting = threading.Event()

        def begin(self, total: int) -> None: ...

        def advance(self, size: int) -> None: ...

        def step(self, text: str) -> None:
            if "Waiting for another import" in text:
                self.waiting.set()

    place.write("a.jsonl", *many("a"))
    place.data.mkdir()
    watcher = Watcher()
    second = threading.Thread(target=place.take, kwargs={"progress": watcher})
    with filelock.FileLock(place.data / "d.lock"):
        second.start()
        assert watcher.waiting.wait(20)
        assert not place.database.exists()
    second.join(20)
    assert place.models() == {"a": 3}


def test_progress_adds_up_to_the_bytes_of_the_files(place: Place) -> None:
    class Watcher:
        total = done = 0

        def begin(self, total: int) -> None:
            self.total = total

        def advance(self, size: int) -> None:
            self.done += size

        def step(self, text: str) -> None: ...

    path = place.write("a.jsonl", *many("a", 2000, prompt="x" * 100))
    watcher = Watcher()
    place.take(progress=watcher)
    assert watcher.total == watcher.done == path.stat().st_size


def test_strange_names(place: Place) -> None:
    names = ["o'br\"ien; --", "=1+1", "<script>", "模型 🤖", "a/b\\c", "%s {x} $y"]
    place.write(
        'it\'s "odd" 🤖.jsonl', *(record(model=name, base_task=name, params={name: name}) for name in names)
    )
    place.take()
    assert set(place.models()) == set(names)


def test_workers_and_this_process_read_the_same(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("a.jsonl", *many("a", 400, response="r " * 50, prompt="p"), record(score=7))
    place.write("b.jsonl", *many("b", 400, response="r " * 60))
    query = "SELECT * EXCLUDE (import_id) FROM completions ORDER BY completion_id"
    place.take()
    here = place.ask(query)
    monkeypatch.setattr("core.importers.workers.SMALL", 0)
    report = place.take(rebuild=True)
    assert place.ask(query) == here
    assert report.skipped == {"score outside [0, 1]": 1}


MEASURE = """
import json, resource, sys
from pathlib import Path
from core.importers import import_sources
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
import_sources([Path(sys.argv[1])], name="d", data=Path(sys.argv[2]), keep_text=False)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([grown, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))
"""


def test_memory_does_not_grow_with_the_input(place: Place) -> None:
    """A file of 150 MB: neither the importing process nor a worker holds it (the database has 2 GB)."""
    line = json.dumps(record(response="All work and no play. " * 1000, completion_tokens=5)).encode() + b"\n"
    with (place.sources / "big.jsonl").open("wb") as file:
        for _ in range(7000):
            file.write(line)
    # In a process of its own: the largest child of this one may be a browser of another test.
    command = [sys.executable, "-c", MEASURE, str(place.sources), str(place.data)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    grown, workers = json.loads(done.stdout)
    assert place.models() == {"m": 7000}
    assert grown < 150_000, "kilobytes"
    assert workers < 600_000, "kilobytes"


@pytest.mark.slow
def test_every_item_of_the_real_results_has_its_params(rg_dataset: Path) -> None:
    with duckdb.connect(str(rg_dataset.with_suffix(".duckdb")), read_only=True) as connection:
        notes = " ".join(row[0] for row in connection.execute("SELECT notes FROM imports").fetchall())
        if UNAVAILABLE in notes:
            pytest.skip("the optional package reasoning-gym is not installed")
        assert NO_PARAMS not in notes
        query = "SELECT count(*), count(*) FILTER (WHERE params LIKE '%,%') FROM items"
        assert connection.execute(query).fetchone() == (1600, 1600)
        query = (
            "SELECT model, count(*) FROM completions JOIN point_identities USING (point_id) GROUP BY model"
        )
        assert [count for _, count in connection.execute(query).fetchall()] == [3200] * 6


def test_many_tiny_files_share_few_parts(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part file and a statement for each of many files took longer than reading them."""
    for number in range(300):
        place.write(f"{number // 100}/{number}.jsonl", record(model="a", item_key=str(number)))
    parts: list[int] = []

    def counted(database: Path, staging: Path, *others: Any, **options: Any) -> Any:
        parts.append(len(list(staging.glob("part-*.parquet"))))
        return build_database(database, staging, *others, **options)

    monkeypatch.setattr("core.importers.importing.build_database", counted)
    report = place.take()
    assert (report.new, report.completions) == (300, 300)
    assert parts[0] < 40
    assert place.ask("SELECT count(*), sum(kept) FROM imports") == [(300, 300)]
    places = place.ask("SELECT place, count(DISTINCT import_id) FROM completions GROUP BY place")
    assert places == [("line 1", 300)]
    assert not place.take().changed


def test_mapped_columns_that_are_not_there_are_named(place: Place, tmp_path: Path) -> None:
    mapping = tmp_path / "map.json"
    mapping.write_text('{"model": "who", "base_task": "what", "score": "ok", "answer": "said.last"}')
    place.write("a.jsonl", {"who": "a", "what": "t", "ok": 1, "said": {"first": "x"}})
    (place.sources / "b.csv").write_text("who,what,ok\nb,t,1\n")
    report = place.take(mapping=mapping)
    assert place.models() == {"a": 1, "b": 1}
    assert list(report.remarks[NOT_FOUND]) == ["said.last"]
    assert "said" not in str(report.remarks.get(UNUSED, ""))
    (place.sources / "a.jsonl").unlink()
    (place.sources / "b.csv").write_text("who,task,right\nb,t,1\n")
    with pytest.raises(SourceError, match=r"what, ok, said\.last; it has who, task, right"):
        place.take(mapping=mapping, rebuild=True)
    with pytest.raises(SourceError, match=f"{NOT_FOUND}: what, ok, said.last"):
        place.take(mapping=mapping, format="records", rebuild=True)


def test_what_is_refused_leaves_nothing(place: Place) -> None:
    (place.sources / "a.txt").write_text("Dear reader")
    with pytest.raises(SourceError):
        place.take()
    assert not place.data.exists()
    place.data.mkdir()
    with pytest.raises(SourceError):
        place.take()
    assert list(place.data.iterdir()) == []
    place.write("a.jsonl", *many("a"))
    place.take()
    (place.sources / "a.jsonl").unlink()
    with pytest.raises(SourceError):
        place.take()
    assert sorted(os.listdir(place.data)) == ["d.duckdb", "d.json", "d.lock"]


def test_names_of_a_remark_share_a_line() -> None:
    short = {f"field_{number}": Mention(2, 2) for number in range(50)}
    long = {f"file {number}: something that is longer": Mention(3, 2) for number in range(15)}
    text = ImportReport(
        "d", Path("d.duckdb"), Path("d.json"), True, 2, remarks={"unused": short, "odd": long}
    ).to_text()
    (line,) = [line for line in text.splitlines() if "unused" in line]
    assert line.endswith("and 10 more") and "field_39" in line
    assert "      and" not in text and "    file 0: something that is longer (3 times)" in text
    assert "    and 3 more" in text
