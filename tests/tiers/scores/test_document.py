"""The leaderboard as JSON, as rows for CSV and as text cells."""

import json
import math

import pytest

from core.export import csv_bytes
from core.filters import Filters
from core.store import Dataset
from core.tiers.methods import Methods
from core.tiers.scores import (
    Leaderboard,
    cell_text,
    export_frame,
    read_differences,
    read_draws,
    read_scores,
    text_frame,
    to_document,
)
from core.tiers.scores.document import CELL_FIELDS, DIFFERENCE_FIELDS, ROW_FIELDS, cell_columns
from tests.store.staging import completion

ROW_KEYS = {
    "eval_id", "label", "model", "template", "sampler", "rank", "plain_score", "plain_lower", "plain_upper",
    "reasonscore", "score_per_token", "mean_tokens", "complete", "cells",
}  # fmt: skip
CELL_KEYS = {
    "task", "tier", "n", "n_items", "correct", "incorrect", "invalid", "truncated", "error", "accuracy",
    "center", "margin", "lower", "upper", "all_in_accuracy", "truncated_ratio", "adjusted_successes",
    "adjusted_trials",
}  # fmt: skip


@pytest.fixture(scope="module")
def board(mixed: Dataset) -> Leaderboard:
    return read_scores(mixed, Filters(), Methods())


@pytest.fixture
def sparse(made) -> Leaderboard:
    """One eval without tokens and without a counted completion of a task, one that lacks the task."""
    dataset = made(
        [
            completion(outcome="truncated"),
            completion(base_task="ok"),
            completion(base_task="ok", model="other"),
            completion(base_task="ok", model="failed", outcome="error"),
        ]
    )
    board = read_scores(dataset, Filters(), Methods())
    dataset.close()
    return board


def test_the_keys_are_those_that_were_promised(board: Leaderboard) -> None:
    document = to_document(board)
    assert document.keys() == {"dataset", "filters", "methods", "rows"}
    assert {*ROW_FIELDS, "cells"} == ROW_KEYS
    assert set(CELL_FIELDS) == CELL_KEYS
    assert all(row.keys() == ROW_KEYS for row in document["rows"])
    assert all(cell.keys() == CELL_KEYS for row in document["rows"] for cell in row["cells"])
    assert document["dataset"] == "mixed"
    assert document["filters"] == {"threshold": 1.0}
    assert document["methods"]["interval"] == "wilson"
    assert document["methods"]["notes"] == list(board.notes)


def test_values_are_those_of_the_tables_in_full_precision(board: Leaderboard) -> None:
    document = json.loads(json.dumps(to_document(board), allow_nan=False))
    assert [row["eval_id"] for row in document["rows"]] == board.rows["eval_id"].tolist()
    for entry, row in zip(document["rows"], board.rows.to_dict(orient="records"), strict=True):
        for field in ("plain_score", "plain_lower", "plain_upper", "reasonscore", "mean_tokens", "rank"):
            assert entry[field] == row[field]
        assert isinstance(entry["rank"], int)
        assert entry["complete"] is True
        cells = board.cells[board.cells["eval_id"] == row["eval_id"]]
        assert [(cell["task"], cell["tier"]) for cell in entry["cells"]] == [
            ("sort", None), ("sort", "low"), ("sort", "high"), ("add", None), ("add", "low"), ("add", "high"),
            ("word's", None),
        ]  # fmt: skip
        for cell, found in zip(entry["cells"], cells.to_dict(orient="records"), strict=True):
            assert {name: cell[name] for name in CELL_KEYS} == {name: found[name] for name in CELL_KEYS}
            assert all(isinstance(cell[name], int) for name in ("n", "n_items", "correct", "error"))


def test_what_is_missing_is_null(sparse: Leaderboard) -> None:
    text = json.dumps(to_document(sparse), allow_nan=False)
    rows = {row["label"]: row for row in json.loads(text)["rows"]}
    assert rows["other"]["rank"] is None
    assert rows["other"]["complete"] is False
    assert rows["m"]["template"] is rows["m"]["mean_tokens"] is rows["m"]["score_per_token"] is None
    empty, whole = rows["m"]["cells"]
    assert (empty["task"], empty["n"], empty["truncated_ratio"]) == ("add", 0, 1.0)
    for field in ("accuracy", "center", "margin", "lower", "upper"):
        assert empty[field] is None
        assert whole[field] is not None
    assert [cell["task"] for cell in rows["other"]["cells"]] == ["ok"]
    assert rows["failed"]["plain_score"] is None
    assert rows["failed"]["cells"][0]["all_in_accuracy"] is None


def test_draws_and_differences_are_added_when_they_are_there(mixed: Dataset, board: Leaderboard) -> None:
    draws = read_draws(mixed, Filters(), Methods())
    differences = read_differences(mixed, Filters(), 2)
    document = json.loads(json.dumps(to_document(board, draws, differences), allow_nan=False))
    assert document["methods"]["draws"] == draws.method
    found = draws.frame.set_index("eval_id")
    for row in document["rows"]:
        assert row["rank_set"] == found.loc[row["eval_id"], ["rank_low", "rank_high"]].tolist()
        assert row["p_first"] == found.loc[row["eval_id"], "p_first"]
        if row["eval_id"] == 2:
            assert row["difference"] is None
        else:
            assert row["difference"].keys() == set(DIFFERENCE_FIELDS)
    frame = export_frame(board, draws, differences)
    assert frame["p_first"].sum() == pytest.approx(1)
    assert math.isnan(frame.set_index("eval_id").loc[2, "difference"])
    assert {"difference", "difference lower", "difference left_out"} <= set(frame.columns)
    texts = text_frame(board, draws, differences)
    assert list(texts.columns[:4]) == ["rank", "eval", "rank set", "P(first)"]
    assert texts["difference [95%]"].tolist().count("baseline") == 1


def test_rows_for_csv_have_a_column_group_per_task_and_tier(board: Leaderboard) -> None:
    frame = export_frame(board)
    cells = board.cells.set_index(["eval_id", "task", "tier"])
    for name, task, tier in (("sort", "sort", None), ("add/low", "add", "low"), ("word's", "word's", None)):
        for field in ("center", "lower", "upper", "accuracy", "n", "truncated_ratio"):
            for eval_id, value in zip(frame["eval_id"], frame[f"{name} {field}"], strict=True):
                assert value == cells.loc[(eval_id, task, tier), field]
    assert frame["rank"].tolist() == board.rows["rank"].tolist()
    assert csv_bytes(frame).decode("utf-8-sig").splitlines()[0].startswith("eval_id,label,model,")
    assert len(csv_bytes(frame).splitlines()) == len(frame) + 1


def test_text_cells_are_those_of_the_leaderboard(board: Leaderboard) -> None:
    frame = text_frame(board)
    assert list(frame.columns[-3:]) == ["Sorting", "Addition", "word's"]
    assert "mean visible tokens" in frame.columns
    pooled = board.cells[(board.cells["task"] == "add") & board.cells["tier"].isna()].set_index("eval_id")
    assert frame["Addition"].tolist() == [cell_text(pooled.loc[e]) for e in board.rows["eval_id"]]
    tiered = text_frame(board, by_tier=True)
    assert list(tiered.columns[-4:]) == [
        "Sorting · Low one", "Sorting · High one", "Addition · Low one", "Addition · High one",
    ]  # fmt: skip
    assert [of for _, of in cell_columns(board, by_tier=True)] == [
        ("sort", "low"), ("sort", "high"), ("add", "low"), ("add", "high"),
    ]  # fmt: skip


def test_text_of_what_is_missing(sparse: Leaderboard) -> None:
    frame = text_frame(sparse)
    by_name = frame.set_index("eval").to_dict(orient="index")
    assert by_name.keys() == {"m", "other *", "failed *"}
    assert by_name["m"]["add"] == "— [-1.00]"
    assert by_name["other *"]["add"] == "*"
    assert by_name["other *"]["rank"] == "—"
    assert by_name["m"]["mean tokens"] == by_name["m"]["score/token"] == "—"
    assert by_name["failed *"]["plain score [95%]"] == "— [—, —]"


def test_tasks_of_one_label_or_of_the_name_of_a_column_keep_their_own(with_config) -> None:
    labels = {"sort": {"label": "n"}, "add": {"label": "Same"}, "word's": {"label": "Same"}}
    dataset = with_config(basetasks=labels, tiers=[])
    board = read_scores(dataset, Filters(), Methods())
    frame = text_frame(board)
    assert list(frame.columns[-3:]) == ["n (sort)", "Same", "Same (word's)"]
    assert frame["n"].tolist() == [f"{n:,}" for n in board.rows["n"]]
    dataset.close()
