"""Results of lm-evaluation-harness, written by its own writer: counts and means are those that it reports."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lm_eval", reason="lm-evaluation-harness is not installed")

from core.errors import SourceError
from core.importers import import_sources
from core.importers.lm_eval.reader import (
    APPENDED,
    FILTER,
    FOLDER,
    METRIC,
    NO_MODEL,
    NO_SAMPLES,
    OTHER_PROMPTS,
)
from core.importers.metadata import DROPPED
from core.importers.own_figures import BY_DEFINITION, CONTRADICTION
from core.importers.reader import SUPERSEDED
from core.importers.record import INFERRED_CUT, INFERRED_WHOLE
from tests.importers import lm_eval_runs as runs
from tests.importers.taken import Taken


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("lm") / "out"
    return folder, runs.run(folder)


@pytest.fixture
def folder(made: tuple[Path, Any], tmp_path: Path) -> Path:
    return Path(shutil.copytree(made[0], tmp_path / "out"))


@pytest.fixture(scope="module")
def taken(made: tuple[Path, Any], tmp_path_factory: pytest.TempPathFactory) -> Taken:
    return Taken(tmp_path_factory.mktemp("data"), made[0])


def samples(folder: Path, task: str) -> Path:
    (path,) = folder.rglob(f"samples_{task}_*.jsonl")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def means(taken: Taken) -> dict[str, tuple[int, float]]:
    found = taken.ask(
        "SELECT base_task, count(*), avg(score) FROM completions JOIN points USING (point_id) GROUP BY ALL"
    )
    return {task: (count, mean) for task, count, mean in found}


def test_counts_and_means_are_those_of_the_results(made: tuple[Path, Any], taken: Taken) -> None:
    results = made[1]["results"]
    assert means(taken) == {
        runs.GENERATED: (len(runs.SUMS), pytest.approx(results[runs.GENERATED]["exact_match,strict"])),
        runs.CHOSEN: (len(runs.CHOICES), pytest.approx(results[runs.CHOSEN]["acc,none"])),
    }
    assert taken.report.read == taken.report.kept == len(runs.SUMS) + len(runs.CHOICES)
    assert CONTRADICTION not in taken.report.remarks
    assert taken.said(FILTER) == "strict (of strict, raw)"
    assert taken.said(METRIC) == "acc (of acc, acc_norm)"


def test_another_filter_and_metric(made: tuple[Path, Any], tmp_path: Path) -> None:
    taken = Taken(tmp_path, made[0], filters=["raw"], scorers=["acc_norm"])
    results = made[1]["results"]
    assert means(taken)[runs.CHOSEN][1] == pytest.approx(results[runs.CHOSEN]["acc_norm,none"])
    assert means(taken)[runs.GENERATED][1] == pytest.approx(results[runs.GENERATED]["exact_match,raw"])
    assert taken.report.kept == len(runs.SUMS) + len(runs.CHOICES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"filters": ["loose"]}, "--filter loose: no file has it; valid: none, strict, raw"),
        ({"scorers": ["bleu"]}, "--scorer bleu: no file has it; valid: .*acc_norm"),
    ],
)
def test_a_choice_that_no_file_has(
    made: tuple[Path, Any], tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(SourceError, match=message):
        Taken(tmp_path, made[0], **options)


def test_the_model_and_the_params(taken: Taken) -> None:
    assert taken.ask("SELECT DISTINCT model, template, sampler FROM points") == [
        ("org/model-a", "default", "default")
    ]
    assert taken.ask("SELECT label, hf_id FROM eval_hints") == [("model-a", "org/model-a")]
    params = {key for (text,) in taken.ask("SELECT params FROM items") for key in json.loads(text)}
    assert params == {"num_fewshot", "level", "kind"}
    for name in ("question", "options (nested)", "answer (never a param)"):
        assert name in taken.said(DROPPED)


def test_choices_have_scores_without_a_response(taken: Taken) -> None:
    found = taken.ask(
        "SELECT answer, reference, choices, score, completion_tokens, r.text FROM completions"
        " JOIN items USING (item_id) LEFT JOIN responses r USING (completion_id)"
        f" WHERE base_task = '{runs.CHOSEN}'"
    )
    assert len(found) == len(runs.CHOICES)
    for answer, reference, choices, score, tokens, text in found:
        assert (choices, tokens, text) == (2, None, None)
        assert (answer == reference) == (score == 1.0)


def test_truncation_is_inferred_where_the_limit_allows_it(made: tuple[Path, Any], taken: Taken) -> None:
    found = taken.ask(
        "SELECT text, outcome, truncation, token_limit FROM completions JOIN responses USING (completion_id)"
    )
    assert {limit for *_, limit in found} == {runs.LIMIT}
    long = [(outcome, how) for text, outcome, how, _ in found if text.startswith("and so on")]
    assert long and set(long) == {("truncated", "inferred")}
    assert {how for text, _, how, _ in found if text.startswith("The answer")} == {"inferred"}
    cut = taken.report.remarks[INFERRED_CUT][""].times
    assert cut == len(long)
    assert taken.report.remarks[INFERRED_WHOLE][""].times == len(runs.SUMS) - cut
    own = made[1]["results"][runs.GENERATED]["exact_match,strict"]
    assert f"exact_match {own:.4g} in the results, over all" in taken.said(BY_DEFINITION)


def test_no_answer_found_is_invalid(taken: Taken) -> None:
    found = taken.ask(
        "SELECT outcome, answer FROM completions JOIN responses USING (completion_id) WHERE text = 'no idea'"
    )
    assert found and set(found) == {("invalid", "")}


def test_rows_appended_again_count_once(folder: Path, tmp_path: Path, taken: Taken) -> None:
    path = samples(folder, runs.GENERATED)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines + lines[:7]))
    again = Taken(tmp_path / "data", folder)
    assert means(again) == means(taken)
    assert again.report.skipped == {APPENDED: 7}
    assert again.report.places[APPENDED][0] == f"{path} line {len(lines) + 1}"


def test_a_document_that_is_there_twice_is_two_items(folder: Path, tmp_path: Path) -> None:
    path = samples(folder, runs.CHOSEN)
    found = rows(path)
    found[3] |= {key: found[2][key] for key in ("doc", "doc_hash", "prompt_hash", "target")}
    path.write_text("".join(json.dumps(row) + "\n" for row in found))
    taken = Taken(tmp_path / "data", folder)
    assert means(taken)[runs.CHOSEN][0] == len(runs.CHOICES)
    assert taken.ask(f"SELECT count(*) FROM items WHERE base_task = '{runs.CHOSEN}'") == [
        (len(runs.CHOICES),)
    ]


def test_both_schemas_of_arguments(folder: Path, tmp_path: Path, taken: Taken) -> None:
    """Early versions wrote lists of lists, and the file as one array."""
    for task in (runs.GENERATED, runs.CHOSEN):
        path = samples(folder, task)
        found = rows(path)
        for row in found:
            row["arguments"] = [list(one.values()) for one in row["arguments"].values()]
        path.write_text(json.dumps(found, indent=2))
    again = Taken(tmp_path / "data", folder)
    assert again.rows() == taken.rows()


def test_evals_are_paired_on_documents_and_other_prompts_are_told(folder: Path, tmp_path: Path) -> None:
    runs.run(folder, "org/model-b", seed=2, shots="Q: 1?\nA: 1\n\n")
    taken = Taken(tmp_path / "data", folder)
    assert taken.ask("SELECT count(*), count(DISTINCT item_id) FROM completions") == [(68, 34)]
    assert taken.said(OTHER_PROMPTS) == runs.GENERATED


def test_the_newest_run_counts(folder: Path, tmp_path: Path, made: tuple[Path, Any]) -> None:
    results = runs.run(folder, seed=5, limit=6)
    taken = Taken(tmp_path / "data", folder)
    assert taken.report.skipped == {SUPERSEDED: 12}
    assert {task: count for task, (count, _) in means(taken).items()} == {
        runs.GENERATED: len(runs.SUMS), runs.CHOSEN: len(runs.CHOICES),
    }  # fmt: skip
    newest = taken.ask(
        "SELECT avg(score) FROM completions JOIN points USING (point_id) JOIN imports USING (import_id)"
        f" WHERE base_task = '{runs.CHOSEN}' AND kept = 6"
    )
    assert newest == [(pytest.approx(results["results"][runs.CHOSEN]["acc,none"]),)]


def test_other_settings_are_another_eval(folder: Path, tmp_path: Path) -> None:
    (results,) = folder.rglob("results_*.json")
    document = json.loads(results.read_text())
    document["config"]["gen_kwargs"] = "temperature=0.7,top_p=0.9"
    document["chat_template"] = "{{ messages }}"
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    (path,) = other.rglob("results_*.json")
    path.write_text(json.dumps(document))
    taken = Taken(tmp_path / "data", folder, other)
    assert taken.report.kept == 2 * (len(runs.SUMS) + len(runs.CHOICES))
    assert taken.ask("SELECT DISTINCT template, sampler FROM points ORDER BY ALL") == [
        ("chat", "temperature=0.7, top_p=0.9"), ("default", "default"),
    ]  # fmt: skip


def test_without_the_results_file(folder: Path, tmp_path: Path) -> None:
    (results,) = folder.rglob("results_*.json")
    results.unlink()
    taken = Taken(tmp_path / "data", folder)
    assert taken.ask("SELECT DISTINCT model FROM points") == [("org/model-a",)]
    assert taken.said(FOLDER) == "org/model-a"
    lone = tmp_path / "lone"
    lone.mkdir()
    shutil.copy(samples(folder, runs.CHOSEN), lone)
    with pytest.raises(SourceError, match=NO_MODEL.split(";")[0]):
        Taken(tmp_path / "more", lone)
    taken = Taken(tmp_path / "more", lone, overrides={"model": "mine"})
    assert taken.ask("SELECT DISTINCT model FROM points") == [("mine",)]


def test_results_without_samples(folder: Path, tmp_path: Path) -> None:
    for path in folder.rglob("samples_*"):
        path.unlink()
    with pytest.raises(SourceError) as error:
        Taken(tmp_path / "data", folder)
    assert NO_SAMPLES in str(error.value)


def test_a_changed_results_file_is_noticed(folder: Path, tmp_path: Path) -> None:
    Taken(tmp_path / "data", folder)
    (results,) = folder.rglob("results_*.json")
    results.write_text(results.read_text().replace("org/model-a", "org/renamed"))
    report = import_sources([folder], name="d", data=tmp_path / "data")
    assert (report.replaced, report.new) == (2, 0)
    taken = Taken(tmp_path / "data", folder)
    assert not taken.report.changed
    assert taken.ask("SELECT DISTINCT model FROM points") == [("org/renamed",)]


def test_tasks_under_another_name(made: tuple[Path, Any], tmp_path: Path) -> None:
    taken = Taken(tmp_path, made[0], tasks={runs.GENERATED: "sums"})
    assert set(means(taken)) == {"sums", runs.CHOSEN}
    with pytest.raises(SourceError, match="--task x: base_task holds line breaks"):
        Taken(tmp_path, made[0], tasks={"x": "a\nb"})
