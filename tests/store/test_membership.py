"""Facet membership, and which points filters select, against plain Python over the same points."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.config import EvalEntry, matches, same_value
from core.filters import Filters
from core.store import Dataset, open_dataset
from core.store.membership import axis_position, eval_matches
from tests.store.staging import Row, build, completion, write_config

HOSTILE = "x'; DROP TABLE eval_points; --"
PARAMS: list[dict[str, Any]] = [
    *({"a": a, "b": b, "word": word} for a in (1, 2, 3) for b in (0.5, 2) for word in ("x", "2")),
    {"a": 2.5, "flag": True},
    {"a": 10, "flag": False, HOSTILE: HOSTILE},
    {},
]
IDENTITIES = [
    ("one", "direct", "greedy"), ("one", "cot", "greedy"), ("two", "direct", "hot"), (HOSTILE, "", "hot"),
    ("unmatched", "direct", "greedy"),
]  # fmt: skip
TASKS = ("add", "sort", HOSTILE)

CONFIG: dict[str, Any] = {
    "evals": [
        {"label": "One direct", "filters": {"model": "one", "template": "direct"}, "groups": ["x", "y", "x"]},
        {"label": "One", "filters": {"model": "one"}, "groups": ["x"]},
        {"label": "Two", "filters": {"model": ["two", HOSTILE], "sampler": "hot"}, "groups": ["y", HOSTILE]},
        {"label": "Hidden", "filters": {"model": HOSTILE}, "groups": ["z"], "hidden": True},
        {"label": "Nobody", "filters": {"model": "nobody"}, "groups": ["x", "z"]},
    ],
    "basetasks": {
        "add": {
            "label": "Add",
            "surfaces": [
                {"id": "values", "label": "V", "x_data": "a", "y_data": "b", "x_values": [3, 1],
                 "y_values": [0.5, 2.0]},
                {"id": "bins", "label": "B", "x_data": "a", "y_data": "b", "x_bins": [[1, 2], [2, 3]],
                 "y_values": [2], "filter": {"word": ["x", "y"]}},
            ],
            "projections": [
                {"id": "line", "label": "L", "axis": "a", "values": [2, 1, 10],
                 "filter": [{"b": 2}, {"flag": False}]},
                {"id": "words", "label": "W", "axis": "word", "values": ["2", 2]},
            ],
        },
        "sort": {
            "label": "Sort",
            "projections": [{"id": "flags", "label": "F", "axis": "flag", "values": [True, 1]},
                            {"id": HOSTILE, "label": "H", "axis": "a", "bins": [[2, 2.5], [0, 100]]}],
        },
    },
    "tiers": [
        {"id": "easy", "label": "Easy",
         "filters": {"add": {"a": [1, 2]}, "sort": [{"a": 1}, {"flag": True}]}},
        {"id": "hard", "label": "Hard", "filter": {"a": [2, 3, 2.5]}},
        {"id": HOSTILE, "label": "All", "filters": {HOSTILE: {}}},
        {"id": "none", "label": "None", "filters": {}},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    folder = tmp_path_factory.mktemp("membership")
    rows = [
        completion(model=m, template=t, sampler=s, base_task=task, params=params)
        for place, (m, t, s) in enumerate(IDENTITIES)
        for task in TASKS
        for number, params in enumerate(PARAMS)
        if (place + number) % 4
    ]
    build(folder / "small.duckdb", rows)
    opened = open_dataset(write_config(folder, **CONFIG))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def points(dataset: Dataset) -> list[Row]:
    """Every point with its params as they were given."""
    names = "point_id, params_id, model, template, sampler, base_task, params"
    found = dataset.rows(f"SELECT {names} FROM data.points")
    found = [point | {"params": json.loads(point["params"])} for point in found]
    assert len(found) == 3 * sum((place + n) % 4 > 0 for place in range(5) for n in range(len(PARAMS)))
    assert all(point["params"] in PARAMS for point in found)
    return found


def identity(point: Row) -> tuple[str, str, str]:
    return point["model"], point["template"], point["sampler"]


def facet(dataset: Dataset, table: str, columns: str) -> set[tuple[Any, ...]]:
    return {tuple(row.values()) for row in dataset.rows(f"SELECT {columns} FROM {table}")}


def test_evals_take_the_identities_that_their_filters_match(dataset: Dataset, points) -> None:
    expected = {
        (number, point["point_id"])
        for point in points
        for number, entry in enumerate(dataset.config.evals)
        if eval_matches(entry, *identity(point))
    }
    assert facet(dataset, "eval_points", "facet, point_id") == expected
    assert {number for number, _ in expected} == {0, 1, 2, 3}
    assert facet(dataset, "eval_groups", "eval_id, name") == {
        (0, "x"), (0, "y"), (1, "x"), (2, "y"), (2, HOSTILE), (3, "z"), (4, "x"), (4, "z"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, True),
        ({"model": "m"}, True),
        ({"model": ["n", "m"], "template": "t", "sampler": "s"}, True),
        ({"model": "m", "sampler": "default"}, False),
        ({"model": []}, False),
        ({"model": "M"}, False),
    ],
)
def test_a_key_missing_from_an_evals_filters_matches_any_value(filters, expected: bool) -> None:
    assert eval_matches(EvalEntry(label="E", filters=filters), "m", "t", "s") is expected


def test_tiers_take_their_tasks_and_params(dataset: Dataset, points) -> None:
    wanted = {
        "easy": lambda task, p: (
            (task == "add" and p.get("a") in (1, 2))
            or (task == "sort" and (p.get("a") == 1 or p.get("flag") is True))
        ),
        "hard": lambda task, p: p.get("a") in (2, 3, 2.5),
        HOSTILE: lambda task, p: task == HOSTILE,
        "none": lambda task, p: False,
    }
    expected = {
        (tier, position, point["params_id"])
        for point in points
        for position, (tier, takes) in enumerate(wanted.items())
        if takes(point["base_task"], point["params"])
    }
    assert facet(dataset, "tier_params", "facet, position, params_id") == expected


def test_surfaces_and_projections_have_places_on_their_axes(dataset: Dataset, points) -> None:
    surfaces, projections = set(), set()
    for point in points:
        task = dataset.config.basetasks.get(point["base_task"])
        a, params = point["params"].get("a"), point["params"]
        if point["base_task"] == "add" and a in (1, 3) and "b" in params:
            surfaces.add(("values", point["params_id"], 0 if a == 3 else 1, 0 if params["b"] == 0.5 else 1))
        if point["base_task"] == "add" and a in (1, 2, 3) and params.get("b") == 2 and params["word"] == "x":
            # Bins are closed: 2 lies in both, the first takes it.
            surfaces.add(("bins", point["params_id"], 0 if a <= 2 else 1, 0))
        for projection in task.projections if task else ():
            value = params.get(projection.axis)
            place = {
                "line": {2: 0, 1: 1, 10: 2}.get(value) if not isinstance(value, str | bool) else None,
                "words": 0 if value == "2" else None,
                "flags": 0 if value is True else None,
                HOSTILE: None if value is None else 0 if value in (2, 2.5) else 1,
            }[projection.id]
            if place is not None and matches(projection.filter, params):
                projections.add((projection.id, point["params_id"], place))
    assert facet(dataset, "surface_params", "facet, params_id, x, y") == surfaces
    assert facet(dataset, "projection_params", "facet, params_id, position") == projections
    assert {row[0] for row in projections} == {"line", "words", "flags", HOSTILE}


def test_places_on_an_axis() -> None:
    assert [axis_position(v, [2, "x", True, 2.5], None) for v in (2.0, "x", True, 1, 2.5, None, "2")] == [
        0, 1, 2, None, 3, None, None,
    ]  # fmt: skip
    bins = [(0.0, 1.0), (1.0, 2.0), (5.0, 5.0)]
    values = (0, 1, 1.0001, 2, 3, 5, 5.1, -1e-9, "1", True, None, float("nan"))
    assert [axis_position(v, None, bins) for v in values] == [
        0, 0, 1, 1, None, 2, None, None, None, None, None, None,
    ]  # fmt: skip


# ---- filters as SQL -----------------------------------------------------------------------------------


def some(values: list[Any], most: int = 3) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=most)


GROUPS = ["x", "y", "z", HOSTILE]
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "eval_id": some([0, 1, 2, 3, 4]),
        "groups": some(GROUPS, 2) | st.lists(some(GROUPS, 2), min_size=1, max_size=3),
        "tiers": some(["easy", "Easy", "hard", HOSTILE, "None"]),
        "base_task": some(list(TASKS)),
        "projections": some(["line", "words", "flags", HOSTILE]),
        "surfaces": some(["values", "bins"]),
        "params": st.fixed_dictionaries(
            {},
            optional={
                "a": some([1, 2.0, 2.5, 3, 10]),
                "b": some([0.5, 2]),
                "word": some(["x", "2"]),
                "flag": some([True, False, "true"]),
                HOSTILE: st.just(HOSTILE),
            },
        ),
    },
)


def is_selected(dataset: Dataset, document: dict[str, Any], point: Row) -> bool:
    """The same by the words of the filter structure."""
    config = dataset.config
    task, params = point["base_task"], point["params"]
    evals = [i for i, entry in enumerate(config.evals) if eval_matches(entry, *identity(point))]
    groups = document.get("groups", [])
    alternatives = [groups] if groups and isinstance(groups[0], str) else groups
    tiers = [tier.model_dump() for tier in config.tiers]
    own = config.basetasks.get(task)

    def in_tier(name: str) -> bool:
        tier = next(tier for tier in tiers if name in (tier["id"], tier["label"]))
        if tier["filters"] is not None:
            return task in tier["filters"] and matches(tier["filters"][task], params)
        return matches(tier["filter"] or {}, params)

    def on(slice_id: str, kind: str) -> bool:
        for one in getattr(own, kind, []):
            axes = (
                [(one.axis, one.values, one.bins)] if kind == "projections"
                else [(one.x_data, one.x_values, one.x_bins), (one.y_data, one.y_values, one.y_bins)]
            )  # fmt: skip
            if one.id == slice_id and matches(one.filter, params):
                return all(axis_position(params.get(n), v, b) is not None for n, v, b in axes)
        return False

    conditions = [
        not document.get("eval_id") or any(i in document["eval_id"] for i in evals),
        not groups or any(set(g) <= set(config.evals[i].groups) for g in alternatives for i in evals),
        not document.get("tiers") or any(in_tier(name) for name in document["tiers"]),
        not document.get("base_task") or task in document["base_task"],
        *(not document.get(kind) or any(on(one, kind) for one in document[kind])
          for kind in ("surfaces", "projections")),
        *(name in params and any(same_value(stored(v), stored(params[name])) for v in aslist(values))
          for name, values in document.get("params", {}).items()),
    ]  # fmt: skip
    return all(conditions)


def stored(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def aslist(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=FILTERS)
def test_filters_select_exactly_the_points_that_their_words_say(dataset: Dataset, points, document) -> None:
    filters = Filters.from_dict(document).resolved(dataset.catalog)
    predicate, parameters = filters.predicate(dataset.config)
    found = dataset.rows(f"SELECT p.point_id FROM data.points p WHERE {predicate}", **parameters)
    expected = {p["point_id"] for p in points if is_selected(dataset, document, p)}
    assert len(found) == len({row["point_id"] for row in found})
    assert {row["point_id"] for row in found} == expected


def test_hostile_values_are_values(dataset: Dataset) -> None:
    document = {"groups": [HOSTILE], "tiers": HOSTILE, "base_task": HOSTILE, "params": {HOSTILE: HOSTILE}}
    filters = Filters.from_dict(document).resolved(dataset.catalog)
    predicate, parameters = filters.predicate(dataset.config)
    rows = dataset.rows(
        f"SELECT p.model, p.base_task FROM data.points p WHERE {predicate} ORDER BY 1", **parameters
    )
    assert rows == [{"model": "two", "base_task": HOSTILE}]
