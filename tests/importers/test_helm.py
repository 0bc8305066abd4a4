"""Run folders of HELM: requests joined to their scores, and the run's own means."""

import json
from pathlib import Path

import pytest

from core.errors import SourceError
from core.importers import import_sources
from core.importers.helm.reader import METRIC, NO_SCORES, NOT_JOINED, PART
from core.importers.own_figures import BY_DEFINITION, CONTRADICTION
from tests.importers import helm_made as made
from tests.importers.taken import Taken


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Taken:
    folder = tmp_path_factory.mktemp("helm")
    made.write(folder / "runs" / "v1")
    return Taken(folder / "data", folder / "runs")


def test_counts_and_mean_are_those_of_the_run(taken: Taken) -> None:
    assert taken.ask("SELECT count(*), avg(score) FROM completions") == [(5, pytest.approx(2 / 5))]
    assert CONTRADICTION not in taken.report.remarks
    said = "exact_match 0.4 in stats.json, over all; on Scores 2 of 3 correct, 2 truncated left out"
    assert said in taken.said(BY_DEFINITION)
    assert taken.said(METRIC) == "exact_match (of exact_match, quasi_exact_match)"
    left_out = {path.name for path in taken.report.files_left_out[PART]}
    assert left_out == {"run_spec.json", "scenario.json", "per_instance_stats.json", "stats.json"}


def test_what_a_record_says(taken: Taken) -> None:
    found = taken.ask(
        "SELECT key, outcome, answer, finish_reason, truncation, completion_tokens, prompt_tokens,"
        " token_limit, reference, choices, text"
        " FROM completions JOIN items USING (item_id) JOIN responses USING (completion_id) ORDER BY key"
    )
    assert found == [
        ("id0", "correct", "one", "stop", "reported", 2, 11, 5, "one", 3, " A"),
        ("id1", "correct", "two", "stop", "reported", 3, 11, 5, "two", 3, "<think>\nhm\n</think>\n B"),
        ("id2", "truncated", "one", "length", "reported", 4, 11, 5, "three", 3, " A"),
        ("id3", "invalid", "", "stop", "reported", 5, 11, 5, "one", 3, "none of them"),
        ("id4", "truncated", "three", None, "inferred", 6, 11, 5, "two", 3, " C"),
    ]


def test_identity_and_params(taken: Taken) -> None:
    assert taken.ask("SELECT model, template, sampler, base_task, params FROM points") == [
        ("org/model-a", "default", "default", "toy", '{"num_fewshot":2,"subject":"algebra"}')
    ]
    assert taken.ask("SELECT label FROM eval_hints") == [("model-a",)]


def test_perturbations_trials_and_errors(tmp_path: Path) -> None:
    typos = {"name": "typos", "prob": 0.1}
    states = [made.state(0, " A"), made.state(0, " B"), made.state(0, " A", train_trial_index=1)]
    states[1]["instance"]["perturbation"] = typos
    failed = made.state(1, "")
    failed["result"] = {"success": False, "error": "no answer", "completions": [], "cached": False}
    scores = [
        made.statistics(0, 1.0), made.statistics(0, 0.0, perturbation=typos),
        made.statistics(0, 1.0, train_trial_index=1), made.statistics(1, 0.0),
    ]  # fmt: skip
    made.write(tmp_path / "runs", states=[*states, failed, made.state(9, " A")], scores=scores)
    taken = Taken(tmp_path / "data", tmp_path / "runs")
    found = taken.ask(
        "SELECT key, repeat, json_extract_string(p.params, 'perturbation'), outcome, score, explanation"
        " FROM completions JOIN points p USING (point_id) JOIN items USING (item_id) ORDER BY ALL"
    )
    assert found == [
        ("id0", 0, "typos", "incorrect", 0.0, None),
        ("id0", 0, None, "correct", 1.0, None),
        ("id0", 1, None, "correct", 1.0, None),
        ("id1", 0, None, "error", 0.0, "no answer"),
    ]
    assert taken.report.skipped == {NOT_JOINED: 1}


def test_options_asked_one_by_one_count_once(tmp_path: Path) -> None:
    states = [
        made.state(number, "", reference_index=option, request_mode=mode, output_mapping=None)
        for number in range(2)
        for option in range(3)
        for mode in ("calibration", "original")
    ]
    scores = [made.statistics(number, float(number)) for number in range(2)]
    made.write(tmp_path / "runs", states=states, scores=scores)
    taken = Taken(tmp_path / "data", tmp_path / "runs")
    found = taken.ask(
        "SELECT outcome, choices, completion_tokens FROM completions JOIN items USING (item_id)"
    )
    assert sorted(found) == [("correct", 3, None), ("incorrect", 3, None)]


def test_another_metric(tmp_path: Path) -> None:
    made.write(tmp_path / "runs")
    taken = Taken(tmp_path / "data", tmp_path / "runs", scorers=["quasi_exact_match"])
    assert taken.ask("SELECT DISTINCT scorer FROM completions") == [("quasi_exact_match",)]
    with pytest.raises(SourceError, match=r"--scorer x: no such metric; valid: .*exact_match"):
        Taken(tmp_path / "data", tmp_path / "runs", scorers=["x"])


def test_two_models_share_their_items(tmp_path: Path) -> None:
    made.write(tmp_path / "runs")
    made.write(tmp_path / "runs", model="org/model-b")
    taken = Taken(tmp_path / "data", tmp_path / "runs")
    assert taken.ask("SELECT count(*), count(DISTINCT item_id) FROM completions") == [(10, 5)]


def test_without_scores(tmp_path: Path) -> None:
    (made.write(tmp_path / "runs") / "per_instance_stats.json").unlink()
    with pytest.raises(SourceError) as error:
        Taken(tmp_path / "data", tmp_path / "runs")
    assert NO_SCORES in str(error.value)


def test_changed_scores_are_noticed(tmp_path: Path) -> None:
    path = made.write(tmp_path / "runs") / "per_instance_stats.json"
    Taken(tmp_path / "data", tmp_path / "runs")
    path.write_text(json.dumps([made.statistics(number, 1.0) for number in range(5)]))
    report = import_sources([tmp_path / "runs"], name="d", data=tmp_path / "data")
    assert (report.replaced, report.kept) == (1, 5)
    assert any("exact_match 0.4 in stats.json, 1 over" in text for text in report.remarks[CONTRADICTION])
