"""Surfaces: every cell recounted from the completions, what is absent, and what is said of it."""

import json

import pytest

from core.config import load_config
from core.errors import ConfigError, FilterError, NothingFoundError
from core.filters import Filters
from core.importers.slices import infer_surfaces, read_numeric_params
from core.stats.intervals import wilson
from core.tiers.methods import Methods
from core.tiers.surface import (
    NoSurfaceError,
    Pair,
    append_surface,
    build_surface,
    read_axis_params,
    read_drops,
    read_projections,
    read_surfaces,
    slice_surface,
    summarise,
    to_document,
)
from tests.store.staging import completion

PLANE = {"id": "plane", "label": "Size x Kind", "x_data": "size", "y_data": "kind",
         "x_values": [1, 2, 3], "y_values": ["a", "b"]}  # fmt: skip
WORDS = {
    "id": "words",
    "label": "Words",
    "axis": "size",
    "values": [1, 2, 3],
    "labels": ["one", "two", "three"],
}
OUTCOMES = ["correct", "incorrect", "correct", "invalid", "truncated", "correct", "incorrect"]


def config(surfaces=(PLANE,), projections=(), **task):
    entry = {"label": "Adding", "surfaces": list(surfaces), "projections": list(projections)}
    return {"basetasks": {"add": entry | task}}


def rows(models=("m", "o"), sizes=(1, 2, 3), kinds=("a", "b"), items=6, **fields):
    """Completions with a different mix of outcomes in every cell; (3, b) has none for the second model."""
    found = []
    for place, model in enumerate(models):
        for size in sizes:
            for kind in kinds:
                if (place, size, kind) == (1, 3, "b"):
                    continue
                for item in range(items):
                    outcome = OUTCOMES[(item * (size + place) + len(kind) + size) % len(OUTCOMES)]
                    params = {"size": size, "kind": kind}
                    found.append(
                        completion(model=model, params=params, item_key=f"{item}", outcome=outcome, **fields)
                    )
    return found


def recount(some, choices=None):
    """n, accuracy and its interval of some completions, by hand: no repeats, so n_eff is n."""
    counted = [row for row in some if row["outcome"] in ("correct", "incorrect", "invalid")]
    n, k = len(counted), sum(row["outcome"] == "correct" for row in counted)
    if not n:
        return 0, None, None, None
    gamma = 0 if choices is None else 1 / choices
    low, high = (
        min(1, max(0, (float(bound) - gamma) / (1 - gamma))) for bound in wilson(max(k / n, gamma), n)
    )
    return n, min(1, max(0, (k / n - gamma) / (1 - gamma))), low, high


def read(dataset, document=None, **options):
    return read_surfaces(dataset, Filters.from_dict(document or {}), Methods(), **options)


@pytest.mark.parametrize("choices", [None, 4])
def test_every_cell_is_the_count_of_its_completions(made, choices):
    data = rows(choices=choices)
    grid = read(made(data, **config()))
    document = to_document(grid)
    assert [(s["eval_id"], s["surface"]) for s in document["surfaces"]] == [(0, "plane"), (1, "plane")]
    for surface, model in zip(document["surfaces"], ("m", "o"), strict=True):
        assert (surface["x"], surface["y"]) == ([1, 2, 3], ["a", "b"])
        for j, kind in enumerate(surface["y"]):
            for i, size in enumerate(surface["x"]):
                some = [
                    row
                    for row in data
                    if row["model"] == model and json.loads(row["params"]) == {"size": size, "kind": kind}
                ]
                got = [surface[name][j][i] for name in ("n", "accuracy", "lower", "upper")]
                if not some:
                    assert got == [None] * 4
                    continue
                assert got == pytest.approx(list(recount(some, choices)))
                cut = sum(row["outcome"] == "truncated" for row in some)
                assert surface["truncated_ratio"][j][i] == pytest.approx(cut / len(some))
                assert surface["n_items"][j][i] == surface["n"][j][i]
                assert surface["center"][j][i] == pytest.approx((got[2] + got[3]) / 2)


def test_cell_where_all_was_truncated_has_counts_and_no_accuracy(made):
    data = rows() + [
        completion(model="m", params={"size": 9, "kind": "a"}, item_key=f"{i}", outcome="truncated")
        for i in range(3)
    ]
    grid = read(made(data, **config([PLANE | {"x_values": [1, 9]}])))
    surface = to_document(grid)["surfaces"][0]
    assert surface["n"][0][1] == 0
    assert surface["accuracy"][0][1] is None
    assert surface["truncated_ratio"][0][1] == 1
    assert any("every completion was truncated" in note for note in grid.notes)
    assert read_drops(grid)["cells"].tolist() == [2, 2]


def test_repeats_count_once_per_item_and_widen_the_interval(made):
    data = [
        completion(model="m", params={"size": 1, "kind": "a"}, item_key=f"{item}", repeat=repeat,
                   outcome="correct" if item % 2 else "incorrect")
        for item in range(10)
        for repeat in range(4)
    ]  # fmt: skip
    dataset = made(data, **config())
    clustered, independent = (
        read_surfaces(dataset, Filters(), Methods(repeats=how)).cells.iloc[0]
        for how in ("cluster", "independent")
    )
    assert (clustered["n"], clustered["n_items"]) == (40, 10)
    assert clustered["accuracy"] == independent["accuracy"] == 0.5
    assert clustered["margin"] > 1.5 * independent["margin"]


def test_axis_values_that_the_data_lack_are_named_with_those_they_have(made):
    dataset = made(rows(), **config([PLANE | {"x_values": [1, 2, 7, 8]}]))
    grid = read(dataset)
    assert grid.problems == ("Adding: Size x Kind: size 7, 8 are not in the data, which have 1, 2, 3.",)
    assert set(grid.cells["x"]) == {0, 1}
    nowhere = made(rows(), **config([PLANE | {"x_data": "length"}]))
    with pytest.raises(NoSurfaceError, match=r"no param 'length'; its params are kind, size"):
        read(nowhere)
    filtered = made(rows(), **config([PLANE | {"filter": {"kind": "z"}}]))
    with pytest.raises(NoSurfaceError, match="no params of the data match its filter"):
        read(filtered)


def test_config_without_surfaces_says_what_to_add(made):
    dataset = made(rows(), **config([]))
    with pytest.raises(
        NoSurfaceError, match=r"(?s)basetasks\.add\.surfaces in small\.json.*x_values"
    ) as caught:
        read(dataset)
    assert isinstance(caught.value, NothingFoundError)
    assert len(read(dataset, built=[Pair("add", "size", "kind")]).cells) == 11


def test_where_no_task_has_two_params_nothing_is_asked_for(made):
    dataset = made([completion(params={"size": 1}), completion(params={"size": 2})], **config([]))
    with pytest.raises(NoSurfaceError, match="A surface needs two params that vary; Adding has fewer"):
        read(dataset)


def test_filters_and_choices_leave_what_they_name(made):
    other = PLANE | {"id": "other", "label": "Kind x Size", "x_data": "kind", "y_data": "size",
                     "x_values": ["a", "b"], "y_values": [1, 2, 3]}  # fmt: skip
    dataset = made(rows(), **config([PLANE, other]))
    assert [panel.id for panel in read(dataset).panels] == ["plane", "other"]
    assert [panel.id for panel in read(dataset, {"surfaces": ["other"]}).panels] == ["other"]
    assert [panel.id for panel in read(dataset, shown=["plane"]).panels] == ["plane"]
    assert read(dataset, {"eval_id": [1]}).evals == (1,)
    assert set(read(dataset, {"params": {"size": [2]}}, shown=["plane"]).cells["x"]) == {1}
    with pytest.raises(FilterError, match="No surface 'plane' in this selection; valid: other"):
        read(dataset, {"surfaces": ["other"]}, shown=["plane"])
    with pytest.raises(NothingFoundError, match="No results found"):
        read(dataset, {"eval_id": [1], "params": {"size": [3], "kind": ["b"]}})


def test_slice_is_a_row_or_a_column_of_the_grid(made):
    grid = read(made(rows(), **config()))
    row = slice_surface(grid, "plane", "x", 1)
    assert (row.axis, row.steps, row.title) == ("size", ("1", "2", "3"), "Adding: Size x Kind, at kind b")
    cells = grid.cells[grid.cells["y"] == 1]
    assert row.frame["accuracy"].tolist() == cells["accuracy"].tolist()
    column = slice_surface(grid, "plane", "y", 2)
    assert column.frame[["eval_id", "value"]].to_numpy().tolist() == [[0, "a"], [0, "b"], [1, "a"]]
    for wrong in (("none", "x", 0), ("plane", "z", 0), ("plane", "x", 2)):
        with pytest.raises(FilterError):
            slice_surface(grid, *wrong)


def test_projection_pools_the_points_of_each_step(made):
    data = rows(models=("m",))
    dataset = made(data, **config(projections=[WORDS]))
    (curve,) = read_projections(dataset, Filters(), Methods(), ["words"])
    assert curve.steps == ("one", "two", "three")
    for size, n, accuracy in zip((1, 2, 3), curve.frame["n"], curve.frame["accuracy"], strict=True):
        expected = recount([row for row in data if json.loads(row["params"])["size"] == size])
        assert (n, accuracy) == pytest.approx(expected[:2])
    with pytest.raises(FilterError, match="No projection 'nope' in this dataset; valid: words"):
        read_projections(dataset, Filters(), Methods(), ["nope"])


def test_summary_names_best_and_least_on_common_cells(made):
    def some(model, right, size):
        return [
            completion(model=model, params={"size": size, "kind": "a"}, item_key=f"{i}",
                       outcome="correct" if i < right else "incorrect")
            for i in range(10)
        ]  # fmt: skip

    data = (
        some("good", 9, 1) + some("good", 5, 2) + some("bad", 4, 1) + some("bad", 2, 2) + some("bad", 10, 3)
    )
    said = summarise(read(made(data, **config())))
    assert said == (
        "On Adding: Size x Kind, good holds up best (mean accuracy 0.70 over the 2 cells all evals have) and"
        " bad least (0.30); the accuracy of good runs from 0.90 (size 1, kind a) to 0.50 (size 2, kind a);"
        " n = 10 a cell."
    )
    one = summarise(read(made(some("good", 10, 1), **config())))
    assert one == "good: accuracy is 1.00 in every cell; n = 10 a cell."


def test_built_surface_is_the_one_an_import_infers(made):
    sizes = range(1, 31)
    data = [
        completion(params={"size": size, "level": size % 4, "text": "ab"[size % 2]}, item_key=f"{item}")
        for size in sizes
        for item in range(1 + size % 5)
    ]
    dataset = made(data)
    connection = dataset._connection.cursor()
    (inferred,) = infer_surfaces("add", read_numeric_params(connection)["add"])
    built = build_surface(dataset, Pair("add", inferred.x_data, inferred.y_data))
    assert built.model_dump() == inferred.model_dump()
    assert built.y_bins is not None
    assert len(read(dataset, built=[Pair("add", "size", "text")]).cells) > 3


def test_builder_refuses_what_is_no_axis(made):
    data = [completion(params={"size": i % 3, "name": f"n{i}", "one": 1}, item_key=f"{i}") for i in range(90)]
    dataset = made(data)
    assert read_axis_params(dataset, "add") == ["size"]
    for pair in (Pair("nope", "size", "one"), Pair("add", "size", "name"), Pair("add", "size", "size")):
        with pytest.raises(FilterError):
            build_surface(dataset, pair)


def test_append_changes_nothing_but_the_list_of_surfaces(made):
    dataset = made(rows(), unknown={"kept": [1]}, **config([PLANE | {"x_values": [1, 2]}], colour="red"))
    before = json.loads(dataset.config_path.read_text())
    surface = build_surface(dataset, Pair("add", "size", "kind"))
    assert append_surface(dataset.config_path, "add", surface) == "add_size_x_kind"
    after = json.loads(dataset.config_path.read_text())
    added = after["basetasks"]["add"]["surfaces"].pop()
    assert after == before
    assert added["id"] == "add_size_x_kind"
    load_config(dataset.config_path)


def test_append_numbers_an_id_that_is_taken_and_refuses_a_twin(made):
    taken = PLANE | {"id": "add_size_x_kind", "x_values": [1]}
    dataset = made(rows(), **config([taken]))
    surface = build_surface(dataset, Pair("add", "size", "kind"))
    assert append_surface(dataset.config_path, "add", surface) == "add_size_x_kind-2"
    with pytest.raises(ConfigError, match="has this surface already"):
        append_surface(dataset.config_path, "add", surface)
