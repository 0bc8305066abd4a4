"""Reasoning Gym results: a small tree written here, with generators that are the package's own."""

import importlib.util
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.importers.gym_items import Item, Job, describe, make_items, question_digest
from core.importers.gym_params import ALWAYS, MANY, REPEATS, dropped_keys, params_of
from core.importers.reader import Options, Verdict
from core.importers.reasoning_gym import (
    NO_PARAMS,
    NO_RUN_FOLDER,
    OWN_FIGURES,
    UNPAIRED,
    Gym,
    ReasoningGym,
    locate,
)
from core.importers.sources import open_beginning
from tests.importers.staged import read

PACKAGE = importlib.util.find_spec("reasoning_gym") is not None
needs_package = pytest.mark.skipif(not PACKAGE, reason="the optional package reasoning-gym is not installed")

READER = ReasoningGym()


class Here:
    """A run without worker processes."""

    options = Options()

    def map(
        self, function: Any, jobs: Sequence[Any], *, step: str, seconds: float | None = None
    ) -> Iterator[Any]:
        return map(function, jobs)


def write(
    root: Path,
    model: str = "openai_o3-mini_20250315_181742",
    *,
    difficulty: str = "easy",
    category: str = "arithmetic",
    dataset: str = "chain_sum",
    results: list[dict[str, Any]] | None = None,
    **document: Any,
) -> Path:
    path = root / difficulty / model / category / f"{dataset}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    results = [result("1 + 1 =", "2", ("2", 1.0))] if results is None else results
    whole = {
        "name": dataset,
        "category": category,
        "config": {"size": len(results), "seed": 45},
        "results": results,
    }
    path.write_text(json.dumps(whole | document))
    return path


def result(question: str, expected: str, *completions: tuple[Any, Any]) -> dict[str, Any]:
    made = [
        {"model_answer": a, "full_model_response": f"<answer>{a}</answer>", "score": s}
        for a, s in completions
    ]
    return {
        "question": question,
        "expected_answer": expected,
        "best_model_answer": "not counted twice",
        "best_score": 1.0,
        "completions": made,
    }


def rows_of(path: Path) -> tuple[list[dict[str, Any]], Any]:
    prepared = READER.prepare([path], [path], Here())
    return read(path, format="reasoning_gym", prepared=prepared[path])


def test_what_the_path_says() -> None:
    path = Path("/x/hard/meta-llama_llama-3.3-70b-instruct_20250315_165756/games/maze.json")
    assert locate(path) == ("hard", "meta-llama_llama-3.3-70b-instruct", "games")
    assert locate(Path("/x/hard/model/games/maze.json")) == (None, None, "games")


def test_a_file(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        results=[
            result("1 + 1 =", "2", ("2", 1.0), ("3", 0.01)),
            result("1 + 1 =", "2", (None, 0.0), ("", 0.0)),
            result("2 + 2 =", "4", ("4", 1.0), (None, 1.0)),
        ],
    )
    rows, tally = rows_of(path)
    assert not tally.skipped
    first = rows[0]
    assert (first["model"], first["label"], first["hf_id"]) == ("openai_o3-mini", "o3-mini", None)
    assert (first["template"], first["sampler"]) == ("default", "default")
    assert (first["base_task"], first["category"]) == ("chain_sum", "arithmetic")
    assert json.loads(first["params"])["difficulty"] == "easy"
    assert first["item_key"] == f"easy/45/0/{question_digest('1 + 1 =')}"
    assert (first["prompt"], first["reference"], first["response"]) == ("1 + 1 =", "2", "<answer>2</answer>")
    assert first["token_source"] == "tokenized:o200k_base"
    assert [row["repeat"] for row in rows] == [0, 1] * 3
    assert [row["outcome"] for row in rows] == [
        "correct",
        "incorrect",
        "invalid",
        "invalid",
        "correct",
        "correct",
    ]
    assert [row["score"] for row in rows] == [1.0, 0.01, 0.0, 0.0, 1.0, 1.0]
    assert {row["truncation"] for row in rows} == {"unknown"}
    assert len({row["item_key"] for row in rows}) == 3


def test_faults_in_a_file(tmp_path: Path) -> None:
    crashed = result("q3", "a", ("x", 0.0))
    crashed["completions"][0]["error"] = "the scorer crashed"
    path = write(
        tmp_path,
        results=[
            result("q1", "a", ("x", 1.5), ("x", None)),
            {"question": "q2"},
            crashed,
            {"completions": []},
            7,  # type: ignore[list-item]
        ],
    )
    rows, tally = rows_of(path)
    assert [(row["outcome"], row["explanation"]) for row in rows] == [("error", "the scorer crashed")]
    assert tally.places == {
        "score outside [0, 1]": ["result 0 completion 0"],
        "neither outcome nor score": ["result 0 completion 1"],
        "result without completions": ["result 1", "result 4"],
        "result without a question": ["result 3"],
    }


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"name": "x", "config": {}, "results": [{"question"', "not valid JSON: unexpected end of data"),
        (b'{"name": "x", "config": {}, "results": {}}', "not Reasoning Gym results: no results"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes, reason: str) -> None:
    path = write(tmp_path)
    path.write_bytes(content)
    rows, tally = rows_of(path)
    assert (rows, tally.places) == ([], {reason: ["file"]})


def test_recognised_by_content(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert READER.recognise(open_beginning(path), Options()) == Verdict(True)
    summary = path.parent.parent / "summary.json"
    summary.write_text('{"total_datasets": 1, "dataset_best_scores": {}}')
    verdict = READER.recognise(open_beginning(summary), Options())
    assert verdict == Verdict(True, "summary of a run, not results")
    other = tmp_path / "summary.json"
    other.write_text('{"some": "other"}')
    assert not READER.recognise(open_beginning(other), Options()).mine
    undated = tmp_path / "chain_sum.json"
    undated.write_bytes(path.read_bytes())
    assert READER.recognise(open_beginning(undated), Options()).refusal == NO_RUN_FOLDER
    assert READER.recognise(open_beginning(undated), Options(overrides={"model": "m"})).refusal == ""


def test_own_figures_that_contradict(tmp_path: Path) -> None:
    results = [result("q1", "a", ("a", 1.0), ("b", 0.0)), result("q2", "a", ("b", 0.0), ("b", 0.0))]
    true = {
        "average_best_score": 0.5,
        "average_mean_score": 0.25,
        "total_examples": 2,
        "completions_per_prompt": 2,
    }
    _, tally = rows_of(write(tmp_path, results=results, **true))
    assert OWN_FIGURES not in tally.grouped()
    _, tally = rows_of(write(tmp_path, results=results, **(true | {"average_mean_score": 1.14})))
    assert list(tally.grouped()[OWN_FIGURES]) == [
        "average_mean_score: 1.14 in the file, 0.25 by its completions"
    ]


def test_other_questions_at_one_index_are_not_paired(tmp_path: Path) -> None:
    one = write(
        tmp_path, "a_one_20250101_000000", results=[result("p", "a", ("a", 1)), result("q", "a", ("a", 1))]
    )
    two = write(
        tmp_path, "b_two_20250101_000000", results=[result("p", "a", ("a", 1)), result("r", "a", ("a", 1))]
    )
    hard = write(tmp_path, "b_two_20250101_000000", difficulty="hard", results=[result("s", "a", ("a", 1))])
    prepared = READER.prepare([one, two, hard], [one, two, hard], Here())
    keys = []
    for path in (one, two):
        rows, tally = read(path, format="reasoning_gym", prepared=prepared[path])
        assert list(tally.grouped()[UNPAIRED]) == ["chain_sum: 1 of 2 items"]
        keys.append([row["item_key"] for row in rows])
    assert keys[0][0] == keys[1][0] and keys[0][1] != keys[1][1]
    assert UNPAIRED not in read(hard, format="reasoning_gym", prepared=prepared[hard])[1].grouped()


def test_meaning_of_a_path_is_part_of_a_file_s_identity(tmp_path: Path) -> None:
    easy, hard = write(tmp_path), write(tmp_path, difficulty="hard")
    again = write(tmp_path, "openai_o3-mini_20250401_000000")
    assert READER.meaning(easy) != READER.meaning(hard)
    assert READER.meaning(easy) == READER.meaning(again)


def made(number: int, answer: str = "9", **metadata: Any) -> Item:
    item = {"question": f"question {number}?", "answer": answer, "metadata": metadata}
    return describe(number, question_digest(f"question {number}?"), item)


def test_which_metadata_are_params() -> None:
    items = [
        made(
            number,
            size=number,
            kind="ab"[number % 2],
            name=f"name {number}",
            grid=[[1]],
            story="once upon a time there was",
            solution_length=3,
            start_peg=1,
            target_letter="x",
            source_index=number,
            leak=9,
            lucky=9 if number < 3 else 1,
            flag=True,
            none=None,
            difficulty={"people": 4, "range": (1, 2)},
        )
        for number in range(30)
    ]
    dropped = dropped_keys(items)
    assert dropped == {
        "name": MANY,
        "grid": "not a single value",
        "story": "text over 20 characters",
        "solution_length": ALWAYS,
        "start_peg": ALWAYS,
        "target_letter": ALWAYS,
        "source_index": ALWAYS,
        "leak": REPEATS,
        "difficulty.range": "not a single value",
    }
    kept = {key: value for key, value in items[3].values.items() if key not in dropped}
    assert kept == {"size": 3, "kind": "b", "lucky": 1, "flag": True, "people": 4}


@needs_package
def test_params_only_where_the_question_is_the_recorded_one(tmp_path: Path) -> None:
    import reasoning_gym

    config = {"seed": 45, "size": 4}
    generated = reasoning_gym.create_dataset("chain_sum", **config)
    questions = [generated[index]["question"] for index in range(3)] + ["another question"]
    path = write(tmp_path, config=config, results=[result(q, "1", ("1", 1.0)) for q in questions])
    rows, tally = rows_of(path)
    for index in range(3):
        metadata = generated[index]["metadata"]
        assert json.loads(rows[index]["params"]) == {
            "difficulty": "easy",
            "num_terms": metadata["num_terms"],
            "num_digits": metadata["num_digits"],
        }
    assert json.loads(rows[3]["params"]) == {"difficulty": "easy"}
    assert tally.grouped()[NO_PARAMS] == {"chain_sum (easy)": 1}
    dropped = " ".join(tally.grouped()["metadata not used as params"])
    for key in (
        "source_dataset",
        "source_index",
        "expression",
        "difficulty.num_terms",
        "difficulty.num_digits",
    ):
        assert key in dropped


@needs_package
def test_items_made_with_another_decimal_precision() -> None:
    """The published hard decimal sums were made in a process whose precision was 10."""
    import decimal

    import reasoning_gym

    config = {
        "min_digits": 8,
        "max_digits": 8,
        "min_decimal_places": 6,
        "max_decimal_places": 6,
        "seed": 1,
        "size": 1,
    }
    with decimal.localcontext(prec=10):
        question = reasoning_gym.create_dataset("decimal_chain_sum", **config)[0]["question"]
    assert question != reasoning_gym.create_dataset("decimal_chain_sum", **config)[0]["question"]
    job = Job("decimal_chain_sum", json.dumps(config).encode(), {0: frozenset({question_digest(question)})})
    assert [item.digest for item in make_items(job).items] == [question_digest(question)]


@needs_package
def test_what_cannot_be_generated_is_told() -> None:
    config = json.dumps({"no_such_setting": 1}).encode()
    done = make_items(Job("chain_sum", config, {0: frozenset({"x"})}))
    assert not done.items and "no_such_setting" in done.fault
    assert "no_such_dataset" in make_items(Job("no_such_dataset", b"{}", {0: frozenset({"x"})})).fault


def test_without_the_package_a_note_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    (remark,) = params_of([], Here()).general
    assert "requirements-reasoning-gym.txt" in remark.what and "--rebuild" in remark.what


@pytest.mark.slow
def test_the_real_results(rg_source: Path) -> None:
    """Every completion of six models; the counts are those of the files, counted plainly."""
    paths = sorted(path for path in rg_source.rglob("*.json") if path.name != "summary.json")
    outcomes: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    empty = 0
    for path in paths:
        rows, tally = read(path, format="reasoning_gym", prepared=Gym(path, {}, ()))
        assert not tally.skipped
        assert OWN_FIGURES not in tally.grouped()
        outcomes.update(row["outcome"] for row in rows)
        empty += sum(row["response_bytes"] == 0 for row in rows if "qwq" in row["model"])
        for one in json.loads(path.read_bytes())["results"]:
            for completion in one["completions"]:
                if completion["score"] >= 1:
                    expected["correct"] += 1
                else:
                    expected["incorrect" if completion["model_answer"] else "invalid"] += 1
    assert len(paths) == 192
    assert outcomes == expected and outcomes.total() == 19_200
    assert empty == 774
