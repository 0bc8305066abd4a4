"""A full disk, and a folder that cannot be written: a message that says what to do, and nothing lost."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from core.config import load_config
from core.config.history import edits, save_edit, text_mark, undo
from core.errors import ConfigError, DatasetError, ReasonScapeError
from core.flags import Flag, add_flag, flags_path, read_flags
from core.hub.disk import CacheError
from core.hub.index import ModelEntry, read_index, write_index
from tests.abuse.conftest import Mount, closed, leave_free
from tests.abuse.kills import NAME, state
from tests.command import ROOT, ask, environment, import_, scores
from tests.synthetic import simple, write_records

ROOM = "make room on that disk and try again"
WRITABLE = "see that you may write there, or name another folder"
FLAG = Flag("m", "default", "default", "add", "{}", "0", 0, "wrong reference", "2026-01-01T00:00:00+00:00")


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    """An old source, and a new one of some hundred kilobytes."""
    new = simple("new", 800, prompt="What is it?", response="It is what it is. " * 5)
    return [
        write_records(tmp_path / "old.jsonl", simple("old", 20)),
        write_records(tmp_path / "new.jsonl", new),
    ]


def dataset_in(folder: Path, sources: list[Path]) -> Path:
    """A dataset of the old source; returns its config."""
    assert import_(folder, NAME, sources[0]).status == 0
    return folder / f"{NAME}.json"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"ballast"}


def test_an_import_that_fills_the_disk(small_disk: Path, sources: list[Path]) -> None:
    config = dataset_in(small_disk, sources)
    before, there = state(small_disk), names(small_disk)
    # From no room at all, over too little for what is read, to too little for the database itself.
    for free in (0, 200_000, 1_000_000, 4_500_000):
        ballast = leave_free(small_disk, free)
        said = import_(small_disk, NAME, sources[1]).refused()
        assert ROOM in said, said
        ballast.unlink()
        assert state(small_disk) == before
        assert names(small_disk) == there
    assert import_(small_disk, NAME, sources[1]).status == 0
    assert len(scores(config)["rows"]) == 2


def test_an_import_that_may_not_write_so_much(tmp_path: Path, sources: list[Path]) -> None:
    """As on a full disk, for users who may not mount one: files end at a size."""
    data = tmp_path / "data"
    dataset_in(data, sources)
    before, there = state(data), names(data)
    limit = 600_000
    done = import_(
        data, NAME, sources[1], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    assert ROOM in done.refused()
    assert state(data) == before
    assert names(data) == there


def test_a_disk_that_is_full_when_the_config_is_due(
    tmp_path: Path, sources: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    config = dataset_in(data, sources)
    before = config.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("core.config.file.write_whole", _full)
        said = import_(data, NAME, sources[1]).refused()
    assert "The results are in d.duckdb, but the config could not be written" in said
    assert "importing again adds to it what is missing" in said
    assert config.read_bytes() == before
    assert len(state(data).tables["completions"]) == 820
    assert import_(data, NAME, sources[1]).status == 0
    assert [row["model"] for row in scores(config)["rows"]] == ["old", "new"]


def _full(*_: object) -> None:
    raise OSError(28, os.strerror(28))


def test_edits_and_flags_on_a_full_disk(small_disk: Path, sources: list[Path]) -> None:
    config = dataset_in(small_disk, sources)
    mark = text_mark(config)
    first = load_config(config).model_copy(update={"name": "first"})
    second = load_config(config).model_copy(update={"name": "second"})
    save_edit(first, config, seen=mark, what="a first edit")
    add_flag(flags_path(config), FLAG)
    before = {path: path.read_bytes() for path in small_disk.iterdir() if "lock" not in path.suffix}
    # Room for the history and not for the config is no better than none.
    for free in (0, 4096):
        ballast = leave_free(small_disk, free)
        with pytest.raises(ConfigError, match=ROOM):
            save_edit(second, config, seen=text_mark(config), what="a second edit")
        if not free:
            with pytest.raises(ConfigError, match=ROOM):
                undo(config)
            with pytest.raises(DatasetError, match=ROOM):
                add_flag(flags_path(config), FLAG)
        ballast.unlink()
        assert {path: path.read_bytes() for path in before} == before
        assert not [name for name in names(small_disk) if name.endswith(".new")]
    assert undo(config) == "a first edit"
    assert edits(config) == []
    assert read_flags(flags_path(config)) == (FLAG,)


def test_exports_to_a_full_disk_leave_what_was_there(
    tmp_path: Path, small_disk: Path, sources: list[Path]
) -> None:
    config = dataset_in(tmp_path / "data", sources)
    output = small_disk / "scores.csv"
    output.write_text("of last week")
    leave_free(small_disk, 0)
    for command, form in (("scores", "csv"), ("scores", "png"), ("completions", "jsonl")):
        assert ROOM in ask(command, config, "--format", form, "--output", output).refused()
        assert output.read_text() == "of last week"
    assert ROOM in ask("scores", config, "--format", "csv", "--output", small_disk / "new.csv").refused()
    assert names(small_disk) == {"scores.csv"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_to_a_device_that_is_full(tmp_path: Path, sources: list[Path]) -> None:
    config = dataset_in(tmp_path / "data", sources)
    command = [sys.executable, "-m", "core", "scores", config, "--format", "csv"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, env=environment(), text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.strip() == f"Error: Standard output cannot be written: {os.strerror(28)}; {ROOM}"
    assert ROOM in ask("scores", config, "--format", "csv", "--output", "/dev/full").refused()
    assert Path("/dev/full").is_char_device()


def test_the_metadata_index_on_a_full_disk(small_disk: Path) -> None:
    entries = {"org/model": ModelEntry("org/model", "org/model", status="complete")}
    write_index(small_disk, entries)
    leave_free(small_disk, 0)
    with pytest.raises(CacheError, match=ROOM):
        write_index(small_disk, {**entries, "org/other": ModelEntry("org/other", "org/other")})
    assert read_index(small_disk) == entries


def test_a_folder_that_cannot_be_written_is_read_all_the_same(
    tmp_path: Path, sources: list[Path], mount: Mount
) -> None:
    data = tmp_path / "data"
    config = dataset_in(data, sources)
    add_flag(flags_path(config), FLAG)
    before, there = state(data), names(data)
    closed(data, mount)
    assert WRITABLE in import_(data, NAME, sources[1]).refused()
    assert WRITABLE in import_(data, "other", sources[1]).refused()
    assert WRITABLE in ask("scores", config, "--format", "csv", "--output", data / "new.csv").refused()
    changed = load_config(config).model_copy(update={"name": "changed"})
    for change in (
        lambda: save_edit(changed, config, seen=text_mark(config), what="an edit"),
        lambda: undo(config),
        lambda: add_flag(flags_path(config), FLAG),
    ):
        with pytest.raises(ReasonScapeError, match="cannot be written"):
            change()
    assert [row["model"] for row in scores(config)["rows"]] == ["old"]
    assert (state(data), names(data)) == (before, there)
