"""Every page on every kind of dataset: it shows something, and no fault of the program."""

from pathlib import Path

import pytest

from tests.pages.conftest import PAGES, Open, said

DATASETS = (
    "demo_dataset",
    "repeats_dataset",
    "partial_dataset",
    "no_repeats_dataset",
    "one_model_dataset",
    "bare_dataset",
    "strange_dataset",
)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("dataset", DATASETS)
def test_page_shows_tables(open_app: Open, request: pytest.FixtureRequest, dataset: str, page: str) -> None:
    config: Path = request.getfixturevalue(dataset)
    app = open_app(config.parent, page)
    assert not app.exception
    assert not app.error
    assert app.title[0].value == page
    assert len(app.dataframe) >= 1


@pytest.mark.parametrize("page", PAGES)
def test_config_without_points_says_so(open_app: Open, empty_dataset: Path, page: str) -> None:
    app = open_app(empty_dataset.parent, page)
    assert not app.exception
    expected = "match no eval of the config: somebody" if page == "Evals" else "No eval has any points"
    assert expected in said(app)


@pytest.mark.parametrize("page", PAGES)
def test_rerun_with_every_switch_on(open_app: Open, repeats_dataset: Path, page: str) -> None:
    app = open_app(repeats_dataset.parent, page)
    for toggle in app.toggle:
        toggle.set_value(True)
    app.selectbox(key="interval").set_value("jeffreys")
    app.selectbox(key="repeats").set_value("independent")
    if page == "Scores":
        app.selectbox(key="baseline").set_value(1)
    app.run()
    assert not app.exception
    assert not app.error


def test_data_is_never_read_as_markup(open_app: Open, strange_dataset: Path) -> None:
    for page in PAGES:
        app = open_app(strange_dataset.parent, page)
        for element in (*app.markdown, *app.caption, *app.warning):
            assert not element.allow_html
            assert "<script>" not in element.value


def test_two_evals_with_one_label_stay_apart(open_app: Open, strange_dataset: Path) -> None:
    app = open_app(strange_dataset.parent)
    options = app.multiselect(key="eval").options
    assert len(options) == len(set(options))
