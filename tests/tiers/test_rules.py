"""What a tier's rule takes before it is saved, and how it reads."""

from pathlib import Path

import pytest

from core.config import Tier, load_config
from core.config.edits import put_tier
from core.config.history import save_edit, text_mark
from core.filters import Filters
from core.store.dataset import open_dataset
from core.tiers.rules import ParamSet, count_rule, read_param_sets, rule_words, values_of
from core.tiers.selection import count_selection

SETS = [
    ParamSet("sum", {"length": 1, "carry": True}, 2, 5, 10),
    ParamSet("sum", {"length": 2, "carry": False}, 2, 5, 20),
    ParamSet("sort", {"length": 2.0}, 1, 7, 40),
    ParamSet("plain", {}, 1, 1, 80),
]


def taken(**rule: object) -> dict[str, tuple[int, int, int]]:
    counts = count_rule(SETS, Tier.model_validate({"id": "t", "label": "T", **rule}))
    return {one.base_task: (one.points, one.items, one.completions) for one in counts}


def test_one_rule_for_all_tasks() -> None:
    assert taken(filter={"length": 2}) == {"sum": (2, 5, 20), "sort": (1, 7, 40), "plain": (0, 0, 0)}
    assert taken(filter={}) == {"sum": (4, 10, 30), "sort": (1, 7, 40), "plain": (1, 1, 80)}


def test_a_rule_for_each_task_leaves_the_others_out() -> None:
    assert taken(filters={"sum": [{"length": 1}, {"carry": False}], "gone": {}}) == {"sum": (4, 10, 30)}
    assert taken(filters={"sum": {"carry": True}}) == {"sum": (2, 5, 10)}


def test_values_to_choose_from() -> None:
    assert values_of(SETS, ["sum"]) == {"carry": [False, True], "length": [1, 2]}
    assert values_of(SETS, ["sort"]) == {}
    assert values_of(SETS, ["sum", "sort"])["length"] == [1, 2]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({}, "all of it"),
        ({"length": [2, 3], "carry": True}, "length is 2 or 3 and carry is true"),
        ([{"a": 1}, {"b": "x"}], "(a is 1) or (b is x)"),
        ({"a": []}, "a is nothing"),
    ],
)
def test_rules_in_words(rule: object, words: str) -> None:
    assert rule_words(rule) == words  # type: ignore[arg-type]


def test_what_is_counted_is_what_the_filter_then_takes(demo_dataset: Path, tmp_path: Path) -> None:
    config = tmp_path / "demo.json"
    config.write_bytes(demo_dataset.read_bytes())
    (tmp_path / "demo.duckdb").symlink_to(demo_dataset.with_suffix(".duckdb"))
    dataset = open_dataset(config)
    sets = read_param_sets(dataset)
    task = next(one.base_task for one in sets if len(values_of(sets, [one.base_task])) > 1)
    name, values = next(iter(values_of(sets, [task]).items()))
    edited = put_tier(load_config(config), None, "Mine", filters={task: {name: values[:1]}})
    counted = count_rule(sets, edited.tiers[-1])
    save_edit(edited, config, seen=text_mark(config), what="tier")
    selection = count_selection(open_dataset(config), Filters(tiers=("mine",)))
    assert [(one.points, one.items, one.completions) for one in counted] == [
        (selection.points, selection.items, selection.completions)
    ]
