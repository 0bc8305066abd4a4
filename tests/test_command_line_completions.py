"""`python -m core completions`: what is written where, every option, and what is refused."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers.completions import Wanted, count_completions, read_hardest, read_page
from core.tiers.loops import LoopRule
from tests.command import ask


def jsonl(config: Path, *flags: str) -> list[dict[str, Any]]:
    done = ask("completions", config, "--format", "jsonl", *flags)
    assert done.status == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


OPTIONS: list[tuple[tuple[str, ...], dict[str, Any], Wanted]] = [
    (("--outcome", "invalid", "--outcome", "truncated"), {}, Wanted(outcomes=("invalid", "truncated"))),
    (("--tokens", "5:20", "--sort", "tokens", "--descending"), {},
     Wanted(tokens=(5, 20), sort="tokens", descending=True)),
    (("--tokens", ":20"), {"base_task": ["arithmetic"]}, Wanted(tokens=(None, 20))),
    (("--param-range", "length=3:", "--param-range", "digits=1"), {},
     Wanted(ranges=(("length", (3.0, None)), ("digits", (1.0, 1.0))))),
    (("--loops", "--loop-bytes", "200", "--loop-ratio", "0.3"), {}, Wanted(loops=LoopRule(200, 0.3))),
    (("--search", "ANSWER", "--search-in", "responses"), {}, Wanted(search="ANSWER", searched="responses")),
    (("--search", "answer", "--match-case"), {}, Wanted(search="answer", match_case=True)),
    (("--pair", "0,1,gained", "--sort", "item"), {}, Wanted(pair=(0, 1, "gained"), sort="item")),
    (("--item", "3", "--item", "7"), {"eval_id": [0, 2]}, Wanted(items=(3, 7))),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "filters", "wanted"), OPTIONS, ids=lambda value: str(value)[:40])
def test_every_option_is_the_list_of_the_page(
    demo_dataset: Path, flags: tuple[str, ...], filters: dict[str, Any], wanted: Wanted
) -> None:
    dataset = open_dataset(demo_dataset)
    selected = Filters.from_dict(filters)
    total = count_completions(dataset, selected, wanted)
    assert 0 < total < count_completions(dataset, selected, Wanted())
    rows = jsonl(demo_dataset, *flags, "--filters", json.dumps(filters), "--limit", "40")
    expected = read_page(dataset, selected, wanted, 1, 40)
    assert [row["completion_id"] for row in rows] == expected["completion_id"].tolist()
    assert [row["outcome"] for row in rows] == expected["outcome"].tolist()


def test_all_are_written_without_a_limit_and_at_any_threshold(partial_dataset: Path) -> None:
    dataset = open_dataset(partial_dataset)
    for threshold in ("1", "0.5"):
        rows = jsonl(partial_dataset, "--outcome", "correct", "--threshold", threshold)
        filters = Filters(threshold=float(threshold))
        assert len(rows) == count_completions(dataset, filters, Wanted(outcomes=("correct",))) > 5
        assert all(row["score"] >= float(threshold) for row in rows)


def test_csv_goes_to_stdout_or_to_a_file_of_its_name(demo_dataset: Path, tmp_path: Path) -> None:
    flags = ("--outcome", "incorrect", "--limit", "3", "--filters", '{"base_task": "sort"}')
    out = ask("completions", demo_dataset, *flags, cwd=tmp_path)
    assert (out.status, out.err, list(tmp_path.iterdir())) == (0, "", [])
    done = ask("completions", demo_dataset, *flags, "--output-dir", tmp_path / "new")
    (path,) = (tmp_path / "new").iterdir()
    assert (done.out, path.name) == ("", "demo_completions_incorrect_sort.csv")
    text = path.read_bytes().decode("utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert not out.out.startswith("\ufeff")
    assert list(csv.reader(io.StringIO(out.out))) == list(csv.reader(io.StringIO(text)))
    assert len(list(csv.DictReader(io.StringIO(text)))) == 3


def test_hardest_items_are_those_of_the_page(demo_dataset: Path) -> None:
    dataset = open_dataset(demo_dataset)
    for kind in ("all", "everyone", "one"):
        rows = jsonl(demo_dataset, "--hardest", kind, "--fewest", "5", "--limit", "4")
        expected = read_hardest(dataset, Filters(), kind=kind, fewest=5, rows=4).rows
        assert [row["item_id"] for row in rows] == expected["item_id"].tolist()
        assert [row["pass_rate"] for row in rows] == expected["pass_rate"].tolist()
    table = ask("completions", demo_dataset, "--hardest", "one").out
    assert len(list(csv.DictReader(io.StringIO(table)))) == read_hardest(dataset, Filters(), kind="one").one


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--outcome", "wrong"), "Error: No outcome 'wrong'; valid: correct, incorrect, invalid"),
        (("--format", "png"), "Error: No format 'png' here; valid: csv, jsonl"),
        (("--limit", "0"), "Error: --limit must be at least 1; given: 0"),
        (("--tokens", "many"), "Error: --tokens is a range such as 100:2000, 100: or :2000; given: 'many'"),
        (("--tokens", "inf:"), "Error: --tokens is a range such as"),
        (("--tokens", "9:1"), "Error: The range of tokens ends before it begins: 9 to 1"),
        (("--param-range", "length"), "Error: --param-range is a param and a range, such as length=2:5"),
        (("--param-range", "none=1:2"), "Error: No param 'none'; valid: "),
        (("--pair", "0,1"), "Error: --pair is two eval_ids and one of gained, lost, both_right, both_wrong"),
        (("--pair", "0,0,lost"), "Error: A pair needs two different evals, not eval_id 0 twice"),
        (("--sort", "length"), "Error: No sort 'length'; valid: place, item, tokens, ratio, score"),
        (("--loop-ratio", "2", "--loops"), "Error: A loop's ratio must be above 0 and at most 1; given: 2.0"),
        (("--hardest", "one", "--outcome", "correct"), "Error: --hardest lists items: it takes --filters"),
        (("--tokens", "99.5:"), "Error: --tokens takes whole numbers"),
        (("--hardest", "some"), "Error: No kind of items 'some'; valid: all, everyone, one"),
        (("--search", "\u2603 nowhere"), "No results found matching filters"),
        (("--flagged-only",), "No results found matching filters"),
        (("--filters", '{"flagged": "no"}'), "Error: Filter 'flagged' must be one of include, exclude"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(demo_dataset: Path, flags: tuple[str, ...], said: str) -> None:
    assert ask("completions", demo_dataset, *flags).refused().startswith(said)
