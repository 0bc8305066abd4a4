"""The Dataset page: what works, edits saved and undone, and other people's changes noticed."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.config import load_config
from core.config.history import edits, text_mark
from tests.command import ROOT
from tests.pages.conftest import said

Visit = Callable[..., AppTest]


@pytest.fixture
def copied(tmp_path: Path, repeats_dataset: Path) -> Path:
    """A dataset that a test may edit."""
    for path in (repeats_dataset, repeats_dataset.with_suffix(".duckdb")):
        shutil.copy(path, tmp_path)
    return tmp_path / "repeats.json"


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Visit:
    """Open the Dataset page on a dataset, at one of its edits."""

    def open_(config: Path, edit: str = "Evals", **address: str) -> AppTest:
        monkeypatch.setattr(sys, "argv", ["app.py", "--data", str(config.parent)])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for key, value in address.items():
            app.query_params[key] = value
        app.run()
        app.switch_page("pages/dataset.py").run()
        if edit != "Evals":
            app.button_group(key="edit").set_value(edit).run()
        text(app)
        return app

    return open_


def text(app: AppTest) -> str:
    """Everything that the page says, success included."""
    assert not app.exception
    return said(app) + "\n".join(element.value for element in app.success).replace("\\", "")


def table(app: AppTest, config: Path, name: str, rows: dict[int, dict[str, Any]]) -> None:
    """Edit cells of a table and run the page."""
    key = f"edit {name} {config.stem} {text_mark(config)[:12]}"
    app.session_state[key] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    app.run()


def button(app: AppTest, label: str) -> Any:
    return next(one for one in app.button if one.label == label)


@pytest.mark.parametrize("dataset", ["bare_dataset", "strange_dataset", "empty_dataset"])
def test_the_page_opens_on_every_dataset(visit: Visit, request: pytest.FixtureRequest, dataset: str) -> None:
    config: Path = request.getfixturevalue(dataset)
    app = visit(config)
    assert not app.error
    assert app.title[0].value == "Dataset"
    assert app.markdown[0].value.startswith("**") and "work fully" in app.markdown[0].value
    for edit in ("Tasks", "Tiers", "Sources"):
        app.button_group(key="edit").set_value(edit).run()
        assert not app.error
        assert "Which pages work" in text(app)
    assert not any("<script>" in element.value for element in (*app.markdown, *app.caption))


def test_filters_that_leave_nothing_do_not_block_it(visit: Visit, copied: Path) -> None:
    app = visit(copied, tier="Hard one", task="Guess")
    assert "Which pages work" in text(app)


def test_evals_are_renamed_regrouped_hidden_and_moved(visit: Visit, copied: Path) -> None:
    before = copied.read_text()
    app = visit(copied)
    assert button(app, "Save evals").disabled
    rows = {0: {"label": "First", "groups": ["size:tiny"], "place": 3}, 3: {"hidden": True}}
    table(app, copied, "evals", rows)
    assert "Not saved yet: eval 0 (First): label, groups, order" in text(app)
    button(app, "Save evals").click().run()
    assert "Saved: eval 0 (First)" in text(app)
    config = load_config(copied)
    assert (config.evals[0].label, config.evals[0].groups) == ("First", ["size:tiny"])
    assert config.evals[3].hidden
    assert config.eval_order[:3] == [1, 2, 0]
    assert app.multiselect(key="eval").options[2] == "First"
    # Found again by whoever opens the page, and taken back to the letter.
    again = visit(copied)
    assert "Last edit: Eval 0 (First)" in text(again)
    button(again, "Undo").click().run()
    assert "Undone: eval 0 (First)" in text(again)
    assert copied.read_text() == before


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ({0: {"label": "  "}}, "label of eval 0 is empty"),
        ({0: {"place": None}}, "place of eval 0 is empty"),
        ({n: {"hidden": True} for n in range(4)}, "at least one"),
    ],
)
def test_rows_that_cannot_be_saved(visit: Visit, copied: Path, rows: Any, words: str) -> None:
    before = copied.read_text()
    app = visit(copied)
    table(app, copied, "evals", rows)
    assert words in text(app)
    assert "Save evals" not in [one.label for one in app.button]
    assert copied.read_text() == before


def test_tasks_are_labelled(visit: Visit, copied: Path) -> None:
    app = visit(copied, "Tasks")
    table(app, copied, "tasks", {0: {"label": "Better", "category": "words"}})
    button(app, "Save tasks").click().run()
    first = next(iter(load_config(copied).basetasks.values()))
    assert (first.label, first.category) == ("Better", "words")
    assert "Better" in app.multiselect(key="task").options


def test_a_tier_is_defined_with_its_points_counted(visit: Visit, copied: Path) -> None:
    app = visit(copied, "Tiers")
    assert list(app.dataframe[0].value["label"]) == [tier.label for tier in load_config(copied).tiers]
    label = next(box for box in app.text_input if box.label == "Label")
    label.set_value("Mine").run()
    everything = next(m.value for m in app.markdown if m.value.startswith("**Takes"))
    next(box for box in app.multiselect if box.label == "length").set_value([0]).run()
    some = next(m.value for m in app.markdown if m.value.startswith("**Takes"))
    assert some != everything
    button(app, "Save tier").click().run()
    tier = load_config(copied).tiers[-1]
    assert (tier.id, tier.label) == ("mine", "Mine") and isinstance(tier.filter, dict)
    assert list(tier.filter) == ["length"]
    assert "Mine" in app.multiselect(key="tier").options
    # The counts of the form are those of the tier that is there now.
    row = app.dataframe[0].value.iloc[-1]
    assert f"Takes {row['points']} points" in some.replace("\\", "")


def test_tiers_are_changed_moved_and_removed(visit: Visit, copied: Path) -> None:
    ids = [tier.id for tier in load_config(copied).tiers]
    app = visit(copied, "Tiers")
    next(box for box in app.selectbox if box.label == "Define").set_value(ids[-1]).run()
    button(app, "Move up").click().run()
    assert [tier.id for tier in load_config(copied).tiers][-2] == ids[-1]
    next(box for box in app.selectbox if box.label == "Define").set_value(ids[-1]).run()
    button(app, "Remove").click().run()
    assert ids[-1] not in [tier.id for tier in load_config(copied).tiers]
    assert [edit.what for edit in edits(copied)] == ["tier Hard one: move up", "tier Hard one: removed"]


def test_a_change_on_disk_is_noticed_and_not_overwritten(visit: Visit, copied: Path) -> None:
    app = visit(copied)
    table(app, copied, "evals", {0: {"label": "First"}})
    changed = json.loads(copied.read_text()) | {"note": "by hand"}
    copied.write_text(json.dumps(changed))
    button(app, "Save evals").click().run()
    assert "changed by something else" in text(app)
    assert json.loads(copied.read_text()) == changed


def test_where_numbers_come_from(visit: Visit, copied: Path) -> None:
    app = visit(copied, "Sources")
    frame = next(f.value for f in app.dataframe if "sha256" in f.value)
    assert list(frame["format"]) == ["records"] and frame["kept"].sum() > 0
