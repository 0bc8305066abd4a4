"""Rank sets and the chance of being first, as the leaderboard shows them."""

import pandas as pd
import pytest

from core.filters import Filters
from core.store import Dataset
from core.tiers.methods import Methods
from core.tiers.scores import read_draws, read_scores
from tests.store.staging import Row, completion


def answers(model: str, right: set[int], items: int = 150, **fields: object) -> list[Row]:
    return [
        completion(
            model=model, item_key=f"{item}", outcome="correct" if item in right else "incorrect", **fields
        )
        for item in range(items)
    ]


@pytest.mark.parametrize(
    "document", [{}, {"eval_id": [0, 2, 3], "threshold": 0.5}, {"tiers": "low"}], ids=str
)
def test_rank_sets_and_chances_hold_together(mixed: Dataset, document) -> None:
    filters = Filters.from_dict(document)
    board = read_scores(mixed, filters, Methods())
    frame = read_draws(mixed, filters, Methods()).frame
    ranked = board.rows[board.rows["rank"].notna()]
    assert frame["eval_id"].tolist() == ranked["eval_id"].tolist()
    assert frame["p_first"].sum() == pytest.approx(1)
    assert frame["p_first"].between(0, 1).all()
    total = len(frame)
    place = pd.Series(range(1, total + 1))
    # Place in the order of scores, of which the shared rank is at most the first.
    for name in ("rank", "draw"):
        assert (frame[f"{name}_low"] >= 1).all() and (frame[f"{name}_high"] <= total).all()
        assert (frame[f"{name}_low"] <= frame[f"{name}_high"]).all()
    assert (frame["rank_low"] <= place).all() and (frame["rank_high"] >= place).all()


def test_the_same_selection_always_gives_the_same_draws_and_another_others(mixed: Dataset) -> None:
    first, again = (read_draws(mixed, Filters.from_dict({"eval_id": [2, 0]}), Methods()) for _ in range(2))
    pd.testing.assert_frame_equal(first.frame, again.frame)
    assert first.method == again.method
    # The same selection in other words: the seed is another, the numbers nearly the same.
    other = read_draws(mixed, Filters.from_dict({"eval_id": [0, 2], "base_task": ["add", "sort"]}), Methods())
    pd.testing.assert_frame_equal(
        first.frame[["eval_id", "rank_low", "rank_high"]], other.frame[["eval_id", "rank_low", "rank_high"]]
    )
    assert first.frame["p_first"].tolist() != other.frame["p_first"].tolist()
    assert first.frame["p_first"].tolist() == pytest.approx(other.frame["p_first"].tolist(), abs=0.1)


def test_clearly_separate_evals_have_rank_sets_of_one(made) -> None:
    rows = answers("low", set(range(15))) + answers("high", set(range(140))) + answers("mid", set(range(70)))
    dataset = made(rows)
    draws = read_draws(dataset, Filters(), Methods())
    assert draws.frame["eval_id"].tolist() == [1, 2, 0]
    assert draws.frame["rank_low"].tolist() == draws.frame["rank_high"].tolist() == [1, 2, 3]
    assert draws.frame["p_first"].tolist() == [1.0, 0.0, 0.0]
    assert draws.frame["not_estimable"].tolist() == ["", "", ""]
    assert draws.method == (
        "1,000 paired bootstrap draws of items within points; rank set from pairwise differences, two-sided"
        " normal p, Holm over m = 3 pairs at 5%"
    )
    dataset.close()


def test_twins_split_the_first_place_and_pairing_tells_apart_what_intervals_do_not(made) -> None:
    right = set(range(0, 150, 2))
    # "better" has everything that the twins have, and a few items more.
    rows = answers("twin", right) + answers("other twin", right)
    rows += answers("better", right | {1, 3, 5, 7, 9, 11, 13, 15})
    dataset = made(rows)
    board = read_scores(dataset, Filters(), Methods())
    assert board.rows["rank"].tolist() == [1, 1, 1]
    frame = read_draws(dataset, Filters(), Methods()).frame.set_index("eval_id")
    assert frame["rank_low"].to_dict() == {2: 1, 0: 2, 1: 2}
    assert frame["rank_high"].to_dict() == {2: 1, 0: 3, 1: 3}
    assert frame.loc[0, "p_first"] == frame.loc[1, "p_first"] < 0.01
    only = read_draws(dataset, Filters.from_dict({"eval_id": [0, 1]}), Methods()).frame
    assert only["p_first"].tolist() == [0.5, 0.5]
    assert only[["rank_low", "rank_high"]].to_numpy().tolist() == [[1, 2], [1, 2]]
    dataset.close()


def test_incomplete_evals_are_drawn_on_request_only_and_certainties_are_named(made) -> None:
    rows = answers("whole", {1, 2, 3}) + answers("whole", set(range(150)), base_task="sure")
    rows += answers("part", set(range(40)))
    dataset = made(rows, basetasks={"sure": {"label": "Sure thing"}})
    draws = read_draws(dataset, Filters(), Methods())
    assert draws.frame["eval_id"].tolist() == [0]
    assert draws.frame[["rank_low", "rank_high", "p_first"]].to_numpy().tolist() == [[1, 1, 1]]
    assert draws.frame["not_estimable"].tolist() == ["Sure thing"]
    both = read_draws(dataset, Filters(), Methods(), rank_incomplete=True).frame
    assert sorted(both["eval_id"]) == [0, 1]
    dataset.close()
