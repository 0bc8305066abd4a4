"""Cells against a direct computation from the completions."""

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from core.filters import Filters
from core.store import Dataset
from core.tiers.cells import read_cells
from core.tiers.methods import Methods
from core.tiers.scores import read_scores
from tests.store.staging import Row, completion
from tests.tiers import direct


def expected_rows(
    rows: list[Row], dataset: Dataset, filters: Filters
) -> dict[tuple[int, str, str | None], list[Row]]:
    """Completions of each cell; a point in two tiers is in both, and once in the pool."""
    wanted = [tier for tier in dataset.config.tiers if not filters.tiers or tier.id in filters.tiers]
    cells: dict[tuple[int, str, str | None], list[Row]] = {}
    for eval_id in filters.evals(dataset.config):
        for row in direct.of_eval(rows, dataset.config, eval_id):
            tiers = [tier.id for tier in wanted if direct.in_tier(row, tier)]
            if not filters.tiers or tiers:
                for tier in (None, *tiers):
                    cells.setdefault((eval_id, row["base_task"], tier), []).append(row)
    return cells


def by_key(frame: pd.DataFrame) -> dict[tuple[int, str, str | None], dict[str, Any]]:
    records = frame.to_dict(orient="records")
    keyed = {(record["eval_id"], record["task"], record["tier"]): record for record in records}
    assert len(keyed) == len(records)
    return keyed


@pytest.mark.parametrize(
    "document", [{}, {"tiers": ["high"]}, {"eval_id": [1, 3], "threshold": 0.5}], ids=str
)
@pytest.mark.parametrize("repeats", ["cluster", "independent"])
def test_cells_are_those_of_their_completions(mixed: Dataset, rows, document, repeats: str) -> None:
    filters = Filters.from_dict(document).resolved(mixed.catalog)
    threshold = filters.threshold or 1.0
    found = by_key(read_cells(mixed, filters, Methods(repeats=repeats)))
    expected = expected_rows(rows, mixed, filters)
    assert found.keys() == expected.keys()
    for key, some in expected.items():
        one, known = found[key], direct.cell(some, threshold)
        assert {name: one[name] for name in known} == pytest.approx(known, rel=1e-12), key
        n, all_in = known["n"], known["n"] + known["truncated"]
        assert one["gamma"] == pytest.approx(known["guess_mass"] / n)
        raw, gamma = known["correct"] / n, known["guess_mass"] / n
        n_eff, all_n_eff = (
            direct.effective_n(direct.items_of(some, threshold, truncated_as_wrong=wrong))
            if repeats == "cluster" else [total]
            for wrong, total in ((False, n), (True, all_in))
        )  # fmt: skip
        assert any(one["n_eff"] == pytest.approx(value, rel=1e-9) for value in n_eff), key
        bounds = [direct.skill(b, gamma) for b in direct.wilson(max(raw, gamma), one["n_eff"])]
        assert [one["lower"], one["upper"]] == pytest.approx(bounds, abs=1e-12)
        assert one["center"] == pytest.approx(sum(bounds) / 2, abs=1e-12)
        assert one["margin"] == pytest.approx((bounds[1] - bounds[0]) / 2, abs=1e-12)
        assert one["accuracy"] == pytest.approx(direct.skill(raw, gamma), abs=1e-12)
        plain = known["correct"] / all_in
        assert one["plain_accuracy"] == pytest.approx(direct.skill(plain, gamma), abs=1e-12)
        answers = [
            [direct.skill(b, gamma) for b in direct.wilson(max(plain, gamma), value)] for value in all_n_eff
        ]
        found_bounds = [one["plain_lower"], one["plain_upper"]]
        assert any(found_bounds == pytest.approx(answer, abs=1e-9) for answer in answers), key
        assert one["all_in_accuracy"] == pytest.approx(plain)
        assert one["all_in_upper"] == pytest.approx((known["correct"] + known["truncated"]) / all_in)
        assert one["truncated_ratio"] == pytest.approx(known["truncated"] / all_in)
        assert one["below_chance"] == (known["guess_mass"] - known["correct"] > 1e-9)


def test_reasonscapes_fields_do_not_depend_on_the_methods(mixed: Dataset) -> None:
    fields = ["adjusted_successes", "adjusted_trials", "rs_center", "rs_margin"]
    frames = [
        read_cells(mixed, Filters(threshold=1.0), Methods(interval, repeats))[fields]
        for interval, repeats in [
            ("wilson", "cluster"),
            ("jeffreys", "independent"),
            ("reasonscape", "cluster"),
        ]
    ]
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frame, frames[0])
    shown = read_cells(mixed, Filters(threshold=1.0), Methods("reasonscape"))
    assert (shown["center"] == shown["rs_center"]).all()
    assert (shown["margin"] == shown["rs_margin"]).all()


def test_a_point_in_two_tiers_counts_in_both_and_once_in_the_pool(mixed: Dataset, rows) -> None:
    in_both = [
        row for row in direct.of_eval(rows, mixed.config, 0)
        if row["base_task"] == "add" and '"level":1' in row["params"]
    ]  # fmt: skip
    assert in_both
    only = Filters.from_dict({"eval_id": [0], "base_task": "add", "params": {"level": 1}})
    found = by_key(read_cells(mixed, only.resolved(mixed.catalog), Methods()))
    assert set(found) == {(0, "add", None), (0, "add", "low"), (0, "add", "high")}
    assert (
        len({cell["n"] + cell["truncated"] + cell["error"] for cell in found.values()} | {len(in_both)}) == 1
    )


def test_without_tiers_and_choices_there_are_pooled_cells_only(made, rows) -> None:
    free = [row | {"choices": None} for row in rows if row["base_task"] == "add"]
    dataset = made(free)
    cells = read_cells(dataset, Filters().resolved(dataset.catalog), Methods())
    assert list(cells["tier"]) == [None, None, None]
    assert (cells["gamma"] == 0).all()
    assert cells["choices_n"].tolist() == [0, 0, 0]
    dataset.close()


def test_nothing_selected_is_an_empty_table(mixed: Dataset) -> None:
    filters = Filters.from_dict({"eval_id": [4]}).resolved(mixed.catalog)
    assert read_cells(mixed, filters, Methods()).empty


def test_guess_mass_is_summed_before_it_is_divided(made) -> None:
    counts = {"correct": 337, "incorrect": 545, "invalid": 6, "truncated": 8}
    outcomes = [outcome for outcome, number in counts.items() for _ in range(number)]
    dataset = made(
        [completion(item_key=f"{i}", outcome=outcome, choices=12) for i, outcome in enumerate(outcomes)]
    )
    cell = read_cells(dataset, Filters().resolved(dataset.catalog), Methods("reasonscape")).iloc[0]
    # The reference point of ReasonScape's documentation.
    assert cell["guess_mass"] == 74
    assert (cell["adjusted_successes"], cell["adjusted_trials"]) == (263, 814)
    assert (cell["center"], cell["margin"]) == (0.3239267848444002, 0.03206244563179326)
    assert cell["truncated_ratio"] == 0.008928571428571428
    assert cell["invalid_ratio"] == 0.006756756756756757
    dataset.close()


@pytest.mark.parametrize("told", [True, False])
def test_what_was_cut_off_is_not_0_where_the_source_does_not_tell(
    made: Callable[..., Dataset], told: bool
) -> None:
    known = {"truncation": "none" if told else "unknown"}
    dataset = made([completion(item_key=f"{item}", outcome="correct", **known) for item in range(20)])
    cell = read_cells(dataset, Filters(), Methods()).iloc[0]
    assert cell["truncated_ratio"] == 0 if told else math.isnan(cell["truncated_ratio"])
    assert read_scores(dataset, Filters(), Methods()).rows["reasonscore"].iloc[0] > 900
    dataset.close()
