"""Spiderwebs: numbers, gaps, the geometry of the radar, bars, words, documents and files."""

import json
import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from core import charts
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.palette import OUTCOME_COLOURS, model_colour
from core.store import Dataset
from core.tiers import spiderweb as tier
from core.tiers.cells import read_cells
from core.tiers.cluster import read_clusters
from core.tiers.methods import Methods
from core.tiers.spiderweb import Spiders, read_spiders
from core.tiers.spiderweb.geometry import Ring, cells_of
from core.tiers.tokens import mean_text, token_text
from tests.store.staging import Row, completion

METHODS = Methods()
PNG = b"\x89PNG\r\n\x1a\n"
TASKS = ("t0", "t1", "t2", "t3", "t4")


def spiders(dataset: Dataset, document: Any = None) -> Spiders:
    return read_spiders(dataset, Filters.from_dict(document or {}), METHODS)


def answers(model: str, task: str, right: int, wrong: int, **fields: Any) -> list[Row]:
    return [
        completion(
            model=model, base_task=task, item_key=str(item),
            outcome="correct" if item < right else "incorrect", **fields,
        )
        for item in range(right + wrong)
    ]  # fmt: skip


@pytest.fixture
def five(made: Callable[..., Dataset]) -> Dataset:
    """Two evals on five tasks; the second lacks t2, has nothing counted in t4 and is cut off in t1."""
    rows = [row for n, task in enumerate(TASKS) for row in answers("full", task, 2 * n, 10 - 2 * n)]
    rows += answers("part", "t0", 10, 0, completion_tokens=50) + answers("part", "t3", 3, 7)
    rows += answers("part", "t1", 4, 4)
    rows += [completion(model="part", base_task="t1", item_key=f"c{n}", outcome="truncated") for n in (0, 1)]
    rows += [completion(model="part", base_task="t4", item_key="0", outcome="truncated")]
    return made(rows, basetasks={task: {"label": f"Task {task}"} for task in TASKS})


def rows_with(chart: Any, *fields: str) -> list[dict[str, Any]]:
    """Rows of the chart's data that have these fields."""
    return [
        row
        for rows in chart.to_dict()["datasets"].values()
        for row in rows
        if all(field in row for field in fields)
    ]


def test_cells_are_those_of_the_leaderboard_and_tokens_those_of_the_clusters(mixed: Dataset) -> None:
    found = spiders(mixed)
    known = read_cells(mixed, Filters().resolved(mixed.catalog), METHODS)
    assert len(found.cells) == len(known)
    both = found.cells.merge(known, on=["eval_id", "task", "tier"], suffixes=("", "_known"))
    for name in ("n", "n_items", "accuracy", "lower", "upper", "truncated_ratio"):
        assert both[name].to_numpy(float) == pytest.approx(both[f"{name}_known"].to_numpy(float), nan_ok=True)
    for section in read_clusters(mixed, Filters(), METHODS).sections:
        for row in section.members.to_dict(orient="records"):
            cells = found.of(row["eval_id"])
            cell = cells[(cells["task"] == section.value) & cells["tier"].isna()].iloc[0]
            for name in ("mean_tokens", "tokens_lower", "tokens_upper"):
                assert cell[name] == pytest.approx(row[name], nan_ok=True)


def test_tokens_per_tier(mixed: Dataset, rows: list[Row]) -> None:
    cells = spiders(mixed, {"tiers": ["low"]}).of(0)
    own = [
        row["completion_tokens"]
        for row in rows
        if (row["model"], row["template"], row["base_task"]) == ("one", "default", "add")
        and json.loads(row["params"])["level"] in (0, 1)
        and row["completion_tokens"] is not None
    ]
    low = cells[(cells["task"] == "add") & (cells["tier"] == "low")].iloc[0]
    assert low["mean_tokens"] == pytest.approx(sum(own) / len(own))


def test_one_order_of_tasks_for_every_eval(mixed: Dataset) -> None:
    found = spiders(mixed)
    assert found.tasks == mixed.catalog.base_tasks
    for eval_id in found.evals:
        tasks = list(dict.fromkeys(found.of(eval_id)["task"]))
        assert tasks == [task for task in found.tasks if task in tasks]
    assert found.tiers == ("low", "high")
    assert found.rings("tier") == ("low", "high")
    assert found.rings("pooled") == (None,)


class TestRadar:
    def test_first_spoke_points_up_and_the_others_follow_clockwise(self, five: Dataset) -> None:
        points = rows_with(tier.radar_chart(spiders(five), 0), "marked")
        at = {point["task"]: (point["x"], point["y"]) for point in points}
        # Accuracies are 0, .2, .4, .6 and .8.
        assert at["Task t0"] == pytest.approx((0, 0))
        for place in range(5):
            angle = math.tau * place / 5
            expected = (0.2 * place * math.sin(angle), 0.2 * place * math.cos(angle))
            assert at[f"Task t{place}"] == pytest.approx(expected)

    def test_a_missing_task_is_a_gap_and_not_zero(self, five: Dataset) -> None:
        chart = tier.radar_chart(spiders(five), 1)
        assert {point["task"] for point in rows_with(chart, "marked")} == {"Task t0", "Task t1", "Task t3"}
        runs = defaultdict(set)
        for row in rows_with(chart, "ring", "run"):
            runs[row["run"]].add((round(row["x"], 9), round(row["y"], 9)))
        # t0 and t1 are joined; t3 stands alone between the gaps of t2 and t4.
        assert len(runs) == 2
        assert (0.0, 0.0) not in set.union(*runs.values())

    @pytest.mark.parametrize(
        ("known", "runs"),
        [
            ("abcde", [[0, 1, 2, 3, 4, 0]]),
            ("abde", [[3, 4, 0, 1]]),
            ("ac", [[2], [0]]),
            ("e", [[4]]),
            ("", []),
        ],
    )
    def test_runs(self, known: str, runs: list[list[int]]) -> None:
        cells = {task: {"accuracy": 0.5} for task in known}
        found = Ring("r", cells, "#000", [1, 0], "circle").runs("abcde")
        assert sorted(found) == sorted(runs)

    def test_the_band_runs_along_the_bounds(self, five: Dataset) -> None:
        found = spiders(five)
        cells = cells_of(found.of(0), None)
        outline = sorted(
            (row["order"], math.hypot(row["x"], row["y"]))
            for row in rows_with(tier.radar_chart(found, 0, rings="pooled"), "ring", "run")
        )
        radii = {round(radius, 9) for _, radius in outline}
        for cell in cells.values():
            assert {round(cell["lower"], 9), round(cell["upper"], 9)} <= radii

    def test_truncation_is_marked_and_named(self, five: Dataset) -> None:
        chart = tier.radar_chart(spiders(five), 1)
        assert [p["task"] for p in rows_with(chart, "marked") if p["marked"]] == ["Task t1"]
        svg = charts.to_svg(chart)
        assert OUTCOME_COLOURS["truncated"] in svg
        assert (
            "20% truncated" in svg and "truncated" in chart["title"].subtitle[0] + chart["title"].subtitle[1]
        )
        assert OUTCOME_COLOURS["truncated"] not in charts.to_svg(tier.radar_chart(spiders(five), 0))

    def test_a_ring_per_tier_in_the_colour_of_the_eval(self, mixed: Dataset) -> None:
        found = spiders(mixed)
        rings = {row["ring"] for row in rows_with(tier.radar_chart(found, 0), "ring", "run")}
        assert rings == {"Low one", "High one"}
        pooled = {row["ring"] for row in rows_with(tier.radar_chart(found, 0, rings="pooled"), "ring", "run")}
        assert pooled == {"all"}
        assert model_colour(2) in charts.to_svg(tier.radar_chart(found, 2))

    def test_overlay_has_each_eval_in_its_colour(self, mixed: Dataset) -> None:
        svg = charts.to_svg(tier.overlay_chart(spiders(mixed), [0, 2]))
        assert model_colour(0) in svg and model_colour(2) in svg and model_colour(1) not in svg
        assert "One" in svg and "Two" in svg

    def test_has_words_and_alternative_text(self, mixed: Dataset) -> None:
        found = spiders(mixed)
        chart = tier.radar_chart(found, 0)
        svg = charts.to_svg(chart)
        for words in ("One: accuracy per task", "guess-corrected", "95% Wilson intervals", "n = ", "Sorting"):
            assert words in svg
        assert chart["description"] == tier.eval_sentence(found, 0)

    def test_as_many_spokes_as_can_be_read(self, made: Callable[..., Dataset]) -> None:
        many = [row for n in range(17) for row in answers("m", f"t{n:02}", 1, 1)]
        found = spiders(made(many))
        with pytest.raises(FilterError, match="3 to 16 tasks, not 17"):
            tier.radar_chart(found, 0)
        assert tier.check_spokes(found, ["t16", "t03", "t00"]) == ("t00", "t03", "t16")
        with pytest.raises(FilterError, match="No task 'x'"):
            tier.check_spokes(found, ["x"])
        assert "Task" not in charts.to_svg(tier.bar_chart(found, 0))
        with pytest.raises(FilterError, match="1 to 5 evals, not 6"):
            tier.check_overlay(found, range(6), [])


class TestBars:
    def test_exact_values_error_bars_and_tokens(self, five: Dataset) -> None:
        found = spiders(five)
        bars = {row["task"]: row for row in rows_with(tier.bar_chart(found, 1), "value") if not row["head"]}
        assert {task: bar["value"] for task, bar in bars.items()} == {
            "Task t0": "1.000", "Task t1": "0.500", "Task t2": "no points", "Task t3": "0.300",
            "Task t4": "none counted",
        }  # fmt: skip
        cells = cells_of(found.of(1), None)
        assert bars["Task t3"]["lower"] == pytest.approx(cells["t3"]["lower"])
        assert bars["Task t2"]["accuracy"] is None
        assert bars["Task t0"]["tokens"] == "50.0" and bars["Task t3"]["tokens"] == "—"
        svg = charts.to_svg(tier.bar_chart(found, 1))
        assert "mean tokens" in svg and "accuracy, guess-corrected" in svg

    def test_a_bar_per_tier(self, mixed: Dataset) -> None:
        found = spiders(mixed, {"base_task": ["add"]})
        bars = [row for row in rows_with(tier.bar_chart(found, 0), "value") if not row["head"]]
        assert [bar["tier"] for bar in bars] == ["Low one", "High one"]
        one = [row for row in rows_with(tier.bar_chart(found, 0, rings="pooled"), "value") if not row["head"]]
        assert [bar["tier"] for bar in one] == [""]

    def test_rows_never_shrink(self, made: Callable[..., Dataset]) -> None:
        found = spiders(made([row for n in range(60) for row in answers("m", f"t{n:02}", 1, 1)]))
        chart = tier.bar_chart(found, 0, height=700)
        assert chart["height"] > 60 * 2 * 20


class TestWords:
    def test_strongest_and_weakest(self, five: Dataset) -> None:
        found = spiders(five)
        assert tier.eval_sentence(found, 0).startswith("full is strongest at Task t4, 0.80 [")
        assert "weakest at Task t0, 0.00 [" in tier.eval_sentence(found, 0)
        assert "more than 2% truncated in 2 of 4 tasks, most in Task t4 (100%)" in tier.eval_sentence(
            found, 1
        )

    def test_where_evals_part(self, five: Dataset) -> None:
        sentence = tier.overlay_sentence(spiders(five), [0, 1])
        assert sentence.startswith("These 2 evals are farthest apart at Task t0: part 1.00, full 0.00")

    def test_notes_tell_gaps(self, five: Dataset, mixed: Dataset) -> None:
        told = tier.notes(spiders(five), [0, 1])
        assert "part has no points in Task t2: a gap, not a zero." in told
        assert any("fewer than 30" in note for note in told)
        assert any("In no tier" in note and "word's" in note for note in tier.notes(spiders(mixed), [0]))

    def test_one_eval_one_task(self, made: Callable[..., Dataset]) -> None:
        found = spiders(made(answers("only", "t", 8, 2)))
        assert tier.eval_sentence(found, 0).startswith("only reaches 0.80 [")
        assert ">0.800<" in charts.to_svg(tier.bar_chart(found, 0))


class TestFiles:
    def test_document(self, five: Dataset) -> None:
        document = tier.to_document(spiders(five))
        assert json.loads(json.dumps(document)) == document
        assert [entry["label"] for entry in document["evals"]] == ["full", "part"]
        cells = {cell["task"]: cell for cell in document["evals"][1]["cells"]}
        assert set(cells) == {"t0", "t1", "t3", "t4"}
        assert cells["t4"]["accuracy"] is None and cells["t4"]["truncated_ratio"] == 1
        assert cells["t0"]["tier"] is None

    def test_csv_has_every_cell(self, mixed: Dataset) -> None:
        found = spiders(mixed)
        frame = tier.export_frame(found)
        assert len(frame) == len(found.cells)
        assert set(frame["eval_id"]) == {0, 1, 2}
        assert set(tier.export_frame(found, [2])["eval_id"]) == {2}

    def test_names(self, mixed: Dataset) -> None:
        found = spiders(mixed)
        filters = Filters(tiers=("low",), eval_id=(0, 1))
        webs = tier.image_files(found, filters, "webpng", evals=[1])
        assert [file.name for file in webs] == ["mixed_eval1_One--any_spider_low.png"]
        with pytest.raises(FilterError, match="3 to 16 tasks, not 2"):
            tier.image_files(spiders(mixed, {"base_task": ["add", "sort"]}), Filters(), "webpng")
        bars = tier.image_files(found, filters, "barpng")
        assert bars[0].name == "mixed_eval0_One_bar_low.png"
        assert bars[0].make().startswith(PNG)
        assert tier.table_file(found, Filters(), "csv").name == "mixed_spiderweb.csv"

    def test_table_on_screen(self, mixed: Dataset) -> None:
        frame = tier.text_frame(spiders(mixed), [0], "tier")
        assert set(frame["tier"]) == {"Low one", "High one"}
        assert isinstance(frame, pd.DataFrame)


def test_what_is_asked_in_vain(mixed: Dataset) -> None:
    found = spiders(mixed)
    with pytest.raises(FilterError, match="No eval_id 4 in this selection; valid: 0, 1, 2"):
        tier.radar_chart(found, 4)
    with pytest.raises(NothingFoundError):
        spiders(mixed, {"eval_id": [4]})


def test_token_texts() -> None:
    assert [token_text(value) for value in (7.04, 99.94, 123.4, 12_345.0, math.nan)] == [
        "7.0", "99.9", "123", "12,345", "—",
    ]  # fmt: skip
    assert mean_text(7.0, 6.5, 7.5) == "7.0 [6.5, 7.5]"
    assert mean_text(7.0, math.nan, math.nan) == "7.0"
