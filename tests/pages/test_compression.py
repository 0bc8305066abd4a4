"""The Compression page: what it says of every kind of dataset, what its widgets change, and loops as data."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.ui.compression_loops import MOST_SHOWN
from tests.pages.conftest import Open, said
from tests.store.staging import build as build_database
from tests.store.staging import completion, write_config
from tests.synthetic import simple


@pytest.fixture
def open_compression(open_app: Open) -> Open:
    def open_(data: Path, **address: str | list[str]) -> AppTest:
        app = open_app(data, "Compression", **address)
        assert not app.exception
        assert not app.error
        return app

    return open_


def figures(app: AppTest):
    return app.dataframe[0].value


def drawings(app: AppTest) -> list[dict]:
    return [json.loads(one.proto.spec) for one in app.get("vega_lite_chart")]


def test_demo_says_what_failures_look_like(open_compression: Open, demo_dataset: Path) -> None:
    app = open_compression(demo_dataset.parent)
    words = said(app)
    assert "incorrect responses are longer (AUC 0.56, 95% [0.54, 0.58] on tokens)" in words
    assert "13 of 7,296 responses (0.2%) are suspected loops: 13 truncated." in words
    assert "How to read:" in words
    assert "Compressed bytes by tokens: Arithmetic" in words
    assert len(drawings(app)) == 2
    assert list(figures(app).columns) == [
        "base_task", "tier", "outcome", "n", "loops", "median ratio", "bytes per token", "slope",
        "AUC on tokens", "AUC on ratio",
    ]  # fmt: skip
    # The browser receives bins, not completions.
    assert all(len(one.proto.SerializeToString()) < 300_000 for one in app.get("vega_lite_chart"))
    assert "slope by jackknife (t)" in words
    assert "Before you quote these numbers" in words


def test_pages_of_split_values_and_stacks(open_compression: Open, demo_dataset: Path) -> None:
    app = open_compression(demo_dataset.parent, compression_page="2")
    assert set(figures(app)["base_task"]) == {"Largest", "Letters"}
    app.selectbox(key="compression_split").set_value("none").run()
    app.segmented_control(key="compression_stack").set_value("eval_id").run()
    app.selectbox(key="compression_series").set_value("none").run()
    assert not app.exception
    assert figures(app)["eval"].nunique() == 2
    assert list(figures(app).columns[:2]) == ["eval", "outcome"]
    assert len(drawings(app)) == 1
    app.segmented_control(key="compression_length").set_value("bytes").run()
    assert "Compressed bytes by response bytes" in said(app)
    assert "AUC on response bytes" in figures(app).columns


def test_the_rule_of_loops_is_a_choice(open_compression: Open, demo_dataset: Path) -> None:
    app = open_compression(demo_dataset.parent)
    app.multiselect(key="loop_left_out").set_value(["sort"]).run()
    assert "; none of 7,296 responses is a suspected loop." in said(app)
    assert "Sort left out" in said(app)
    app.multiselect(key="loop_left_out").set_value([]).run()
    app.number_input(key="loop_bytes").set_value(100).run()
    app.number_input(key="loop_ratio").set_value(0.5).run()
    assert not app.exception
    assert "at least 100 bytes that zlib compresses to less than 50%" in said(app)
    # Correct answers among them: the page says what to do.
    assert "leave the task out above" in said(app)


def test_a_loop_is_read_on_demand(open_compression: Open, demo_dataset: Path) -> None:
    app = open_compression(demo_dataset.parent)
    assert not app.code
    listed = app.dataframe[1].value
    assert listed["Bytes"].tolist() == sorted(listed["Bytes"], reverse=True)
    app.selectbox(key="loop_read").select_index(0).run()
    assert not app.exception
    assert "fireplace, fireplace" in app.code[0].value
    assert "1,344 characters." in said(app)
    app.segmented_control(key="loop_sort").set_value("most repetitive").run()
    ratios = app.dataframe[1].value["Ratio"].tolist()
    assert ratios == sorted(ratios)


def test_responses_are_data_and_long_ones_are_cut(open_compression: Open, build: Callable[..., Path]) -> None:
    loop = "<script>alert(1)</script> :smile: " * 40_000
    rows = [
        record | {"response": loop if record["item_key"] == "1" else "short"} for record in simple("only")
    ]
    app = open_compression(build("megabyte", rows).parent)
    app.selectbox(key="loop_read").select_index(0).run()
    assert not app.exception
    assert app.code[0].value == loop[:MOST_SHOWN]
    assert f"The first {MOST_SHOWN:,} of {len(loop):,} characters" in said(app)
    for element in (*app.markdown, *app.caption, *app.info):
        assert "<script>" not in element.value
        assert not element.allow_html


def test_without_texts_it_is_said(open_compression: Open, tmp_path: Path) -> None:
    rows = [
        completion(item_key=str(item), response="word " * 400, completion_tokens=400 + item,
                   outcome="correct" if item % 2 else "incorrect")
        for item in range(30)
    ]  # fmt: skip
    build_database(tmp_path / "small.duckdb", rows, keep_text=False)
    write_config(tmp_path, evals=[{"label": "m", "filters": {}}])
    app = open_compression(tmp_path)
    assert "The dataset has no texts of responses" in said(app)
    assert len(drawings(app)) == 1
    assert figures(app)["median ratio"].notna().all()
    assert app.dataframe[1].value["Begins"].isna().all()


def test_bare_records_say_what_to_import(open_compression: Open, bare_dataset: Path) -> None:
    app = open_compression(bare_dataset.parent)
    words = said(app)
    assert "No completion of this selection has a response" in words
    assert "There are no two responses" in words
    assert not drawings(app)
    assert figures(app)["n"].tolist() == [40, 20, 20]


def test_a_single_completion(open_compression: Open, build: Callable[..., Path]) -> None:
    rows = simple("only", 1, response="The one answer.")
    app = open_compression(build("single", rows).parent)
    assert "There is one completion only" in said(app)
    assert figures(app)["n"].tolist() == [1, 1]
