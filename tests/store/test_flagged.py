"""Flagged completions: found by what they are, and what the statistics are without them."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.flags import Flag, add_flag, canonical_params, flags_path
from core.store import Dataset, fingerprint, open_dataset
from core.tiers.counted import item_results_at, point_choices_of, points_at
from tests import synthetic
from tests.command import ask, import_

FLAGGED = """
SELECT q.model, q.template, q.sampler, i.base_task, i.params, i.key AS item_key, c.repeat
FROM data.completions c JOIN data.points q USING (point_id) JOIN data.items i USING (item_id)"""


def flag(dataset: Dataset, path: Path, where: str) -> list[dict[str, Any]]:
    """Flag the completions of which a condition is true."""
    rows = dataset.rows(f"{FLAGGED} WHERE {where} ORDER BY c.completion_id")
    for row in rows:
        add_flag(flags_path(path), Flag(**row))
    return rows


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A dataset with some completions flagged, and the same without the records of these."""
    records, config = synthetic.repeats()
    times: dict[str, int] = {}
    for record in records:
        where = json.dumps(
            [record[name] for name in ("model", "template", "base_task", "params", "item_key")]
        )
        record["repeat"] = times.get(where, 0)
        times[where] = record["repeat"] + 1
    folder = tmp_path_factory.mktemp("twins")
    # Some everywhere, all of one point, and all of one eval's items of another point but one.
    gone = [
        number % 17 == 3
        or (record["model"], record["base_task"]) == ("alpha", "solo")
        or (record["model"] == "beta" and record["params"] == {"depth": 1} and record["item_key"] != "0")
        for number, record in enumerate(records)
    ]
    kept = [record for record, left_out in zip(records, gone, strict=True) if not left_out]
    paths = []
    for name, some in (("flagged", records), ("without", kept)):
        data = folder / name
        path = data / "repeats.json"
        data.mkdir()
        path.write_text(json.dumps(config), encoding="utf-8")
        done = import_(data, "repeats", synthetic.write_records(data / "source" / "records.jsonl", some))
        assert done.status == 0, done.said
        paths.append(path)
    # What the import adds to a config follows the order of the records.
    shutil.copy(*paths)
    for record, left_out in zip(records, gone, strict=True):
        if left_out:
            names = ("model", "template", "sampler", "base_task", "item_key", "repeat")
            params = canonical_params(json.dumps(record["params"]))
            add_flag(flags_path(paths[0]), Flag(**{name: record[name] for name in names}, params=params))
    return paths[0], paths[1]


def _rows(dataset: Dataset, table: str, order: str, drop: Sequence[str] = ()) -> list[dict[str, Any]]:
    rows = dataset.rows(
        f"""
        WITH selected AS (SELECT point_id FROM data.points)
        SELECT q.model, q.template, q.base_task, q.params AS p, x.*
        FROM {table} x JOIN data.points q USING (point_id)""",
        **({"threshold": 0.5} if "$threshold" in table else {}),
    )
    kept = [
        {name: value for name, value in row.items() if name not in ("point_id", "params_id", *drop)}
        for row in rows
    ]
    return sorted(
        kept,
        key=lambda row: str([row[name] for name in ("model", "template", "base_task", "p", *order.split())]),
    )


@pytest.mark.parametrize("threshold", [1.0, 0.5])
def test_statistics_are_those_of_a_dataset_without_the_flagged(
    twins: tuple[Path, Path], threshold: float
) -> None:
    flagged, without = map(open_dataset, twins)
    assert flagged.lost_flags == ()
    points = points_at(threshold, "exclude")
    assert _rows(flagged, points, "") == _rows(without, points_at(threshold), "")
    keyed = "(SELECT r.*, i.key FROM {} r JOIN data.items i USING (item_id))"
    results = keyed.format(item_results_at(threshold, "exclude"))
    others = keyed.format(item_results_at(threshold))
    assert _rows(flagged, results, "key", ("item_id",)) == _rows(without, others, "key", ("item_id",))
    choices = point_choices_of("exclude"), point_choices_of("include")
    assert _rows(flagged, choices[0], "choices") == _rows(without, choices[1], "choices")
    # Included, they are as they were.
    assert _rows(flagged, points_at(1.0), "") != _rows(without, points_at(1.0), "")


COMMANDS: list[tuple[str, ...]] = [
    ("scores",),
    ("scores", "--baseline", "1"),
    ("cluster", "--stack", "base_task"),
    ("cluster", "--rule", "paired"),
    ("spiderweb",),
    ("evals",),
    ("tasks",),
    ("compare", "--a", "0", "--b", "2"),
    ("hazard", "--split", "none"),
    ("compression", "--split", "none"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("threshold", [None, 0.5])
def test_every_tier_leaves_them_out(
    twins: tuple[Path, Path], command: tuple[str, ...], threshold: float | None
) -> None:
    filters = {} if threshold is None else {"threshold": threshold}
    flagged, without = (
        ask(*command[:1], path, *command[1:], "--format", "json", "--filters", json.dumps(wanted)).document()
        for path, wanted in zip(twins, ({**filters, "flagged": "exclude"}, filters), strict=True)
    )
    if "filters" in flagged:
        assert flagged["filters"].pop("flagged") == "exclude"
    same(flagged, without)


def same(one: Any, other: Any) -> None:
    """Compare two documents; sums of floats depend on the order of the rows."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            same(one[name], other[name])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            same(left, right)
    else:
        assert one == (pytest.approx(other, rel=1e-12) if isinstance(one, float) else other)


@pytest.fixture
def own(no_repeats_dataset: Path, tmp_path: Path) -> Callable[[], Path]:
    def copy() -> Path:
        for path in (no_repeats_dataset, no_repeats_dataset.with_suffix(".duckdb")):
            shutil.copy(path, tmp_path)
        return tmp_path / no_repeats_dataset.name

    return copy


def test_a_flag_makes_another_dataset(own: Callable[[], Path]) -> None:
    path = own()
    before = fingerprint(path)
    dataset = open_dataset(path)
    assert dataset.rows("FROM flagged") == []
    (row,) = flag(dataset, path, "c.completion_id = 3")
    assert fingerprint(path) != before
    (found,) = open_dataset(path).rows("SELECT completion_id, flag FROM flagged")
    assert found == {"completion_id": 3, "flag": 0}
    assert row["model"] == dataset.rows("SELECT min(model) AS model FROM data.points")[0]["model"]


def test_flags_of_nothing_are_kept_and_named(own: Callable[[], Path]) -> None:
    path = own()
    (row,) = flag(open_dataset(path), path, "c.completion_id = 0")
    others = [
        {"model": "nobody"},
        {"item_key": "none"},
        {"repeat": 5},
        {"params": '{"no":1}'},
        {"sampler": "'"},
    ]
    for other in others:
        add_flag(flags_path(path), Flag(**{**row, **other}))
    dataset = open_dataset(path)
    assert [one["completion_id"] for one in dataset.rows("FROM flagged")] == [0]
    assert dataset.lost_flags == tuple(Flag(**{**row, **other}) for other in others)


def test_a_rebuilt_database_finds_its_flags_again(tmp_path: Path) -> None:
    records = synthetic.simple("m1") + synthetic.simple("m2", 8)
    first = synthetic.write_records(tmp_path / "first.jsonl", records)
    assert import_(tmp_path, "twice", first).status == 0
    path = tmp_path / "twice.json"
    (row,) = flag(open_dataset(path), path, "c.completion_id = 7")
    others = synthetic.write_records(tmp_path / "turned.jsonl", records[::-1])
    assert import_(tmp_path, "twice", others, "--rebuild").status == 0
    dataset = open_dataset(path)
    assert dataset.rows(f"{FLAGGED} JOIN flagged USING (completion_id)") == [row]
