import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.config import load_config
from core.importers.infer import append_missing
from core.store.schema import SCHEMA_VERSION, TABLES

GRID = [{"length": length, "digits": digits} for length in (2, 3, 4) for digits in (1, 2)]


class Source:
    """A points database with only the tables that inference reads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.evals: list[tuple[str, str, str]] = []
        self.tasks: dict[str, list[tuple[dict[str, Any], int]]] = {}
        self.eval_hints: list[tuple[Any, ...]] = []
        self.task_hints: list[tuple[Any, ...]] = []

    def write(self) -> Path:
        self.path.unlink(missing_ok=True)
        sets = [(task, params, n) for task, rows in self.tasks.items() for params, n in rows]
        with duckdb.connect(str(self.path)) as con:
            for name, columns in TABLES.items():
                con.execute(f"CREATE TABLE {name} {columns}")
            con.execute("INSERT INTO meta VALUES (?, 'test')", [SCHEMA_VERSION])
            for params_id, (task, params, items) in enumerate(sets):
                con.execute("INSERT INTO param_sets VALUES (?, ?, ?)", [params_id, task, json.dumps(params)])
                for name, value in params.items():
                    number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
                    text = None if number is not None else str(value).lower()
                    row = [params_id, name, number, text]
                    con.execute("INSERT INTO param_values VALUES (?, ?, ?, ?)", row)
                con.execute(
                    "INSERT INTO items (item_id, params_id, base_task) SELECT range, ?, ? FROM range(?)",
                    [params_id, task, items],
                )
            for point_id, identity in enumerate(self.evals):
                con.execute("INSERT INTO point_identities VALUES (?, ?, ?, ?, 0)", [point_id, *identity])
            for hint in self.eval_hints:
                con.execute("INSERT INTO eval_hints VALUES (?, ?, ?, ?, ?, ?)", hint)
            for hint in self.task_hints:
                con.execute("INSERT INTO task_hints VALUES (?, ?, ?)", hint)
        return self.path


@pytest.fixture
def source(tmp_path: Path) -> Source:
    made = Source(tmp_path / "d.duckdb")
    made.evals = [("phi", "default", "default")]
    made.tasks = {"arithmetic": [(params, 5) for params in GRID]}
    return made


def infer(source: Source) -> dict[str, Any]:
    config = source.path.with_suffix(".json")
    append_missing(config, source.write(), name="d")
    load_config(config)
    return dict(json.loads(config.read_text()))


def labels(source: Source) -> list[str]:
    return [entry["label"] for entry in infer(source)["evals"]]


def test_a_new_config(source: Source) -> None:
    source.eval_hints = [("phi", "default", "default", None, "org/phi", ["family:phi"])]
    source.task_hints = [("arithmetic", None, "maths")]
    assert infer(source) == {
        "db": "d.duckdb",
        "name": "d",
        "threshold": 1.0,
        "evals": [
            {
                "label": "phi",
                "hf_id": "org/phi",
                "filters": {"model": "phi", "template": "default", "sampler": "default"},
                "groups": ["family:phi"],
            }
        ],
        "basetasks": {
            "arithmetic": {
                "label": "Arithmetic",
                "category": "maths",
                "surfaces": [
                    {
                        "id": "arithmetic_length_x_digits",
                        "label": "Length x Digits",
                        "x_data": "length",
                        "y_data": "digits",
                        "x_values": [2, 3, 4],
                        "y_values": [1, 2],
                        "filter": {},
                    }
                ],
                "projections": [
                    {
                        "id": "arithmetic_digits",
                        "label": "Digits",
                        "axis": "digits",
                        "values": [1, 2],
                        "filter": {},
                    },
                    {
                        "id": "arithmetic_length",
                        "label": "Length",
                        "axis": "length",
                        "values": [2, 3, 4],
                        "filter": {},
                    },
                ],
            }
        },
        "tiers": [],
    }


@pytest.mark.parametrize(
    ("evals", "wanted"),
    [
        ([("a", "x", "s"), ("b", "x", "s")], ["a", "b"]),
        ([("a", "x", "s"), ("a", "y", "s"), ("b", "y", "s")], ["a · x", "a · y", "b"]),
        ([("a", "x", "s"), ("a", "x", "t")], ["a · s", "a · t"]),
        ([("a", "x", "s"), ("a", "y", "s"), ("a", "y", "t")], ["a · x · s", "a · y · s", "a · y · t"]),
    ],
)
def test_labels_say_what_is_needed_to_tell_evals_apart(
    source: Source, evals: list[tuple[str, str, str]], wanted: list[str]
) -> None:
    source.evals = evals
    assert labels(source) == wanted


def test_two_models_with_one_label_stay_apart(source: Source) -> None:
    source.evals = [("openai_o3", "default", "default"), ("azure_o3", "default", "default")]
    source.eval_hints = [(*identity, "o3", None, None) for identity in source.evals]
    assert labels(source) == ["o3 · openai_o3 · default · default", "o3 · azure_o3 · default · default"]


def test_an_eval_of_results_that_are_gone_is_told_from_the_new_one(source: Source) -> None:
    infer(source)
    source.evals = [("phi", "default", "t10")]
    assert labels(source) == ["phi", "phi · t10"]


def test_tiers_come_from_difficulty_in_the_known_order(source: Source) -> None:
    source.tasks = {"a": [({"difficulty": "hard"}, 5), ({"difficulty": "easy"}, 5)], "b": [({"size": 3}, 5)]}
    assert infer(source)["tiers"] == [
        {"id": "easy", "label": "Easy", "filter": {"difficulty": "easy"}},
        {"id": "hard", "label": "Hard", "filter": {"difficulty": "hard"}},
    ]


@pytest.mark.parametrize(
    ("values", "order"),
    [(["b", "a"], ["b", "a"]), ([10, 2], ["2", "10"]), (["Hard", "Medium"], ["Medium", "Hard"])],
)
def test_tier_order(source: Source, values: list[Any], order: list[str]) -> None:
    source.tasks = {"a": [({"difficulty": value}, 5) for value in values]}
    assert [tier["id"] for tier in infer(source)["tiers"]] == order


def test_a_difficulty_of_many_values_is_no_tier(source: Source) -> None:
    source.tasks = {"a": [({"difficulty": value}, 5) for value in range(13)]}
    assert infer(source)["tiers"] == []


def test_twelve_values_stay_values_and_thirteen_become_closed_bins(source: Source) -> None:
    source.tasks = {
        "few": [({"size": value}, 10) for value in range(12)],
        "many": [({"size": value}, 10) for value in range(13)],
    }
    tasks = infer(source)["basetasks"]
    assert tasks["few"]["projections"][0]["values"] == list(range(12))
    bins = tasks["many"]["projections"][0]["bins"]
    assert 3 <= len(bins) <= 12
    covered = [value for low, high in bins for value in range(int(low), int(high) + 1)]
    assert covered == list(range(13))


def test_bins_hold_about_equally_many_items(source: Source) -> None:
    # 100 values of one item each, and one value that holds half of all items.
    source.tasks = {"t": [({"size": value}, 1) for value in range(100)] + [({"size": 100}, 100)]}
    bins = infer(source)["basetasks"]["t"]["projections"][0]["bins"]
    assert bins[-1] == [100, 100]
    sizes = [high - low + 1 for low, high in bins[:-1]]
    assert sum(sizes) == 100
    assert max(sizes) - min(sizes) <= 1


def test_the_three_pairs_with_the_most_full_cells(source: Source) -> None:
    # Each pair has as many full cells as the product of its params' values; e never varies.
    sizes = {"a": 2, "b": 3, "c": 4, "d": 5}
    rows = [{"e": 1}]
    for name, size in sizes.items():
        rows = [{**row, name: value} for row in rows for value in range(size)]
    source.tasks = {"t": [(row, 5) for row in rows]}
    task = infer(source)["basetasks"]["t"]
    assert [surface["id"] for surface in task["surfaces"]] == ["t_d_x_c", "t_d_x_b", "t_c_x_b"]
    assert [projection["axis"] for projection in task["projections"]] == ["a", "b", "c", "d"]


def test_cells_below_five_items_make_no_surface(source: Source) -> None:
    source.tasks = {"t": [(params, 4) for params in GRID]}
    task = infer(source)["basetasks"]["t"]
    assert task["surfaces"] == []
    assert len(task["projections"]) == 2


def test_text_booleans_and_mixed_params_are_no_axis(source: Source) -> None:
    source.tasks = {
        "t": [({"word": w, "flag": f, "mixed": m}, 9) for w, f, m in (("a", True, 1), ("b", False, "x"))]
    }
    task = infer(source)["basetasks"]["t"]
    assert (task["surfaces"], task["projections"]) == ([], [])


def test_an_id_that_two_tasks_would_share_is_numbered(source: Source) -> None:
    source.tasks = {"a_b": [({"c": v}, 5) for v in (1, 2)], "a": [({"b_c": v}, 5) for v in (1, 2)]}
    tasks = infer(source)["basetasks"]
    assert tasks["a_b"]["projections"][0]["id"] == "a_b_c"
    assert tasks["a"]["projections"][0]["id"] == "a_b_c-2"


def test_the_second_import_changes_nothing(source: Source) -> None:
    infer(source)
    config = source.path.with_suffix(".json")
    before = (config.read_bytes(), config.stat().st_mtime_ns)
    assert append_missing(config, source.path, name="d") == []
    assert (config.read_bytes(), config.stat().st_mtime_ns) == before


def test_appending_keeps_every_entry_and_unknown_keys(source: Source) -> None:
    edited = infer(source)
    edited["note"] = {"by": "hand"}
    edited["evals"] = [
        {"label": "Mine", "filters": {"model": ["phi", "phi-mini"]}, "hidden": True, "colour": "red"},
        {"label": "gemma", "filters": {"model": "other"}, "groups": []},
    ]
    edited["basetasks"]["arithmetic"] |= {"label": "Sums", "unit": 3}
    edited["basetasks"]["arithmetic"]["surfaces"][0] |= {"id": "mine", "x_values": [2, 4]}
    projection = {"id": "len", "label": "L", "axis": "length", "values": [2], "labels": ["two"]}
    edited["basetasks"]["arithmetic"]["projections"] = [projection]
    config = source.path.with_suffix(".json")
    config.write_text(json.dumps(edited))
    source.evals += [("phi-mini", "cot", "default"), ("gemma", "default", "default")]
    source.tasks["sort"] = [({"difficulty": "easy"}, 5)]

    added = append_missing(config, source.write(), name="ignored")

    after = json.loads(config.read_text())
    # phi-mini belongs to an eval that is there; the label gemma is taken.
    assert added == ["eval 2: gemma · default", "projection arithmetic_digits", "task sort"]
    assert after["note"] == edited["note"]
    assert after["evals"][:2] == edited["evals"]
    assert after["tiers"] == []
    arithmetic = after["basetasks"]["arithmetic"]
    assert (arithmetic["label"], arithmetic["unit"]) == ("Sums", 3)
    assert arithmetic["surfaces"] == edited["basetasks"]["arithmetic"]["surfaces"]
    assert arithmetic["projections"][:1] == edited["basetasks"]["arithmetic"]["projections"]
    assert list(after["basetasks"]) == ["arithmetic", "sort"]


def test_the_db_path_is_relative_to_the_config(source: Source, tmp_path: Path) -> None:
    config = tmp_path / "configs" / "d.json"
    config.parent.mkdir()
    append_missing(config, source.write(), name="d")
    assert load_config(config).db == "../d.duckdb"
