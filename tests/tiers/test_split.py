"""Splitting a selection by any dimension."""

from collections.abc import Callable

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.store import Dataset
from core.tiers.points import read_points
from core.tiers.split import dimensions, read_splits
from tests.store import recount
from tests.store.staging import completion
from tests.tiers import direct

NOTHING = Filters()


def values(dataset: Dataset, dimension: str, filters: Filters = NOTHING) -> list[object]:
    return [one.value for one in read_splits(dataset, filters, dimension)]


def test_values_are_those_of_the_selection_in_display_order(mixed: Dataset) -> None:
    assert values(mixed, "model") == ["one", "two"]  # the third eval is hidden
    assert values(mixed, "template") == ["cot", "default"]
    assert values(mixed, "base_task") == ["sort", "add", "word's"]
    assert values(mixed, "tier") == ["low", "high"]
    assert values(mixed, "surface") == ["plane"]
    assert values(mixed, "eval_id", Filters(eval_id=(2, 0))) == [0, 2]
    assert values(mixed, "level", Filters(params=(("level", (1, 3)),))) == [1, 3]


@pytest.mark.parametrize(
    "dimension", ["template", "base_task", "tier", "surface", "eval_id", "level", "deep"]
)
def test_each_part_has_the_completions_of_its_value(mixed: Dataset, rows, dimension: str) -> None:
    for one in read_splits(mixed, NOTHING, dimension):
        points = read_points(mixed, one.filters)
        for eval_id, part in points.groupby("eval_id"):
            own = [row for row in direct.of_eval(rows, mixed.config, eval_id) if fits(mixed, row, one)]
            counted = sum(direct.cell(own)[name] for name in recount.OUTCOMES)
            assert part[list(recount.OUTCOMES)].to_numpy().sum() == counted
            if dimension == "eval_id":
                assert eval_id == one.value


def fits(dataset: Dataset, row, one) -> bool:
    params = recount.params_of(row)
    if one.dimension in row:
        return row[one.dimension] == one.value
    if one.dimension == "tier":
        tier = next(tier for tier in dataset.config.tiers if tier.id == one.value)
        return direct.in_tier(row, tier)
    if one.dimension == "surface":
        return row["base_task"] == "add" and params["level"] in (0, 1) and params.get("deep") is True
    if one.dimension == "deep":
        return str(params.get("deep")).lower() == one.value
    return one.dimension == "eval_id" or params.get(one.dimension) == one.value


def test_an_eval_of_two_templates_is_parted_too(mixed: Dataset) -> None:
    parts = {one.value: read_points(mixed, one.filters) for one in read_splits(mixed, NOTHING, "template")}
    whole = read_points(mixed, NOTHING.resolved(mixed.catalog))
    of_any = {name: part[part["eval_id"] == 1]["correct"].sum() for name, part in parts.items()}
    assert set(of_any) == {"cot", "default"}
    assert sum(of_any.values()) == whole[whole["eval_id"] == 1]["correct"].sum()


def test_the_sentence_names_the_value(mixed: Dataset) -> None:
    first, *_ = read_splits(mixed, NOTHING, "template")
    assert first.filters.sentence(mixed.config) == "template cot"
    tier, *_ = read_splits(mixed, NOTHING, "tier")
    assert (tier.value, tier.label) == ("low", "Low one")


def test_what_there_is_to_split_by(mixed: Dataset, made: Callable[..., Dataset]) -> None:
    offered = ["model", "template", "sampler", "eval_id", "base_task", "tier", "surface"]
    assert dimensions(mixed)[:7] == offered
    assert "level" in dimensions(mixed)
    bare = made([completion()])
    assert dimensions(bare) == ["model", "template", "sampler", "eval_id", "base_task"]
    with pytest.raises(FilterError, match=r"No dimension 'tier'.*valid: model, template"):
        read_splits(bare, NOTHING, "tier")
