"""`python -m core scores` against a plain-Python recomputation from the raw source files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import synthetic
from tests.command import as_json, scores
from tests.conftest import DEMO_RECORDS, Build
from tests.oracle.leaderboard import Rules, fair_sort, leaderboard
from tests.oracle.sources import Completion, RegeneratedParams, read_reasoning_gym, read_records

TOLERANCE = 1e-9
EXACT = ("n", "n_items", "correct", "incorrect", "invalid", "truncated", "error")
CELL = (
    "accuracy",
    "center",
    "margin",
    "lower",
    "upper",
    "all_in_accuracy",
    "truncated_ratio",
    "adjusted_successes",
    "adjusted_trials",
)
ROW = ("plain_score", "plain_lower", "plain_upper", "reasonscore", "mean_tokens", "score_per_token")
INTERVALS = ("wilson", "reasonscape", "jeffreys", "clopper-pearson")


def same(told: Any, expected: Any, other: Any) -> bool:
    """Whether a number is the expected one, or between the two that the definitions allow."""
    if told is None or expected is None:
        return told is expected
    low, high = min(expected, other), max(expected, other)
    return low - TOLERANCE * max(1.0, abs(low)) <= told <= high + TOLERANCE * max(1.0, abs(high))


def differences(document: Any, completions: list[Completion], config: Any, rules: Rules) -> list[str]:
    """Every number of a scores document that the recomputation does not confirm."""
    expected, others = (leaderboard(completions, config, replace(rules, tie=tie)) for tie in (min, max))
    told = {row["eval_id"]: row for row in document["rows"]}
    if told.keys() != expected.keys():
        return [f"evals {sorted(told)} instead of {sorted(expected)}"]
    found = []
    for number, row in expected.items():
        found += _row_differences(f"eval {number}", told[number], row, others[number])
        cells = {(cell["task"], cell["tier"]): cell for cell in told[number]["cells"]}
        if len(cells) < len(told[number]["cells"]):
            found.append(f"eval {number}: a cell twice")
        found += [f"eval {number}: no cell {key}" for key, cell in row["cells"].items() if key not in cells]
        for key, cell in cells.items():
            if key in row["cells"]:
                pair = row["cells"][key], others[number]["cells"][key]
                found += _cell_differences(f"eval {number} {key}", cell, *pair)
            elif any(cell[field] for field in EXACT):
                found.append(f"eval {number}: a cell {key} of no records")
    return found


def _cell_differences(name: str, told: Any, one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    found = [
        f"{name} {field}: {told[field]} not {one[field]}" for field in EXACT if told[field] != one[field]
    ]
    for field in CELL:
        absent = field.startswith("adjusted") and told[field] is None and not one["adjusted_trials"]
        if not absent and not same(told[field], one[field], other[field]):
            found.append(f"{name} {field}: {told[field]} not {one[field]}")
    return found


def _row_differences(name: str, told: Any, one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    found = [f"{name} label: {told['label']}"] if told["label"] != one["label"] else []
    if told["complete"] is not one["complete"]:
        found.append(f"{name} complete: {told['complete']}")
    if not one["complete"]:
        # What an eval with a missing cell scores is not defined beyond the `*`; it must not be ranked.
        return found + ([f"{name} is ranked without being complete"] if told["rank"] is not None else [])
    found += [
        f"{name} {field}: {told[field]} not {one[field]}"
        for field in ROW
        if field in one and not same(told[field], one[field], other[field])
    ]
    if "rank" in one and told["rank"] not in (one["rank"], other["rank"]):
        found.append(f"{name} rank: {told['rank']} not {one['rank']}")
    return found


def compare(config: Path, completions: list[Completion], rules: Rules, *flags: str) -> None:
    document = scores(config, *flags)
    found = differences(document, completions, json.loads(config.read_text(encoding="utf-8")), rules)
    assert not found, f"{len(found)} differences, such as\n" + "\n".join(found[:12])


@pytest.fixture(scope="module")
def of_repeats(repeats_dataset: Path) -> list[Completion]:
    return read_records(repeats_dataset.parent / "source" / "records.jsonl")


@pytest.fixture(scope="module")
def of_demo(demo_dataset: Path) -> list[Completion]:
    return read_records(DEMO_RECORDS)


@pytest.fixture(scope="module")
def of_rg(rg_source: Path) -> list[Completion]:
    pytest.importorskip("reasoning_gym", reason="params regenerate with reasoning-gym only")
    return read_reasoning_gym(rg_source, RegeneratedParams(rg_source))


@pytest.fixture(scope="module")
def movies(build: Build) -> Path:
    """The counts of ReasonScape's published cell: task movies, 12 choices."""
    outcomes = {"correct": 337, "invalid": 6, "incorrect": 888 - 337 - 6, "truncated": 8}
    records = [
        {"model": "m", "base_task": "movies", "outcome": outcome, "choices": 12}
        for outcome, count in outcomes.items()
        for _ in range(count)
    ]
    return build("movies", records)


def flags_of(rules: Rules) -> list[str]:
    flags = ["--interval", rules.interval, "--repeats", rules.repeats]
    return flags if rules.threshold == 1 else [*flags, "--threshold", str(rules.threshold)]


class TestRepeats:
    """Made-up records with everything at once."""

    @pytest.mark.parametrize("interval", INTERVALS)
    @pytest.mark.parametrize("repeats", ["cluster", "independent"])
    def test_every_number(
        self, repeats_dataset: Path, of_repeats: list[Completion], interval: str, repeats: str
    ) -> None:
        rules = Rules(interval, repeats)
        compare(repeats_dataset, of_repeats, rules, *flags_of(rules))

    def test_defaults_are_wilson_on_clustered_repeats(
        self, repeats_dataset: Path, of_repeats: list[Completion]
    ) -> None:
        compare(repeats_dataset, of_repeats, Rules())

    @pytest.mark.parametrize(
        ("filters", "keep"),
        [
            ({"base_task": ["free", "mixed"]}, lambda one: one.base_task in ("free", "mixed")),
            ({"params": {"length": [3, 5]}}, lambda one: one.params.get("length") in (3, 5)),
            ({"params": {"size": [1], "kind": ["y"]}}, lambda one: one.params == {"size": 1, "kind": "y"}),
            ({"params": {"deep": [True]}}, lambda one: one.params == {"deep": True}),
            ({"eval_id": [0, 2]}, lambda one: one.model in ("alpha", "gamma")),
            ({"groups": ["size:small", "family:a"]}, lambda one: one.model == "alpha"),
            (
                {"groups": [["family:a"], ["size:large"]]},
                lambda one: one.model in ("alpha", "gamma", "delta"),
            ),
        ],
        ids=as_json,
    )
    def test_filters_restrict_the_records(
        self, repeats_dataset: Path, of_repeats: list[Completion], filters: dict[str, Any], keep: Any
    ) -> None:
        kept = [one for one in of_repeats if keep(one)]
        compare(repeats_dataset, kept, Rules(), "--filters", json.dumps(filters))

    def test_without_tiers_cells_are_tasks(self, of_repeats: list[Completion], build: Build) -> None:
        records, config = synthetic.repeats()
        path = build("repeats-flat", records, {**config, "db": "repeats-flat.duckdb", "tiers": []})
        compare(path, of_repeats, Rules())


class TestPartialScores:
    @pytest.mark.parametrize("threshold", [1.0, 0.75, 0.5, 0.2])
    def test_threshold(self, partial_dataset: Path, threshold: float) -> None:
        completions = read_records(partial_dataset.parent / "source" / "records.jsonl")
        rules = Rules(threshold=threshold)
        compare(partial_dataset, completions, rules, *flags_of(rules))

    def test_threshold_in_filters_is_the_flag(self, partial_dataset: Path) -> None:
        by_flag = scores(partial_dataset, "--threshold", "0.5")["rows"]
        assert scores(partial_dataset, "--filters", '{"threshold": 0.5}')["rows"] == by_flag

    def test_threshold_of_the_config_is_the_default(self, build: Build) -> None:
        config = {"db": "half.duckdb", "name": "half", "threshold": 0.5, "evals": []}
        path = build("half", synthetic.partial(), config)
        completions = read_records(path.parent / "source" / "records.jsonl")
        compare(path, completions, Rules(threshold=0.5))
        compare(path, completions, Rules(threshold=1.0), "--threshold", "1")


class TestDemo:
    @pytest.mark.parametrize("interval", INTERVALS)
    def test_every_number(self, demo_dataset: Path, of_demo: list[Completion], interval: str) -> None:
        rules = Rules(interval)
        compare(demo_dataset, of_demo, rules, *flags_of(rules))

    def test_repeats_policy_is_idle_without_repeats(self, demo_dataset: Path) -> None:
        apart = scores(demo_dataset, "--repeats", "independent")
        assert scores(demo_dataset)["rows"] == apart["rows"]

    def test_counts_of_the_provenance(self, demo_dataset: Path) -> None:
        cells = [c for row in scores(demo_dataset)["rows"] for c in row["cells"] if c["tier"] is None]
        total = {name: sum(cell[name] for cell in cells) for name in EXACT[2:]}
        assert total == {"correct": 1447, "incorrect": 5136, "invalid": 332, "truncated": 381, "error": 0}


class TestReferencePoint:
    """ReasonScape's published cell: task movies, 12 choices."""

    def test_every_printed_digit(self, movies: Path) -> None:
        (row,) = scores(movies, "--interval", "reasonscape")["rows"]
        (cell,) = row["cells"]
        assert (cell["n"], cell["correct"], cell["truncated"]) == (888, 337, 8)
        assert cell["truncated_ratio"] == 0.008928571428571428
        assert (cell["adjusted_successes"], cell["adjusted_trials"]) == (263, 814)
        assert repr(cell["center"]) == "0.3239267848444002"
        assert repr(cell["margin"]) == "0.03206244563179326"
        assert repr(cell["adjusted_successes"] / cell["adjusted_trials"]) == "0.3230958230958231"
        assert cell["accuracy"] == pytest.approx(0.3230958230958231, abs=1e-15)

    def test_reasonscore_keeps_its_center_whatever_the_interval(self, movies: Path) -> None:
        expected = 1000 * (0.3239267848444002 + 0.03206244563179326 - 0.008928571428571428)
        for interval in INTERVALS:
            (row,) = scores(movies, "--interval", interval)["rows"]
            assert row["reasonscore"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
class TestReasoningGym:
    """The real results; params regenerated here, without the product."""

    @pytest.mark.parametrize("interval", ["wilson", "reasonscape"])
    def test_every_number(self, rg_dataset: Path, of_rg: list[Completion], interval: str) -> None:
        rules = Rules(interval, tells_truncation=False)
        compare(rg_dataset, of_rg, rules, *flags_of(rules))

    def test_partial_credit(self, rg_dataset: Path, of_rg: list[Completion]) -> None:
        compare(rg_dataset, of_rg, Rules(threshold=0.5, tells_truncation=False), "--threshold", "0.5")

    def test_six_models_sixteen_tasks_two_tiers(self, rg_dataset: Path, of_rg: list[Completion]) -> None:
        rows = scores(rg_dataset)["rows"]
        assert len(rows) == 6
        assert sum(c["n"] for row in rows for c in row["cells"] if c["tier"] is None) == len(of_rg) == 19_200
        for row in rows:
            assert {cell["tier"] for cell in row["cells"]} == {None, "easy", "hard"}
            assert len(row["cells"]) == 16 * 3
        ranks = fair_sort({row["eval_id"]: row for row in rows})
        assert {row["eval_id"]: row["rank"] for row in rows} == ranks
        assert [row["plain_score"] for row in rows] == sorted((r["plain_score"] for r in rows), reverse=True)
