"""The committed demo dataset: its config fits its records."""

import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from core.config import load_config, matches, tier_filter
from core.store.membership import axis_position, eval_matches

DEMO = Path(__file__).parent.parent / "data" / "demo"


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    with gzip.open(DEMO / "completions.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_the_records_are_those_of_the_provenance(records: list[dict[str, Any]]) -> None:
    outcomes = Counter(record["outcome"] for record in records)
    assert outcomes == {"correct": 1447, "incorrect": 5136, "invalid": 332, "truncated": 381}


def test_every_record_has_one_eval_and_one_tier(records: list[dict[str, Any]]) -> None:
    config = load_config(DEMO / "demo.json")
    tasks = defaultdict(set)
    for record in records:
        identity = (record["model"], record["template"], record["sampler"])
        assert sum(eval_matches(entry, *identity) for entry in config.evals) == 1
        task, params = record["base_task"], record["params"]
        tiers = [t.id for t in config.tiers if matches(tier_filter(t, task) or {"none": 0}, params)]
        assert len(tiers) == 1
        tasks[tiers[0]].add(task)
    assert tasks["easy"] == tasks["medium"] == tasks["hard"] == set(config.basetasks)


def test_every_record_is_on_every_slice_of_its_task(records: list[dict[str, Any]]) -> None:
    config = load_config(DEMO / "demo.json")
    for record in records:
        task, params = config.basetasks[record["base_task"]], record["params"]
        assert {p.axis for p in task.projections} == set(params)
        assert len(task.surfaces) == len(params) - 1
        for projection in task.projections:
            assert axis_position(params[projection.axis], projection.values, projection.bins) is not None
        for surface in task.surfaces:
            assert axis_position(params[surface.x_data], surface.x_values, surface.x_bins) is not None
            assert axis_position(params[surface.y_data], surface.y_values, surface.y_bins) is not None
