"""`compare` on the command line: the documented rows, every flag, formats, file names, refusals."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from core.cli.main import COMMANDS
from core.filters import Filters
from core.store import open_dataset
from core.tiers import compare as tier
from core.tiers.methods import Methods
from tests.command import ask

FIELDS = [
    "scope", "value", "n_items", "both_right", "both_wrong", "gained", "lost", "difference", "lower", "upper",
    "test", "p_value", "p_adjusted", "m", "mde", "left_out", "truncated",
]  # fmt: skip


def compare(config: Path, *flags: str | Path) -> Any:
    return ask("compare", config, "--format", "json", *flags).document()


def test_document(repeats_dataset: Path) -> None:
    document = compare(repeats_dataset, "--a", "0", "--b", "Beta")
    assert document["a"] == {"eval_id": 0, "label": "Alpha"}
    assert document["b"] == {"eval_id": 1, "label": "Beta"}
    assert all(list(row) == FIELDS for row in document["rows"])
    assert {row["scope"] for row in document["rows"]} == {"overall", "task", "tier"}
    for row in document["rows"]:
        parts = ("both_right", "both_wrong", "gained", "lost")
        assert row["n_items"] == sum(row[name] for name in parts)
        assert row["truncated"] in ("wrong", "left_out")
    keys = [(row["scope"], row["value"], row["truncated"]) for row in document["rows"]]
    assert len(keys) == len(set(keys)) and keys[:2] == [("overall", "all", r) for r in ("wrong", "left_out")]


@pytest.mark.parametrize("measure", tier.MEASURES)
def test_the_same_as_the_page_computes(repeats_dataset: Path, measure: str) -> None:
    dataset = open_dataset(repeats_dataset)
    filters, methods = Filters(base_task=("mixed", "free"), threshold=0.5), Methods("jeffreys", "independent")
    found = tier.read_comparison(dataset, filters, 2, 1, measure=measure)
    lengths = [tier.read_lengths(dataset, filters, methods, 2, 1, rule=rule) for rule in tier.RULES]
    flags = ("--filters", '{"base_task": ["mixed", "free"]}', "--threshold", "0.5", "--interval", "jeffreys")
    document = compare(
        repeats_dataset, "--a", "gamma", "--b", "1", "--measure", measure, "--repeats", "independent", *flags
    )
    assert document == json.loads(json.dumps(tier.to_document(found, lengths, methods)))
    dataset.close()


def test_a_against_all(repeats_dataset: Path) -> None:
    document = compare(repeats_dataset, "--a", "Delta")
    assert all(list(row) == [*FIELDS, "label"] for row in document["rows"])
    assert sorted({row["value"] for row in document["rows"]}) == [0, 1, 2]
    assert {row["m"] for row in document["rows"]} == {3}
    alone = compare(repeats_dataset, "--a", "3", "--b", "0")["rows"][0]
    row = next(r for r in document["rows"] if r["value"] == 0 and r["truncated"] == "wrong")
    for name in ("n_items", "gained", "lost", "difference", "left_out"):
        assert row[name] == pytest.approx(alone[name])
    some = compare(repeats_dataset, "--a", "Delta", "--filters", '{"eval_id": [0, 1]}')
    assert sorted({row["value"] for row in some["rows"]}) == [0, 1]


def test_csv_has_the_rows_of_the_document(demo_dataset: Path) -> None:
    out = ask("compare", demo_dataset, "--a", "0", "--b", "2", "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    expected = compare(demo_dataset, "--a", "0", "--b", "2")["rows"]
    assert len(rows) == len(expected)
    assert {row["scope"] for row in rows} == {"overall", "task", "tier", "cell"}
    for row, other in zip(rows, expected, strict=True):
        for name in ("scope", "value", "truncated", "test"):
            assert row[name].lstrip("'") == other[name]
        for name in ("difference", "p_value", "mde", "gained"):
            assert (float(row[name]) if row[name] else None) == other[name]


def test_markdown_is_the_default_and_begins_with_the_verdict(demo_dataset: Path) -> None:
    done = ask("compare", demo_dataset, "--a", "0", "--b", "7")
    assert done.status == 0 and done.err == ""
    verdicts = compare(demo_dataset, "--a", "0", "--b", "7")["verdict"]
    assert done.out.split("\n\n")[1] == verdicts["wrong"]
    other = ask("compare", demo_dataset, "--a", "0", "--b", "7", "--truncated", "left_out").out
    assert other.split("\n\n")[1] == verdicts["left_out"] != verdicts["wrong"]
    assert "| Arithmetic |" in done.out


def test_files_and_their_names(demo_dataset: Path, tmp_path: Path) -> None:
    easy = ("--filters", '{"tiers": ["easy"], "eval_id": [3]}')
    for form in ("png", "json", "csv", "markdown"):
        flags = ("--a", "0", "--b", "2", "--format", form, "--output-dir", tmp_path)
        assert ask("compare", demo_dataset, *flags, *easy).status == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"demo_compare_eval0_eval2_easy.{end}" for end in ("csv", "json", "md", "png")]
    assert (tmp_path / names[3]).read_bytes().startswith(b"\x89PNG")
    done = ask("compare", demo_dataset, "--a", "1", "--format", "png", cwd=tmp_path)
    assert done.status == 0 and done.out == ""
    assert (tmp_path / "demo_compare_eval1_all.png").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--a", "0", "--b", "Omega"), "No eval 'Omega' in this dataset; valid: 0 (Alpha), 1 (Beta)"),
        (("--a", "0", "--b", "alpha"), "A and B are the same eval (Alpha)"),
        (("--a", "0", "--b", "1", "--measure", "luck"), "No measure 'luck'; valid: accuracy, skill, score"),
        (("--a", "0", "--b", "1", "--truncated", "no"), "valid: wrong, left_out"),
        (("--a", "0", "--b", "1", "--format", "table"), "No format 'table' here"),
        (("--a", "0", "--b", "1", "--filters", '{"base_task": "x"}'), "No base_task 'x'"),
        (("--a", "3", "--b", "0", "--filters", '{"base_task": "x"'), "Invalid JSON in --filters"),
        (("--a", "3", "--filters", '{"eval_id": [3]}'), "there is no other eval to compare with"),
    ],
    ids=str,
)
def test_refusals(repeats_dataset: Path, flags: tuple[str, ...], said: str) -> None:
    assert said in ask("compare", repeats_dataset, *flags).refused()


def test_nothing_found(repeats_dataset: Path) -> None:
    flags = ("--a", "0", "--b", "1", "--filters", '{"tiers": ["hard"], "base_task": "guess"}')
    assert ask("compare", repeats_dataset, *flags).refused() == "No results found matching filters"


def test_datasets_of_one_eval_and_without_keys(one_model_dataset: Path, bare_dataset: Path) -> None:
    assert "there is no other eval" in ask("compare", one_model_dataset, "--a", "0").refused()
    row = compare(bare_dataset, "--a", "0", "--b", "1")["rows"][0]
    assert (row["n_items"], row["left_out"], row["difference"], row["test"]) == (
        0,
        40,
        None,
        "no common items",
    )


def test_help_says_what_gained_means(repeats_dataset: Path) -> None:
    assert "compare" in COMMANDS
    said = " ".join(ask("compare", "--help").out.split())
    assert "Differences are A minus B. Gained are the items on which A does better" in said
    assert "Example: python -m core compare data/demo.json --a 0 --b 1" in said


def test_strange_names_reach_every_format(strange_dataset: Path, tmp_path: Path) -> None:
    for form in ("json", "csv", "markdown", "png"):
        done = ask(
            "compare", strange_dataset, "--a", "0", "--b", "4", "--format", form, "--output-dir", tmp_path
        )
        assert done.status == 0, done.err
    assert len(list(tmp_path.iterdir())) == 4
