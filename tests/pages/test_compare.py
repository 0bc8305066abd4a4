"""The Compare page: every kind of dataset, every control, the same numbers as the command line."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from core.filters import Filters
from core.store import open_dataset
from core.tiers.compare import read_comparison
from core.ui.compare_tables import NOT_LINKED, cell_filters
from tests.command import ROOT, ask
from tests.pages.conftest import said

Show = Callable[..., AppTest]


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Show:
    """Open the page on a dataset, with an address, no other page before it; nothing may be at fault."""

    def open_(config: Path, **address: str | list[str]) -> AppTest:
        monkeypatch.setattr(sys, "argv", ["app.py", "--data", str(config.parent)])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for key, value in address.items():
            app.query_params[key] = value
        app.switch_page("pages/compare.py").run()
        assert not app.exception
        return app

    return open_


def document(config: Path, *flags: str) -> dict:
    return ask("compare", config, "--format", "json", *flags).document()


def verdict(app: AppTest) -> str:
    """The first thing said, without its marks."""
    return app.markdown[0].value.replace("\\", "").strip("*")


def parts(app: AppTest) -> list[dict]:
    """The rows of the table of tiers and tasks."""
    return app.dataframe[1].value.to_dict(orient="records")


@pytest.mark.parametrize(
    "dataset",
    [
        "demo_dataset",
        "repeats_dataset",
        "partial_dataset",
        "no_repeats_dataset",
        "bare_dataset",
        "strange_dataset",
    ],
)
def test_every_dataset(show: Show, request: pytest.FixtureRequest, dataset: str) -> None:
    app = show(request.getfixturevalue(dataset))
    assert not app.error
    assert app.title[0].value == "Compare"
    assert app.markdown[0].value.startswith("**") and app.markdown[0].value.endswith("**")
    assert len(app.dataframe) >= 3
    assert len(app.metric) == 4
    assert not any(element.allow_html for element in (*app.markdown, *app.caption))
    assert not any("<script>" in element.value for element in (*app.markdown, *app.caption, *app.warning))
    everyone = app.button_group(key="compare_with").set_value("all").run()
    assert not everyone.exception and not everyone.error


def test_one_eval_is_told_what_is_missing(show: Show, one_model_dataset: Path) -> None:
    app = show(one_model_dataset)
    assert "A comparison needs two evals" in said(app)
    assert "--set model=NAME" in said(app)


def test_a_filter_that_leaves_one_eval_can_be_lifted(show: Show, repeats_dataset: Path) -> None:
    app = show(repeats_dataset, eval="Beta", group="size:small")
    assert "leave fewer than two evals" in said(app)
    app.button(key="lift eval_id to compare").click().run()
    assert not app.exception and app.multiselect(key="eval").value == []
    # The best two of the group are the pair to begin with.
    assert verdict(app).startswith("Beta and Alpha are not separated")


def test_no_points(show: Show, empty_dataset: Path) -> None:
    assert "No eval has any points" in said(show(empty_dataset))


def test_nothing_selected(show: Show, repeats_dataset: Path) -> None:
    assert "Nothing matches these filters" in said(show(repeats_dataset, tier="Hard one", task="Guess"))


def test_no_common_items(show: Show, bare_dataset: Path) -> None:
    app = show(bare_dataset)
    assert (
        "cannot be compared: they have no common items; items left out: 40 that cannot be paired"
        in verdict(app)
    )
    assert {metric.value for metric in app.metric} == {"0"}


@pytest.mark.parametrize(
    ("measure", "rule"),
    [("accuracy", "wrong"), ("accuracy", "left_out"), ("skill", "wrong"), ("score", "left_out")],
)
def test_the_same_numbers_as_the_command_line(
    show: Show, partial_dataset: Path, measure: str, rule: str
) -> None:
    app = show(partial_dataset, a="bob", b="cyd", threshold="0.5")
    app.button_group(key="measure").set_value(measure)
    app.button_group(key="truncated").set_value(rule).run()
    assert not app.exception and not app.error
    found = document(partial_dataset, "--a", "bob", "--b", "cyd", "--measure", measure, "--threshold", "0.5")
    assert verdict(app) == found["verdict"][rule]
    overall = next(row for row in found["rows"] if row["truncated"] == rule)
    names = ("both_right", "gained", "lost", "both_wrong")
    assert [metric.value for metric in app.metric] == [f"{overall[name]:,}" for name in names]
    tasks = [row for row in found["rows"] if row["scope"] == "task" and row["truncated"] == rule]
    shown = [row for row in parts(app) if row["items"]][-len(tasks) :]
    for row, expected in zip(shown, tasks, strict=True):
        assert row["items"] == f"{expected['n_items']:,}"
        assert row["A minus B [95%]"].startswith(f"{expected['difference']:+.3f}".replace("-", "−"))
    # Lists hold items with truncated counted as wrong: other counts are not links to them.
    linked = rule == "wrong" and measure != "score"
    assert (NOT_LINKED in said(app)) is not linked
    assert str(parts(app)[0]["gained"]).startswith("completions?") is linked


def first_two(config: Path) -> dict[str, str]:
    """Return the part of the address that compares the first two evals of a config."""
    a, b = (entry["label"] for entry in json.loads(config.read_text())["evals"][:2])
    return {"a": a, "b": b}


def test_opens_with_the_two_best(show: Show, demo_dataset: Path) -> None:
    found = document(demo_dataset, "--a", "3", "--b", "5")
    app = show(demo_dataset)
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == (3, 5)
    assert verdict(app) == found["verdict"]["wrong"]


def test_filters_are_those_of_the_command_line(show: Show, demo_dataset: Path) -> None:
    app = show(demo_dataset, **first_two(demo_dataset), tier="Easy", task=["Arithmetic", "Boolean"])
    filters = json.dumps({"tiers": ["easy"], "base_task": ["arithmetic", "boolean"]})
    assert (
        verdict(app)
        == document(demo_dataset, "--a", "0", "--b", "1", "--filters", filters)["verdict"]["wrong"]
    )


def test_both_truncation_rules_stand_side_by_side_and_disagreement_is_told(
    show: Show, demo_dataset: Path
) -> None:
    found = document(demo_dataset, "--a", "0", "--b", "7")
    evals = json.loads(demo_dataset.read_text())["evals"]
    app = show(demo_dataset, a=evals[0]["label"], b=evals[7]["label"])
    assert list(app.dataframe[0].value[""]) == ["Truncated counted as wrong", "Truncated left out"]
    assert found["disagreement"] is not None
    warnings = [warning.value.replace("\\", "") for warning in app.warning]
    assert found["disagreement"] in warnings
    assert all(any(line in warning for warning in warnings) for line in found["mismatches"])
    assert "Templates differ" in " ".join(warnings)


def test_swapping_turns_everything_round(show: Show, repeats_dataset: Path) -> None:
    app = show(repeats_dataset, a="Alpha", b="Beta")
    before = [metric.value for metric in app.metric]
    app.button(key="swap").click().run()
    assert not app.exception
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == (1, 0)
    after = [metric.value for metric in app.metric]
    assert after == [before[0], before[2], before[1], before[3]]
    app.button(key="swap").click().run()
    assert [metric.value for metric in app.metric] == before


def test_b_is_never_a(show: Show, repeats_dataset: Path) -> None:
    app = show(repeats_dataset, a="Beta", b="Beta")
    assert app.selectbox(key="a").value == 1
    assert app.selectbox(key="b").value != 1
    app.selectbox(key="a").set_value(app.selectbox(key="b").value).run()
    assert not app.error and app.selectbox(key="a").value != app.selectbox(key="b").value


def test_address_names_both(show: Show, repeats_dataset: Path) -> None:
    app = show(repeats_dataset, a="Delta", b="Beta", truncated="left out", measure="Guess-corrected")
    found = document(repeats_dataset, "--a", "3", "--b", "1", "--measure", "skill")
    assert verdict(app) == found["verdict"]["left_out"]
    app = show(repeats_dataset, a="Nobody", compare_with="nonsense")
    assert app.selectbox(key="a").value == 1 and not app.error


def test_a_number_leads_to_its_completions(show: Show, demo_dataset: Path) -> None:
    app = show(demo_dataset, **first_two(demo_dataset))
    row = next(row for row in parts(app) if row[""] == "Boolean")
    address, _, number = row["gained"].partition("#")
    wanted = parse_qs(urlsplit(address).query)
    expected = document(demo_dataset, "--a", "0", "--b", "1")["rows"]
    gained = next(r for r in expected if r["value"] == "boolean" and r["truncated"] == "wrong")["gained"]
    assert (address.split("?")[0], number) == ("completions", f"{gained}")
    assert wanted["task"] == ["Boolean"]
    app.switch_page("pages/completions.py")
    for key, values in wanted.items():
        app.query_params[key] = values
    app.run()
    assert not app.exception and not app.error
    names = [json.loads(demo_dataset.read_text())["evals"][one]["label"] for one in (0, 1)]
    assert f"items on which {names[0]} does better than {names[1]}" in said(app).replace("Items", "items")


def test_a_cell_leads_to_its_items_only(demo_dataset: Path) -> None:
    dataset = open_dataset(demo_dataset)
    found = read_comparison(dataset, Filters(), 0, 2)
    view = SimpleNamespace(dataset=dataset)
    cells = found.of("cell", "wrong")
    for _, row in cells.iloc[:: max(1, len(cells) // 8)].iterrows():
        alone = read_comparison(dataset, cell_filters(view, found, row), 0, 2).overall("wrong")
        for name in ("n_items", "gained", "lost", "both_right", "both_wrong"):
            assert alone[name] == row[name]
    dataset.close()


def test_all_others(show: Show, demo_dataset: Path) -> None:
    app = show(
        demo_dataset, a=json.loads(demo_dataset.read_text())["evals"][3]["label"], compare_with="All others"
    )
    found = document(demo_dataset, "--a", "3")
    assert verdict(app) == found["summary"]["wrong"]
    shown = app.dataframe[0].value
    rows = [row for row in found["rows"] if row["truncated"] == "wrong"]
    assert shown[""].tolist() == [row["label"] for row in rows]
    assert shown["gained"].tolist() == [f"{row['gained']:,}" for row in rows]
    assert [group.key for group in app.selectbox if group.key == "b"] == []


def test_downloads(show: Show, demo_dataset: Path) -> None:
    app = show(demo_dataset)
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels[:4] == ["Markdown", "JSON", "CSV", "Forest PNG"]
    assert {"Lengths CSV", "Lengths PNG"} <= set(labels)


def test_an_eval_that_is_not_there_is_named(show: Show, repeats_dataset: Path) -> None:
    words = said(show(repeats_dataset, b="renamed"))
    assert "The address names an eval that is not here" in words
    assert "renamed" in words
