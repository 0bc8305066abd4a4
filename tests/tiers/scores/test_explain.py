"""An explanation has the numbers of its cell in it, and its arithmetic is right."""

import re

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.store import Dataset, open_dataset
from core.tiers.methods import Methods
from core.tiers.scores import Leaderboard, explain_cell, explain_score, read_scores
from tests.store.staging import build, completion, write_config
from tests.tiers import direct


def explained(board: Leaderboard, eval_id: int, task: str, tier: str | None) -> dict[str, str]:
    lines = explain_cell(board, eval_id, task, tier)
    assert len(dict(lines)) == len(lines)
    return dict(lines)


@pytest.fixture(scope="module")
def movies(tmp_path_factory: pytest.TempPathFactory) -> Leaderboard:
    """The reference point of ReasonScape's documentation, with an empty response and an error."""
    folder = tmp_path_factory.mktemp("movies")
    counts = {"correct": 337, "incorrect": 545, "invalid": 6, "truncated": 8, "error": 1}
    outcomes = [outcome for outcome, number in counts.items() for _ in range(number)]
    build(
        folder / "small.duckdb",
        [
            completion(model="m", base_task="movies", item_key=f"{item}", outcome=outcome, choices=12,
                       response="" if outcome == "invalid" else None)
            for item, outcome in enumerate(outcomes)
        ],
    )  # fmt: skip
    dataset = open_dataset(write_config(folder, evals=[{"label": "M"}]))
    board = read_scores(dataset, Filters(), Methods("reasonscape"))
    dataset.close()
    return board


def test_the_reference_point_line_by_line(movies: Leaderboard) -> None:
    low, high = direct.wilson((337 - 896 / 12) / (896 - 896 / 12), 896 - 896 / 12)
    assert explain_cell(movies, 0, "movies", None) == [
        ("Counted completions n", "337 correct + 545 incorrect + 6 invalid = 888, of 888 items"),
        ("Left out of n", "8 truncated, 1 error"),
        ("Empty responses", "6"),
        ("Raw accuracy", "337 / 888 = 0.3795"),
        ("Chance level gamma", "sum of 1/choices over the n completions = 74; 74 / 888 = 0.0833"),
        ("Guess-corrected accuracy", "(0.3795 - 0.0833) / (1 - 0.0833), clipped to [0, 1] = 0.3231"),
        ("95% interval", "ReasonScape (Wilson on corrected counts) on 263 of 814: [0.2919, 0.3560]"),
        ("Shown as", "center 0.3239 (half sum of the bounds), upper 0.3560"),
        ("ReasonScape's fields", "adjusted 263 of 814, center 0.3239, margin 0.0321"),
        ("Truncated ratio", "8 / (888 + 8) = 0.0089"),
        ("All-in accuracy", "337 / 896 = 0.3761; were every truncated one right: 0.3850"),
        (
            "In the plain score",
            f"guess-corrected with truncated as wrong = 0.3194, [{low:.4f}, {high:.4f}], at least .01",
        ),
    ]


@pytest.mark.parametrize("interval", ["wilson", "jeffreys", "reasonscape"])
def test_every_cell_is_explained_with_its_own_numbers(mixed: Dataset, interval: str) -> None:
    board = read_scores(mixed, Filters.from_dict({"threshold": 0.5}), Methods(interval))
    for cell in board.cells.to_dict(orient="records"):
        lines = explained(board, cell["eval_id"], cell["task"], cell["tier"])
        counts = lines["Counted completions n"]
        assert [int(number.replace(",", "")) for number in re.findall(r"[\d,]+\d|\d", counts)] == [
            cell["correct"], cell["incorrect"], cell["invalid"], cell["n"], cell["n_items"],
        ]  # fmt: skip
        assert lines["Left out of n"] == f"{cell['truncated']:,} truncated, {cell['error']:,} error"
        assert ("Empty responses" in lines) == (cell["empty"] > 0)
        assert ("Chance level gamma" in lines) == (cell["guess_mass"] > 0)
        assert ("Below chance" in lines) == bool(cell["below_chance"])
        assert f"[{cell['lower']:.4f}, {cell['upper']:.4f}]" in lines["95% interval"]
        assert f"center {cell['center']:.4f}" in lines["Shown as"]
        if interval != "reasonscape":
            assert f"n_eff = {cell['n_eff']:.1f} of n = {cell['n']:,}" in lines["95% interval"]
        assert lines["Truncated ratio"].endswith(f"= {cell['truncated_ratio']:.4f}")
        assert f"{cell['all_in_accuracy']:.4f}" in lines["All-in accuracy"]
        assert f"{cell['plain_accuracy']:.4f}" in lines["In the plain score"]


def test_the_arithmetic_shown_is_right(mixed: Dataset) -> None:
    board = read_scores(mixed, Filters(), Methods())
    for cell in board.cells.to_dict(orient="records"):
        for label, text in explain_cell(board, cell["eval_id"], cell["task"], cell["tier"]):
            if label in ("Raw accuracy", "Truncated ratio"):
                formula, result = text.replace(",", "").split(" = ")
                assert eval(formula) == pytest.approx(float(result), abs=6e-5)


def test_large_sums_are_not_rounded_away(made) -> None:
    # 10,001 completions of 3 choices: the mass is 3333.67, not 3334 and not 3.334e+03.
    dataset = made([completion(item_key=f"{item}", choices=3, outcome="correct") for item in range(10_001)])
    lines = explained(read_scores(dataset, Filters(), Methods()), 0, "add", None)
    assert lines["Chance level gamma"] == (
        "sum of 1/choices over the n completions = 3,333.67; 3,333.67 / 10,001 = 0.3333"
    )
    assert lines["ReasonScape's fields"].startswith("adjusted 6,667.33 of 6,667.33, ")
    dataset.close()


def test_a_cell_without_counted_completions(made) -> None:
    dataset = made([completion(outcome="truncated"), completion(base_task="ok"), completion(outcome="error")])
    lines = explained(read_scores(dataset, Filters(), Methods()), 0, "add", None)
    assert lines == {
        "Counted completions n": "0 correct + 0 incorrect + 0 invalid = 0, of 0 items",
        "Left out of n": "1 truncated, 1 error",
        "Accuracy": "no number: nothing was counted",
        "Truncated ratio": "1 / (0 + 1) = 1.0000",
        "All-in accuracy": "0 / 1 = 0.0000; were every truncated one right: 1.0000",
        "In the plain score": lines["In the plain score"],
    }
    assert lines["In the plain score"].startswith(
        "guess-corrected with truncated as wrong = 0.0000, [0.0000, "
    )
    dataset.close()


def test_cells_that_are_not_there(mixed: Dataset) -> None:
    board = read_scores(mixed, Filters(), Methods())
    for arguments, said in [
        ((0, "maze", None), "Eval 0 has no completions of maze"),
        ((0, "word's", "low"), "Eval 0 has no completions of word's in tier low"),
        ((4, "add", None), "Eval 4 has no completions of add"),
    ]:
        with pytest.raises(FilterError) as error:
            explain_cell(board, *arguments)
        assert str(error.value) == said


def test_scores_and_rank_are_explained(mixed: Dataset, movies: Leaderboard) -> None:
    board = read_scores(mixed, Filters(), Methods())
    for row in board.rows.to_dict(orient="records"):
        lines = dict(explain_score(board, row["eval_id"]))
        assert (
            f"over 4 cells (task x tier) of accuracy with truncated as wrong = {row['plain_score']:.1f} ["
            in (lines["Plain score"])
        )
        assert lines["ReasonScore"].endswith(f"= {row['reasonscore']:.1f}")
        assert lines["Score/token"] == (
            f"{row['reasonscore']:.1f} / {row['mean_tokens']:.1f} mean visible tokens"
            f" = {row['score_per_token']:.3f}"
        )
        assert lines["Rank"].startswith(f"{row['rank']}: ")
    lines = dict(explain_score(movies, 0))
    assert "over 1 cells (task)" in lines["Plain score"]
    assert "Score/token" not in lines
