"""Views and report in the head of every page: saved, opened again, changed, and what is missing said."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import views
from core.filters import Filters
from core.store.dataset import open_dataset
from core.tiers.methods import Methods
from core.tiers.report import Report, sections
from core.ui import report
from tests.pages.conftest import Open, said


@pytest.fixture
def copied(tmp_path: Path, demo_dataset: Path) -> Path:
    """A folder with a dataset, to save views in."""
    for path in (demo_dataset, demo_dataset.with_suffix(".duckdb")):
        shutil.copy(path, tmp_path)
    return tmp_path


def opened(app: AppTest, popover: str) -> AppTest:
    """The page with a popover opened."""
    app.session_state[popover] = True
    return app.run()


def click(app: AppTest, label: str) -> AppTest:
    """The page after a click, with the popover of the views still open."""
    next(one for one in app.button if one.label == label).click()
    return opened(app, "views")


def told(app: AppTest) -> str:
    """What the popover says of the last change."""
    assert not app.exception
    return "\n".join(one.value for kind in (app.success, app.warning, app.error) for one in kind).replace(
        "\\", ""
    )


def listed(app: AppTest) -> str:
    """The list of views, as HTML."""
    return str(next(one for one in app.get("html") if "Saved views" in one.proto.body).proto.body)


def names(path: Path) -> list[str]:
    return [view.name for view in views.read_views(path).views]


def test_a_view_is_saved_listed_renamed_deleted_and_taken_back(open_app: Open, copied: Path) -> None:
    path = views.views_path(copied / "demo.json")
    app = opened(open_app(copied, tier="Easy", by_tier="true"), "views")
    assert "No saved view yet" in said(app)
    app.text_input(key="view_name").set_value("Easy <b>")
    app = click(app, "Save")
    assert told(app) == "Saved as Easy <b>"
    (view,) = views.read_views(path).views
    assert (view.page, view.parameters) == ("scores", {"tier": ("Easy",), "by_tier": ("true",)})
    assert 'href="./?dataset=demo&amp;tier=Easy&amp;by_tier=true"' in listed(app)
    assert "Easy &lt;b&gt;" in listed(app)
    # A name that is taken is kept, until somebody says otherwise.
    app.query_params["tier"] = "Hard"
    app.text_input(key="view_name").set_value("easy <b>")
    app = click(app, "Save")
    assert "There is a view called easy <b> already" in told(app)
    assert views.read_views(path).views == (view,)
    app = click(click(app, "Replace it"), "Undo")
    assert told(app) == "Easy <b> is as it was"
    assert views.read_views(path).views == (view,)
    app.text_input(key="view_new_name Easy <b>").set_value("Light")
    app = click(app, "Rename")
    assert names(path) == ["Light"]
    app = click(app, "Delete")
    assert names(path) == []
    app = click(app, "Undo")
    assert told(app) == "Light is back"
    assert names(path) == ["Light"]


def test_without_a_name_a_view_is_called_after_what_it_shows(open_app: Open, copied: Path) -> None:
    app = open_app(copied, "Cluster", tier="Easy")
    app = click(opened(app, "views"), "Save")
    assert names(views.views_path(copied / "demo.json")) == ["Cluster: tier Easy"]
    assert views.read_views(views.views_path(copied / "demo.json")).views[0].page == "cluster"


def test_views_of_a_file_are_added_and_one_that_will_not_do_is_refused(open_app: Open, copied: Path) -> None:
    path = views.views_path(copied / "demo.json")
    view = views.view_of("Sent", "tasks", {"task": ["Gone"]})
    app = opened(open_app(copied), "views")
    app.file_uploader[0].set_value(("v.json", views.shared_bytes([view], "other"), "application/json"))
    app = opened(app, "views")
    assert told(app) == (
        "Added Sent; made on the dataset other: what is not in this one is named when one is opened"
    )
    app.file_uploader[0].set_value(("v.json", b'{"db": "demo.duckdb"}', "application/json"))
    app = opened(app, "views")
    assert "No view was added: not a file of saved views" in told(app)
    assert names(path) == ["Sent"]


def test_a_view_whose_evals_are_gone_opens_and_says_so(open_app: Open, copied: Path) -> None:
    view = views.view_of(
        "Old", "scores", {"eval": ["Model that was"], "tier": ["Easy"], "baseline": ["Gone"]}
    )
    app = open_app(copied, **{key: list(values) for key, values in view.parameters.items()})
    assert not app.exception
    assert "Not in this dataset, so not filtered by: eval Model that was" in told(app)
    assert "The address names a baseline that is not here" in told(app)
    assert "Gone" in said(app)
    assert app.multiselect(key="tier").value == ["easy"]


def test_a_broken_file_of_views_is_said_and_stands(open_app: Open, copied: Path) -> None:
    path = views.views_path(copied / "demo.json")
    path.write_text("{")
    app = opened(open_app(copied), "views")
    assert "demo.views.json: not valid JSON" in told(app)
    assert path.read_text() == "{"


def test_a_read_only_folder_is_said_and_its_views_open(
    open_app: Open, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    views.save_view(views.views_path(copied / "demo.json"), views.view_of("Kept", "tasks", {}))
    monkeypatch.setattr("core.ui.saved_views.writable", lambda _: False)
    app = opened(open_app(copied), "views")
    assert "read-only" in said(app)
    assert 'href="./tasks?dataset=demo"' in listed(app)
    assert not {one.label for one in app.button} & {"Save", "Rename", "Delete"}
    assert not app.file_uploader


def test_the_report_is_of_what_the_page_shows(open_app: Open, copied: Path) -> None:
    app = open_app(copied, tier="Easy", task="Arithmetic", interval="Jeffreys", repeats="Independent")
    assert not any("report" in one.label.casefold() for one in app.download_button)
    app = opened(app, "report")
    labels = [one.label for one in app.download_button]
    assert labels[:2] == ["HTML", "Markdown"]
    line = next(one.value for one in app.code if "core report" in one.value)
    assert line.startswith(f"python -m core report {copied / 'demo.json'} --filters ")
    assert '{"tiers": ["easy"], "base_task": ["arithmetic"]}' in line
    assert "--interval jeffreys --repeats independent --output demo_report_easy_arithmetic.html" in line


def test_a_report_is_read_once_for_both_formats(demo_dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = open_dataset(demo_dataset)
    filters = Filters(tiers=("easy",), base_task=("arithmetic",)).resolved(dataset.catalog)
    read = []
    own = report.read_report

    def counted(*asked: Any) -> Report:
        read.append(asked)
        return own(*asked)

    monkeypatch.setattr(report, "read_report", counted)
    monkeypatch.setattr(sections, "MOST_FIGURES", 1)
    html = report.make(dataset, filters, Methods(), "html")
    markdown = report.make(dataset, filters, Methods(), "markdown")
    assert html.startswith(b"<!DOCTYPE html>")
    assert filters.sentence(dataset.config).encode() in html
    assert markdown.startswith(b"# demo: evaluation report")
    assert len(read) == 1
    report.make(dataset, filters, Methods("jeffreys"), "markdown")
    assert len(read) == 2
