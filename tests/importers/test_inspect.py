"""Logs of Inspect, written by Inspect itself: counts and means are those that it reports."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="the optional package inspect-ai is not installed")

from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

from core.errors import SourceError
from core.importers import import_sources
from core.importers.inspect_logs import library
from core.importers.inspect_logs.reader import EMPTY, UNFINISHED
from core.importers.inspect_logs.samples import CHOSEN, INVALIDATED, LIMITED
from core.importers.metadata import DROPPED
from core.importers.own_figures import BY_DEFINITION, CONTRADICTION
from core.importers.reader import SUPERSEDED
from tests.command import ROOT
from tests.importers import inspect_runs as runs
from tests.importers.taken import Taken


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    return runs.run(runs.sums(length=4), tmp_path_factory.mktemp("sums"), max_tokens=64, temperature=0.5)


@pytest.fixture(scope="module")
def taken(sums: EvalLog, tmp_path_factory: pytest.TempPathFactory) -> Taken:
    return Taken(tmp_path_factory.mktemp("data"), Path(sums.location))


@pytest.fixture
def short_log(short: EvalLog) -> Iterator[EvalLog]:
    yield short.model_copy(deep=True)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    return runs.run(runs.short(), tmp_path_factory.mktemp("short"))


def own(log: EvalLog, name: str, reducer: str = "mean") -> float:
    """The mean of a score as Inspect reports it."""
    assert log.results is not None
    found = [one for one in log.results.scores if one.name == name and one.reducer in (reducer, None)]
    return float(next(iter(found[0].metrics.values())).value)


def test_counts_and_mean_are_those_of_the_log(sums: EvalLog, taken: Taken) -> None:
    assert sums.results is not None and sums.samples is not None
    assert taken.report.read == taken.report.kept == sums.results.total_samples == runs.ITEMS * runs.EPOCHS
    outcomes = taken.outcomes()
    assert outcomes["error"] == sum(sample.error is not None for sample in sums.samples) == runs.EPOCHS
    cut = sum(sample.output.stop_reason == "max_tokens" for sample in sums.samples if sample.output.choices)
    assert outcomes["truncated"] == cut > 0
    ((mean, scored),) = taken.ask("SELECT avg(score), count(score) FROM completions")
    assert mean == pytest.approx(own(sums, "match"), abs=1e-12)
    assert scored == sums.results.completed_samples
    assert CONTRADICTION not in taken.report.remarks


def test_where_scores_will_differ_is_said(taken: Taken) -> None:
    outcomes = Counter(taken.outcomes())
    counted = sum(outcomes[name] for name in ("correct", "incorrect", "invalid"))
    said = taken.said(BY_DEFINITION)
    assert f"{outcomes['correct']} of {counted} correct, {outcomes['truncated']} truncated left out" in said
    assert "sums, mockllm/model: match accuracy" in said


def test_what_a_record_says(sums: EvalLog, taken: Taken) -> None:
    assert sums.samples is not None
    sample = next(one for one in sums.samples if one.id == "sum/1" and one.epoch == 2)
    ((*_, row),) = [
        taken.ask(
            "SELECT struct_pack(repeat, outcome, score, answer, prompt_tokens, completion_tokens,"
            " reasoning_tokens, token_source, truncation, token_limit, scorer, place, reference, choices,"
            " response := r.text, prompt := p.text)"
            " FROM completions JOIN items USING (item_id) JOIN responses r USING (completion_id)"
            " JOIN prompts p USING (prompt_id) WHERE key = 'sum/1' AND repeat = 1"
        )[0]
    ]
    assert sample.output.usage is not None and sample.scores is not None
    assert row["prompt"] == "[system]\nBe brief.\n\n[user]\nWhat is 1?"
    thought, text = sample.output.choices[0].message.content
    assert row["response"] == f"<think>\n{thought.reasoning}\n</think>\n{text.text}"
    assert (row["prompt_tokens"], row["completion_tokens"], row["reasoning_tokens"]) == (
        10,
        sample.output.usage.output_tokens,
        5,
    )
    assert (row["reference"], row["choices"], row["token_limit"], row["scorer"]) == ("1", 3, 64, "match")
    assert (row["token_source"], row["truncation"]) == ("reported", "reported")
    assert row["place"] == "samples/sum/1_epoch_2.json"
    assert row["answer"] == sample.scores["match"].answer


def test_params_are_args_and_metadata_and_the_rest_is_named(taken: Taken) -> None:
    params = {key for (text,) in taken.ask("SELECT params FROM items") for key in json.loads(text)}
    assert params == {"length", "task_version", "digits", "kind", "level"}
    assert {json.loads(text)["length"] for (text,) in taken.ask("SELECT params FROM items")} == {4}
    said = taken.said(DROPPED)
    for part in ("index", "tree (nested)", "note (over 60 characters)", "names (nested)"):
        assert part in said


def test_an_id_is_no_param(tmp_path: Path, short_log: EvalLog) -> None:
    assert short_log.samples is not None
    samples = []
    for number in range(30):
        sample = short_log.samples[0].model_copy(deep=True)
        sample.id, sample.metadata = number, {"row": number + 7, "size": number % 3}
        samples.append(sample)
    short_log.samples = samples
    write_eval_log(short_log, str(tmp_path / "many.eval"))
    taken = Taken(tmp_path / "data", tmp_path / "many.eval")
    assert taken.ask("SELECT count(DISTINCT params) FROM points") == [(3,)]
    assert "row (a different number for every item)" in taken.said(DROPPED)


@pytest.mark.parametrize(
    ("scorers", "name", "used"),
    [
        (("parts.close",), "close", "parts.close"),
        (("exact",), "exact", "parts.exact"),
        (("x", "graded"), "graded", "graded"),
    ],
)  # fmt: skip
def test_scorers(sums: EvalLog, tmp_path: Path, scorers: tuple[str, ...], name: str, used: str) -> None:
    taken = Taken(tmp_path, Path(sums.location), scorers=scorers)
    assert taken.ask("SELECT DISTINCT scorer FROM completions WHERE scorer IS NOT NULL") == [(used,)]
    ((mean,),) = taken.ask("SELECT avg(score) FROM completions")
    assert mean == pytest.approx(own(sums, name), abs=1e-12)
    assert f"{used} (of match, parts, graded)" in taken.said(CHOSEN)


def test_letters_and_what_is_not_scored(sums: EvalLog, tmp_path: Path) -> None:
    taken = Taken(tmp_path, Path(sums.location), scorers=["graded"])
    rows = taken.ask(
        "SELECT key, outcome, score, explanation FROM completions JOIN items USING (item_id)"
        " WHERE truncation = 'reported' AND outcome <> 'truncated' OR score IS NULL"
    )
    found = {int(key.split("/")[1]) % len(runs.GRADES): row for key, *row in rows if key != "sum/3"}
    assert [found[place][:2] for place in (0, 1, 2, 3, 5)] == [
        ["correct", 1.0], ["incorrect", 0.0], ["incorrect", 0.5], ["invalid", 0.0], ["correct", 1.0],
    ]  # fmt: skip
    assert found[4][:2] == ["error", None]
    assert "not scored" in found[4][2]


def test_a_scorer_that_no_log_has(sums: EvalLog, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"valid: match, parts.exact, parts.close, graded"):
        Taken(tmp_path, Path(sums.location), scorers=["judge"])
    assert not tmp_path.joinpath("d.duckdb").exists()


def test_json_and_eval_are_read_alike(sums: EvalLog, taken: Taken, tmp_path: Path) -> None:
    write_eval_log(sums, str(tmp_path / "log.json"))
    again = Taken(tmp_path / "data", tmp_path / "log.json")
    assert again.rows() == taken.rows()
    assert again.ask("SELECT format FROM imports") == [("inspect",)]


@pytest.mark.parametrize("how", ["kill", "cancel"])
def test_runs_that_were_stopped(tmp_path: Path, how: str) -> None:
    command = [sys.executable, "-m", "tests.importers.inspect_runs", str(tmp_path / "logs"), how]
    subprocess.run(command, cwd=ROOT, capture_output=True, timeout=200, check=False)
    (path,) = (tmp_path / "logs").iterdir()
    log = read_eval_log(str(path))
    assert log.status == {"kill": "started", "cancel": "cancelled"}[how]
    scored = [one for one in log.samples or [] if one.scores and one.error is None]
    assert len(scored) >= runs.STOPS_AT
    taken = Taken(tmp_path / "data", path)
    assert taken.said(UNFINISHED) == log.status
    assert taken.report.kept == sum(
        one.scores is not None or one.error is not None for one in log.samples or []
    )
    assert taken.ask("SELECT count(score), avg(score) FROM completions")[0][0] == len(scored)


def test_limits_are_not_truncation(tmp_path: Path) -> None:
    log = runs.run(runs.chat(), tmp_path / "logs")
    assert log.samples is not None and all(one.limit and one.limit.type == "message" for one in log.samples)
    taken = Taken(tmp_path / "data", Path(log.location))
    assert taken.said(LIMITED) == "message limit"
    outcomes = taken.outcomes()
    assert outcomes.get("truncated", 0) == sum(one.output.stop_reason == "max_tokens" for one in log.samples)
    assert sum(outcomes.values()) == len(log.samples)
    tokens = taken.ask("SELECT completion_tokens FROM completions ORDER BY item_id")
    used = [one.model_usage["mockllm/model"].output_tokens for one in log.samples]
    assert [count for (count,) in tokens] == used
    ((text,),) = taken.ask("SELECT text FROM responses ORDER BY completion_id LIMIT 1")
    assert text.count("It is") == 2


def another(log: EvalLog, path: Path, created: str, samples: slice = slice(None), **spec: Any) -> EvalLog:
    """Write a log of the same run made at another time."""
    copy = log.model_copy(deep=True)
    copy.eval = copy.eval.model_copy(update={"created": created, "eval_id": created, **spec})
    copy.samples = (copy.samples or [])[samples]
    for sample in copy.samples:
        sample.output.choices[0].message.content = created
        sample.messages[-1].content = created
    write_eval_log(copy, str(path))
    return copy


def test_the_newest_of_each_sample_counts(tmp_path: Path, short_log: EvalLog) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    another(short_log, logs / "old.eval", "2024-01-01T00:00:00+00:00")
    taken = Taken(tmp_path / "data", logs)
    assert taken.report.kept == 8
    another(short_log, logs / "new.eval", "2025-01-01T00:00:00+00:00", slice(0, 3))
    report = taken.report = import_sources([logs], name="d", data=tmp_path / "data")
    assert report.skipped == {SUPERSEDED: 3}
    assert report.places[SUPERSEDED] == [f"{logs / 'old.eval'} 3 of 8 samples"]
    assert (report.new, report.replaced, report.completions) == (1, 1, 8)
    texts = taken.ask("SELECT text, count(*) FROM responses GROUP BY text ORDER BY text")
    assert texts == [("2024-01-01T00:00:00+00:00", 5), ("2025-01-01T00:00:00+00:00", 3)]
    assert not import_sources([logs], name="d", data=tmp_path / "data").changed


def test_a_whole_rerun_takes_the_place_of_the_old(tmp_path: Path, short_log: EvalLog) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    another(short_log, logs / "old.eval", "2024-01-01T00:00:00+00:00")
    taken = Taken(tmp_path / "data", logs)
    another(short_log, logs / "new.eval", "2025-01-01T00:00:00+00:00")
    another(short_log, logs / "other.eval", "2025-01-02T00:00:00+00:00", model="mockllm/other")
    import_sources([logs], name="d", data=tmp_path / "data")
    found = taken.ask(
        "SELECT model, text, count(*) FROM responses JOIN completions USING (completion_id)"
        " JOIN points USING (point_id) GROUP BY ALL ORDER BY ALL"
    )
    assert found == [
        ("mockllm/model", "2025-01-01T00:00:00+00:00", 8),
        ("mockllm/other", "2025-01-02T00:00:00+00:00", 8),
    ]


def test_other_settings_are_no_rerun(tmp_path: Path, short_log: EvalLog) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number, heat in enumerate((0.0, 1.0)):
        copy = short_log.model_copy(deep=True)
        copy.eval.model_generate_config = copy.eval.model_generate_config.model_copy(
            update={"temperature": heat, "max_connections": number}
        )
        copy.eval.task_args = {"how": f"way {number}"}
        write_eval_log(copy, str(logs / f"{number}.eval"))
    # Set by the call of eval() for a model that was made before: known from the plan alone.
    for number, limit in enumerate((10, 20)):
        copy = short_log.model_copy(deep=True)
        copy.plan.config = copy.plan.config.model_copy(update={"max_tokens": limit})
        write_eval_log(copy, str(logs / f"plan {number}.eval"))
    taken = Taken(tmp_path / "data", logs)
    assert taken.report.kept == 32
    assert sorted(taken.ask("SELECT DISTINCT sampler FROM points")) == [
        ("max_tokens=10",), ("max_tokens=20",), ("temperature=0.0",), ("temperature=1.0",),
    ]  # fmt: skip


def test_samples_that_do_not_count(tmp_path: Path, short_log: EvalLog) -> None:
    from inspect_ai.log import ProvenanceData

    assert short_log.samples is not None
    short_log.samples[0].invalidation = ProvenanceData(author="me", reason="leaked")
    short_log.samples[1].scores = {}
    short_log.samples[2].scores["match"].value = [1, 0]  # type: ignore[index]
    short_log.samples[3].scores["match"].value = 7  # type: ignore[index]
    write_eval_log(short_log, str(tmp_path / "log.eval"))
    taken = Taken(tmp_path / "data", tmp_path / "log.eval")
    assert taken.report.skipped == {
        INVALIDATED: 1, "not scored": 1, "the score is a list": 1, "score outside [0, 1]": 1,
    }  # fmt: skip
    assert taken.report.kept == 4


def test_a_log_of_the_first_versions(tmp_path: Path, short_log: EvalLog) -> None:
    """One scorer, not named in the samples; no summaries."""
    path = tmp_path / "log.json"
    write_eval_log(short_log, str(path))
    document = json.loads(path.read_text())
    for sample in document["samples"]:
        sample["score"] = sample.pop("scores")["match"]
    path.write_text(json.dumps(document))
    taken = Taken(tmp_path / "data", path)
    assert taken.report.kept == 8
    assert taken.ask("SELECT DISTINCT scorer FROM completions") == [("match",)]


def test_attachments_are_put_in_their_places(tmp_path: Path, short_log: EvalLog) -> None:
    assert short_log.samples is not None
    sample = short_log.samples[0]
    sample.attachments = {"abc": "the whole question", "def": "the whole answer"}
    sample.messages[0].content = "attachment://abc"
    sample.messages[-1].content = "attachment://def"
    short_log.samples = [sample]
    path = tmp_path / "log.json"
    path.write_text(short_log.model_dump_json())
    taken = Taken(tmp_path / "data", path)
    assert taken.ask("SELECT text FROM prompts") == [("the whole question",)]
    assert taken.ask("SELECT text FROM responses") == [("the whole answer",)]


def test_own_figures_that_contradict(tmp_path: Path, short_log: EvalLog) -> None:
    assert short_log.results is not None
    short_log.results.scores[0].metrics["accuracy"].value = 0.9
    write_eval_log(short_log, str(tmp_path / "log.eval"))
    taken = Taken(tmp_path / "data", tmp_path / "log.eval")
    assert "match accuracy 0.9 in the log" in taken.said(CONTRADICTION)


def test_without_the_package_a_sentence_says_what_to_install(
    short: EvalLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "PACKAGE", "inspect_ai_that_is_not_there")
    with pytest.raises(SourceError, match=r"pip install -r requirements-inspect\.txt"):
        Taken(tmp_path, Path(short.location))


def test_an_empty_log(tmp_path: Path, short: EvalLog, short_log: EvalLog) -> None:
    short_log.samples = []
    write_eval_log(short_log, str(tmp_path / "empty.eval"))
    shutil.copy(short.location, tmp_path / "full.eval")
    taken = Taken(tmp_path / "data", tmp_path)
    assert [path.name for path in taken.report.files_left_out[EMPTY]] == ["empty.eval"]
    assert taken.report.kept == 8
