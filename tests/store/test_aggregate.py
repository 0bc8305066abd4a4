"""Statistics of points, items and choices against counting the same completions one by one."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store import Dataset, open_dataset
from core.store.aggregate import POINT_STATISTICS, item_results, point_statistics
from tests.store import recount
from tests.store.staging import Row, build, completion, write_config

ROWS = recount.random_rows(3)
THRESHOLDS = [1.0, 0.75, 0.5, 0.26, 0.01]
IDENTITY = "model, template, sampler, base_task, params"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    folder = tmp_path_factory.mktemp("aggregate")
    build(folder / "small.duckdb", ROWS, parts=3)
    opened = open_dataset(write_config(folder))
    yield opened
    opened.close()


def named(dataset: Dataset, table: str, columns: str, **parameters: object) -> dict[tuple[str, ...], Row]:
    """Rows of point statistics by the names of their points."""
    rows = dataset.rows(
        f"SELECT q.model, q.template, q.sampler, q.base_task, q.params, {columns}"
        f" FROM ({table}) a JOIN data.points q USING (point_id)",
        **parameters,
    )
    return {tuple(row.pop(name) for name in IDENTITY.split(", ")): row for row in rows}


def assert_same(found: Row, expected: dict[str, float | None]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if value is None:
            assert found[name] is None, name
        else:
            assert math.isclose(found[name], value, rel_tol=1e-12), name


def test_the_made_up_completions_have_every_case() -> None:
    statistics = [recount.statistics(rows) for rows in recount.points(ROWS).values()]
    assert all(any(one[name] for one in statistics) for name in POINT_STATISTICS)
    assert any(one["least_tries"] is None for one in statistics)
    assert any(one["items"] != one["all_items"] for one in statistics)


def test_stored_points_have_the_statistics_of_their_completions(dataset: Dataset) -> None:
    columns = ", ".join(f"a.{name}" for name in POINT_STATISTICS)
    found = named(dataset, "SELECT * FROM data.points", columns)
    expected = recount.points(ROWS)
    assert found.keys() == expected.keys()
    for point, rows in expected.items():
        assert_same(found[point], recount.statistics(rows))


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_statistics_at_any_threshold(dataset: Dataset, threshold: float) -> None:
    columns = ", ".join(f"a.{name}" for name in POINT_STATISTICS)
    found = named(dataset, point_statistics("data.completions"), columns, threshold=threshold)
    for point, rows in recount.points(ROWS).items():
        assert_same(found[point], recount.statistics(rows, threshold))


def test_a_condition_limits_the_completions_that_are_read(dataset: Dataset) -> None:
    query = point_statistics("data.completions", "c.point_id IN (0, 2)")
    points = dataset.rows(f"SELECT point_id FROM ({query}) ORDER BY point_id", threshold=0.5)
    assert [row["point_id"] for row in points] == [0, 2]


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_results_of_items(dataset: Dataset, threshold: float) -> None:
    stored = "SELECT * FROM data.item_results"
    table = stored if threshold == 1 else item_results("data.completions")
    rows = dataset.rows(
        "SELECT q.model, q.template, q.base_task, q.params, i.key, r.y, r.k, r.truncated,"
        " r.token_n, r.tokens"
        f" FROM ({table}) r JOIN data.points q USING (point_id) JOIN data.items i USING (item_id)",
        **({} if threshold == 1 else {"threshold": threshold}),
    )
    found = {
        (row["model"], row["template"], row["base_task"], row["params"], row["key"]): (
            row["y"], row["k"], row["truncated"], row["token_n"], row["tokens"],
        )
        for row in rows
    }  # fmt: skip
    expected = {
        (*point[:2], *item): (
            outcomes["correct"],
            recount.counted(outcomes),
            outcomes["truncated"],
            len(tokens),
            sum(tokens),
        )
        for point, some in recount.points(ROWS).items()
        for item, outcomes in recount.item_counts(some, threshold).items()
        for tokens in [recount.tokens_of(recount.by_item(some)[item])]
    }
    assert found == expected


def test_choices_of_counted_completions(dataset: Dataset) -> None:
    rows = dataset.rows(
        f"SELECT {IDENTITY}, c.choices, c.n FROM data.point_choices c JOIN data.points USING (point_id)"
    )
    found = {(*(row[name] for name in IDENTITY.split(", ")), row["choices"]): row["n"] for row in rows}
    expected = {
        (*point, choices): n
        for point, some in recount.points(ROWS).items()
        for choices, n in recount.choices_of(some).items()
    }
    assert found == expected


def test_outcomes_by_hand(tmp_path: Path) -> None:
    # (stored outcome, score) and what it counts as at thresholds 1 and .5; without a score it stands.
    cases = [
        ("correct", None, "correct", "correct"),
        ("incorrect", None, "incorrect", "incorrect"),
        ("invalid", None, "invalid", "invalid"),
        ("correct", 1.0, "correct", "correct"),
        ("incorrect", 0.99, "incorrect", "correct"),
        ("incorrect", 0.5, "incorrect", "correct"),
        ("incorrect", 0.49, "incorrect", "incorrect"),
        ("invalid", 0.0, "invalid", "invalid"),
        ("invalid", 0.6, "invalid", "correct"),
        ("correct", 0.3, "incorrect", "incorrect"),
        ("truncated", 1.0, "truncated", "truncated"),
        ("error", 1.0, "error", "error"),
    ]
    build(
        tmp_path / "small.duckdb",
        [
            completion(item_key=f"{number}", outcome=outcome, score=score)
            for number, (outcome, score, *_) in enumerate(cases)
        ],
    )
    dataset = open_dataset(write_config(tmp_path))
    for place, threshold in ((2, 1.0), (3, 0.5)):
        row = dataset.rows(point_statistics("data.completions"), threshold=threshold)[0]
        expected = [case[place] for case in cases]
        assert {name: row[name] for name in recount.OUTCOMES} == {
            name: expected.count(name) for name in recount.OUTCOMES
        }
