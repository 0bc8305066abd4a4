"""LightEval's details: what becomes of the rows, and its own means."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import SourceError
from core.importers.lighteval.reader import EARLY_VERSION, METRIC, NO_MODEL
from core.importers.lighteval.rows import CUT_PROMPTS, TOGETHER
from core.importers.metadata import DROPPED
from core.importers.own_figures import BY_DEFINITION, CONTRADICTION
from core.importers.reader import SUPERSEDED
from core.importers.record import INFERRED_CUT
from tests.importers import lighteval_made as made
from tests.importers.taken import Taken

TASKS = {"toy|2": made.generated(), "lighteval|letters|0": made.chosen()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lighteval") / "out"
    made.write(path, TASKS, temperature=0.3)
    return path


@pytest.fixture(scope="module")
def taken(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Taken:
    return Taken(tmp_path_factory.mktemp("data"), folder)


def test_counts_and_means_are_those_of_the_results(taken: Taken) -> None:
    found = taken.ask(
        "SELECT base_task, scorer, count(*), avg(score) FROM completions JOIN points USING (point_id)"
        " GROUP BY ALL ORDER BY ALL"
    )
    assert found == [
        ("letters", "acc", 6, pytest.approx(2 / 6)),
        ("toy", "extractive_match", 10, pytest.approx(4 / 10)),
    ]
    assert CONTRADICTION not in taken.report.remarks
    assert taken.said(METRIC) == "extractive_match (of f1, extractive_match, length)"


def test_identity_and_params(taken: Taken) -> None:
    assert taken.ask("SELECT DISTINCT model, template, sampler FROM points") == [
        ("org/model-a", "default", "temperature=0.3")
    ]
    assert taken.ask("SELECT DISTINCT label, hf_id FROM eval_hints") == [("model-a", "org/model-a")]
    found = {key for (text,) in taken.ask("SELECT params FROM items") for key in json.loads(text)}
    assert found == {"level", "num_fewshot"}
    assert "text (over 60 characters)" in taken.said(DROPPED)


def test_tokens_texts_and_truncation(taken: Taken) -> None:
    found = taken.ask(
        "SELECT key, text, prompt_tokens, completion_tokens, token_source, token_limit, truncation, outcome"
        " FROM completions JOIN items USING (item_id) JOIN responses USING (completion_id)"
        " ORDER BY len(key), key"
    )
    rows = {key.split("/")[0]: row for key, *row in found}
    assert rows["1"] == [
        "<think>\nso I think\n</think>\nIt is 1", 3, 4, "reported", 8, "inferred", "incorrect",
    ]  # fmt: skip
    assert rows["5"][1:] == [3, 8, "reported", 8, "inferred", "truncated"]
    assert rows["3"][-1] == "correct"
    assert taken.report.remarks[INFERRED_CUT][""].times == 2
    assert taken.report.remarks[CUT_PROMPTS][""].times == 1
    assert "3 of 8 correct, 2 truncated left out" in taken.said(BY_DEFINITION)
    assert taken.ask("SELECT DISTINCT tokenizer, ids FROM prompt_tokens") == [("org/model-a", [1, 2, 3])]


def test_choices(taken: Taken) -> None:
    found = taken.ask(
        "SELECT answer, reference, choices, outcome FROM completions JOIN items USING (item_id)"
        " WHERE base_task = 'letters' ORDER BY key LIMIT 3"
    )
    assert found == [("B", "A", 3, "incorrect"), ("B", "B", 3, "correct"), ("B", "C", 3, "incorrect")]


def test_both_names_of_the_columns(folder: Path, taken: Taken, tmp_path: Path) -> None:
    made.write(tmp_path / "out", TASKS, temperature=0.3, names="__{}__")
    again = Taken(tmp_path / "data", tmp_path / "out")
    assert again.rows() == taken.rows()


def test_another_metric(folder: Path, tmp_path: Path) -> None:
    taken = Taken(tmp_path, folder, scorers=["f1", "acc"])
    assert taken.ask("SELECT DISTINCT scorer FROM completions ORDER BY ALL") == [("acc",), ("f1",)]
    with pytest.raises(SourceError, match=r"--scorer bleu: no such metric; valid: .*extractive_match"):
        Taken(tmp_path, folder, scorers=["bleu"])


def test_the_newest_run_counts(folder: Path, tmp_path: Path) -> None:
    newer = {"toy|2": made.generated(4)}
    made.write(tmp_path / "out", TASKS, temperature=0.3)
    made.write(tmp_path / "out", newer, temperature=0.3, date="2026-06-01T10-00-00.123456")
    made.write(tmp_path / "out", newer, temperature=0.9, date="2026-07-01T10-00-00.123456")
    taken = Taken(tmp_path / "data", tmp_path / "out")
    assert taken.report.skipped == {SUPERSEDED: 4}
    assert taken.report.completions == 16 + 4


def test_several_answers_with_one_score(tmp_path: Path) -> None:
    rows = made.generated(3)
    for row in rows:
        row["model_response"]["text"] = ["one", "two"]
    made.write(tmp_path / "out", {"toy|0": rows})
    taken = Taken(tmp_path / "data", tmp_path / "out")
    assert taken.report.kept == 3
    assert taken.report.remarks[TOGETHER][""].times == 3


def test_own_figures_that_contradict(tmp_path: Path) -> None:
    made.write(tmp_path / "out", TASKS)
    (path,) = tmp_path.rglob("results_*.json")
    document = json.loads(path.read_text())
    document["results"]["toy|2"]["extractive_match"] = 0.99
    path.write_text(json.dumps(document))
    assert "extractive_match 0.99" in Taken(tmp_path / "data", tmp_path / "out").said(CONTRADICTION)


def test_outside_its_folder(folder: Path, tmp_path: Path) -> None:
    path = next(folder.rglob("*.parquet"))
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "some.parquet").write_bytes(path.read_bytes())
    with pytest.raises(SourceError) as error:
        Taken(tmp_path / "data", tmp_path / "x")
    assert NO_MODEL in str(error.value)
    assert Taken(tmp_path / "data", tmp_path / "x", overrides={"model": "m"}).report.kept


def test_early_versions_are_named(tmp_path: Path) -> None:
    columns = {name: ["x"] for name in ("full_prompt", "predictions", "metrics", "gold_index")}
    pq.write_table(pa.table(columns), tmp_path / "details.parquet")
    with pytest.raises(SourceError) as error:
        Taken(tmp_path / "data", tmp_path)
    assert EARLY_VERSION in str(error.value)
