"""`python -m core compression`: files and their names, what the page reads, and what is refused."""

import csv
import io
import json
from pathlib import Path

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers.compression import Options, figure_frame, figures_of, split_panels
from core.tiers.methods import Methods
from tests.command import ask

SORT = '{"base_task": "sort"}'
PNG = b"\x89PNG\r\n\x1a\n"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_one_file_per_split_value(demo_dataset: Path, tmp_path: Path) -> None:
    done = ask("compression", demo_dataset, "--format", "csv", "--split", "tier", "--output-dir", tmp_path)
    assert (done.status, done.out) == (0, "")
    assert names(tmp_path) == [f"demo_compression_tier-{tier}.csv" for tier in ("easy", "hard", "medium")]
    done = ask("compression", demo_dataset, "--filters", SORT, cwd=tmp_path)
    assert done.status == 0
    image = tmp_path / "demo_compression_base_task-sort_sort.png"
    assert image.read_bytes().startswith(PNG)


def test_csv_is_what_the_page_reads(demo_dataset: Path) -> None:
    said = ask("compression", demo_dataset, "--split", "none", "--stack", "eval_id", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(said.out)))
    dataset = open_dataset(demo_dataset)
    [(_, panels)] = split_panels(dataset, Filters(), Options(stacked=True), None)
    frame = figure_frame(panels, figures_of(dataset, panels, Methods()))
    assert list(rows[0]) == list(frame.columns)
    assert [int(row["n"]) for row in rows] == frame["n"].tolist()
    slopes = [float(row["slope"] or "nan") for row in rows]
    assert slopes == pytest.approx(frame["slope"].tolist(), nan_ok=True)


def test_json_lists_the_loops_with_their_text(demo_dataset: Path) -> None:
    said = ask("compression", demo_dataset, "--filters", SORT, "--format", "json", "--series", "model")
    document = said.document()
    assert document["split"] == {"dimension": "base_task", "value": "sort"}
    assert document["series"] == "model"
    loops = document["loops"]
    assert loops["loops"] == len(loops["listed"]) == 13
    first = loops["listed"][0]
    assert first["bytes"] == max(one["bytes"] for one in loops["listed"])
    assert first["ratio"] < 0.1
    assert "fireplace, fireplace" in first["ends"]
    assert first["outcome"] == "truncated"


def test_the_rule_of_loops_has_flags(demo_dataset: Path) -> None:
    def loops(*flags: str) -> int:
        found = ask("compression", demo_dataset, "--split", "none", "--format", "json", *flags).document()
        return int(found["loops"]["loops"])

    assert loops() == 13
    assert loops("--leave-out", "sort") == 0
    assert loops("--loop-bytes", "200", "--loop-ratio", "0.3") > 13


def test_length_has_a_flag(demo_dataset: Path) -> None:
    flags = ("--split", "none", "--series", "none", "--format", "csv", "--length", "bytes")
    [first, *_] = csv.DictReader(io.StringIO(ask("compression", demo_dataset, *flags).out))
    assert first["length"] == "bytes"
    assert first["per_token"] == ""
    assert first["auc_length"]


def test_what_is_missing_is_said_on_stderr(bare_dataset: Path) -> None:
    done = ask("compression", bare_dataset, "--format", "json")
    document = done.document()
    assert "Note: Add: No completion of this selection has a response" in done.err
    assert {one["ratio"] for one in document["groups"][0]["outcomes"]} == {None}
    assert document["groups"][0]["outcomes"][0]["n"] == 40
    json.dumps(document, allow_nan=False)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--stack", "tier"), "Error: No stack 'tier'; valid: none, eval_id"),
        (("--split", "colour"), "Error: No dimension 'colour' to split by; valid: model"),
        (("--series", "colour"), "Error: No dimension 'colour' for the series; valid: model"),
        (("--length", "words"), "Error: No length 'words'; valid: auto, tokens, bytes"),
        (("--loop-ratio", "2"), "Error: A loop's ratio must be above 0 and at most 1"),
        (("--loop-bytes", "0"), "Error: A loop needs a minimum of at least 1 byte"),
        (("--leave-out", "gone"), "Error: No task 'gone' to leave out; valid: "),
        (("--format", "table"), "Error: No format 'table' here; valid: png, json, csv"),
        (("--filters", '{"base_task": "sort", "params": {"depth": 1}}'), "No results found matching filters"),
    ],
)
def test_refusals_say_what_is_valid(demo_dataset: Path, flags: tuple[str, ...], words: str) -> None:
    assert words in ask("compression", demo_dataset, *flags).refused()
