"""Tasks: what each is made of, search, words for params and slices, and accuracy along a param."""

import json
from itertools import pairwise

import pandas as pd
import pytest

from core import charts
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.store import Dataset
from core.tiers.methods import Methods
from core.tiers.tasks import (
    accuracy_by_param,
    param_chart,
    projection_frame,
    read_tasks,
    surface_text,
    task_document,
    task_frame,
    value_range,
)
from core.tiers.tasks.table import MOST_VALUES
from tests.store import recount
from tests.store.staging import completion
from tests.tiers import direct

PNG = b"\x89PNG\r\n\x1a\n"


def tasks(dataset: Dataset, document=None, **options) -> list[str]:
    return [row.base_task for row in read_tasks(dataset, Filters.from_dict(document or {}), **options)]


@pytest.mark.parametrize("document", [{}, {"eval_id": [0]}, {"eval_id": [0, 2], "tiers": ["high"]}], ids=str)
def test_tasks_are_counted_from_the_completions(mixed: Dataset, rows, document) -> None:
    filters = Filters.from_dict(document).resolved(mixed.catalog)
    tiers = [tier for tier in mixed.config.tiers if tier.id in filters.tiers]
    found = read_tasks(mixed, filters)
    assert [row.base_task for row in found] == (["sort", "add"] if tiers else ["sort", "add", "word's"])
    for task in found:
        by_eval = {
            eval_id: [
                row
                for row in direct.of_eval(rows, mixed.config, eval_id)
                if row["base_task"] == task.base_task and (not tiers or direct.in_tier(row, tiers[0]))
            ]
            for eval_id in filters.evals(mixed.config)
        }
        by_eval = {eval_id: some for eval_id, some in by_eval.items() if some}
        assert task.evals == len(by_eval)
        assert task.completions == sum(map(len, by_eval.values()))
        assert task.n == sum(direct.cell(some)["n"] for some in by_eval.values())
        assert task.items == max(direct.cell(some)["all_items"] for some in by_eval.values())
        levels = {recount.params_of(row)["level"] for some in by_eval.values() for row in some}
        assert task.params["level"] == tuple(sorted(levels))


def test_labels_categories_and_slices_come_from_the_config(mixed: Dataset) -> None:
    sort, add, words = read_tasks(mixed, Filters())
    assert (sort.label, sort.category, words.label, words.category) == ("Sorting", "lists", "word's", None)
    assert [surface.id for surface in add.config.surfaces] == ["plane"]
    assert [projection.id for projection in sort.config.projections] == ["by-level"]
    assert words.params["deep"] == (False, True)


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("", ["sort", "add", "word's"]),
        ("SORT", ["sort"]),
        ("addition", ["add"]),
        ("lists", ["sort"]),
        ("PLANE", ["add"]),
        ("by-level", ["sort"]),
        ("deep", ["sort", "add", "word's"]),
        ("word's", ["word's"]),
        ("nothing like it", []),
    ],
)
def test_search(mixed: Dataset, search: str, expected) -> None:
    assert tasks(mixed, search=search) == expected


def test_tasks_without_points_are_left_out(mixed: Dataset) -> None:
    assert tasks(mixed, {"base_task": ["word's", "add"]}) == ["add", "word's"]
    assert tasks(mixed, {"eval_id": [4]}) == []
    with pytest.raises(FilterError):
        tasks(mixed, {"base_task": "unheard_of"})


def test_the_frame_says_it_in_words_and_the_document_in_values(mixed: Dataset) -> None:
    rows = read_tasks(mixed, Filters())
    frame = task_frame(rows).set_index("base_task")
    assert frame.loc["add", "params"] == "deep: False, True; level: 0, 1, 2, 3, 99"
    assert frame.loc["add", "surfaces"] == 'Plane (level x deep) where {"deep": true}'
    assert frame.loc["sort", "projections"] == "By level (level)"
    assert frame.loc["sort", "n"] == rows[0].n
    assert list(task_frame([]).columns) == list(task_frame(rows).columns)
    document = json.loads(json.dumps(task_document(mixed, rows)))
    assert document["dataset"] == "mixed"
    assert [task["base_task"] for task in document["tasks"]] == ["sort", "add", "word's"]
    add = document["tasks"][1]
    assert add["params"] == {"deep": [False, True], "level": [0, 1, 2, 3, 99]}
    assert add["surfaces"] == [
        {"id": "plane", "label": "Plane", "x_data": "level", "y_data": "deep", "x_values": [0, 1],
         "y_values": [True, False], "filter": {"deep": True}}
    ]  # fmt: skip
    assert document["tasks"][2]["category"] is None
    projections = projection_frame(mixed, Filters())
    assert projections.to_dict(orient="records") == [
        {"base_task": "sort", "id": "by-level", "projection": "By level", "axis": "level",
         "values": [0, 1, 2, 3], "filter": {}}
    ]  # fmt: skip
    assert projection_frame(mixed, Filters(base_task=("add",))).empty


def test_values_and_surfaces_in_words(mixed: Dataset) -> None:
    assert value_range((1, 2.5, "x")) == "1, 2.5, x"
    assert value_range(tuple(range(MOST_VALUES))) == ", ".join(map(str, range(MOST_VALUES)))
    assert value_range(tuple(range(MOST_VALUES + 1))) == f"0 to {MOST_VALUES} ({MOST_VALUES + 1} values)"
    surface = mixed.config.basetasks["add"].surfaces[0]
    assert surface_text(surface.model_copy(update={"filter": {}})) == "Plane (level x deep)"


# ---- accuracy along a param ---------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [1.0, 0.5])
def test_accuracy_along_a_param_is_that_of_the_completions(mixed: Dataset, rows, threshold: float) -> None:
    filters = Filters.from_dict({"eval_id": [1, 2], "threshold": threshold})
    frame = accuracy_by_param(mixed, filters, "sort", "level", Methods(repeats="independent"))
    assert sorted(zip(frame["eval_id"], frame["value"], strict=True)) == [
        (eval_id, str(level)) for eval_id in (1, 2) for level in range(4)
    ]
    for one in frame.to_dict(orient="records"):
        some = [
            row
            for row in direct.of_eval(rows, mixed.config, one["eval_id"])
            if row["base_task"] == "sort" and recount.params_of(row)["level"] == int(one["value"])
        ]
        cell = direct.cell(some, threshold)
        assert one["name"] == mixed.config.evals[one["eval_id"]].label
        assert (one["n"], one["n_items"]) == (cell["n"], cell["n_items"])
        gamma = cell["guess_mass"] / cell["n"]
        raw = cell["correct"] / cell["n"]
        assert one["accuracy"] == pytest.approx(direct.skill(raw, gamma), abs=1e-12)
        bounds = [direct.skill(b, gamma) for b in direct.wilson(max(raw, gamma), cell["n"])]
        assert [one["lower"], one["upper"]] == pytest.approx(bounds, abs=1e-12)


def test_many_values_are_cut_into_bins_that_hold_every_item_once(made) -> None:
    sizes = [number**2 / 2 for number in range(60)]
    rows = [
        completion(
            params={"size": size}, item_key=f"{item}", outcome="correct" if size < 200 else "incorrect"
        )
        for size in sizes
        for item in range(2)
    ]
    dataset = made(rows)
    frame = accuracy_by_param(dataset, Filters(), "add", "size", Methods()).sort_values("position")
    assert frame["position"].tolist() == list(range(MOST_VALUES))
    assert frame["n"].sum() == 120
    bounds = [tuple(map(float, value.split(" to "))) for value in frame["value"]]
    assert bounds == sorted(bounds)
    assert all(high < low for (_, high), (low, _) in pairwise(bounds))
    for (low, high), n, accuracy in zip(bounds, frame["n"], frame["accuracy"], strict=True):
        inside = [size for size in sizes if low - 0.5 <= size <= high + 0.5]
        assert n == 2 * len(inside)
        assert accuracy == pytest.approx(sum(size < 200 for size in inside) / len(inside))
    dataset.close()


def test_values_of_several_kinds_stand_in_order_and_points_without_the_param_are_left_out(made) -> None:
    values = [10, 2.5, 2, "x", "10", True]
    rows = [completion(params={"a": value}) for value in values] + [completion(params={"b": 1})] * 3
    dataset = made(rows)
    frame = accuracy_by_param(dataset, Filters(), "add", "a", Methods()).sort_values("position")
    assert frame["value"].tolist() == ["True", "2", "2.5", "10", "10", "x"]
    assert frame["n"].sum() == len(values)
    with pytest.raises(FilterError, match="Task add has no param 'zz' in this selection"):
        accuracy_by_param(dataset, Filters(), "add", "zz", Methods())
    with pytest.raises(NothingFoundError):
        accuracy_by_param(dataset, Filters(), "sort", "a", Methods())
    dataset.close()


def test_the_chart_has_words_and_becomes_an_image(mixed: Dataset) -> None:
    filters = Filters.from_dict({"eval_id": [0, 2]})
    frame = accuracy_by_param(mixed, filters, "sort", "level", Methods())
    chart = param_chart(frame, mixed, filters, "sort", "level", Methods())
    spec = json.dumps(chart.to_dict())
    assert "Sorting: accuracy by level" in spec
    assert "evals One, Two" in spec
    assert Methods().sentence() in charts.footer_of(chart)
    assert charts.to_png(chart).startswith(PNG)
    assert isinstance(frame, pd.DataFrame)
