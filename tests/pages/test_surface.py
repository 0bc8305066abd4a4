"""The Surface page: what it says, what its widgets change, and building a surface on the spot."""

import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, said

PAGE = "pages/surface.py"


@pytest.fixture
def open_surface(open_app: Open):
    def open_(data: Path, **address: str | list[str]) -> AppTest:
        app = open_app(data, "Scores", **address)
        app.switch_page(PAGE).run()
        assert not app.exception
        return app

    return open_


@pytest.fixture
def demo_copy(demo_dataset: Path, tmp_path: Path) -> Path:
    """A data folder with the demo, to change its config."""
    for path in (demo_dataset, demo_dataset.with_suffix(".duckdb")):
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "dataset",
    [
        "demo_dataset",
        "repeats_dataset",
        "partial_dataset",
        "one_model_dataset",
        "bare_dataset",
        "strange_dataset",
    ],
)
def test_page_shows_surfaces_or_how_to_get_them(
    open_surface, request: pytest.FixtureRequest, dataset: str
) -> None:
    config: Path = request.getfixturevalue(dataset)
    app = open_surface(config.parent)
    surfaces = [
        s for task in json.loads(config.read_text())["basetasks"].values() for s in task.get("surfaces", [])
    ]
    if surfaces:
        assert not app.error
        assert len(app.dataframe) == 1
        assert len(app.get("vega_lite_chart")) >= 2
    else:
        told = " ".join(one.value.replace("\\", "") for one in [*app.error, *app.info])
        assert ("The config has no surface for" in told) != ("A surface needs two params" in told)


def test_first_sentence_is_the_result(open_surface, demo_dataset: Path) -> None:
    app = open_surface(demo_dataset.parent, task="Arithmetic")
    assert "On Arithmetic: Length x Digits," in said(app)
    assert "holds up best (mean accuracy" in said(app)
    assert "95% Wilson intervals" in said(app)


def test_at_most_four_scenes_and_one_view(open_surface, demo_dataset: Path) -> None:
    app = open_surface(demo_dataset.parent)
    assert not app.get("plotly_chart")
    panels = app.multiselect(key="panels")
    assert panels.proto.max_selections == 4
    panels.set_value([(0, "arithmetic_length_x_digits"), (1, "boolean_length_x_depth")]).run()
    assert len(app.get("plotly_chart")) == 2
    app.button(key="view Above").click().run()
    assert (app.slider(key="azimuth").value, app.slider(key="elevation").value) == (270, 90)
    cameras = {
        json.dumps(json.loads(one.proto.spec)["layout"]["scene"]["camera"]) for one in app.get("plotly_chart")
    }
    assert len(cameras) == 1
    # A filter that takes an eval away takes its panel away, and the view stays.
    app.multiselect(key="eval").set_value([1]).run()
    assert not app.exception
    assert app.multiselect(key="panels").value == [(1, "boolean_length_x_depth")]
    assert app.slider(key="elevation").value == 90


def test_difference_is_shown_for_two_evals(open_surface, demo_dataset: Path) -> None:
    app = open_surface(demo_dataset.parent)
    app.selectbox(key="minuend").set_value(0)
    app.selectbox(key="subtrahend").set_value(2).run()
    assert not app.exception
    assert "after Benjamini-Hochberg at 5% (m =" in said(app)
    app.selectbox(key="subtrahend").set_value(0).run()
    assert "A difference needs two evals" in app.error[0].value.replace("\\", "")


def test_slices_and_projections_are_curves(open_surface, demo_dataset: Path) -> None:
    app = open_surface(demo_dataset.parent, task="Arithmetic")
    assert "Accuracy by length: Arithmetic: Length x Digits, at digits 1" in said(app)
    app.segmented_control(key="slice_along").set_value("y").run()
    assert "Accuracy by digits: Arithmetic: Length x Digits, at length 2" in said(app)
    app.multiselect(key="shown_projections").set_value(["arithmetic_digits"]).run()
    assert not app.exception
    assert "Accuracy by digits: Arithmetic: Digits" in said(app)


def test_surface_is_built_and_appended(open_surface, demo_copy: Path) -> None:
    config = demo_copy / "demo.json"
    document = json.loads(config.read_text())
    document["basetasks"]["sort"]["surfaces"] = []
    config.write_text(json.dumps(document))
    app = open_surface(demo_copy, task="Sort")
    assert "The config has no surface for Sort" in app.error[0].value.replace("\\", "")
    app.selectbox(key="build_task").set_value("sort").run()
    app.selectbox(key="build_x").set_value("word_length").run()
    app.selectbox(key="build_y").set_value("length").run()
    assert not app.error
    assert "On Sort: Word Length x Length" in said(app)
    app.button(key="append_surface").click().run()
    assert not app.exception
    assert "Appended to demo.json as sort_word_length_x_length" in said(app)
    document["basetasks"]["sort"]["surfaces"] = json.loads(config.read_text())["basetasks"]["sort"][
        "surfaces"
    ]
    assert [one["id"] for one in document["basetasks"]["sort"]["surfaces"]] == ["sort_word_length_x_length"]
    assert json.loads(config.read_text()) == document
    assert "On Sort: Word Length x Length" in said(app)


def test_axis_values_that_are_absent_are_named(open_surface, demo_copy: Path) -> None:
    config = demo_copy / "demo.json"
    document = json.loads(config.read_text())
    document["basetasks"]["sort"]["surfaces"][0]["x_values"] = [2, 3, 99]
    config.write_text(json.dumps(document))
    app = open_surface(demo_copy, task="Sort")
    assert "length 99 is not in the data, which have 2, 3, 4, 6" in said(app)
    assert "or build one above" in said(app)
