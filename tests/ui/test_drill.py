"""Links to completions: what their address says, and what a clicked mark stands for."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers.methods import Methods
from core.tiers.selection import count_selection
from core.ui import chart_selection, drill
from core.ui.filter_state import parse_any_groups
from core.ui.sidebar import View


@pytest.fixture
def view_of() -> Callable[..., View]:
    def view(config: Path, methods: Methods | None = None, **filters: object) -> View:
        dataset = open_dataset(config)
        resolved = Filters.from_dict(filters).resolved(dataset.catalog)
        return View(dataset, resolved, methods or Methods(), count_selection(dataset, resolved))

    return view


def pairs(address: str) -> list[tuple[str, str]]:
    parts = urlsplit(address)
    assert (parts.scheme, parts.netloc, parts.path) == ("", "", "completions")
    return parse_qsl(parts.query)


def test_an_address_carries_dataset_filters_methods_and_selection(
    view_of: Callable[..., View], repeats_dataset: Path
) -> None:
    view = view_of(
        repeats_dataset, Methods("jeffreys", "independent"), eval_id=[2, 0], tiers=["hard"],
        base_task=["free"], params={"size": [1, 2]}, groups=["size:small"], threshold=0.5, flagged="exclude",
    )  # fmt: skip
    address = drill.address(
        view, filters=view.filters, outcomes=("incorrect", "invalid"), items=(4, 7), loops=True,
        tokens=(10, None), pair=(0, 3, "both_wrong"),
    )  # fmt: skip
    assert pairs(address) == [
        ("dataset", "repeats"), ("eval", "Gamma"), ("eval", "Alpha"), ("tier", "Hard one"), ("task", "Free"),
        ("group", "size:small"), ("param.size", "1"), ("param.size", "2"), ("threshold", "0.5"),
        ("flagged", "true"), ("interval", "Jeffreys"), ("repeats", "Independent"),
        ("list.outcome", "incorrect"), ("list.outcome", "invalid"), ("list.items", "4 7"),
        ("list.loops", "true"), ("list.tokens_from", "10"), ("list.pair_a", "Alpha"),
        ("list.pair_b", "Delta"), ("list.pair", "Both wrong"), ("list.sort", "Item, then eval"),
    ]  # fmt: skip


def test_what_is_the_default_is_not_in_the_address(view_of: Callable[..., View], demo_dataset: Path) -> None:
    view = view_of(demo_dataset)
    assert drill.address(view, filters=view.filters) == "completions?dataset=demo"


def test_any_of_several_groups_is_the_text_that_the_sidebar_reads(
    view_of: Callable[..., View], repeats_dataset: Path
) -> None:
    view = view_of(repeats_dataset, groups=[["size:small", "family:a"], ["size:large"]])
    (found,) = [
        value for key, value in pairs(drill.address(view, filters=view.filters)) if key == "any_groups"
    ]
    assert parse_any_groups(found) == view.filters.groups


def test_strange_names_are_escaped(view_of: Callable[..., View], strange_dataset: Path) -> None:
    view = view_of(strange_dataset)
    for eval_id, name in enumerate(view.config.eval_names):
        address = drill.address(view, filters=drill.narrowed(view.filters, eval_id=eval_id))
        assert not set(address) & set("<>\"' \n")
        (found,) = [value for key, value in pairs(address) if key == "eval"]
        assert found.startswith(" ".join(name.split()) or "(no label)")


def test_filters_are_narrowed_to_a_cell() -> None:
    view = Filters(groups=(("a:b",),), tiers=("easy", "hard"), params=(("size", (1, 2)), ("kind", ("x",))))
    cell = drill.narrowed(
        view, eval_id=3, base_task="sort", tier="hard", surface="plane", params={"size": [2]}
    )
    assert cell == Filters(
        eval_id=(3,), tiers=("hard",), base_task=("sort",), surfaces=("plane",),
        params=(("kind", ("x",)), ("size", (2,))),
    )  # fmt: skip
    assert drill.narrowed(view) == view


def test_marks_of_every_part_of_a_chart_can_be_clicked() -> None:
    mark = {"mark": "rect", "encoding": {}}
    spec = {
        "hconcat": [
            {"facet": {"row": {}}, "spec": {"layer": [mark, {"mark": "text"}]}},
            {"facet": {"row": {}}, "spec": mark},
        ]
    }
    made = chart_selection.selectable(spec, ("x", "y"))
    first, second = (one["spec"] for one in made["hconcat"])
    names = [first["layer"][0]["params"][0]["name"], second["params"][0]["name"]]
    assert len(set(names)) == 2
    assert first["layer"][0]["params"][0]["select"]["fields"] == ["x", "y"]
    assert "params" not in first["layer"][1]
    assert "params" not in mark
    event = {"selection": {names[0]: [], names[1]: [{"x": 0, "y": "b", "z": 1}]}}
    assert chart_selection.picked(event, ("x", "y")) == {"x": 0, "y": "b"}
    assert chart_selection.picked({"selection": {names[0]: []}}, ("x",)) is None
    assert chart_selection.picked({"selection": {names[0]: [{"x": None}]}}, ("x",)) is None
    assert chart_selection.picked(None, ("x",)) is None
