"""The leaderboard and the charts as the screen takes them: the numbers are those of the tiers."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from core.filters import Filters
from core.palette import accuracy_colour
from core.store.dataset import Dataset, open_dataset
from core.tiers.methods import Methods
from core.tiers.scores import Leaderboard, cell_text, interval_chart, read_differences, read_scores
from core.ui.eval_table import chosen_evals, filter_words
from core.ui.figure import screen_spec
from core.ui.leaderboard import screen_table, selected


@pytest.fixture(scope="module")
def dataset(repeats_dataset: Path) -> Dataset:
    return open_dataset(repeats_dataset)


@pytest.fixture(scope="module")
def board(dataset: Dataset) -> Leaderboard:
    return read_scores(dataset, Filters(), Methods())


@pytest.mark.parametrize("by_tier", [False, True])
def test_cells_are_those_of_the_leaderboard(board: Leaderboard, by_tier: bool) -> None:
    table = screen_table(board, by_tier=by_tier, differences=None, baseline=None, dark=False)
    texts = {
        (c["eval_id"], c["task"], c["tier"]): cell_text(pd.Series(c)) for c in board.cells.to_dict("records")
    }
    assert set(table.cells.values()) == {(t, tier) for _, t, tier in texts if (tier is not None) == by_tier}
    for column, of in table.cells.items():
        expected = [texts.get((eval_id, *of), "*") for eval_id in board.rows["eval_id"]]
        assert list(table.frame[column]) == expected


def test_shade_is_the_accuracy(board: Leaderboard) -> None:
    table = screen_table(board, by_tier=False, differences=None, baseline=None, dark=True)
    styles = table.styler._compute().ctx
    column, (task, _) = next(iter(table.cells.items()))
    first = board.cells[(board.cells["task"] == task) & board.cells["tier"].isna()]
    accuracy = first.set_index("eval_id")["accuracy"][board.rows["eval_id"].iloc[0]]
    fill = dict(styles[0, table.frame.columns.get_loc(column)])["background-color"]
    assert fill == accuracy_colour(accuracy, dark=True)


def test_differences_stand_beside_their_eval(dataset: Dataset, board: Leaderboard) -> None:
    differences = read_differences(dataset, Filters(), 1)
    table = screen_table(board, by_tier=False, differences=differences, baseline=1, dark=False)
    told = dict(zip(board.rows["eval_id"], table.frame["difference"], strict=True))
    assert told[1] == "baseline"
    row = differences.set_index("eval_id").loc[0]
    assert told[0] == f"{row['difference']:+.1%} [{row['lower']:+.1%}, {row['upper']:+.1%}]"


def test_a_selection_names_its_cell(board: Leaderboard) -> None:
    table = screen_table(board, by_tier=False, differences=None, baseline=None, dark=False)

    def event(*cells: tuple[int, str]) -> SimpleNamespace:
        return SimpleNamespace(selection=SimpleNamespace(cells=list(cells)))

    assert selected(event(), table, board) is None
    assert selected(event((99, "cell 0")), table, board) is None
    assert selected(event((1, "plain_score")), table, board) == (board.rows["eval_id"].iloc[1], None)
    assert selected(event((0, "cell 1")), table, board) == (
        board.rows["eval_id"].iloc[0],
        (board.tasks[1], None),
    )


@pytest.mark.parametrize(
    ("before", "visible", "chosen", "after"),
    [([], [0, 1, 2], [2, 0], [0, 2]), ([5], [0, 1], [1], [1, 5]), ([0, 5], [0, 1], [], [5])],
)
def test_selected_rows_are_the_eval_filter(
    before: list[int], visible: list[int], chosen: list[int], after: list[int]
) -> None:
    assert chosen_evals(before, visible, chosen) == after


def test_config_filters_in_words() -> None:
    assert filter_words({}) == "all points"
    assert filter_words({"length": [2, 3], "deep": True}) == "length is 2 or 3 and deep is true"
    assert filter_words([{"a": 1}, {"b": "x"}]) == "a is 1; or b is x"


def test_screen_keeps_the_data_and_drops_the_image_size(board: Leaderboard) -> None:
    image = interval_chart(board).to_dict()
    screen = screen_spec(image, 200)
    assert screen["datasets"] == image["datasets"]
    assert screen["height"] == 200
    assert "width" not in screen
    assert "width" in image
