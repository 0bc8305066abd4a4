"""Bad input: each gets a clear message, the rest is imported, nothing is lost."""

import contextlib
import ctypes
import gzip
import json
import os
import re
import shutil
import signal
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.errors import DatasetError
from core.store import open_dataset
from tests import synthetic
from tests.command import Outcome, ask, import_, scores, start
from tests.conftest import REASONING_GYM

GOOD = synthetic.simple("good", 10)


@dataclass(frozen=True)
class Folder:
    """A place to write sources and to import them from."""

    sources: Path
    data: Path

    @property
    def config(self) -> Path:
        return self.data / "d.json"

    @property
    def database(self) -> Path:
        return self.data / "d.duckdb"

    def write(self, name: str, content: bytes | list[dict[str, Any]]) -> Path:
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
            return path
        return synthetic.write_records(path, content)

    def take(self, *flags: str | Path, **options: Any) -> Outcome:
        """Import the whole folder and find that all went well and adds up."""
        done = import_(self.data, "d", self.sources, *flags, **options)
        assert done.status == 0, done.said
        assert "Traceback" not in done.said
        rows = self.ask("SELECT read, kept, skipped FROM imports")
        assert all(read == kept + sum(json.loads(skipped).values()) for read, kept, skipped in rows)
        assert self.ask("SELECT count(*) FROM completions") == [(sum(kept for _, kept, _ in rows),)]
        return done

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.database), read_only=True) as database:
            return database.sql(query).fetchall()

    def models(self) -> dict[str, int]:
        """Completions by model."""
        return dict(
            self.ask(
                "SELECT model, count(*) FROM completions JOIN point_identities USING (point_id)"
                " GROUP BY model"
            )
        )

    def skipped(self) -> dict[str, int]:
        """Skipped records by reason, over all files."""
        total: dict[str, int] = {}
        for (text,) in self.ask("SELECT skipped FROM imports"):
            for reason, count in json.loads(text).items():
                total[reason] = total.get(reason, 0) + count
        return total


def folder_at(path: Path) -> Folder:
    (path / "sources").mkdir()
    folder = Folder(path / "sources", path / "data")
    folder.write("good.jsonl", GOOD)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return folder_at(tmp_path)


def lines(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


NO_SOURCES = {
    "noise.jsonl": bytes(range(256)) * 50,
    "prose.jsonl": b"Dear reader,\nthis is no data.\n",
    "noise.json": b"\x00\x01\x02" * 100,
    "noise.parquet": b"PAR1" + b"\x07" * 500,
    "noise.gz": b"\x1f\x8b" + b"\x07" * 500,
    "noise.zst": b"\x28\xb5\x2f\xfd" + b"\x07" * 500,
    "nothing.jsonl": b"",
    "other.json": b'{"some": "other", "document": [1, 2, 3]}',
    "other.jsonl": b'{"some": "other", "document": [1, 2, 3]}\n' * 3,
    "deep.json": b"[" * 100_000,
    "utf16.jsonl": lines(*synthetic.simple("wide", 3)).decode().encode("utf-16"),
}
"""Files that hold nothing to import."""


@pytest.fixture(scope="module")
def no_sources(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Folder], str]:
    """NO_SOURCES beside good files, imported in two halves: reports name the first five of a kind."""
    folders = [folder_at(tmp_path_factory.mktemp("no_sources")) for _ in range(2)]
    for number, (name, content) in enumerate(NO_SOURCES.items()):
        folders[number % 2].write(name, content)
    return folders, "".join(folder.take().said for folder in folders)


class TestFilesThatCannotBeRead:
    """Beside a good file: the bad one is named, the good one is imported."""

    def test_last_line_cut(self, folder: Folder) -> None:
        folder.write("cut.jsonl", lines(*synthetic.simple("cut", 5))[:-30])
        done = folder.take()
        assert "cut.jsonl" in done.said
        assert folder.models() == {"good": 10, "cut": 4}
        assert sum(folder.skipped().values()) == 1

    def test_line_in_the_middle_is_not_json(self, folder: Folder) -> None:
        good = lines(*synthetic.simple("m", 2))
        folder.write(
            "mixed.jsonl", good + b"{not json}\n\n[1, 2]\nnull\n" + lines(*synthetic.simple("m2", 2))
        )
        done = folder.take()
        assert "mixed.jsonl" in done.said
        assert folder.models() == {"good": 10, "m": 2, "m2": 2}
        assert sum(folder.skipped().values()) == 3

    def test_gzip_cut_short(self, folder: Folder) -> None:
        whole = gzip.compress(
            os.urandom(20_000).hex().encode() + b"\n" + lines(*synthetic.simple("zip", 2000))
        )
        folder.write("cut.jsonl.gz", whole[: len(whole) // 2])
        done = folder.take()
        assert "cut.jsonl.gz" in done.said
        assert folder.models()["good"] == 10

    @pytest.mark.parametrize("name", NO_SOURCES)
    def test_no_source_at_all(self, no_sources: tuple[list[Folder], str], name: str) -> None:
        folders, said = no_sources
        assert name in said
        assert [folder.models() for folder in folders] == [{"good": 10}] * 2

    def test_numbers_of_files_add_up(self, no_sources: tuple[list[Folder], str]) -> None:
        reports = [line for line in no_sources[1].splitlines() if line.startswith("Files:")]
        assert len(reports) == 2
        for report in reports:
            found, *fates = map(int, re.findall(r"\d+", report))
            assert found == sum(fates), report

    @pytest.mark.parametrize("content", [b"Dear reader\n", b"", b"\xff\xfe\x00"])
    def test_alone_it_is_refused(self, folder: Folder, content: bytes, tmp_path: Path) -> None:
        path = tmp_path / "alone.jsonl"
        path.write_bytes(content)
        assert "alone.jsonl" in import_(folder.data, "d", path).refused()
        assert not folder.database.exists() and not folder.config.exists()

    def test_wrong_encoding_costs_only_its_records(self, folder: Folder) -> None:
        record = {**GOOD[0], "model": "latin", "prompt": "caf\xe9"}
        bad = json.dumps(record, ensure_ascii=False).encode("latin-1") + b"\n"
        folder.write("latin.jsonl", lines(*synthetic.simple("ascii", 3)) + bad)
        done = folder.take()
        assert "latin.jsonl" in done.said
        assert folder.models() == {"good": 10, "ascii": 3}
        assert sum(folder.skipped().values()) == 1

    def test_byte_order_mark_is_no_fault(self, folder: Folder) -> None:
        folder.write("bom.jsonl", b"\xef\xbb\xbf" + lines(*synthetic.simple("bom", 3)))
        folder.take()
        assert folder.models() == {"good": 10, "bom": 3}

    def test_windows_line_ends_and_no_last_one(self, folder: Folder) -> None:
        folder.write("dos.jsonl", lines(*synthetic.simple("dos", 3)).replace(b"\n", b"\r\n").rstrip())
        folder.take()
        assert folder.models() == {"good": 10, "dos": 3}

    def test_reasoning_gym_file_cut(self, folder: Folder) -> None:
        if not REASONING_GYM.exists():
            pytest.skip("the real results are not at ../shared/data/reasoning-gym-eval")
        (folder.sources / "good.jsonl").unlink()
        source = next(REASONING_GYM.glob("easy/openai*/arithmetic"))
        target = folder.sources / "easy" / source.parent.name / "arithmetic"
        target.mkdir(parents=True)
        for name in ("chain_sum", "products"):
            text = (source / f"{name}.json").read_bytes()
            (target / f"{name}.json").write_bytes(text if name == "chain_sum" else text[: len(text) // 2])
        done = folder.take(alone=True)
        assert "products.json" in done.said
        assert folder.ask("SELECT DISTINCT base_task FROM items") == [("chain_sum",)]

    def test_empty_folder(self, folder: Folder, tmp_path: Path) -> None:
        (tmp_path / "void" / "deeper").mkdir(parents=True)
        assert str(tmp_path / "void") in import_(folder.data, "d", tmp_path / "void").refused()
        assert not folder.database.exists()

    def test_link_in_a_circle(self, folder: Folder) -> None:
        (folder.sources / "again").symlink_to(folder.sources)
        folder.take()
        assert folder.models() == {"good": 10}


class TestPermission:
    """Root may read everything; as root these run without that privilege."""

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        if os.geteuid() != 0:
            return {}
        drop = ctypes.CDLL(None, use_errno=True).prctl
        if run_child_status(drop):
            pytest.skip("this root can give up no privileges")
        return {"preexec_fn": lambda: give_up_privileges(drop)}

    def test_folder(self, folder: Folder, options: dict[str, Any]) -> None:
        folder.sources.chmod(0)
        assert str(folder.sources) in import_(folder.data, "d", folder.sources, **options).refused()
        assert not folder.database.exists()

    def test_folder_inside(self, folder: Folder, options: dict[str, Any]) -> None:
        closed = folder.write("closed/more.jsonl", synthetic.simple("closed")).parent
        closed.chmod(0)
        done = folder.take(**options)
        assert "closed" in done.said
        assert folder.models() == {"good": 10}

    def test_file(self, folder: Folder, options: dict[str, Any]) -> None:
        folder.write("closed.jsonl", synthetic.simple("closed")).chmod(0)
        done = folder.take(**options)
        assert "closed.jsonl" in done.said
        assert folder.models() == {"good": 10}

    def test_data_folder_not_writable(self, folder: Folder, options: dict[str, Any]) -> None:
        folder.data.mkdir()
        folder.data.chmod(0o555)
        assert str(folder.data) in import_(folder.data, "d", folder.sources, **options).refused()


PR_CAPBSET_DROP = 24
READING_ANYTHING = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of linux/capability.h."""


def give_up_privileges(prctl: Any) -> bool:
    """Bind this process and what it executes to the permissions of files; whether that worked."""
    return all(prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0 for capability in READING_ANYTHING)


def run_child_status(prctl: Any) -> int:
    """Try to give up privileges in a child: 0 where that works."""
    child = os.fork()
    if child == 0:
        os._exit(0 if give_up_privileges(prctl) else 1)
    return os.waitpid(child, 0)[1]


REFUSED: list[dict[str, Any]] = [
    {"score": 1.5, "outcome": None},
    {"score": -0.1, "outcome": None},
    {"score": float("nan"), "outcome": None},
    {"score": float("inf"), "outcome": None},
    {"score": "high", "outcome": None},
    {"choices": 0},
    {"choices": -3},
    {"choices": 2.5},
    {"outcome": "right"},
    {"outcome": None},
    {"model": None},
    {"model": ""},
    {"base_task": None},
    {"params": [1, 2]},
]
"""What no record may say."""

DOUBTED: list[dict[str, Any]] = [
    {"completion_tokens": -1},
    {"completion_tokens": float("nan")},
    {"completion_tokens": 10**15},
    {"completion_tokens": "many"},
    {"prompt_tokens": -1},
    {"reasoning_tokens": -5},
    {"repeat": -1},
    {"params": {"size": float("nan")}},
    {"params": {"size": [1, 2]}},
    {"params": {"size": None}},
]
"""What makes a record be left out, or be kept without the impossible value."""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, str]:
    """A file for each fault, a faulty record before two good ones, imported once; and what was said."""
    folder = folder_at(tmp_path_factory.mktemp("faulty"))
    for kind, faults in (("refused", REFUSED), ("doubted", DOUBTED)):
        for number, fault in enumerate(faults):
            bad = {**GOOD[0], "model": f"{kind} {number} bad", **fault}
            fine = synthetic.simple(f"{kind} {number} fine", 2)
            folder.write(f"{kind}-{number}.jsonl", lines(bad, *fine))
    return folder, folder.take().said


class TestRecordsThatCannotBe:
    @pytest.mark.parametrize("number", range(len(REFUSED)), ids=[json.dumps(fault) for fault in REFUSED])
    def test_is_skipped_counted_and_placed(self, faulty: tuple[Folder, str], number: int) -> None:
        folder, said = faulty
        (row,) = folder.ask(
            f"SELECT read, kept, skipped, places FROM imports WHERE path LIKE '%refused-{number}.jsonl'"
        )
        assert row[:2] == (3, 2)
        ((reason, count),) = json.loads(row[2]).items()
        assert count == 1 and reason in said
        assert "1" in json.dumps(json.loads(row[3])[reason])
        models = folder.models()
        assert models[f"refused {number} fine"] == 2 and f"refused {number} bad" not in models

    @pytest.mark.parametrize("number", range(len(DOUBTED)), ids=[json.dumps(fault) for fault in DOUBTED])
    def test_is_told_and_never_kept_as_it_stands(self, faulty: tuple[Folder, str], number: int) -> None:
        folder, _ = faulty
        (row,) = folder.ask(f"SELECT skipped, notes FROM imports WHERE path LIKE '%doubted-{number}.jsonl'")
        assert any(json.loads(text) for text in row), "neither skipped nor noted"
        assert folder.models()[f"doubted {number} fine"] == 2

    def test_no_impossible_number_is_stored(self, faulty: tuple[Folder, str]) -> None:
        folder, _ = faulty
        columns = ("completion_tokens", "prompt_tokens", "reasoning_tokens", "repeat", "score")
        for column in columns:
            ((low, high),) = folder.ask(f"SELECT min({column}), max({column}) FROM completions")
            assert low is None or 0 <= low <= high < 10**9
        for row in scores(folder.config)["rows"]:
            assert row["mean_tokens"] is None or 0 <= row["mean_tokens"] < 10**9

    def test_nothing_else_was_lost(self, faulty: tuple[Folder, str]) -> None:
        assert faulty[0].models()["good"] == 10

    def test_duplicates(self, folder: Folder) -> None:
        first = {**GOOD[0], "model": "twin", "repeat": 0}
        again = {**first, "outcome": "incorrect"}
        folder.write("twin.jsonl", [first, again, {**first, "repeat": 1}, again])
        done = folder.take()
        assert folder.models() == {"good": 10, "twin": 2}
        ((reason, count),) = folder.skipped().items()
        assert reason.startswith("duplicate") and count == 2
        assert "duplicate" in done.said
        twin = next(row for row in scores(folder.config)["rows"] if row["model"] == "twin")
        assert (twin["cells"][0]["correct"], twin["cells"][0]["n"], twin["cells"][0]["n_items"]) == (2, 2, 1)

    def test_duplicates_across_files(self, folder: Folder) -> None:
        for name in ("a.jsonl", "b.jsonl"):
            folder.write(name, [{**record, "model": "twin", "repeat": 0} for record in GOOD[:4]])
        folder.take()
        assert folder.models() == {"good": 10, "twin": 4}
        assert sum(folder.skipped().values()) in (0, 4), "a copy of a file may be known by its content"

    def test_same_item_without_repeat_is_a_repeat(self, folder: Folder) -> None:
        folder.write("again.jsonl", [{**GOOD[0], "model": "again"}] * 3)
        folder.take()
        assert folder.models() == {"good": 10, "again": 3}
        query = "SELECT repeat FROM completions JOIN point_identities USING (point_id) WHERE model = 'again'"
        repeats = [row[0] for row in folder.ask(query)]
        assert len(set(repeats)) == 3

    def test_only_bad_records(self, folder: Folder) -> None:
        folder.write("good.jsonl", [{**record, "score": 7, "outcome": None} for record in GOOD])
        done = import_(folder.data, "d", folder.sources)
        assert "Traceback" not in done.said
        assert done.status == 2 and "10" in done.said


class TestNames:
    def test_two_evals_with_one_label(self, folder: Folder) -> None:
        folder.write(
            "good.jsonl", [{**r, "label": "Same"} for r in synthetic.simple("a") + synthetic.simple("b")]
        )
        folder.take()
        rows = scores(folder.config)["rows"]
        assert {row["model"] for row in rows} == {"a", "b"}
        assert len({row["label"] for row in rows}) == 2

    def test_two_evals_with_one_label_in_the_config(self, folder: Folder) -> None:
        folder.write("good.jsonl", synthetic.simple("a") + synthetic.simple("b"))
        folder.take()
        document = json.loads(folder.config.read_text())
        for entry in document["evals"]:
            entry["label"] = "Same"
        folder.config.write_text(json.dumps(document))
        assert [
            row["model"] for row in sorted(scores(folder.config)["rows"], key=lambda r: r["eval_id"])
        ] == [entry["filters"]["model"] for entry in document["evals"]]
        for form in ("table", "csv", "markdown"):
            lines = ask("scores", folder.config, "--format", form).out.splitlines()
            # Beside the sentence, which names the first.
            assert sum("Same" in line and "share rank" not in line for line in lines) == 2

    def test_strange_names_everywhere(self, strange_dataset: Path, tmp_path: Path) -> None:
        for command in ("evals", "tasks", "scores"):
            for form in ("table", "json", "markdown", "csv"):
                done = ask(command, strange_dataset, "--format", form)
                assert done.status == 0, done.err
                assert done.out.strip()
        for flags in (("--format", "png"), ("--format", "png", "--filters", '{"eval_id": [0]}')):
            assert ask("scores", strange_dataset, *flags, "--output-dir", tmp_path).status == 0
        assert len(list(tmp_path.iterdir())) == 2

    def test_strange_names_filter(self, strange_dataset: Path) -> None:
        config = json.loads(strange_dataset.read_text())
        for entry in config["evals"]:
            filters = json.dumps({"groups": entry["groups"]})
            (row,) = scores(strange_dataset, "--filters", filters)["rows"]
            assert row["model"] == entry["filters"]["model"] == entry["groups"][0].removeprefix("kind:")
        for name in synthetic.STRANGE_NAMES:
            filters = json.dumps({"params": {name: [name]}})
            assert [r["model"] for r in scores(strange_dataset, "--filters", filters)["rows"]] == [name]
        for task in synthetic.STRANGE_NAMES[:3]:
            document = scores(strange_dataset, "--filters", json.dumps({"base_task": [task]}))
            assert {c["task"] for row in document["rows"] for c in row["cells"] if c["n"]} == {task}

    def test_five_megabyte_response(self, folder: Folder) -> None:
        text = '\N{GRINNING FACE}"\\\n' * (5 * 2**20 // 7)
        folder.write("big.jsonl", [{**GOOD[0], "model": "big", "response": text}])
        folder.take()
        query = (
            "SELECT c.response_bytes, r.text FROM completions c JOIN responses r USING (completion_id)"
            " JOIN point_identities p USING (point_id) WHERE p.model = 'big'"
        )
        assert folder.ask(query) == [(len(text.encode()), text)]


class TestDatabaseFaults:
    @pytest.fixture
    def config(self, folder: Folder) -> Path:
        folder.take()
        return folder.config

    def refuse(self, config: Path) -> str:
        messages = {ask(command, config).refused() for command in ("evals", "tasks", "scores")}
        with pytest.raises(DatasetError):
            open_dataset(config)
        (message,) = messages
        assert str(config.with_suffix(".duckdb")) in message
        return message

    def test_not_a_database(self, config: Path) -> None:
        for content in (b"hello\n" * 1000, b"", b"\x00" * 5000):
            config.with_suffix(".duckdb").write_bytes(content)
            self.refuse(config)

    def test_another_kind_of_database(self, config: Path) -> None:
        path = config.with_suffix(".duckdb")
        path.unlink()
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE points (a)")
        self.refuse(config)

    def test_a_database_of_something_else(self, config: Path) -> None:
        path = config.with_suffix(".duckdb")
        path.unlink()
        with duckdb.connect(str(path)) as database:
            database.execute("CREATE TABLE points (a INTEGER)")
        self.refuse(config)

    def test_cut_short(self, config: Path) -> None:
        path = config.with_suffix(".duckdb")
        path.write_bytes(path.read_bytes()[:8192])
        self.refuse(config)

    def test_a_folder(self, config: Path) -> None:
        config.with_suffix(".duckdb").unlink()
        config.with_suffix(".duckdb").mkdir()
        self.refuse(config)

    @pytest.mark.parametrize("version", [0, 999])
    def test_another_schema_version(self, folder: Folder, config: Path, version: int) -> None:
        with duckdb.connect(str(folder.database)) as database:
            database.execute("UPDATE meta SET schema_version = ?", [version])
        message = self.refuse(config)
        assert str(version) in message and "--rebuild" in message
        before = folder.database.read_bytes()
        assert "--rebuild" in import_(folder.data, "d", folder.sources).refused()
        assert folder.database.read_bytes() == before
        folder.take("--rebuild")
        assert folder.models() == {"good": 10}

    def test_import_does_not_overwrite_what_is_no_database(self, folder: Folder) -> None:
        folder.data.mkdir()
        folder.database.write_bytes(b"my only copy of something else")
        assert str(folder.database) in import_(folder.data, "d", folder.sources).refused()
        assert folder.database.read_bytes() == b"my only copy of something else"

    def test_import_does_not_overwrite_a_config_it_cannot_read(self, folder: Folder) -> None:
        folder.data.mkdir()
        folder.config.write_text('{"db": "d.duckdb", "evals": [')
        assert str(folder.config) in import_(folder.data, "d", folder.sources).refused()
        assert folder.config.read_text() == '{"db": "d.duckdb", "evals": ['
        assert not folder.database.exists()

    def test_import_into_a_config_whose_database_lies_elsewhere(self, folder: Folder) -> None:
        """Nothing is lost: the database that the config names gets the data, or the import is refused."""
        folder.data.mkdir()
        (folder.data.parent / "far").mkdir()
        folder.config.write_text('{"db": "../far/away.duckdb", "name": "d", "evals": []}')
        done = import_(folder.data, "d", folder.sources)
        assert "Traceback" not in done.said
        if done.status == 0:
            assert [row["model"] for row in scores(folder.config)["rows"]] == ["good"]
        else:
            assert "away.duckdb" in done.refused()

    def test_rebuilt_while_open(self, folder: Folder, config: Path) -> None:
        count = "SELECT count(*) AS n FROM data.completions"
        opened = open_dataset(config)
        try:
            before = opened.fingerprint
            assert opened.sql(count).to_pylist() == [{"n": 10}]
            folder.write("more.jsonl", synthetic.simple("more", 5))
            folder.take()
            assert opened.sql(count).to_pylist() == [{"n": 10}], "the old file goes on being read"
            folder.take("--rebuild")
            assert opened.sql(count).to_pylist() == [{"n": 10}]
            renewed = open_dataset(config)
            assert renewed.fingerprint != before
            assert renewed.sql(count).to_pylist() == [{"n": 15}]
            renewed.close()
        finally:
            opened.close()


class TestAgain:
    """Imports of what is known, of more, and from the start."""

    def state(self, folder: Folder) -> list[tuple[bytes, int]]:
        return [(path.read_bytes(), path.stat().st_mtime_ns) for path in (folder.database, folder.config)]

    def test_twice_changes_nothing(self, folder: Folder) -> None:
        folder.take()
        before = self.state(folder)
        folder.take()
        assert self.state(folder) == before

    def test_copied_elsewhere_changes_no_number(self, folder: Folder, tmp_path: Path) -> None:
        """Explicit repeats: the same records from another path are duplicates."""
        folder.write("good.jsonl", [{**record, "repeat": 0} for record in GOOD])
        folder.take()
        shutil.copytree(folder.sources, tmp_path / "copy")
        assert import_(folder.data, "d", tmp_path / "copy").status == 0
        assert folder.models() == {"good": 10}

    def test_more_files_add_only_those(self, folder: Folder) -> None:
        folder.take()
        first = folder.ask("SELECT import_id, imported_at FROM imports")
        ids = folder.ask("SELECT completion_id, place FROM completions ORDER BY ALL")
        folder.write("more.jsonl", synthetic.simple("more", 5))
        folder.take()
        assert folder.models() == {"good": 10, "more": 5}
        assert len(folder.ask("SELECT * FROM imports")) == 2
        assert set(first) <= set(folder.ask("SELECT import_id, imported_at FROM imports"))
        assert set(ids) <= set(folder.ask("SELECT completion_id, place FROM completions"))

    def test_another_source_is_added(self, folder: Folder, tmp_path: Path) -> None:
        folder.take()
        other = synthetic.write_records(tmp_path / "other.jsonl", synthetic.simple("other", 3))
        assert import_(folder.data, "d", other).status == 0
        assert folder.models() == {"good": 10, "other": 3}

    def test_a_changed_file_replaces_its_records(self, folder: Folder) -> None:
        folder.take()
        folder.write("good.jsonl", [*GOOD, {**GOOD[0], "item_key": "new"}])
        folder.take()
        assert folder.models() == {"good": 11}

    def test_rebuild_starts_over(self, folder: Folder) -> None:
        folder.take()
        (folder.sources / "good.jsonl").unlink()
        folder.write("new.jsonl", synthetic.simple("new", 3))
        folder.take()
        assert folder.models() == {"good": 10, "new": 3}
        folder.take("--rebuild")
        assert folder.models() == {"new": 3}
        config = json.loads(folder.config.read_text())
        assert [entry["filters"]["model"] for entry in config["evals"]] == ["good", "new"], "ids stay"

    def test_a_failed_rebuild_keeps_the_old(self, folder: Folder, tmp_path: Path) -> None:
        folder.take()
        before = self.state(folder)
        assert import_(folder.data, "d", tmp_path / "gone", "--rebuild").refused()
        (tmp_path / "void").mkdir()
        assert import_(folder.data, "d", tmp_path / "void", "--rebuild").refused()
        assert self.state(folder) == before

    def test_config_is_only_appended_to(self, folder: Folder) -> None:
        folder.take()
        document = json.loads(folder.config.read_text())
        document["evals"][0] |= {"label": "My own name", "colour": "blue", "groups": ["mine:yes"]}
        document["basetasks"]["add"] = {
            "label": "Sums",
            "note": {"kept": [1, 2]},
            "projections": [],
            "surfaces": [],
        }
        document["tiers"] = [{"id": "all", "label": "All", "filter": {}, "why": "for a test"}]
        document["owner"] = {"name": "Ada"}
        folder.config.write_text(json.dumps(document))
        folder.write("more.jsonl", synthetic.simple("aaa", 5) + synthetic.simple("aaa", 5, "multiply"))
        folder.take()
        after = json.loads(folder.config.read_text())
        assert after["evals"][0] == document["evals"][0]
        assert [entry["filters"]["model"] for entry in after["evals"]] == ["good", "aaa"]
        task = after["basetasks"]["add"]
        assert (task["label"], task["note"]) == ("Sums", {"kept": [1, 2]})
        assert "multiply" in after["basetasks"]
        assert after["tiers"] == document["tiers"]
        assert after["owner"] == {"name": "Ada"}
        assert list(after)[: len(document)] == list(document)

    def test_an_eval_that_covers_an_identity_is_enough(self, folder: Folder) -> None:
        folder.data.mkdir()
        entry = {"label": "Everything", "filters": {}}
        folder.config.write_text(json.dumps({"db": "d.duckdb", "name": "d", "evals": [entry]}))
        folder.take()
        assert json.loads(folder.config.read_text())["evals"] == [entry]


class TestKilled:
    def test_at_any_moment_the_old_database_stays_whole(self, folder: Folder) -> None:
        folder.take(alone=True)
        before = folder.database.read_bytes()
        more = [record for model in range(8) for record in self.bulk(f"model {model}")]
        folder.write("more.jsonl", more)
        began = time.monotonic()
        trial = import_(folder.data.parent / "trial", "d", folder.sources, alone=True)
        whole = time.monotonic() - began
        assert trial.status == 0, trial.said
        finished = 0
        for share in (0.4, 0.65, 0.8, 0.95):
            process = start("import", folder.sources, "--name", "d", "--data", folder.data)
            time.sleep(share * whole)
            # The import's own process group: it and its workers, as a machine that loses power.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            finished += process.wait() == 0
            if folder.database.read_bytes() != before:
                assert sum(folder.models().values()) == 10 + len(more), "either the old or the new, whole"
            assert [row["model"] for row in scores(folder.config)["rows"]].count("good") == 1
        assert finished < 4, "no kill hit a running import"
        folder.take(alone=True)
        assert sum(folder.models().values()) == 10 + len(more)
        assert len(scores(folder.config)["rows"]) == 9
        left = [path.name for path in folder.data.iterdir() if path.name not in ("d.json", "d.duckdb")]
        assert not [name for name in left if "lock" not in name], "leavings of killed imports are cleared"

    @staticmethod
    def bulk(model: str) -> list[dict[str, Any]]:
        return synthetic.simple(model, 1000, prompt="What is it?", response="It is what it is. " * 20)

    def test_killing_the_parent_alone_ends_the_workers(self, folder: Folder) -> None:
        folder.write("more.jsonl", [record for model in range(6) for record in self.bulk(f"model {model}")])
        process = start("import", folder.sources, "--name", "d", "--data", folder.data)
        time.sleep(1.5)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and group_members(process.pid):
            time.sleep(0.2)
        left = group_members(process.pid)
        if left:
            os.killpg(process.pid, signal.SIGKILL)
        assert not left
        folder.take(alone=True)
        assert sum(folder.models().values()) == 10 + 6 * 1000

    def test_two_at_once(self, folder: Folder) -> None:
        """The second waits or is refused; no record is lost or doubled."""
        folder.write("more.jsonl", self.bulk("more"))
        both = [start("import", folder.sources, "--name", "d", "--data", folder.data) for _ in range(2)]
        statuses = sorted(process.wait(timeout=120) for process in both)
        assert statuses[0] == 0 and statuses[1] in (0, 2)
        assert folder.models() == {"good": 10, "more": 1000}


def group_members(group: int) -> list[int]:
    """Living processes of a process group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(entry.parent.name))
    return found
