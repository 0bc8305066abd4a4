"""Groups, counts, curves and their JSON: against completions counted one by one."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from core.config import tier_filter
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.stats.incidence_interval import incidence_interval
from core.stats.survival import incidence_variance
from core.store import Dataset
from core.tiers.hazard import (
    explanations,
    no_tokens,
    notes,
    page_bucket_size,
    read_hazard,
    summary,
    to_document,
)
from core.tiers.hazard.document import export_frame
from core.tiers.hazard.files import group_files
from core.tiers.hazard.groups import group_filters, read_groups, split_dimensions
from core.tiers.hazard.table import NoTokensError, least_bucket_size
from core.tiers.methods import Methods
from tests.stats.brute_survival import Curve
from tests.store.recount import effective_outcome, params_of
from tests.store.staging import Row, completion
from tests.tiers import direct

Make = Callable[..., Dataset]
CAUSE = {"correct": 0, "incorrect": 1, "invalid": 1, "truncated": 2}
OUTCOME = {0: "correct", 1: "incorrect", 2: "censored"}


def observations(rows: Iterable[Row], threshold: float = 1.0) -> list[tuple[int, int]]:
    """(tokens, cause) of the completions that are in a curve."""
    named = [(row["completion_tokens"], effective_outcome(row, threshold)) for row in rows]
    return [
        (tokens, CAUSE[outcome]) for tokens, outcome in named if tokens is not None and outcome != "error"
    ]


def answers(*tokens: tuple[int, str], **fields: Any) -> list[Row]:
    """Completions of items of their own, by tokens and outcome."""
    return [
        completion(item_key=f"{place}", completion_tokens=count, outcome=outcome, **fields)
        for place, (count, outcome) in enumerate(tokens)
    ]


def groups_of(dataset: Dataset, split: tuple[str, ...], filters: Filters | None = None, **options: Any):
    """The groups of a document by their values."""
    hazard = read_hazard(dataset, filters or Filters(), Methods(), split=split, **options)
    document = json.loads(json.dumps(to_document(hazard)))
    names = ["task" if name == "base_task" else name for name in split]
    return {tuple(one[name] for name in names): one for one in document["groups"]}


def assert_counts(group: dict[str, Any], rows: list[Row], size: int, threshold: float = 1.0) -> None:
    """A group's arrays equal what a loop over its completions counts."""
    seen = observations(rows, threshold)
    assert group["n"] == len(seen)
    curve = Curve(seen)
    buckets = list(zip(group["bucket_start"], group["bucket_end"], strict=True))
    assert buckets == [(k * size, (k + 1) * size) for k in range(len(buckets))]
    assert group["at_risk"][-1] > 0
    assert sum(group["correct"] + group["incorrect"] + group["censored"]) == len(seen)
    for k, (start, end) in enumerate(buckets):
        assert group["at_risk"][k] == sum(t > start or k == 0 for t, _ in seen)
        for cause, name in OUTCOME.items():
            inside = sum(c == cause and (start < t <= end or (k == 0 and t == 0)) for t, c in seen)
            assert group[name][k] == inside
        place = max(i for i, time in enumerate(curve.times) if time <= end) if curve.times[0] <= end else -1
        for cause, name in enumerate(("correct", "incorrect")):
            expected = float(curve.F[cause][place]) if place >= 0 else 0.0
            assert group[f"cif_{name}"][k] == pytest.approx(expected, abs=1e-12)
            assert group[f"hazard_{name}"][k] == pytest.approx(group[name][k] / group["at_risk"][k])
        assert group["survival"][k] == pytest.approx(float(curve.S[place]) if place >= 0 else 1.0, abs=1e-12)


ARRAYS = ("hazard_correct", "hazard_incorrect", "cif_correct", "cif_incorrect", "survival")


def test_default_groups_equal_completions_counted_one_by_one(mixed: Dataset, rows: list[Row]) -> None:
    groups = groups_of(mixed, ("base_task", "model"), bucket_size=200)
    visible = [row for row in rows if row["model"] != "three"]
    expected = {(row["base_task"], row["model"]) for row in visible}
    assert set(groups) == expected
    tasks = list(dict.fromkeys(task for task, _ in groups))
    assert tasks == [task for task in mixed.catalog.base_tasks if task in tasks]
    for (task, model), group in groups.items():
        mine = [row for row in visible if (row["base_task"], row["model"]) == (task, model)]
        assert_counts(group, mine, 200)
        assert set(group) == {
            "task", "model", "n", "budget", "bucket_start", "bucket_end", "at_risk", "correct", "incorrect",
            "censored", "reading_aids",
            *(f"{name}{side}" for name in ARRAYS for side in ("", "_lower", "_upper")),
        }  # fmt: skip
        for name in ARRAYS:
            low, value, high = (np.array(group[f"{name}{side}"]) for side in ("_lower", "", "_upper"))
            assert (low <= value + 1e-12).all() and (value <= high + 1e-12).all()
            assert low.min() >= 0 and high.max() <= 1
            assert len(value) == len(group["at_risk"])


@pytest.mark.parametrize("threshold", [0.5, 0.75])
def test_outcomes_are_those_at_the_threshold(mixed: Dataset, rows: list[Row], threshold: float) -> None:
    groups = groups_of(mixed, ("base_task",), Filters(threshold=threshold), bucket_size=500)
    for (task,), group in groups.items():
        mine = [row for row in rows if row["base_task"] == task and row["model"] != "three"]
        assert_counts(group, mine, 500, threshold)


def test_a_point_of_two_evals_is_counted_once_unless_split_by_eval(mixed: Dataset, rows: list[Row]) -> None:
    (whole,) = groups_of(mixed, (), bucket_size=1000).values()
    assert_counts(whole, [row for row in rows if row["model"] != "three"], 1000)
    for (eval_id,), group in groups_of(mixed, ("eval_id",), bucket_size=1000).items():
        assert_counts(group, direct.of_eval(rows, mixed.config, eval_id), 1000)


def test_a_point_of_two_tiers_is_in_both_groups(mixed: Dataset, rows: list[Row]) -> None:
    groups = groups_of(mixed, ("tier", "level"), Filters(eval_id=(1,)), bucket_size=1000)
    own = direct.of_eval(rows, mixed.config, 1)
    assert ("low", 1) in groups and ("high", 1) in groups
    for (tier, level), group in groups.items():
        entry = next(one for one in mixed.config.tiers if one.id == tier)
        assert tier_filter(entry, "add") is not None
        mine = [row for row in own if direct.in_tier(row, entry) and params_of(row)["level"] == level]
        assert_counts(group, mine, 1000)
    only = groups_of(mixed, ("tier",), Filters(tiers=("High one",)), bucket_size=1000)
    assert set(only) == {("high",)}


def test_splits_by_surface_and_by_params_of_both_types(mixed: Dataset, rows: list[Row]) -> None:
    assert set(groups_of(mixed, ("surface",), bucket_size=1000)) == {("plane",)}
    groups = groups_of(mixed, ("deep", "template"), bucket_size=1000)
    assert set(groups) == {(deep, template) for deep in ("true", "false") for template in ("cot", "default")}
    mine = [
        row for row in rows
        if row["model"] != "three" and row["template"] == "cot" and params_of(row)["deep"] is True
    ]  # fmt: skip
    assert_counts(groups["true", "cot"], mine, 1000)


def test_unknown_dimensions_buckets_and_empty_selections_are_refused(mixed: Dataset) -> None:
    with pytest.raises(FilterError, match="No dimension 'nope' to split by; valid: model"):
        read_hazard(mixed, Filters(), Methods(), split=("nope",))
    with pytest.raises(FilterError, match=r"from 1 to .* wide; given: 0"):
        read_hazard(mixed, Filters(), Methods(), bucket_size=0)
    with pytest.raises(FilterError, match=r"a width of at least 2$"):
        read_hazard(mixed, Filters(), Methods(), bucket_size=1)
    with pytest.raises(NothingFoundError, match="No results found"):
        read_hazard(mixed, Filters(eval_id=(4,)), Methods())


def test_split_texts() -> None:
    assert split_dimensions("none") == ()
    assert split_dimensions("base_task, model") == ("base_task", "model")


def test_filters_of_a_group_leave_the_group(mixed: Dataset) -> None:
    filters = Filters().resolved(mixed.catalog)
    for split in (("base_task", "model"), ("tier", "level"), ("deep", "eval_id")):
        grouping = read_groups(mixed, filters, split)
        for group in grouping.groups:
            own = group_filters(filters, split, group)
            again = read_groups(mixed, own, split).groups
            assert group.values in [one.values for one in again]


def test_what_is_in_no_curve_is_counted(made: Make) -> None:
    data = answers(
        (10, "correct"), (20, "invalid"), (30, "truncated"), (40, "error"), token_limit=64,
        truncation="unknown", token_source="tokenized:o200k_base",
    )  # fmt: skip
    data += [completion(item_key="x", outcome="correct"), completion(item_key="y", outcome="error")]
    hazard = read_hazard(made(data), Filters(), Methods(), bucket_size=25)
    (curves,) = hazard.curves
    assert (curves.n, curves.budget, curves.partial) == (3, 64, False)
    assert curves.buckets.events.tolist() == [[1, 0], [1, 0]]
    said = " ".join(notes(hazard))
    assert "For all 3 completions the source does not say whether they were cut off: censoring" in said
    assert "The tokens of all 3 completions were counted in the visible text: hidden reasoning" in said
    assert "1 completion without a token count, in no curve" in said
    assert "2 completions left out that failed" in said


def test_the_budget_is_the_largest_limit_else_the_largest_count(made: Make) -> None:
    def budget(*data: Row) -> tuple[int, bool]:
        (curves,) = read_hazard(made(list(data)), Filters(), Methods(), bucket_size=100).curves
        return curves.budget, curves.partial

    some = answers((90, "correct"), (250, "incorrect"))
    assert budget(*some) == (250, True)
    assert budget(*answers((90, "correct"), (200, "truncated"), token_limit=200)) == (200, False)
    assert budget(*some, completion(item_key="z", completion_tokens=5, token_limit=512)) == (512, False)


def test_a_budget_that_is_a_multiple_of_the_bucket_has_no_phantom_bucket(made: Make) -> None:
    groups = groups_of(
        made(answers((100, "correct"), (512, "truncated"), token_limit=512)), (), bucket_size=256
    )
    (group,) = groups.values()
    assert group["bucket_end"] == [256, 512]
    assert group["at_risk"] == [2, 1]
    assert group["censored"] == [0, 1]
    assert group["survival"] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (answers((9, "truncated"), (9, "truncated")), "All 2 completions were cut off: nothing is known"),
        (answers((9, "correct")), "A single completion"),
        (answers((0, "correct"), (0, "incorrect")), "Every completion has 0 tokens"),
        (answers((0, "correct"), (20, "incorrect")), "1 completion of 0 tokens, such as empty"),
        (answers((40, "correct"), (64, "incorrect")), "first bucket of 256 tokens: take a smaller"),
    ],
)  # fmt: skip
def test_odd_pictures_are_explained(made: Make, data: list[Row], said: str) -> None:
    hazard = read_hazard(made(data), Filters(), Methods())
    (curves,) = hazard.curves
    assert said in " ".join(explanations(curves))
    assert summary(hazard)
    for name in ("correct", "incorrect"):
        assert np.isfinite(curves.incidence[name].lower).all()
    assert np.isfinite(curves.survival.upper).all()


def test_all_cut_off_says_nothing_of_answers(made: Make) -> None:
    (group,) = groups_of(made(answers((9, "truncated"), (9, "truncated"))), (), bucket_size=8).values()
    assert (group["cif_correct_lower"][-1], group["cif_correct_upper"][-1]) == (0.0, 1.0)
    assert (group["survival_lower"][-1], group["survival"][-1], group["survival_upper"][-1]) == (
        0.0,
        1.0,
        1.0,
    )


def test_without_token_counts_it_says_what_to_do(made: Make) -> None:
    data = [completion(item_key=f"{i}", model="mute") for i in range(3)]
    with pytest.raises(
        NoTokensError, match="Of mute there is nothing to follow: 3 completions, all without a token count"
    ):
        read_hazard(made(data), Filters(), Methods(), split=("model",))
    both = read_hazard(
        made(data + answers((5, "correct"), model="loud")), Filters(), Methods(), split=("model",)
    )
    assert [one.group.title for one in both.curves] == ["loud"]
    assert "Of mute there is nothing to follow: 3 completions" in " ".join(notes(both))
    failed = made([completion(item_key="0", outcome="error", model="bad")])
    with pytest.raises(NoTokensError, match="Of bad there is nothing to follow: 1 completion, all failed"):
        read_hazard(failed, Filters(), Methods(), split=("model",))
    assert no_tokens(both.without)


def test_items_are_the_sample_only_where_they_repeat(made: Make) -> None:
    once = answers((10, "correct"), (10, "incorrect"), (20, "correct"), (30, "truncated"))
    (curves,) = read_hazard(made(once), Filters(), Methods(), bucket_size=16).curves
    assert curves.items is None
    table = curves.observed.table
    places = table.places(curves.buckets.end)
    F = table.incidence_at(places)[0]
    known = table.n - table.censored_by(places)
    lower, _ = incidence_interval(F, incidence_variance(table, 0, places), known)
    np.testing.assert_array_equal(curves.incidence["correct"].lower, lower)

    thrice = [row for row in once for _ in range(3)]
    (repeated,) = read_hazard(made(thrice), Filters(), Methods(), bucket_size=16).curves
    assert (repeated.n, repeated.items) == (12, 4)
    (free,) = read_hazard(made(thrice), Filters(), Methods(repeats="independent"), bucket_size=16).curves
    for name in ("correct", "incorrect"):
        for kind in ("hazard", "incidence"):
            wide, narrow = (getattr(one, kind)[name] for one in (repeated, free))
            assert (wide.lower <= narrow.lower).all() and (wide.upper >= narrow.upper).all()
            assert wide.upper[0] - wide.lower[0] > narrow.upper[0] - narrow.lower[0]


def test_one_item_is_a_sample_of_one(made: Make) -> None:
    data = [
        completion(item_key="0", completion_tokens=9, outcome=one) for one in ("correct", "incorrect") * 9
    ]
    hazard = read_hazard(made(data), Filters(), Methods(), bucket_size=8)
    (curves,) = hazard.curves
    estimate = curves.incidence["correct"]
    # As of a single observation with p = 1/2: se = 1/2.
    low, high = incidence_interval(0.5, 0.25, 1)
    assert (estimate.lower[-1], estimate.upper[-1]) == (pytest.approx(low), pytest.approx(high))
    assert "Fewer than 30 items" in " ".join(notes(hazard))


def test_csv_has_the_arrays_of_the_json_row_by_row(mixed: Dataset) -> None:
    hazard = read_hazard(mixed, Filters(), Methods(), bucket_size=700)
    frame = export_frame(hazard)
    for group in to_document(hazard)["groups"]:
        mine = frame[(frame["task"] == group["task"]) & (frame["model"] == group["model"])]
        assert set(mine["budget"]) == {group["budget"]}
        for name in ("bucket_start", "bucket_end", "at_risk", "censored", *ARRAYS):
            assert mine[name].tolist() == group[name]


def test_a_param_may_be_named_like_a_key_of_the_document(made: Make) -> None:
    data = answers((5, "correct"), params={"n": 3})
    hazard = read_hazard(made(data), Filters(), Methods(), split=("n",))
    (group,) = to_document(hazard)["groups"]
    assert (group["n"], group["params.n"]) == (1, 3)


def test_files_are_named_by_the_rule(made: Make) -> None:
    dataset = made(answers((5, "correct"), model="a/b", base_task="sum up"))
    hazard = read_hazard(dataset, Filters(base_task=("sum up",)), Methods())
    (file,) = group_files(hazard, Filters(base_task=("sum up",)), "png")
    assert file.name == "small_hazard_base_task-sum-up_model-a-b_sum-up.png"
    assert file.make().startswith(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(FilterError, match="No format 'gif'; valid: png, json, csv"):
        group_files(hazard, Filters(), "gif")


@pytest.mark.parametrize(
    ("largest", "size"),
    [(32_768, 256), (2_048, 256), (2_047, 128), (256, 16), (1_000, 64), (131, 10), (3, 1), (0, 1)],
)  # fmt: skip
def test_bucket_size_of_the_page(largest: int, size: int) -> None:
    assert page_bucket_size(largest) == size


def test_many_completions_take_a_sample_of_items_for_variances(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    data = [
        completion(
            item_key=f"{item}", completion_tokens=int(rng.integers(1, 100)),
            outcome="correct" if rng.random() < 0.3 + 0.5 * (item % 2) else "incorrect",
        )
        for item in range(800) for _ in range(4)
    ]  # fmt: skip
    dataset = made(data)
    (all_items,) = read_hazard(dataset, Filters(), Methods(), bucket_size=10).curves
    monkeypatch.setattr("core.tiers.hazard.read.MOST_ROWS", 1200)
    hazard = read_hazard(dataset, Filters(), Methods(), bucket_size=10)
    (sampled,) = hazard.curves
    assert all_items.sampled is None and all_items.items == 800
    assert sampled.sampled is not None and 300 < sampled.sampled < 500
    # Four completions of every item: the number of items is known from the sample.
    assert sampled.items == 800
    np.testing.assert_array_equal(sampled.incidence["correct"].value, all_items.incidence["correct"].value)
    for kind in ("incidence", "hazard"):
        widths = [
            estimate.upper - estimate.lower
            for estimate in (getattr(one, kind)["correct"] for one in (sampled, all_items))
        ]
        assert np.median(widths[0] / widths[1]) == pytest.approx(1, abs=0.1)
    assert "estimated from a sample of at least" in " ".join(notes(hazard))


@pytest.mark.parametrize(
    ("longest", "most", "size"), [([100, 50], 1000, 1), ([100, 50], 20, 8), ([0], 5, 1), ([], 5, 1)]
)
def test_least_bucket_size(longest: list[int], most: int, size: int) -> None:
    assert least_bucket_size(longest, most) == size
