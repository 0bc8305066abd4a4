"""The Hazard page: what it says on every kind of dataset, and what its controls change."""

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.ui.hazard_controls import budget_steps
from tests.command import ROOT, ask
from tests.pages.conftest import said
from tests.synthetic import simple

PAGE = "pages/hazard.py"
Show = Callable[..., AppTest]


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Show:
    """Open the page on a dataset, with an address and as the first page; it must show no fault."""

    def open_(config: Path, **address: str | list[str]) -> AppTest:
        monkeypatch.setattr(sys, "argv", ["app.py", "--data", str(config.parent)])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for key, value in address.items():
            app.query_params[key] = value
        return healthy(app.switch_page(PAGE).run())

    return open_


def healthy(app: AppTest) -> AppTest:
    assert not app.exception
    assert not app.error
    return app


def charts(app: AppTest) -> int:
    return len(app.get("vega_lite_chart"))


def test_the_first_thing_said_is_the_result(show: Show, demo_dataset: Path) -> None:
    app = show(demo_dataset)
    first = app.markdown[0].value.replace("\\", "")
    assert first.startswith("**90% of the correct answers seen come by") and first.endswith("**")
    # Six groups of two plots, and the comparison.
    assert charts(app) == 13
    words = said(app)
    assert "Read a picture at any number of tokens as if the model had to stop there" in words
    assert "14 groups, 6 at a time" in words
    assert "F_j(t) = " in words
    assert "buckets of 16 tokens" in words
    assert "completions cut off →" in " ".join(element.proto.body for element in app.get("html"))


@pytest.mark.parametrize("dataset", ["repeats_dataset", "no_repeats_dataset", "one_model_dataset"])
def test_every_dataset_with_tokens_has_curves(
    show: Show, request: pytest.FixtureRequest, dataset: str
) -> None:
    app = show(request.getfixturevalue(dataset))
    assert charts(app) >= 2
    assert len(app.dataframe) >= 1
    if dataset == "one_model_dataset":
        assert "Only one eval is selected" in said(app)
    if dataset == "repeats_dataset":
        assert "without a token count, in no curve" in said(app)
        assert "repeats clustered by item" in said(app)


@pytest.mark.parametrize("dataset", ["bare_dataset", "partial_dataset", "strange_dataset"])
def test_without_token_counts_it_says_what_to_do(
    show: Show, request: pytest.FixtureRequest, dataset: str
) -> None:
    app = show(request.getfixturevalue(dataset))
    words = said(app)
    if dataset == "bare_dataset":
        assert "Nothing to follow here" in words
        assert "Import results that report completion_tokens" in words
        assert charts(app) == 0
    assert not any("<script>" in element.value for element in (*app.markdown, *app.caption, *app.info))


def test_where_there_is_nothing_to_show(show: Show, empty_dataset: Path, repeats_dataset: Path) -> None:
    assert "No eval has any points" in said(show(empty_dataset))
    words = said(show(repeats_dataset, tier="Hard one", task="Guess"))
    assert "Nothing matches these filters" in words


def test_split_bucket_and_page_come_from_the_address(show: Show, demo_dataset: Path) -> None:
    app = show(demo_dataset, hazard_split=["base_task", "eval_id"], bucket="40", hazard_page="2")
    assert "56 groups, 6 at a time" in said(app)
    assert "buckets of 40 tokens" in said(app)
    app.multiselect(key="hazard_split").set_value(["tier"]).run()
    healthy(app)
    assert charts(app) == 7
    app.multiselect(key="hazard_split").set_value([]).run()
    assert "All completions: 90% of the 1,447 correct answers seen" in said(healthy(app))
    assert "n = 7,296" in said(app)


def test_buckets_that_are_too_many_to_draw_are_larger(
    show: Show, repeats_dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.ui.hazard.DRAWN_BUCKETS", 60)
    words = said(show(repeats_dataset, bucket="3", hazard_split="base_task"))
    assert "Buckets of 3 tokens are too many to draw here: these are of 4" in words
    # One page of groups has no files of all groups.
    assert "The files of all groups have what you asked for" not in words


def test_a_budget_says_what_the_command_line_says(show: Show, demo_dataset: Path) -> None:
    app = show(demo_dataset, hazard_split="base_task", task="Letters", budget="32")
    flags = (
        "--split",
        "base_task",
        "--bucket-size",
        "16",
        "--budget",
        "32",
        "--filters",
        '{"base_task": "letters"}',
    )
    (group,) = ask("hazard", demo_dataset, *flags, "--format", "json").document()["groups"]
    cost = group["reading_aids"]["with_budget"]["cost"]
    row = app.dataframe[0].value.iloc[0]
    assert row["n"] == group["n"]
    assert row["cost"].startswith(f"{100 * cost['value']:.1f} points [{100 * cost['lower']:.1f}, ")
    app.select_slider(key="budget").set_value(64).run()
    assert "A budget of 64 tokens would cost" in said(healthy(app))


def test_a_budget_that_nobody_chose_goes_with_the_bucket_and_a_chosen_one_stays(
    show: Show, demo_dataset: Path
) -> None:
    app = show(demo_dataset)
    assert app.select_slider(key="budget").value == 64
    app.number_input(key="bucket").set_value(32).run()
    assert healthy(app).select_slider(key="budget").value == 128
    assert "A budget of 128 tokens would cost" in said(app)
    app.select_slider(key="budget").set_value(16).run()
    app.number_input(key="bucket").set_value(8).run()
    assert healthy(app).select_slider(key="budget").value == 16
    assert "A budget of 16 tokens would cost" in said(app)


def test_evals_are_compared_and_tested_on_request(show: Show, demo_dataset: Path) -> None:
    app = show(demo_dataset, hazard_part="letters", task="Letters", budget="64")
    app.multiselect(key="hazard_evals").set_value([2, 0]).run()
    table = healthy(app).dataframe[-1].value
    assert table["difference"][0] == "—"
    flags = (
        "--compare",
        "2,0",
        "--budget",
        "64",
        "--bucket-size",
        "16",
        "--filters",
        '{"base_task": "letters"}',
    )
    (document,) = ask("hazard", demo_dataset, *flags, "--log-rank", "--format", "json").document()[
        "comparisons"
    ]
    found = document["evals"][1]["difference"]
    assert table["difference"][1].replace("−", "-").startswith(f"{100 * found['value']:.1f} points [")
    app.toggle(key="log_rank").set_value(True).run()
    table = healthy(app).dataframe[-1].value
    test = document["log_rank"]["tests"][0]
    assert table["log-rank, correct (m = 2)"][1] == f"χ² {test['chi2']:.1f}, p {test['p_holm']:.2g}"
    assert "the test takes items as the sample" in said(app)


def test_odd_groups_are_explained(show: Show, build: Callable[..., Path]) -> None:
    records: list[dict[str, Any]] = [
        *simple("cut", outcome="truncated", token_limit=20),
        *simple("silent", completion_tokens=None),
        *simple("usual", count=4),
    ]
    words = said(show(build("oddtokens", records), bucket="64"))
    assert "All 10 completions were cut off: nothing is known of their answers" in words
    assert "All are over in the first bucket of 64 tokens: take a smaller one" in words
    assert "10 completions, all without a token count" in words


def test_downloads(show: Show, demo_dataset: Path) -> None:
    app = show(demo_dataset)
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == [
        "Comparison CSV", "Comparison PNG", "Hazard CSV", "Hazard JSON", "Hazard PNG (ZIP)",
        "All groups, CSV (ZIP)", "All groups, JSON (ZIP)", "All groups, PNG (ZIP)",
    ]  # fmt: skip


def test_what_a_budget_costs_in_a_sentence(show: Show, demo_dataset: Path) -> None:
    words = {
        budget: said(show(demo_dataset, budget=budget, hazard_split="template")) for budget in ("1", "256")
    }
    assert "A budget of 1 token would cost accuracy in all 4 groups, most in fewshot: " in words["1"]
    assert "A budget of 256 tokens would cost nothing seen in any of the 4 groups." in words["256"]


@pytest.mark.parametrize("largest", [0, 1, 3, 256, 300, 32_768])
def test_budgets_to_choose_from(largest: int) -> None:
    steps = budget_steps(largest)
    assert steps == sorted(set(steps))
    assert steps[-1] == max(largest, 1)
    assert {2**power for power in range(20) if 2**power <= largest} <= set(steps)
    assert all(b <= 1.5 * a or b - a == 1 for a, b in pairwise(steps))
