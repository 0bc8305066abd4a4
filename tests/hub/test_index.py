"""index.json: a round trip, tolerance, and files that are never half."""

import json
import os
from pathlib import Path

import pytest

from core.hub.architecture import Architecture
from core.hub.disk import CacheError, read_bytes, write_whole
from core.hub.index import ModelEntry, Parameters, entry_document, read_entry, read_index, write_index

ENTRY = ModelEntry(
    "org/a", "org/a", "gated", ("org/a/README.md",), ("config.json",), ("why",), "2026-01-02T03:04:05+00:00",
    "2026-01-03T03:04:05+00:00", "abc", True, "mit",
    Architecture("X", 1, 2, 3, 4, 5, 6, False, "bf16", "gptq 4-bit", "T", 7, 8), Parameters(9, "estimated",
    10),
)  # fmt: skip


def test_a_round_trip_keeps_everything(tmp_path: Path) -> None:
    assert None not in entry_document(ENTRY).values()
    entries = {"org/b": ModelEntry("org/b", "org/b"), "org/a": ENTRY}
    write_index(tmp_path, entries)
    assert read_index(tmp_path) == entries
    assert list(json.loads((tmp_path / "index.json").read_text())) == ["org/a", "org/b"]
    assert [path.name for path in tmp_path.iterdir()] == ["index.json"]


def test_no_index_has_no_entries(tmp_path: Path) -> None:
    assert read_index(tmp_path / "nowhere") == {}


@pytest.mark.parametrize("text", ["{", "[]", "3", "[" * 100_000, "\ud800"])
def test_an_index_that_is_none_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "index.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(CacheError, match="delete it and fetch again"):
        read_index(tmp_path)


@pytest.mark.parametrize("value", [None, 3, -1, "x", [], [1], {"a": 1}, True, 1e999, "2026-99-99"])
def test_wrong_types_count_as_absent(value: object) -> None:
    document = dict.fromkeys(entry_document(ENTRY), value)
    found = read_entry("org/a", document)
    assert found.model_id == "org/a"
    assert found.status == "incomplete"
    assert found.cached_at is None
    assert found.parameters.source is None
    numbers = [found.parameters.total, found.parameters.active, found.architecture.num_layers]
    assert set(numbers) == ({3} if value == 3 else {None})
    entry_document(found)


def test_a_write_that_fails_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    write_whole(path, b"old")
    monkeypatch.setattr(
        os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(CacheError, match="No space left"):
        write_whole(path, b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["a.md"]
    assert path.read_bytes() == b"old"


def test_reading_stops_at_a_size(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 11)
    assert read_bytes(tmp_path / "a", 11) == b"x" * 11
    with pytest.raises(CacheError, match="larger than 10 bytes"):
        read_bytes(tmp_path / "a", 10)
    with pytest.raises(CacheError, match="cannot be read"):
        read_bytes(tmp_path / "b")
