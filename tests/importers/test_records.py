"""The records format: its five containers give the same rows, and bad input costs only itself."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.importers import cutting
from core.importers.csv_rows import read_header
from core.importers.cutting import RECORD_LIMIT, TOO_LONG
from core.importers.reader import Options
from tests.importers.staged import json_lines, read, reader_of, record

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=10).filter(
    str.strip
)
COUNTS = st.integers(0, 2**31 - 1)
RECORDS = st.fixed_dictionaries(
    {
        "model": NAMES,
        "base_task": NAMES,
        "outcome": st.sampled_from(["correct", "incorrect", "invalid", "truncated", "error"]),
    },
    optional={
        "template": NAMES,
        "label": NAMES,
        "groups": st.lists(NAMES.map(str.strip).filter(bool), min_size=1, max_size=3, unique=True),
        "params": st.dictionaries(NAMES, st.integers(0, 9) | NAMES | st.booleans(), max_size=3),
        "item_key": NAMES,
        "repeat": COUNTS,
        "prompt": TEXTS,
        "response": TEXTS,
        "answer": TEXTS,
        "score": st.floats(0, 1),
        "choices": st.integers(1, 10),
        "finish_reason": st.sampled_from(["stop", "length"]),
        "completion_tokens": COUNTS,
        "prompt_token_ids": st.lists(COUNTS, min_size=1, max_size=5),
    },
)


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_bytes(json_lines(*records))


def write_gzip(path: Path, records: list[dict[str, Any]]) -> None:
    half = len(records) // 2
    members = [gzip.compress(json_lines(*part)) for part in (records[:half], records[half:])]
    path.write_bytes(b"".join(members))


def write_zstandard(path: Path, records: list[dict[str, Any]]) -> None:
    half = len(records) // 2
    frames = [zstandard.compress(json_lines(*part)) for part in (records[:half], records[half:])]
    path.write_bytes(b"".join(frames))


def write_array(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(records, indent=2), encoding="utf-8")


def write_csv(path: Path, records: list[dict[str, Any]]) -> None:
    """Write as Arrow does: absent is empty, an empty text is quoted, nested values are JSON."""
    columns = list(dict.fromkeys(key for one in records for key in one))
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(columns) + "\n")
        for one in records:
            file.write(",".join(_cell(one.get(name)) for name in columns) + "\n")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return '"' + text.replace('"', '""') + '"'


def write_parquet(path: Path, records: list[dict[str, Any]]) -> None:
    flat = [
        {key: json.dumps(value) if key == "params" else value for key, value in one.items()}
        for one in records
    ]
    columns = list(dict.fromkeys(key for one in flat for key in one))
    table = pa.table({name: [one.get(name) for one in flat] for name in columns})
    pq.write_table(table, path, row_group_size=3)


WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], None]] = {
    "lines": write_lines,
    "gzip": write_gzip,
    "zstandard": write_zstandard,
    "array": write_array,
    "csv": write_csv,
    "parquet": write_parquet,
}


def without_place(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # An item with neither key nor prompt is its own; its key comes from its place.
    hidden = ("place",)
    return [
        {
            key: value
            for key, value in row.items()
            if key not in hidden and not (key == "item_key" and not row["paired"])
        }
        for row in rows
    ]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(RECORDS, min_size=1, max_size=6))
def test_containers_agree(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    """One list of records, six containers, the same rows, and in them the values that went in."""
    found = {}
    for name, write in WRITERS.items():
        path = tmp_path / f"{name}.data"
        write(path, records)
        rows, tally = read(path)
        assert not tally.skipped
        found[name] = without_place(rows)
    assert all(rows == found["lines"] for rows in found.values())
    for row, given_ in zip(found["lines"], records, strict=True):
        for key in (
            "model",
            "base_task",
            "repeat",
            "prompt",
            "response",
            "answer",
            "score",
            "choices",
            "groups",
        ):
            assert row[key] == given_.get(key)
        assert json.loads(row["params"]) == given_.get("params", {})


@pytest.mark.parametrize("name", WRITERS)
def test_recognised_by_content(tmp_path: Path, name: str) -> None:
    path = tmp_path / "no-name"
    WRITERS[name](path, [record(response="x" * 300_000)] * 2)
    reader = reader_of(path)
    assert reader is not None and reader.name == "records"
    assert len(read(path)[0]) == 2


@pytest.mark.parametrize(
    "content",
    [
        b"Dear reader,\nthis is text.\n",
        b'{"some": "other", "document": 1}\n',
        b'{"model": "x",\n "outcome": "correct"}\n',
        b"[1, 2, 3]",
        b"name,size\na,1\n",
        bytes(range(256)) * 10,
        b"\x1f\x8b" + b"\x07" * 100,
        b"\x28\xb5\x2f\xfd" + b"\x07" * 100,
    ],
)
def test_not_recognised(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    assert reader_of(path) is None


@pytest.mark.parametrize("name", ["lines", "gzip", "zstandard", "array", "csv"])
@pytest.mark.parametrize("block", [1, 7, 100, 5000])
def test_rows_do_not_depend_on_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, block: int
) -> None:
    records = [
        record(
            item_key=str(number), prompt='a "quoted"\nline, \\and' * (number % 5), response="x\n\n" * number
        )
        for number in range(40)
    ]
    path = tmp_path / "data"
    WRITERS[name](path, records)
    whole, _ = read(path)
    assert len(whole) == 40
    monkeypatch.setattr(cutting.cut_lines, "__kwdefaults__", {"block": block, "limit": RECORD_LIMIT})
    monkeypatch.setattr(cutting.cut_array, "__kwdefaults__", {"block": block, "limit": RECORD_LIMIT})
    monkeypatch.setattr("core.importers.compression.PIECE", max(block, 4))
    assert read(path)[0] == whole


def test_bad_lines_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_bytes(
        json_lines(record(item_key="1"))
        + b"{not json}\n\n[1, 2]\nnull\n"
        + '{"model": "caf\xe9"}\n'.encode("latin-1")
        + b'{"model": "m", "base_task": "t", "score": NaN}\n'
        + b'{"model": "m", "base_task": "t", "score": 1, "prompt": "half \\ud800"}\n'
        + json_lines(record(item_key="2"))[:-20]
    )
    rows, tally = read(path)
    assert [row["place"] for row in rows] == ["line 1", "line 8"]
    assert rows[1]["prompt"] == "half \ufffd"
    assert tally.read == 8
    assert tally.places["not a JSON object"] == ["line 4", "line 5"]
    assert tally.places["not UTF-8 text"] == ["line 6"]
    assert tally.places["score is not a number"] == ["line 7"]
    assert tally.places["not valid JSON: unexpected end of data"] == ["line 9"]


def test_first_five_places(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    write_lines(path, [record(score=2)] * 9)
    _, tally = read(path)
    assert tally.skipped == {"score outside [0, 1]": 9}
    assert tally.places == {"score outside [0, 1]": [f"line {number}" for number in range(1, 6)]}


@pytest.mark.parametrize(("name", "kind"), [("gzip", "gzip"), ("zstandard", "zstandard")])
def test_compressed_file_cut_short(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / "data"
    # Counted texts, so that compressed blocks end in between.
    records = [record(item_key=str(number), prompt=str(number**7) * 20) for number in range(8000)]
    WRITERS[name](path, records)
    path.write_bytes(path.read_bytes()[:-2000])
    rows, tally = read(path)
    assert 4000 < len(rows) < 8000
    assert [row["item_key"] for row in rows] == [str(number) for number in range(len(rows))]
    assert tally.skipped == {f"the {kind} data ends early": 1}


def test_compressed_file_damaged(tmp_path: Path) -> None:
    path = tmp_path / "data"
    data = bytearray(gzip.compress(json_lines(*[record(item_key=str(number)) for number in range(9000)])))
    data[len(data) // 2 : len(data) // 2 + 400] = bytes(range(200)) * 2
    path.write_bytes(data)
    _, tally = read(path)
    assert tally.read >= 1
    assert tally.skipped.total() >= 1


def test_parquet_damaged(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"PAR1" + b"\x07" * 500)
    rows, tally = read(path)
    assert not rows
    assert list(tally.places.values()) == [["row 1"]]
    assert next(iter(tally.skipped)).startswith("the Parquet data is damaged")


def test_array_faults(tmp_path: Path) -> None:
    path = tmp_path / "data"
    good = json.dumps(record())
    path.write_text(f"[{good}, 7, {good}, [1], {good}")
    rows, tally = read(path)
    assert [row["place"] for row in rows] == ["item 1", "item 3", "item 5"]
    assert tally.skipped == {"not a JSON object": 2, "the JSON array ends early": 1}
    path.write_text(f"[{good}] and more")
    assert read(path)[1].skipped == {"text after the JSON array": 1}


def test_csv_rows_and_places(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(
        b"\xef\xbb\xbfmodel,base_task,score,response,params.size,params.id\r\n"
        b'a,t,1,"two\r\nlines, ""quoted""",3,007\r\n'
        b"\r\n"
        b"b,t\r\n"
        b'c,t,,"",2.0,x\r\n'
        b"d,t,0.5,,,\r\n"
        b"caf\xe9,t,1,,,\r\n"
        b"e,t,1,,true,1e3"
    )
    rows, tally = read(path)
    assert [(row["model"], row["place"]) for row in rows] == [
        ("a", "line 2"),
        ("d", "line 7"),
        ("e", "line 9"),
    ]
    assert rows[0]["response"] == 'two\r\nlines, "quoted"'
    assert [row["params"] for row in rows] == ['{"id":"007","size":3}', "{}", '{"id":1000,"size":true}']
    assert rows[1]["response"] is None
    assert tally.places == {
        "not as many columns as the header": ["line 5"],
        "neither outcome nor score": ["line 6"],
        "not UTF-8 text": ["line 8"],
    }


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_delimiters(tmp_path: Path, delimiter: str) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["model", "base_task", "outcome", "prompt"], delimiter=delimiter)
    writer.writeheader()
    writer.writerow(record(prompt="a,b;c\td"))
    path = tmp_path / "data"
    path.write_text(text.getvalue(), newline="")
    assert reader_of(path) is not None
    assert [row["prompt"] for row in read(path)[0]] == ["a,b;c\td"]


def test_csv_with_a_column_twice(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("model,base_task,score,score\nm,t,1,0\n")
    assert read(path)[1].places == {"columns that appear twice: score": ["line 1"]}


def test_written_by_pandas(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        [
            {"model": "m", "base_task": "t", "score": 1.0, "choices": 4, "response": "", "params.n": 3},
            {
                "model": "m",
                "base_task": "t",
                "score": 0.0,
                "choices": None,
                "response": None,
                "params.n": None,
            },
        ]
    )
    frame.to_csv(tmp_path / "csv", index=False)
    frame.to_parquet(tmp_path / "parquet", index=False)
    rows, _ = read(tmp_path / "parquet")
    assert [(row["choices"], row["response"], row["params"]) for row in rows] == [
        (4, "", '{"n":3}'),
        (None, None, "{}"),
    ]
    assert [row["response_bytes"] for row in rows] == [0, None]
    # Its CSV does not tell an empty text from an absent one.
    rows, _ = read(tmp_path / "csv")
    assert [(row["choices"], row["response"], row["params"]) for row in rows] == [
        (4, None, '{"n":3}'),
        (None, None, "{}"),
    ]


def test_parquet_with_nested_params(tmp_path: Path) -> None:
    table = pa.table(
        {
            "model": ["m", "m"],
            "base_task": ["t", "t"],
            "score": [1.0, 0.0],
            "params": [{"length": 2, "depth": None}, {"length": None, "depth": 1}],
            "extra": ["unused", "unused"],
        }
    )
    pq.write_table(table, tmp_path / "data")
    rows, tally = read(tmp_path / "data")
    assert [row["params"] for row in rows] == ['{"length":2}', '{"depth":1}']
    assert tally.remarks["source fields not used", "extra"] == 2


def test_mapping(tmp_path: Path) -> None:
    path = tmp_path / "data"
    write_lines(
        path, [{"Model": "m", "task": "t", "ok": 1, "usage": {"out": 5}, "len": 3, "base_task": "not this"}]
    )
    mapping = {
        "model": "Model",
        "base_task": "task",
        "score": "ok",
        "completion_tokens": "usage.out",
        "params.length": "len",
    }
    assert reader_of(path) is None
    assert reader_of(path, Options(mapping)) is not None
    rows, tally = read(path, mapping=mapping)
    assert rows[0]["base_task"] == "t"
    assert (rows[0]["completion_tokens"], rows[0]["params"]) == (5, '{"length":3}')
    assert not tally.remarks


def test_overrides(tmp_path: Path) -> None:
    path = tmp_path / "data"
    write_lines(path, [record(label="M", groups=["a:b"])])
    (row,), _ = read(path, overrides={"model": "second run", "groups": "c:d,e:f"})
    assert (row["model"], row["label"], row["groups"]) == ("second run", None, ["c:d", "e:f"])
    (row,), _ = read(path, overrides={"model": "second run", "label": "Two"})
    assert row["label"] == "Two"


def test_without_text(tmp_path: Path) -> None:
    path = tmp_path / "data"
    write_lines(path, [record(response="four words of text")])
    (row,), _ = read(path, keep_text=False)
    assert (row["response"], row["response_bytes"], row["completion_tokens"]) == (None, 18, 4)


@pytest.mark.parametrize("name", ["lines", "csv", "parquet"])
def test_five_megabyte_response(tmp_path: Path, name: str) -> None:
    text = '\N{GRINNING FACE}"\\\n' * (5 * 2**20 // 7)
    path = tmp_path / "data"
    WRITERS[name](path, [record(response="before"), record(response=text), record(response="after")])
    rows, _ = read(path)
    assert [row["response"] for row in rows] == ["before", text, "after"]


@pytest.mark.parametrize("name", ["lines", "csv"])
def test_record_over_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(cutting.cut_lines, "__kwdefaults__", {"block": 1000, "limit": 10_000})
    monkeypatch.setattr("core.importers.compression.PIECE", 500)
    path = tmp_path / "data"
    records = [record(item_key="1"), record(item_key="2", response="x" * 50_000), record(item_key="3")]
    WRITERS[name](path, records)
    rows, tally = read(path)
    assert [row["item_key"] for row in rows] == ["1", "3"]
    assert tally.skipped == {TOO_LONG: 1}
    first = 1 if name == "lines" else 2
    assert [row["place"] for row in rows] == [f"line {first}", f"line {first + 2}"]


def test_array_record_over_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting.cut_array, "__kwdefaults__", {"block": 1000, "limit": 10_000})
    monkeypatch.setattr("core.importers.compression.PIECE", 500)
    path = tmp_path / "data"
    write_array(path, [record(item_key="1"), record(response="x" * 50_000), record(item_key="3")])
    rows, tally = read(path)
    assert [row["item_key"] for row in rows] == ["1"]
    assert list(tally.skipped) == [f"{TOO_LONG}; the rest of the array was not read"]


def test_a_header_of_quoted_cells_is_read_with_its_own_delimiter() -> None:
    line = b'"model";"base_task";"a,b"\n'
    header = read_header(line, {"model", "base_task"})
    assert header is not None
    assert (header.columns, header.delimiter) == (("model", "base_task", "a,b"), ";")
    comma = read_header(b'"model","base_task"\n', {"model", "base_task"})
    assert comma is not None
    assert comma.delimiter == ","
