"""Differences to a baseline against a direct computation on common items."""

import math
import random

import numpy as np
import pytest
from scipy import stats

from core.errors import FilterError
from core.filters import Filters
from core.store import Dataset
from core.tiers.scores import read_differences
from tests.store import recount
from tests.store.staging import Row, completion
from tests.tiers import direct

Z = 1.96


def means(rows: list[Row], threshold: float) -> dict[recount.Item, tuple[float, int, bool]]:
    """Mean outcome, tries and whether it can be paired, of each item; truncated is wrong, error left out."""
    result = {}
    paired = {recount.item_of(row): row["paired"] for row in rows}
    for item, outcomes in recount.item_counts(rows, threshold).items():
        tries = recount.counted(outcomes) + outcomes["truncated"]
        if tries:
            result[item] = (outcomes["correct"] / tries, tries, paired[item])
    return result


def expected(one: list[Row], baseline: list[Row], threshold: float = 1.0) -> dict[str, object]:
    mine, theirs = means(one, threshold), means(baseline, threshold)
    common = [item for item in mine if item in theirs and theirs[item][2]]
    d = np.array([mine[item][0] - theirs[item][0] for item in common])
    n = len(d)
    left_out = len(mine) + len(theirs) - 2 * n
    if not n:
        return {"n_items": 0, "left_out": left_out, "method": "no common items"}
    if all(mine[item][1] == theirs[item][1] == 1 for item in common):
        p1, p2 = ((d > 0).sum() + 1) / (n + 2), ((d < 0).sum() + 1) / (n + 2)
        half = Z * math.sqrt((p1 + p2 - (p1 - p2) ** 2) / (n + 2))
        bounds, method = (p1 - p2 - half, p1 - p2 + half), "95% Bonett-Price interval"
    else:
        half = stats.t.ppf(0.975, n - 1) * d.std(ddof=1) / math.sqrt(n) if n > 1 else math.nan
        bounds, method = (d.mean() - half, d.mean() + half), "95% t interval over items"
    lower, upper = (float(np.clip(bound, -1, 1)) for bound in bounds)
    return {"n_items": n, "left_out": left_out, "method": method, "difference": d.mean(), "lower": lower,
            "upper": upper}  # fmt: skip


def assert_row(row: dict[str, object], wanted: dict[str, object]) -> None:
    assert {name: row[name] for name in ("n_items", "left_out", "method")} == {
        name: wanted[name] for name in ("n_items", "left_out", "method")
    }
    for name in ("difference", "lower", "upper"):
        assert row[name] == pytest.approx(wanted.get(name, math.nan), abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize(
    ("document", "baseline"),
    [({}, 0), ({}, 1), ({"threshold": 0.5}, 2), ({"tiers": ["low", "high"], "threshold": 0.26}, 2),
     ({"base_task": "sort", "params": {"level": 2}}, 0), ({"eval_id": [0, 3]}, 2)],
    ids=str,
)  # fmt: skip
def test_differences_with_repeats(mixed: Dataset, rows: list[Row], document, baseline: int) -> None:
    filters = Filters.from_dict(document).resolved(mixed.catalog)
    tiers = [tier for tier in mixed.config.tiers if tier.id in filters.tiers]
    wanted = dict(filters.params)

    def of(eval_id: int) -> list[Row]:
        return [
            row
            for row in direct.of_eval(rows, mixed.config, eval_id)
            if row["base_task"] in (filters.base_task or ("add", "sort", "word's"))
            and (not tiers or any(direct.in_tier(row, tier) for tier in tiers))
            and all(recount.params_of(row)[name] in values for name, values in wanted.items())
        ]

    frame = read_differences(mixed, Filters.from_dict(document), baseline)
    others = [eval_id for eval_id in filters.evals(mixed.config) if eval_id not in (baseline, 4)]
    assert frame["eval_id"].tolist() == others
    for row in frame.to_dict(orient="records"):
        assert_row(row, expected(of(row["eval_id"]), of(baseline), filters.threshold or 1.0))


@pytest.fixture
def single(made) -> tuple[Dataset, list[Row]]:
    """One completion an item; items that cannot be paired, that one eval lacks, and every outcome."""
    draw = random.Random(2)
    rows = [
        completion(
            model=model, item_key=f"{item}", paired=item % 7 > 0,
            outcome=draw.choices(recount.OUTCOMES, [skill, 1 - skill, 0.1, 0.2, 0.1])[0],
        )
        for model, skill in (("a", 0.9), ("b", 0.5), ("c", 0.2))
        for item in range(80)
        if model != "c" or item > 30
    ]  # fmt: skip
    rows.append(completion(model="d", item_key="7000"))
    rows.append(completion(model="e", item_key="9", outcome="correct"))
    rows += [completion(model="f", item_key=f"{item}", outcome="error") for item in range(5)]
    return made(rows), rows


def test_single_completions_have_the_bonett_price_interval(single) -> None:
    dataset, rows = single
    by_model = {model: [row for row in rows if row["model"] == model] for model in "abcdef"}
    for baseline, name in enumerate("abc"):
        frame = read_differences(dataset, Filters(), baseline)
        assert frame["eval_id"].tolist() == [number for number in range(5) if number != baseline]
        for row in frame.to_dict(orient="records"):
            assert_row(row, expected(by_model["abcde"[row["eval_id"]]], by_model[name]))
    # Eval f has nothing but errors: no results, so no row; as a baseline it has no common items.
    frame = read_differences(dataset, Filters(), 5)
    assert set(frame["method"]) == {"no common items"}
    assert set(frame["n_items"]) == {0}
    dataset.close()


def test_differences_stay_between_minus_one_and_one(made) -> None:
    dataset = made([completion(model="a"), completion(model="b", outcome="incorrect")])
    (row,) = read_differences(dataset, Filters(), 1).to_dict(orient="records")
    assert (row["difference"], row["upper"], row["n_items"]) == (1.0, 1.0, 1)
    assert -1 <= row["lower"] < 0
    (row,) = read_differences(dataset, Filters(), 0).to_dict(orient="records")
    assert (row["difference"], row["lower"]) == (-1.0, -1.0)
    dataset.close()


def test_repeats_that_all_agree_do_not_make_an_interval_without_width(made) -> None:
    dataset = made(
        [
            completion(model=model, item_key=f"{item}", repeat=repeat)
            for model in "ab"
            for item in range(8)
            for repeat in range(2)
        ]
    )
    (row,) = read_differences(dataset, Filters(), 1).to_dict(orient="records")
    half = Z * math.sqrt(2 / 10 / 10)
    assert (row["difference"], row["method"]) == (0, "95% Bonett-Price interval")
    assert (row["lower"], row["upper"]) == pytest.approx((-half, half))
    dataset.close()


def test_a_difference_is_the_negative_of_its_reverse(single) -> None:
    dataset, _ = single
    there = read_differences(dataset, Filters.from_dict({"eval_id": [1]}), 0).iloc[0]
    back = read_differences(dataset, Filters.from_dict({"eval_id": [0]}), 1).iloc[0]
    assert there["difference"] == pytest.approx(-back["difference"])
    assert (there["lower"], there["upper"]) == pytest.approx((-back["upper"], -back["lower"]))
    assert there["n_items"] == back["n_items"]
    dataset.close()


def test_the_baseline_counts_although_the_filters_leave_it_out(mixed: Dataset, rows: list[Row]) -> None:
    one, two, three = (direct.of_eval(rows, mixed.config, eval_id) for eval_id in (0, 2, 3))
    frame = read_differences(mixed, Filters.from_dict({"groups": ["family:a"]}), 2)
    assert frame["eval_id"].tolist() == [0]
    assert_row(frame.to_dict(orient="records")[0], expected(one, two))
    # Eval 3 is hidden.
    frame = read_differences(mixed, Filters.from_dict({"groups": ["family:a"]}), 3)
    assert frame["eval_id"].tolist() == [0]
    assert_row(frame.to_dict(orient="records")[0], expected(one, three))


@pytest.mark.parametrize("baseline", [5, -1])
def test_a_baseline_that_is_not_there(mixed: Dataset, baseline: int) -> None:
    with pytest.raises(FilterError) as error:
        read_differences(mixed, Filters(), baseline)
    assert str(error.value) == f"No eval_id {baseline} in this dataset; valid: 0 to 4"
