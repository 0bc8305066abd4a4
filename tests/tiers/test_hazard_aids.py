"""Reading aids, what a budget costs, evals compared, and what the plots are drawn from."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import charts
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.stats.intervals import wilson
from core.store import Dataset
from core.tiers.hazard import (
    Curves,
    aids_sentence,
    budget_cost,
    compare_chart,
    correct_by,
    differences,
    group_chart,
    logranks,
    read_comparison,
    read_groups,
    read_hazard,
    screen_specs,
    wrong_past,
)
from core.tiers.hazard.axis import still_thinking, ticks
from core.tiers.hazard.document import comparison_document, comparison_frame
from core.tiers.hazard.files import read_comparisons
from core.tiers.hazard.lines import read_lines
from core.tiers.hazard.plot_data import percent, plot_data
from core.tiers.hazard.read import CAUSES
from core.tiers.hazard.words import summary, turn_words
from core.tiers.methods import Methods
from tests.store.staging import Row, completion

Make = Callable[..., Dataset]
OUTCOMES = ("correct", "incorrect", "truncated")

EARLY = [(token, "correct") for token in range(1, 41)] + [(60, "incorrect")] * 5
LATE = [(token, "incorrect") for token in range(101, 161)] + [(150, "correct")] * 2 + [(200, "truncated")] * 3


def answers(tokens: list[tuple[int, str]], **fields: Any) -> list[Row]:
    return [
        completion(item_key=f"{place}", completion_tokens=count, outcome=outcome, **fields)
        for place, (count, outcome) in enumerate(tokens)
    ]


def curves_of(dataset: Dataset, **options: Any) -> Curves:
    wanted = {"split": (), "bucket_size": 20, **options}
    (curves,) = read_hazard(dataset, Filters(), Methods(), **wanted).curves
    return curves


def test_by_when_most_correct_answers_have_come(made: Make) -> None:
    found = correct_by(curves_of(made(answers(EARLY + LATE))), Methods())
    assert found is not None
    # 42 correct: 40 at 1 to 40, so that the 38th is the first to reach 90%.
    # 37.8 -+ 1.96 sqrt(42 x .9 x .1) = 33.99 and 41.6: the 34th and the 42nd.
    assert (found.value, found.n) == (38, 42)
    assert (found.lower, found.upper) == (34, 150)
    assert correct_by(curves_of(made(answers([(5, "incorrect")]))), Methods()) is None


def test_from_where_on_answers_are_more_often_wrong(made: Make) -> None:
    curves = curves_of(made(answers(EARLY + LATE)))
    turn = wrong_past(curves, Methods())
    assert turn is not None and turn.told
    # 5 wrong answers at 60 follow the last early correct one at 40.
    assert (turn.tokens, turn.correct.n, turn.correct.value) == (40, 67, 2 / 67)
    low, high = wilson(2 / 67, 67)
    assert (turn.correct.lower, turn.correct.upper) == (low, high)
    said = aids_sentence(curves, Methods())
    assert "come by 38 [" in said
    assert "past 40 tokens an answer is more often wrong than right (3% [1, 10] of 67 answers right)" in said


def test_a_point_that_chance_may_have_made_is_not_told(made: Make) -> None:
    curves = curves_of(made(answers(EARLY[:-3])))
    turn = wrong_past(curves, Methods())
    assert turn is not None and not turn.told
    assert "no clear point" in turn_words(turn)
    right = curves_of(made(answers([(5, "correct")])))
    assert wrong_past(right, Methods()) is None
    assert turn_words(None) == "at no length are answers more often wrong than right"


def test_a_budget_costs_what_comes_after_it(made: Make) -> None:
    curves = curves_of(made(answers(EARLY + LATE)))
    n = curves.n
    cost = budget_cost(curves, Methods(), 20)
    assert (cost.accuracy.value, cost.full.value) == (pytest.approx(20 / n), pytest.approx(42 / n))
    assert cost.cost.value == pytest.approx(22 / n)
    # Nothing is cut off before the end: each is a plain proportion, and so is the difference.
    for found, k in ((cost.accuracy, 20), (cost.full, 42), (cost.cost, 22)):
        p = k / n
        width = np.exp(1.96 * np.sqrt(p * (1 - p) / n) / (p * -np.log(p)))
        assert (found.lower, found.upper) == (pytest.approx(p**width), pytest.approx(p ** (1 / width)))
    whole = budget_cost(curves, Methods(), 10_000)
    assert (whole.tokens, whole.cost.value) == (200, 0)


def test_a_budget_with_repeats_takes_items_as_the_sample(made: Make) -> None:
    data = answers(EARLY + LATE)
    once = budget_cost(curves_of(made(data)), Methods(), 20)
    four = [row for row in data for _ in range(4)]
    items = budget_cost(curves_of(made(four)), Methods(), 20)
    free = budget_cost(curves_of(made(four)), Methods(repeats="independent"), 20)
    for name in ("accuracy", "full", "cost"):
        one, same, narrow = (getattr(found, name) for found in (once, items, free))
        assert same.value == pytest.approx(one.value)
        # C/(C-1) aside, four copies of an item say what one says.
        assert same.upper - same.lower == pytest.approx(one.upper - one.lower, rel=0.02)
        assert narrow.upper - narrow.lower < 0.6 * (one.upper - one.lower)


@pytest.fixture
def pair(made: Make) -> Dataset:
    """Three evals on the same items, of two tasks; the third was followed to 100 tokens only."""
    data: list[Row] = []
    for task in ("add", "sort"):
        data += answers(EARLY + LATE, model="a", base_task=task, token_limit=200)
        data += answers([(2 * t, o) for t, o in EARLY + LATE], model="b", base_task=task, token_limit=400)
        short = [(min(t, 100), "truncated" if t > 100 else o) for t, o in EARLY + LATE]
        data += answers(short, model="c", base_task=task, token_limit=100)
    return made(data)


def compare(dataset: Dataset, evals: tuple[int, ...], split: tuple[str, ...] = ("base_task", "model")):
    parts = read_groups(dataset, Filters(), ("base_task",)).groups if "base_task" in split else [None]
    return read_comparison(
        dataset, Filters(), Methods(), evals, split=split, part=parts[0], bucket_size=20
    )  # fmt: skip


def test_differences_are_paired_on_items(pair: Dataset) -> None:
    compared = compare(pair, (0, 1, 2))
    assert (compared.evals, compared.title, compared.budget(None)) == ((0, 1, 2), "add", 100)
    base, slow, short = differences(compared, 40)
    n = len(EARLY + LATE)
    assert base.difference is None
    assert slow.difference is not None and short.difference is not None
    assert slow.difference.value == pytest.approx((20 - 40) / n)
    assert short.difference.value == 0
    assert slow.common_items == n
    # Eval c answered as a did: their errors are the same, and nothing is left of the interval.
    assert (short.difference.lower, short.difference.upper) == (
        pytest.approx(0, abs=1e-3), pytest.approx(0, abs=1e-3),
    )  # fmt: skip
    # The errors of a and b go together: the interval is narrower than of independent samples.
    assert slow.difference.upper < 0
    far = differences(compared, 150)
    assert [one.accuracy is None for one in far] == [False, False, True]
    assert far[2].difference is None


def test_a_comparison_without_a_rest_pools_tasks(pair: Dataset) -> None:
    compared = compare(pair, (1, 0), split=("model",))
    assert (compared.title, compared.hazard.curves[0].n) == ("All completions", 2 * len(EARLY + LATE))
    both = read_comparisons(pair, Filters(), Methods(), (0, 1), split=("base_task", "model"), bucket_size=20)
    assert [one.part for one in both] == [("add",), ("sort",)]


def test_comparisons_that_cannot_be_made(pair: Dataset) -> None:
    with pytest.raises(FilterError, match="two to 6 different evals"):
        compare(pair, (0, 0))
    with pytest.raises(FilterError, match="No eval_id 9"):
        compare(pair, (0, 9))
    with pytest.raises(NothingFoundError, match="Fewer than two of these evals"):
        part = read_groups(pair, Filters(), ("base_task",)).groups[0]
        read_comparison(
            pair, Filters(params=()), Methods(), (0, 1), split=("base_task",),
            part=type(part)(9, ("nope",), ("Nope",), (0,), False), bucket_size=20,
        )  # fmt: skip


def test_log_rank_tests_are_adjusted_over_all_of_them(pair: Dataset) -> None:
    tests = logranks(compare(pair, (0, 1, 2)))
    assert [(one.eval_id, one.cause) for one in tests] == [
        (1, "correct"), (1, "incorrect"), (2, "correct"), (2, "incorrect"),
    ]  # fmt: skip
    smallest = min(tests, key=lambda one: one.p)
    assert smallest.p_holm == pytest.approx(4 * smallest.p)
    assert tests[2].p == pytest.approx(1)


def test_documents_of_a_comparison(pair: Dataset) -> None:
    compared = compare(pair, (0, 1, 2))
    document = json.loads(json.dumps(comparison_document([compared], budget=40, log_rank=True)))
    (one,) = document["comparisons"]
    assert (one["task"], one["budget"], one["baseline"], one["log_rank"]["m"]) == ("add", 40, 0, 4)
    assert "items" in one["log_rank"]["warning"]
    frame = comparison_frame([compared], budget=40, log_rank=True)
    assert frame["difference"].tolist()[1:] == [row["difference"]["value"] for row in one["evals"][1:]]
    assert frame["p_holm_correct"].tolist()[1:] == [test["p_holm"] for test in one["log_rank"]["tests"][::2]]
    assert "p_correct" not in comparison_frame([compared], budget=None, log_rank=False)


def test_a_comparison_has_the_intervals_of_the_groups(pair: Dataset) -> None:
    alone = read_hazard(pair, Filters(), Methods(), bucket_size=20).curves
    compared = compare(pair, (0, 1))
    for mine, theirs in zip(compared.hazard.curves, alone, strict=False):
        np.testing.assert_array_equal(mine.incidence["correct"].lower, theirs.incidence["correct"].lower)


def test_ticks_are_bucket_edges_with_the_numbers_still_thinking(made: Make) -> None:
    assert ticks(256, 16) == [0, 64, 128, 192, 256]
    assert ticks(250, 16) == [0, 64, 128, 192]
    assert ticks(7, 16) == [0, 16]
    curves = curves_of(made(answers([(0, "correct"), (20, "correct"), (21, "truncated"), (60, "incorrect")])))
    assert still_thinking(curves, [0, 20, 40, 60]) == [4, 2, 1, 0]


def test_the_plots_show_the_estimates(made: Make) -> None:
    curves = curves_of(made(answers(EARLY + LATE)))
    data = plot_data(curves, Methods())
    start, *rows = data.datasets["lines"]
    assert (start["end"], start["cif_correct"], start["top"], start["survival"]) == (0, 0, 1, 1)
    at_ends = {row["end"]: row for row in rows}
    ends = np.minimum(curves.buckets.end, curves.reach).tolist()
    for side in ("", "_lower", "_upper"):
        right, wrong = (getattr(curves.incidence[name], side[1:] or "value") for name in CAUSES)
        assert [at_ends[end][f"cif_correct{side}"] for end in ends] == right.round(5).tolist()
        assert [at_ends[end][f"top{side}"] for end in ends] == (1 - wrong.round(5)).round(5).tolist()
    assert rows[-1]["end"] == data.params["reach"] == 200
    assert sum(row["censored"] for row in rows) == 3
    hazards = data.datasets["hazards"]
    assert [row["at_risk"] for row in hazards] == curves.buckets.at_risk.tolist()
    assert [row["hazard_correct"] for row in hazards] == curves.hazard["correct"].value.round(5).tolist()
    assert data.params["waiting"]["0"] == f"{curves.n}"
    spots = [row["spot"] for row in data.datasets["ends"]]
    assert all(b - a >= 0.0999 for a, b in pairwise(spots))
    assert min(spots) >= 0 and max(spots) <= 1
    assert [percent(one) for one in (0, 0.001, 0.5, 0.999, 1)] == ["0%", "<1%", "50%", ">99%", "100%"]


@given(st.lists(st.tuples(st.integers(0, 3000), st.sampled_from([*OUTCOMES])), min_size=1, max_size=60))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_line_is_nowhere_off_by_more_than_a_hundredth(made: Make, ends: list[tuple[int, str]]) -> None:
    curves = curves_of(made(answers(ends)), bucket_size=1_000)
    lines, table = read_lines(curves, Methods()), curves.observed.table
    every = np.arange(curves.reach + 1)
    truth = table.incidence_at(table.places(every))
    for place, name in enumerate(CAUSES):
        start = ([0], [0.0]) if lines.end[0] else ([], [])
        drawn = np.interp(every, [*start[0], *lines.end], [*start[1], *lines.incidence[name].value])
        # A hundredth of the completions weighs more where others were cut off before.
        weight = 1 / np.maximum(1 - table.censored_by(table.places(every)) / table.n, 1 / table.n)
        assert (np.abs(drawn - truth[place]) <= 0.0101 * weight).all()


def test_image_and_screen_are_of_the_same_data(made: Make) -> None:
    hazard = read_hazard(made(answers(EARLY + LATE)), Filters(), Methods(), split=(), bucket_size=20)
    (curves,) = hazard.curves
    image = group_chart(hazard, curves).to_dict()
    ((upper, lower),) = screen_specs(hazard)
    for spec, names in ((upper, ("lines", "aids", "ends")), (lower, ("hazards",))):
        assert all(spec["datasets"][name] == image["datasets"][name] for name in names)
        assert {one["name"]: one["value"] for one in spec["params"]} == {
            one["name"]: one["value"] for one in image["params"]
        }
    assert "n = 110" in charts.footer_of(group_chart(hazard, curves))
    assert "38% have answered correctly, 59% incorrectly and 3% have not answered" in upper["description"]
    assert charts.to_png(group_chart(hazard, curves, dark=True)).startswith(b"\x89PNG\r\n\x1a\n")


def test_the_chart_of_a_comparison_names_every_eval(pair: Dataset) -> None:
    chart = compare_chart(compare(pair, (0, 1, 2)), 40)
    spec = chart.to_dict()
    assert spec["title"]["text"] == ["add: correct answers by tokens spent"]
    for name in ("a reaches", "b reaches", "c reaches"):
        assert name in spec["description"]
    assert "dashed: 40 tokens" in charts.footer_of(chart)
    assert charts.to_png(chart).startswith(b"\x89PNG\r\n\x1a\n")


def test_what_was_cut_off_at_the_budget_counts_as_wrong_there(made: Make) -> None:
    curves = curves_of(made(answers([(64, "truncated")] * 20)))
    cost = budget_cost(curves, Methods(), 64)
    # None of 20 is right: as far as from 0 as z^2 / (n + z^2), not everything.
    assert (cost.full.value, cost.full.lower) == (0, 0)
    assert cost.full.upper == pytest.approx(1.96**2 / (20 + 1.96**2), rel=1e-4)


@pytest.mark.parametrize(
    ("right", "where"),
    [
        ("abc", " tokens in every group; "),
        ("ab", " tokens in the 2 groups with any; "),
        ("a", " tokens at a, the only group with any; "),
    ],
)
def test_groups_without_a_correct_answer_are_not_said_to_have_them_early(
    made: Make, right: str, where: str
) -> None:
    rows = [
        row
        for name in "abc"
        for row in answers([(10, "correct" if name in right else "incorrect")] * 20, base_task=name)
    ]
    found = read_hazard(made(rows), Filters(), Methods(), split=("base_task",), bucket_size=20)
    assert where in summary(found)
