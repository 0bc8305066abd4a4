"""The sidecar of flagged completions: reading, refusing, and two writers at once."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import DatasetError
from core.flags import Flag, add_flag, flags_path, read_flags, remove_flag
from tests.command import ROOT, environment

FLAG = Flag(
    "m", "direct", "greedy", "add", '{"a":1,"b":"x"}', "item 7", 2, "wrong reference", "2026-01-02T03:04:05"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return flags_path(tmp_path / "my.results.json")


def test_the_sidecar_stands_beside_the_config(path: Path) -> None:
    assert path.name == "my.results.flags.jsonl"
    assert read_flags(path) == ()


def test_a_flag_there_and_back(path: Path) -> None:
    strange = replace(FLAG, item_key='"\n\u2028 emoji 🤖', params='{"a":2.5,"t":true}', note="line\nbreak")
    add_flag(path, FLAG)
    add_flag(path, strange)
    assert read_flags(path) == (FLAG, strange)
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert first == {
        "model": "m", "template": "direct", "sampler": "greedy", "base_task": "add",
        "params": {"a": 1, "b": "x"}, "item_key": "item 7", "repeat": 2, "note": "wrong reference",
        "flagged_at": "2026-01-02T03:04:05",
    }  # fmt: skip


def test_a_second_flag_of_a_completion_is_another_note(path: Path) -> None:
    add_flag(path, FLAG)
    add_flag(path, replace(FLAG, repeat=0))
    add_flag(path, replace(FLAG, note="better"))
    assert [(flag.repeat, flag.note) for flag in read_flags(path)] == [(2, "better"), (0, "wrong reference")]


def test_a_flag_is_taken_away_again(path: Path) -> None:
    remove_flag(path, FLAG.key)
    assert not path.exists()
    add_flag(path, FLAG)
    add_flag(path, replace(FLAG, repeat=3))
    remove_flag(path, FLAG.key)
    remove_flag(path, FLAG.key)
    assert [flag.repeat for flag in read_flags(path)] == [3]
    remove_flag(path, replace(FLAG, repeat=3).key)
    assert path.read_bytes() == b""


def test_params_compare_whatever_their_order_and_what_is_unknown_stays(path: Path) -> None:
    line = {**json.loads(_written(FLAG, path)), "params": {"b": "x", "a": 1}, "reviewer": ["ann"]}
    path.write_text("\ufeff" + json.dumps(line) + "\r\n\n", encoding="utf-8")
    assert read_flags(path) == (FLAG,)
    add_flag(path, replace(FLAG, repeat=3))
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[0])["reviewer"] == ["ann"]


def _written(flag: Flag, path: Path) -> str:
    add_flag(path, flag)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "null", "3", '{"model": "m"}', '{"params": []}', "\x00"]
    + [
        json.dumps({**dict.fromkeys(("model", "template", "sampler", "base_task", "item_key"), "x"),
                    "params": {}, "repeat": 0, **wrong})
        for wrong in ({"repeat": "0"}, {"repeat": True}, {"model": 3}, {"note": None}, {"params": "x"})
    ],
)  # fmt: skip
def test_a_line_that_is_no_flag_is_named(path: Path, line: str) -> None:
    add_flag(path, FLAG)
    before = path.read_text(encoding="utf-8") + line + "\n"
    path.write_text(before, encoding="utf-8")
    with pytest.raises(DatasetError, match=r"flags\.jsonl, line 2: not a flag .*correct or delete this line"):
        read_flags(path)
    # What cannot be read is not written over either.
    with pytest.raises(DatasetError, match="line 2"):
        add_flag(path, replace(FLAG, repeat=9))
    assert path.read_text(encoding="utf-8") == before


WRITER = """
import sys
from pathlib import Path
from core.flags import Flag, add_flag
for repeat in range(40):
    add_flag(Path(sys.argv[1]), Flag(sys.argv[2], "t", "s", "add", "{}", "0", repeat, "n" * 200))
"""


def test_two_writers_lose_nothing_and_no_reader_sees_half(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), model], cwd=ROOT, env=environment())
        for model in ("one", "two")
    ]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        now = len(read_flags(path))
        assert now >= seen
        seen = now
    assert [writer.returncode for writer in writers] == [0, 0]
    assert sorted((flag.model, flag.repeat) for flag in read_flags(path)) == [
        (model, repeat) for model in ("one", "two") for repeat in range(40)
    ]
    assert [name for name in os.listdir(path.parent) if "tmp" in name or name.startswith(".")] == []


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DatasetError, match=r"cannot be written: .*x\.flags\.jsonl"):
        add_flag(flags_path(tmp_path / "file" / "x.json"), FLAG)
