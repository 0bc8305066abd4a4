"""Notes appear exactly when the data call for them."""

from typing import Any

import pandas as pd
import pytest

from core.config import DatasetConfig
from core.filters import Filters
from core.tiers.methods import Methods
from core.tiers.scores import read_scores
from core.tiers.scores.notes import leaderboard_notes
from tests.store.staging import completion

CONFIG = DatasetConfig.model_validate(
    {"db": "x", "name": "x", "basetasks": {"t": {"label": "Task T"}, "u": {"label": "Task U"}}}
)
ROW: dict[str, Any] = {
    "complete": True, "n": 200, "truncated": 0, "error": 0, "empty": 0, "visible_tokens": False,
}  # fmt: skip
CELL: dict[str, Any] = {
    "tier": None, "n": 200, "least_tries": 2, "most_tries": 2, "choices_n": 0, "choices_kinds": 0,
    "truncation_unknown": 0, "truncated": 0, "error": 0,
}  # fmt: skip


def notes(
    rows: dict[str, Any] | None = None,
    cells: dict[str, Any] | None = None,
    *,
    rank_incomplete: bool = False,
    tiered: bool = False,
) -> tuple[str, ...]:
    """Notes of evals A and B on tasks t and u, B and its cell of u with other values."""
    row_frame = pd.DataFrame([{"name": "A", **ROW}, {"name": "B", **ROW, **(rows or {})}])
    pooled = [{"eval_id": number, "task": task, **CELL} for number in (0, 1) for task in ("t", "u")]
    pooled[-1] |= cells or {}
    frame = pd.DataFrame(pooled)
    score_cells = frame[frame["task"] == "t"].assign(tier="easy") if tiered else frame
    return leaderboard_notes(row_frame, frame, score_cells, CONFIG, rank_incomplete=rank_incomplete)


def test_plain_data_need_no_note() -> None:
    assert notes() == ()


@pytest.mark.parametrize(
    ("rows", "cells", "note"),
    [
        ({"complete": False}, {}, "Marked *: B lacks a cell that another eval has, and is not ranked."),
        ({"error": 3}, {}, "Completions that failed for other reasons than the model (left out everywhere):"
         " B 1.5%."),
        ({"empty": 1200}, {}, "Empty responses, counted by their score like any other: B 1,200."),
        ({"visible_tokens": True}, {}, "Tokens are visible tokens, counted by tokenising the response text;"
         " hidden reasoning is not included, so tokens and score/token of reasoning models are not"
         " comparable."),
        ({}, {"n": 301}, "ReasonScore is an upper bound and rewards small samples; here n differs by more"
         " than 1.5 times between evals in Task U."),
        ({}, {"n": 134}, None),
        ({}, {"n": 0}, "ReasonScore is an upper bound and rewards small samples; here n differs by more than"
         " 1.5 times between evals in Task U and 1 of 2 tasks have an eval with fewer than 100 counted."),
        ({}, {"least_tries": 1, "most_tries": 5}, "Pooled cells of Task U mix items with 1 to 5 completions:"
         " an item with more completions weighs more in them. Paired differences, here and on Compare, let"
         " every item weigh alike."),
        ({}, {"least_tries": float("nan"), "most_tries": 0}, None),
        ({}, {"choices_n": 200, "choices_kinds": 2}, "Cells of Task U mix items with different numbers of"
         " choices: their guess-corrected accuracy weighs an item by 1 - 1/choices."),
        ({}, {"choices_n": 200, "choices_kinds": 1}, None),
        ({}, {"choices_n": 100, "choices_kinds": 1}, "Cells of Task U mix items with different numbers of"
         " choices: their guess-corrected accuracy weighs an item by 1 - 1/choices."),
        ({}, {"truncation_unknown": 1}, "For 1 of 800 completions the source does not say whether they"
         " were cut off: these count as they were graded."),
        ({}, {"truncation_unknown": 800}, "The source does not say which responses were cut off: truncated"
         " responses count as they were graded."),
        ({"error": 2}, {}, None),
    ],
)  # fmt: skip
def test_a_note_and_no_other(rows, cells, note: str | None) -> None:
    assert notes(rows, cells) == (() if note is None else (note,))


def test_boundaries() -> None:
    assert notes(cells={"n": 300}) == ()
    assert len(notes(cells={"n": 99})) == 1
    # Exactly one per cent of 200 + 2 errors is below the warning, 3 of 203 above.
    assert notes({"error": 2}) == ()
    assert notes({"n": 99, "error": 1}) == ()
    assert len(notes({"n": 98, "error": 1})) == 1


def test_incomplete_evals_that_are_ranked() -> None:
    (note,) = notes({"complete": False}, rank_incomplete=True)
    assert note == "Marked *: B lacks a cell that another eval has, and is ranked on the cells it has."


def test_tasks_outside_the_tiers() -> None:
    assert notes(tiered=True) == ("Not in any tier, so not in the scores: Task U.",)


def test_completions_outside_the_tiers_of_a_task_are_counted() -> None:
    frame = pd.DataFrame([{"eval_id": 0, "task": "t", **CELL}, {"eval_id": 0, "task": "u", **CELL}])
    tiered = pd.concat(
        [frame.assign(tier="easy", n=[150, 200]), frame[frame["task"] == "t"].assign(tier="hard", n=20)]
    )
    (note,) = leaderboard_notes(
        pd.DataFrame([{"name": "A", **ROW}]), frame, tiered, CONFIG, rank_incomplete=False
    )
    assert note == (
        "At least 30 of 200 counted completions of Task T are in no tier and do not enter the scores."
    )


def test_all_at_once_in_a_fixed_order() -> None:
    found = notes(
        {"complete": False, "error": 30, "empty": 1, "visible_tokens": True},
        {"n": 5, "least_tries": 1, "choices_n": 1, "choices_kinds": 1, "truncation_unknown": 2},
    )
    starts = ["Marked *", "Completions that failed", "ReasonScore is", "Pooled cells", "Cells of Task U",
              "Empty responses", "Tokens are", "For 2 of "]  # fmt: skip
    assert [note[: len(start)] for note, start in zip(found, starts, strict=True)] == starts


def test_a_task_of_failed_completions_only_is_no_mix(made) -> None:
    dataset = made(
        [completion(item_key=f"{item}") for item in range(100)]
        + [completion(base_task="broken", outcome="error")]
    )
    board = read_scores(dataset, Filters(), Methods())
    assert board.notes == (
        "ReasonScore is an upper bound and rewards small samples; here 1 of 2 tasks have an eval with fewer"
        " than 100 counted.",
    )
    dataset.close()


def test_what_is_left_out_as_truncated_is_told_with_both_figures() -> None:
    (note,) = notes({"n": 150, "truncated": 50, "correct": 60, "all_in_accuracy": 0.3})
    assert "0.400 of 150 here, 0.300 of all 200 (all-in accuracy)" in note
    assert "Most at B" in note
