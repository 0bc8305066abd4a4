"""The table of evals: search, groups, ticks, counts, token averages, and what is wrong with the data."""

import math

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.store import Dataset
from core.tiers.evals import FIELDS, read_evals, tier_column
from tests.store import recount
from tests.store.staging import completion
from tests.tiers import direct


def ids(dataset: Dataset, document=None, **options) -> list[int]:
    table = read_evals(dataset, Filters.from_dict(document or {}), **options)
    return [int(eval_id) for eval_id in table.frame["eval_id"]]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("", [0, 1, 2, 4]),
        ("ONE", [0, 1]),
        ("  one ", [0, 1]),
        ("one-1b", [0]),
        ("default", [0, 2]),
        ("family:A", [0, 4]),
        ("nobody", [4]),
        ("Three", []),
        ("%", []),
        ("one, any", [1]),
    ],
)
def test_search_ignores_case_and_looks_at_every_name(mixed: Dataset, search: str, expected) -> None:
    assert ids(mixed, search=search) == expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ((), [0, 1, 2, 4]),
        (("size:small",), [0, 1]),
        (("size:small", "family:a"), [0]),
        (("size:small", "size:large"), []),
    ],
)
def test_groups_must_all_be_there(mixed: Dataset, groups, expected) -> None:
    assert ids(mixed, groups=groups) == expected
    assert ids(mixed, groups=groups, search="one") == [eval_id for eval_id in expected if eval_id < 2]


def test_a_group_that_no_eval_has_is_an_error_that_names_the_others(mixed: Dataset) -> None:
    with pytest.raises(FilterError, match=r"No groups 'unheard:of' .*size:small"):
        ids(mixed, groups=("unheard:of",))


def test_filters_restrict_the_evals_and_a_hidden_one_must_be_named(mixed: Dataset) -> None:
    assert ids(mixed, {"eval_id": [3, 0]}) == [0, 3]
    assert ids(mixed, {"groups": [["family:a"], ["size:large"]]}) == [0, 2, 4]


def test_identity_and_ticks(mixed: Dataset) -> None:
    frame = read_evals(mixed, Filters()).frame.set_index("eval_id")
    assert list(frame.columns[:7]) == FIELDS[1:]
    one, both = frame.loc[0], frame.loc[1]
    assert (one["model"], one["template"], one["hf_id"]) == ("one", "default", "org/One-1B")
    assert both["model"] == "one"
    # What the config does not say is missing.
    assert both[["template", "sampler", "hf_id"]].isna().all()
    assert one["groups"] == ["size:small", "family:a"]
    assert frame["tier low"].tolist() == frame["tier high"].tolist() == [True, True, True, False]
    assert frame["tier never"].tolist() == [False] * 4
    only_low = read_evals(mixed, Filters.from_dict({"params": {"level": 0}})).frame
    assert only_low["tier low"].tolist() == [True, True, True, False]
    assert only_low["tier high"].tolist() == [False] * 4


def test_a_tier_may_have_the_name_of_a_column(with_config) -> None:
    names = ("n", "label", "eval_id", "error")
    dataset = with_config(tiers=[{"id": name, "label": name, "filter": {"level": 0}} for name in names])
    frame = read_evals(dataset, Filters()).frame
    assert frame["label"].tolist() == ["One", "One, any", "Two", "Nobody"]
    for tier in dataset.config.tiers:
        assert frame[tier_column(tier)].tolist() == [True, True, True, False]
    dataset.close()


@pytest.mark.parametrize(
    "document", [{}, {"base_task": "add"}, {"threshold": 0.5, "tiers": ["high"]}], ids=str
)
def test_counts_and_tokens_are_those_of_the_completions(mixed: Dataset, rows, document) -> None:
    table = read_evals(mixed, Filters.from_dict(document))
    tokens = table.tokens.set_index("eval_id")
    threshold = document.get("threshold", 1.0)
    tiers = [tier for tier in mixed.config.tiers if tier.id in document.get("tiers", [])]
    for row in table.frame.to_dict(orient="records"):
        some = [
            one
            for one in direct.of_eval(rows, mixed.config, row["eval_id"])
            if one["base_task"] == document.get("base_task", one["base_task"])
            and (not tiers or direct.in_tier(one, tiers[0]))
        ]
        cell = direct.cell(some, threshold)
        assert {name: row[name] for name in ("n", "truncated", "error", "empty")} == {
            name: cell[name] for name in ("n", "truncated", "error", "empty")
        }
        assert row["items"] == cell["n_items"]
        assert row["completions"] == len(some)
        told = tokens.loc[row["eval_id"]]
        assert told["tests"] == cell["token_n"]
        if not cell["token_n"]:
            assert math.isnan(told["tokens"]) and math.isnan(told["average"])
            continue
        assert told["tokens"] == cell["token_sum"]
        assert told["average"] == pytest.approx(cell["token_sum"] / cell["token_n"])
        for task in {one["base_task"] for one in some}:
            statistics = recount.statistics([one for one in some if one["base_task"] == task], threshold)
            for outcome in ("correct", "incorrect"):
                n, total = (statistics[f"{outcome}_token_{part}"] for part in ("n", "sum"))
                average = told[f"{mixed.config.task_label(task)} {outcome}"]
                assert average == pytest.approx(total / n) if n else math.isnan(average)


def test_token_columns_follow_the_tasks_and_keep_apart_those_of_one_label(with_config) -> None:
    dataset = with_config(basetasks={task: {"label": "Same"} for task in ("sort", "add")})
    tokens = read_evals(dataset, Filters()).tokens
    assert list(tokens.columns[6:]) == [
        "Same correct", "Same incorrect", "Same correct (add)", "Same incorrect (add)",
        "word's correct", "word's incorrect",
    ]  # fmt: skip
    assert not tokens["Same correct"].equals(tokens["Same correct (add)"])
    only = read_evals(dataset, Filters(base_task=("add",))).tokens
    assert list(only.columns[6:]) == ["Same correct", "Same incorrect"]
    dataset.close()


def test_points_that_no_eval_takes_are_named_and_counted(with_config, rows) -> None:
    dataset = with_config(evals=[{"label": "One", "filters": {"model": "one", "template": "cot"}}])
    table = read_evals(dataset, Filters())
    left = [row for row in rows if (row["model"], row["template"]) != ("one", "cot")]
    points = recount.points(left)
    assert table.unmatched.to_dict(orient="list") == {
        "model": ["one", "three", "two"],
        "template": ["default"] * 3,
        "sampler": ["default"] * 3,
        "points": [sum(point[0] == model for point in points) for model in ("one", "three", "two")],
        "completions": [sum(row["model"] == model for row in left) for model in ("one", "three", "two")],
    }
    assert table.problems[0] == (
        f"{len(points)} points ({len(left)} completions) match no eval of the config:"
        " one · default · default, three · default · default, two · default · default."
    )
    dataset.close()


def test_problems_appear_exactly_when_there_are_any(made) -> None:
    clean = made([completion(response="x")])
    assert read_evals(clean, Filters()).problems == ()
    assert not read_evals(clean, Filters()).visible_tokens
    clean.close()
    dataset = made(
        [
            completion(model="a", outcome="error"),
            completion(model="a", response="", completion_tokens=3, token_source="tokenized:o200k_base"),
            completion(model="b"),
        ],
        evals=[{"label": label, "filters": {"model": model}} for label, model in
               (("A", "a"), ("B", "b"), ("A", "nobody"))],
    )  # fmt: skip
    table = read_evals(dataset, Filters())
    assert table.visible_tokens
    assert table.problems == (
        "No points in this selection: A (eval 2).",
        "Completions that failed for other reasons than the model: A (eval 0) 1.",
        "Empty responses: A (eval 0) 1.",
        "Several evals are labelled A; they are told apart by eval_id.",
    )
    dataset.close()


def test_many_unmatched_identities_are_named_in_part(made) -> None:
    dataset = made([completion(model=f"m{number}") for number in range(7)], evals=[])
    table = read_evals(dataset, Filters())
    assert table.frame.empty
    assert len(table.unmatched) == 7
    assert table.problems[0].startswith("7 points (7 completions) match no eval of the config: m0 · default")
    assert table.problems[0].endswith("m4 · default · default and more.")
    dataset.close()


def test_a_tier_named_like_a_column_overwrites_nothing(with_config) -> None:
    dataset = with_config(tiers=[{"id": "n", "label": "N", "filter": {}}])
    frame = read_evals(dataset, Filters()).frame
    assert frame["n"].sum() > 0
    assert frame["n"].dtype.kind == "i"
    assert frame["tier n"].any()
