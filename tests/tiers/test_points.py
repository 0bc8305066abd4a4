"""Point statistics per (eval, params), also where an eval takes several identities."""

import math

import pytest

from core.filters import Filters
from core.store import Dataset
from core.store.aggregate import POINT_STATISTICS
from core.tiers.points import read_choices, read_points, read_tiers
from tests.store import recount
from tests.store.staging import Row
from tests.tiers import direct

CASES = [
    {},
    {"threshold": 0.5},
    {"eval_id": [1], "threshold": 0.26},
    {"eval_id": [3]},
    {"base_task": "add"},
    {"tiers": ["low", "high"]},
    {"params": {"level": [1, 3]}, "groups": ["size:small"]},
]


def selected(rows: list[Row], dataset: Dataset, filters: Filters) -> dict[tuple[int, str, str], list[Row]]:
    """Completions by (eval, task, params)."""
    tiers = [tier for tier in dataset.config.tiers if tier.id in filters.tiers]
    wanted = dict(filters.params)
    groups: dict[tuple[int, str, str], list[Row]] = {}
    for eval_id in filters.evals(dataset.config):
        for row in direct.of_eval(rows, dataset.config, eval_id):
            params = recount.params_of(row)
            if (
                (not filters.base_task or row["base_task"] in filters.base_task)
                and (not filters.tiers or any(direct.in_tier(row, tier) for tier in tiers))
                and all(params.get(name) in values for name, values in wanted.items())
            ):
                groups.setdefault((eval_id, row["base_task"], row["params"]), []).append(row)
    return groups


def params_text(dataset: Dataset) -> dict[int, str]:
    return {row["params_id"]: row["params"] for row in dataset.rows("SELECT * FROM data.param_sets")}


@pytest.mark.parametrize("document", CASES, ids=str)
def test_statistics_of_evals_are_those_of_their_completions(
    mixed: Dataset, rows: list[Row], document
) -> None:
    filters = Filters.from_dict(document).resolved(mixed.catalog)
    texts = params_text(mixed)
    frame = read_points(mixed, filters)
    found = {
        (row["eval_id"], row["task"], texts[row["params_id"]]): row for row in frame.to_dict(orient="records")
    }
    expected = selected(rows, mixed, filters)
    assert len(found) == len(frame)
    assert found.keys() == expected.keys()
    for key, some in expected.items():
        statistics = recount.statistics(some, filters.threshold or 1.0)
        assert set(statistics) == set(POINT_STATISTICS)
        for name, value in statistics.items():
            if name == "score_item_squares" and key[0] == 1:
                # Not used where identities share items; it adds over points.
                continue
            if value is None:
                assert math.isnan(found[key][name]), (key, name)
            else:
                assert found[key][name] == pytest.approx(value, rel=1e-12), (key, name)


def test_numbers_of_items_are_whole_numbers_also_where_identities_share_items(mixed: Dataset) -> None:
    frame = read_points(mixed, Filters.from_dict({"eval_id": [1]}).resolved(mixed.catalog))
    for name in ("correct", "items", "all_items"):
        assert frame[name].dtype.kind == "i", name


@pytest.mark.parametrize("document", CASES, ids=str)
def test_choices_of_evals(mixed: Dataset, rows: list[Row], document) -> None:
    filters = Filters.from_dict(document).resolved(mixed.catalog)
    texts = params_text(mixed)
    tasks = dict(mixed.sql("SELECT params_id, base_task FROM data.param_sets").to_pandas().to_numpy())
    found = {
        (eval_id, tasks[params_id], texts[params_id], choices): n
        for eval_id, params_id, choices, n in read_choices(mixed, filters).itertuples(index=False)
    }
    assert found == {
        (*key, choices): n
        for key, some in selected(rows, mixed, filters).items()
        for choices, n in recount.choices_of(some).items()
    }


def test_tiers_that_count_in_the_order_of_the_config(mixed: Dataset) -> None:
    everything = read_tiers(mixed, Filters())
    assert list(dict.fromkeys(everything["tier"])) == ["low", "high"]
    only = read_tiers(mixed, Filters(tiers=("high",)))
    assert set(only["tier"]) == {"high"}
    assert len(only) == 4
