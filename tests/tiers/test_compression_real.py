"""The suspected loops and the AUC of the real results, as they were computed when the rule was written."""

import json
from pathlib import Path

import pytest

from core.filters import Filters
from core.store import Dataset, open_dataset
from core.tiers.compression import NO_SERIES, count_loops, list_loops, overall_auc, read_length, read_parts
from core.tiers.loops import LoopRule
from core.tiers.methods import Methods

pytestmark = pytest.mark.slow


@pytest.fixture
def dataset(rg_dataset: Path) -> Dataset:
    return open_dataset(rg_dataset)


def test_the_runaway_response_is_listed_first(dataset: Dataset) -> None:
    found = list_loops(dataset, Filters().resolved(dataset.catalog), LoopRule())
    first = found.iloc[0]
    assert (first["characters"], first["task"], first["outcome"]) == (131_085, "sokoban", "invalid")
    assert first["ends"].strip("L") == ""


def test_tower_of_hanoi_aside_seventy_one_are_suspected_and_none_correct(
    dataset: Dataset, rg_dataset: Path
) -> None:
    filters = Filters().resolved(dataset.catalog)
    counts = count_loops(dataset, filters, LoopRule(left_out=("tower_of_hanoi",)))
    assert (counts.loops, counts.of("correct"), counts.completions) == (71, 0, 19_200)
    assert count_loops(dataset, filters, LoopRule()).of("correct") > 0
    document = json.loads(rg_dataset.read_text(encoding="utf-8"))
    document["basetasks"]["tower_of_hanoi"]["loop_ratio"] = 0
    document["db"] = str(rg_dataset.with_suffix(".duckdb"))
    with_own_ratio = rg_dataset.parent / "own" / "rg.json"
    with_own_ratio.parent.mkdir(exist_ok=True)
    with_own_ratio.write_text(json.dumps(document), encoding="utf-8")
    other = open_dataset(with_own_ratio)
    assert count_loops(other, Filters().resolved(other.catalog), LoopRule()).loops == 71


def test_auc_within_eval_task_and_tier(dataset: Dataset) -> None:
    filters = Filters().resolved(dataset.catalog)
    parts = read_parts(dataset, filters, stacked=False, series=NO_SERIES)
    length = read_length(dataset, filters)
    by_length, by_ratio, sampled = overall_auc(dataset, filters, parts, length, Methods())
    assert not sampled
    # .64 pooled over difficulty: the shorter responses are to the easier items.
    assert by_length.auc == pytest.approx(0.57, abs=0.005)
    assert by_length.lower > 0.5 > by_ratio.upper
