"""The leaderboard: scores from its cells, shared ranks, who is incomplete, and the result in one sentence."""

import math
import random
from dataclasses import replace

import pandas as pd
import pytest

from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.store import Dataset
from core.tiers.methods import Methods
from core.tiers.scores import Leaderboard, cell_text, read_scores
from tests.store.staging import Row, completion
from tests.tiers import direct


def clamp(value: float) -> float:
    return min(max(value, 0.01), 1.0)


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def scores_of(cells: pd.DataFrame) -> tuple[float, float, float, float]:
    """Plain score, its bounds and ReasonScore of one eval, by the definitions."""
    a, low, high = (
        [clamp(value) for value in cells[f"plain_{part}"]] for part in ("accuracy", "lower", "upper")
    )
    variance = [((y - x) / 3.92) ** 2 for x, y in zip(low, high, strict=True)]
    centre = [
        min(x * math.exp(v / (2 * max(x * x, v))), y) for x, v, y in zip(a, variance, high, strict=True)
    ]
    down = math.hypot(*(math.log(x / y) for x, y in zip(a, low, strict=True))) / len(a)
    half = [math.log(y / x) / 2 for x, y in zip(low, high, strict=True)]
    apart = [math.log(c) - math.log(x * y) / 2 for c, x, y in zip(centre, low, high, strict=True)]
    power = sum(s * s for s in half)
    skewness = sum(t * s * s for t, s in zip(apart, half, strict=True)) / power
    top = geometric_mean(centre) * math.exp((math.sqrt(power) - skewness) / len(a))
    plain = 1000 * geometric_mean(a)
    bounds = plain * math.exp(-down), max(1000 * top, plain)
    reason = [
        clamp(center + margin - cut)
        for center, margin, cut in zip(
            cells["rs_center"], cells["rs_margin"], cells["truncated_ratio"], strict=True
        )
    ]
    return plain, *bounds, 1000 * geometric_mean(reason)


def assert_ranks_are_a_fair_sort(board: Leaderboard) -> None:
    ranked = board.rows[board.rows["rank"].notna()]
    scores = ranked[["plain_score", "plain_lower", "plain_upper"]].to_numpy().tolist()
    assert scores == sorted(scores, key=lambda row: -row[0])
    assert ranked["rank"].tolist() == direct.naive_fair_sort([tuple(row) for row in scores])
    assert board.rows["rank"].notna().tolist() == [True] * len(ranked) + [False] * (
        len(board.rows) - len(ranked)
    )


@pytest.mark.parametrize("interval", ["wilson", "jeffreys", "clopper-pearson", "reasonscape"])
@pytest.mark.parametrize("tiers", [True, False])
def test_scores_are_those_of_the_cells(mixed: Dataset, with_config, interval: str, tiers: bool) -> None:
    dataset = mixed if tiers else with_config(tiers=[])
    board = read_scores(dataset, Filters.from_dict({"eval_id": [0, 1, 2, 3]}), Methods(interval))
    assert board.tasks == ("sort", "add", "word's")
    assert board.tiers == (("low", "high") if tiers else ())
    keys = set(zip(board.score_cells["task"], board.score_cells["tier"], strict=True))
    assert keys == (
        {("sort", "low"), ("sort", "high"), ("add", "low"), ("add", "high")}
        if tiers else {("sort", None), ("add", None), ("word's", None)}
    )  # fmt: skip
    assert board.rows["complete"].all()
    for row in board.rows.to_dict(orient="records"):
        cells = board.score_cells[board.score_cells["eval_id"] == row["eval_id"]]
        found = [row["plain_score"], row["plain_lower"], row["plain_upper"], row["reasonscore"]]
        assert found == pytest.approx(scores_of(cells), rel=1e-12)
    assert_ranks_are_a_fair_sort(board)


def test_rows_sum_the_completions_of_an_eval_once(mixed: Dataset, rows: list[Row]) -> None:
    board = read_scores(mixed, Filters(), Methods())
    assert set(board.rows["eval_id"]) == {0, 1, 2}
    for row in board.rows.to_dict(orient="records"):
        cell = direct.cell(direct.of_eval(rows, mixed.config, row["eval_id"]))
        names = ("n", "n_items", "empty", "correct", "incorrect", "invalid", "truncated", "error")
        assert {name: row[name] for name in names} == {name: cell[name] for name in names}
        assert all(isinstance(row[name], int) for name in names)
        tried = cell["n"] + cell["truncated"]
        assert row["all_in_accuracy"] == row["all_in_lower"] == pytest.approx(cell["correct"] / tried)
        assert row["all_in_upper"] == pytest.approx((cell["correct"] + cell["truncated"]) / tried)
        assert row["mean_tokens"] == pytest.approx(cell["token_sum"] / cell["token_n"])
        assert row["score_per_token"] == pytest.approx(row["reasonscore"] / row["mean_tokens"])
        assert row["visible_tokens"]
    one = board.rows.set_index("eval_id").loc[0]
    assert (one["name"], one["label"], one["model"], one["template"]) == ("One", "One", "one", "default")
    assert one["groups"] == ["size:small", "family:a"]
    assert pd.isna(one["sampler"])
    assert board.rows.set_index("eval_id").loc[2, "model"] == "two"


def test_many_models_are_ranked_as_a_naive_fair_sort_of_the_same_numbers_ranks_them(made) -> None:
    draw = random.Random(5)
    skills = {f"m{number:02}": draw.random() for number in range(14)}
    rows = [
        completion(
            model=model, item_key=f"{item}", outcome="correct" if draw.random() < skill else "incorrect"
        )
        for model, skill in skills.items()
        for item in range(60)
    ]
    dataset = made(rows)
    board = read_scores(dataset, Filters(), Methods())
    counts = {
        model: sum(row["outcome"] == "correct" for row in rows if row["model"] == model) for model in skills
    }
    scored = {
        model: (1000 * clamp(k / 60), *(1000 * clamp(bound) for bound in direct.wilson(k / 60, 60)))
        for model, k in counts.items()
    }
    order = sorted(scored, key=lambda model: -scored[model][0])
    assert board.rows["plain_score"].tolist() == pytest.approx([scored[model][0] for model in order])
    ranks = dict(zip(order, direct.naive_fair_sort([scored[model] for model in order]), strict=True))
    found = dict(zip(board.rows["name"], board.rows["rank"], strict=True))
    assert found == ranks
    assert 2 < len(set(ranks.values())) < 14
    assert_ranks_are_a_fair_sort(board)
    dataset.close()


@pytest.fixture
def uneven(made) -> Dataset:
    """Evals a and b have tasks x and y, c has x only; nobody has anything countable of z."""

    def answers(model: str, task: str, right: int) -> list[Row]:
        return [
            completion(model=model, base_task=task, item_key=f"{item}",
                       outcome="correct" if item < right else "incorrect")
            for item in range(40)
        ]  # fmt: skip

    rows = [
        *answers("a", "x", 30), *answers("a", "y", 30), *answers("b", "x", 4), *answers("b", "y", 5),
        *answers("c", "x", 39),
        completion(model="a", base_task="z", outcome="error"),
        *(completion(model=model, base_task="guess", choices=1) for model in "bc"),
    ]  # fmt: skip
    return made(rows)


def test_who_lacks_a_cell_is_starred_and_ranked_on_request_only(uneven: Dataset) -> None:
    board = read_scores(uneven, Filters(), Methods())
    assert board.rows["name"].tolist() == ["a", "b", "c"]
    assert board.rows["rank"].tolist()[:2] == [1, 2]
    assert pd.isna(board.rows["rank"][2])
    assert board.rows["complete"].tolist() == [True, True, False]
    assert board.rows["plain_score"][2] == pytest.approx(1000 * 39 / 40)
    asked = read_scores(uneven, Filters(), Methods(), rank_incomplete=True)
    assert asked.rows["name"].tolist() == ["c", "a", "b"]
    assert asked.rows["rank"].tolist() == [1, 2, 3]
    assert asked.rows["complete"].tolist() == [False, True, True]


def test_a_cell_in_which_nobody_has_a_number_is_lacked_by_nobody(uneven: Dataset) -> None:
    board = read_scores(uneven, Filters.from_dict({"base_task": ["x", "z", "guess"]}), Methods())
    assert board.tasks == ("guess", "x", "z")
    assert board.rows["complete"].all()
    assert board.rows["rank"].notna().all()
    only = read_scores(uneven, Filters.from_dict({"base_task": "z"}), Methods())
    assert only.rows["rank"].isna().all()
    assert not only.rows["complete"].any()
    assert only.rows["plain_score"].isna().all()


def test_nothing_selected_and_nothing_there(mixed: Dataset) -> None:
    with pytest.raises(NothingFoundError, match="No results found matching filters"):
        read_scores(mixed, Filters.from_dict({"eval_id": [4]}), Methods())
    with pytest.raises(FilterError, match="No base_task 'x' in this dataset"):
        read_scores(mixed, Filters.from_dict({"base_task": "x"}), Methods())


def test_cells_stand_in_display_order(mixed: Dataset) -> None:
    board = read_scores(mixed, Filters.from_dict({"eval_id": [0]}), Methods())
    assert list(zip(board.cells["task"], board.cells["tier"], strict=True)) == [
        ("sort", None), ("sort", "low"), ("sort", "high"), ("add", None), ("add", "low"), ("add", "high"),
        ("word's", None),
    ]  # fmt: skip
    assert (board.config.tier_label("low"), board.config.tier_label("high")) == ("Low one", "High one")
    only = read_scores(mixed, Filters.from_dict({"eval_id": [0], "tiers": ["High one"]}), Methods())
    assert only.tiers == ("high",)
    assert set(only.cells["tier"]) == {None, "high"}
    assert only.filters.tiers == ("high",)


@pytest.mark.parametrize(
    ("center", "upper", "cut", "text"),
    [
        (0.3239267848, 0.3559892305, 0.0089, ".32 - .36"),
        (0.5, 0.6, 0.02, ".50 - .60"),
        (0.5, 0.6, 0.0201, ".50 - .60 [-.02]"),
        (0.5, 0.6, 0.5, ".50 - .60 [-.50]"),
        (0.0, 0.04, 0.0, ".00 - .04"),
        (0.996, 1.0, 0.0, "1.00 - 1.00"),
        (0.98, 1.0, 0.0, ".98 - 1.00"),
        (math.nan, math.nan, 1.0, "— [-1.00]"),
        (math.nan, math.nan, math.nan, "—"),
    ],
)
def test_text_of_a_cell(center: float, upper: float, cut: float, text: str) -> None:
    assert cell_text(pd.Series({"center": center, "upper": upper, "truncated_ratio": cut})) == text


SUMMARIES = [
    ([1, 2, 2], "A is alone at rank 1 of 3; its plain score 900 is 100 above B at rank 2, on 1,234 items."),
    ([1, 1, 3],
     "2 of 3 evals share rank 1, A first; its plain score 900 is 200 above C at rank 3, on 1,234 items."),
    ([1, 1, 1], "All 3 evals share rank 1, A first: plain score 900, on 1,234 items."),
    ([1, 2, None],
     "A is alone at rank 1 of 2; its plain score 900 is 100 above B at rank 2, on 1,234 items."),
    ([1, None, None], "A is the only eval: plain score 900, on 1,234 items."),
    ([None, None, None], "No eval has points in every cell, so none is ranked."),
]  # fmt: skip


@pytest.mark.parametrize(("ranks", "summary"), SUMMARIES)
def test_the_result_in_one_sentence(mixed: Dataset, ranks, summary: str) -> None:
    rows = pd.DataFrame(
        {
            "name": ["A", "B", "C"],
            "plain_score": [900.0, 800.0, 700.0],
            "n_items": [1234, 5, 5],
            "rank": pd.array(ranks, dtype="Int64"),
        }
    )
    board = read_scores(mixed, Filters(), Methods())
    assert replace(board, rows=rows).summary() == summary


def test_responses_of_no_tokens_have_no_score_per_token(made) -> None:
    dataset = made([completion(item_key=f"{item}", completion_tokens=0) for item in range(5)])
    rows = read_scores(dataset, Filters(), Methods()).rows
    assert rows["mean_tokens"].tolist() == [0.0]
    assert rows["score_per_token"].isna().all()
    dataset.close()
