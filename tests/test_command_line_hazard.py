"""`python -m core hazard`: one file per group, the JSON, comparisons, and mistakes told in a sentence."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers.hazard import read_hazard, to_document
from core.tiers.methods import Methods
from tests.command import ask
from tests.synthetic import simple

LETTERS = '{"base_task": "letters", "eval_id": [0, 2]}'
PNG = b"\x89PNG\r\n\x1a\n"
ARRAYS = (
    "bucket_start", "bucket_end", "at_risk", "correct", "incorrect", "censored",
    *(f"{name}{side}" for side in ("", "_lower", "_upper")
      for name in ("hazard_correct", "hazard_incorrect", "cif_correct", "cif_incorrect", "survival")),
)  # fmt: skip


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_json_has_parallel_arrays_per_group(demo_dataset: Path) -> None:
    document = ask("hazard", demo_dataset, "--split", "none", "--format", "json").document()
    assert (document["split"], document["bucket_size"]) == ([], 256)
    (group,) = document["groups"]
    assert (group["n"], group["budget"]) == (7296, 256)
    # Cut off at 256 tokens: no second bucket.
    assert group["bucket_end"] == [256]
    fine = ask(
        "hazard", demo_dataset, "--split", "none", "--format", "json", "--bucket-size", "20"
    ).document()
    (group,) = fine["groups"]
    assert {len(group[name]) for name in ARRAYS} == {13}
    assert group["bucket_end"][-1] == 260
    assert sum(group["censored"]) == group["censored"][-1] == 381
    total = [
        sum(parts)
        for parts in zip(group["cif_correct"], group["cif_incorrect"], group["survival"], strict=True)
    ]
    assert total == pytest.approx([1] * 13)


def test_json_is_what_the_page_reads(demo_dataset: Path) -> None:
    flags = ("--filters", LETTERS, "--split", "none", "--bucket-size", "16", "--budget", "40")
    said = ask("hazard", demo_dataset, *flags, "--repeats", "independent", "--format", "json")
    hazard = read_hazard(
        open_dataset(demo_dataset), Filters.from_json(LETTERS), Methods(repeats="independent"), split=(),
        bucket_size=16,
    )  # fmt: skip
    assert said.document() == json.loads(json.dumps(to_document(hazard, budget=40)))
    aids = said.document()["groups"][0]["reading_aids"]
    assert aids["with_budget"]["tokens"] == 40
    assert aids["with_budget"]["cost"]["value"] == pytest.approx(
        aids["with_budget"]["full"]["value"] - aids["with_budget"]["accuracy"]["value"]
    )


def test_one_text_goes_to_stdout_and_several_go_to_files(demo_dataset: Path, tmp_path: Path) -> None:
    one = ask("hazard", demo_dataset, "--filters", LETTERS, "--format", "csv", cwd=tmp_path)
    rows = list(csv.DictReader(io.StringIO(one.out)))
    assert {row["task"] for row in rows} == {"letters"}
    assert names(tmp_path) == []
    flags = ("--filters", LETTERS, "--split", "eval_id,base_task", "--format", "json")
    several = ask("hazard", demo_dataset, *flags, cwd=tmp_path)
    assert (several.status, several.out) == (0, "")
    assert names(tmp_path) == [
        f"demo_hazard_eval_id-{one}_base_task-letters_eval0-2_letters.json" for one in (0, 2)
    ]


def test_images_have_the_names_of_their_groups(demo_dataset: Path, tmp_path: Path) -> None:
    flags = ("--filters", '{"base_task": "letters"}', "--output-dir", tmp_path, "--width", "800")
    assert ask("hazard", demo_dataset, *flags).status == 0
    models = sorted({entry["filters"]["model"] for entry in json.loads(demo_dataset.read_text())["evals"]})
    expected = sorted(f"demo_hazard_base_task-letters_model-{model}_letters.png" for model in models)
    assert names(tmp_path) == expected
    assert all((tmp_path / name).read_bytes().startswith(PNG) for name in names(tmp_path))


def test_comparison_of_evals(demo_dataset: Path, tmp_path: Path) -> None:
    flags = ("--split", "base_task", "--bucket-size", "16", "--filters", '{"base_task": "letters"}')
    document = ask(
        "hazard", demo_dataset, *flags, "--compare", "2,0", "--budget", "64", "--log-rank", "--format", "json"
    ).document()
    (one,) = document["comparisons"]
    assert [row["eval_id"] for row in one["evals"]] == [2, 0]
    assert (one["budget"], one["baseline"], one["log_rank"]["m"]) == (64, 2, 2)
    base, other = one["evals"]
    assert other["difference"]["value"] == pytest.approx(
        other["accuracy"]["value"] - base["accuracy"]["value"]
    )
    text = ask("hazard", demo_dataset, *flags, "--compare", "2,0", "--format", "csv").out
    assert [row["eval_id"] for row in csv.DictReader(io.StringIO(text))] == ["2", "0"]
    assert ask("hazard", demo_dataset, *flags, "--compare", "2,0", "--output-dir", tmp_path).status == 0
    assert names(tmp_path) == ["demo_hazard_base_task-letters_compare-2-0_letters.png"]


def test_mistakes_are_told_in_a_sentence(demo_dataset: Path, bare_dataset: Path) -> None:
    for flags, words in (
        (("--split", "nope"), "No dimension 'nope' to split by; valid: model"),
        (("--format", "markdown"), "valid: png, json, csv"),
        (("--bucket-size", "0"), "A bucket must be from 1 to 2,147,483,647 tokens wide; given: 0"),
        (("--bucket-size", str(2**63)), "tokens wide; given: 9223372036854775808"),
        (("--compare", "0"), "A comparison needs two to 6 different evals"),
        (("--compare", "a,b"), "--compare takes eval ids with commas, such as 0,2"),
        (("--compare", "0,99"), "No eval_id 99 in this dataset"),
        (("--log-rank",), "--log-rank needs --compare"),
        (
            ("--filters", '{"base_task": "letters", "params": {"count": [2], "depth": [1]}}'),
            "No results found",
        ),
    ):
        assert words in ask("hazard", demo_dataset, *flags).refused()
    said = ask("hazard", bare_dataset, "--format", "json").refused()
    assert "all without a token count" in said
    assert "Import results that report completion_tokens" in said


def test_the_command_explains_odd_groups_as_the_page_does(build: Callable[..., Path]) -> None:
    records = simple("cut", outcome="truncated", completion_tokens=64, token_limit=64)
    done = ask("hazard", build("allcut", records), "--split", "base_task", "--format", "json")
    assert "All 10 completions were cut off: nothing is known of their answers" in done.err
    assert "All 10 completions were cut off" in " ".join(done.document()["methods"]["notes"])


def test_a_comparison_beyond_what_was_followed_says_so(demo_dataset: Path) -> None:
    flags = ("--split", "none", "--compare", "0,1", "--budget", "99999", "--format", "json")
    document = ask("hazard", demo_dataset, *flags).document()
    assert document["comparisons"][0]["evals"][0]["accuracy"] is None
    assert "was not followed as far as 99,999 tokens" in " ".join(document["methods"]["notes"])
