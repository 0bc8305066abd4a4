"""The filters that widget values mean, and lifting them again."""

from typing import Any

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.ui import filter_state as state

FULL: dict[str, Any] = {
    "eval": [2, 0],
    "group": ["size:small"],
    "any_groups": "family:a | family:b, arch:moe",
    "tier": ["easy"],
    "task": ["add"],
    "surface": ["s"],
    "projection": ["p"],
    "threshold": 0.5,
    "param.length": [2, 3],
    "param.kind": ["x"],
    "dataset": "demo",
    "interval": "jeffreys",
}


def test_every_widget_is_a_filter() -> None:
    assert state.read_filters(FULL) == Filters(
        eval_id=(2, 0),
        groups=(("size:small", "family:a"), ("size:small", "family:b", "arch:moe")),
        tiers=("easy",),
        base_task=("add",),
        surfaces=("s",),
        projections=("p",),
        params=(("kind", ("x",)), ("length", (2, 3))),
        threshold=0.5,
    )


def test_nothing_set_restricts_nothing() -> None:
    assert state.read_filters({"dataset": "demo", "eval": [], "threshold": None}) == Filters()


def test_lifting_all_leaves_other_widgets_alone() -> None:
    values = dict(FULL)
    state.lift(values)
    assert state.read_filters(values) == Filters()
    assert values["dataset"] == "demo"
    assert values["interval"] == "jeffreys"


@pytest.mark.parametrize(
    ("key", "gone"),
    [
        ("eval_id", ["eval"]),
        ("groups", ["group", "any_groups"]),
        ("params", ["param.length", "param.kind"]),
        ("threshold", ["threshold"]),
    ],
)
def test_lifting_one_filter_sets_all_its_widgets(key: str, gone: list[str]) -> None:
    values = dict(FULL)
    state.lift(values, key)
    assert {name for name in FULL if values[name] != FULL[name]} == set(gone)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("  ", ()),
        ("a:x", (("a:x",),)),
        ("a:x, b:y | c:z", (("a:x", "b:y"), ("c:z",))),
        ('[["a:x", "b,y"], ["c|z"]]', (("a:x", "b,y"), ("c|z",))),
        ('["a:x", "b:y"]', (("a:x", "b:y"),)),
    ],
)
def test_nested_groups(text: str, expected: tuple[tuple[str, ...], ...]) -> None:
    assert state.parse_any_groups(text) == expected


@pytest.mark.parametrize("text", ["a:x |", "| a:x", "|", "[", '["a", 1]', "[[1]]"])
def test_unreadable_nested_groups_are_refused(text: str) -> None:
    with pytest.raises(FilterError):
        state.parse_any_groups(text)


def test_what_an_address_asks_for_in_vain() -> None:
    offered = {"eval": ["A", "B"], "param.length": ["2"]}
    address = {
        "eval": ["A", "C"],
        "param.length": ["2", "9"],
        "param.gone": ["1"],
        "dataset": ["x"],
        "tier": [""],
    }
    assert state.unknown_in_address(address, offered) == ["eval C", "length 9", "gone 1"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(2, "2"), (2.5, "2.5"), (True, "true"), ("x", "x"), (1e-7, "1e-07"), (0.1 + 0.2, str(0.1 + 0.2))],
)
def test_param_values_read_as_written(value: Any, text: str) -> None:
    assert state.param_text(value) == text
