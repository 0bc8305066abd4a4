"""The FFT page: what it says in every state, what its widgets change, and computing spectra from it."""

import json
import shutil
from pathlib import Path

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, said

PAGE = "pages/fft.py"


@pytest.fixture
def open_fft(open_app: Open):
    def open_(data: Path, **address: str | list[str]) -> AppTest:
        app = open_app(data, "Scores", **address)
        app.switch_page(PAGE).run()
        assert not app.exception
        return app

    return open_


def copied(config: Path, folder: Path) -> Path:
    for path in (config, config.with_suffix(".duckdb")):
        shutil.copy(path, folder)
    return folder


@pytest.mark.parametrize(
    ("dataset", "words"),
    [
        ("repeats_dataset", "No prompt of this selection is in the dataset"),
        ("partial_dataset", "No prompt of this selection is in the dataset"),
        ("one_model_dataset", "No prompt of this selection is in the dataset"),
        ("bare_dataset", "No prompt of this selection is in the dataset"),
        ("strange_dataset", "No spectra have been computed for this selection yet"),
    ],
)
def test_where_there_are_no_spectra_the_page_says_why(
    open_fft, request: pytest.FixtureRequest, dataset: str, words: str
) -> None:
    config: Path = request.getfixturevalue(dataset)
    app = open_fft(config.parent)
    assert words in said(app)
    assert not app.error
    assert ("spectra_fetch" in {toggle.key for toggle in app.toggle}) == (dataset == "strange_dataset")


def test_first_sentence_compares_the_two_tokenizers(open_fft, demo_dataset: Path) -> None:
    app = open_fft(demo_dataset.parent)
    first = app.markdown[0].value.replace("\\", "")
    assert first.startswith(
        "**On the same 816 prompts the spectra of HuggingFaceTB/SmolLM2-135M-Instruct and google/gemma-3-270m"
    )
    assert "tokens per byte" in first
    assert "912 common items" in first
    assert "How this is computed" in {one.label for one in app.expander}
    assert len(app.get("vega_lite_chart")) == 2
    table = app.dataframe[0].value
    assert list(table["Task"])[:2] == ["All tasks", "Arithmetic"]
    columns = app.dataframe[1].value
    assert columns["Evals that share it"].iloc[3] == (
        "Gemma 3 270M base · few-shot cot · greedy, Gemma 3 270M base · few-shot cot · t10"
    )


def test_difference_links_to_its_completions(open_fft, demo_dataset: Path) -> None:
    app = open_fft(demo_dataset.parent, task="Letters")
    links = " ".join(element.proto.body for element in app.get("html"))
    assert "Items that only A has right" in links
    assert links.count("list.pair_a=SmolLM2+135M") == links.count("list.pair_b=Gemma") == 2


def test_config_without_points_says_so(open_fft, empty_dataset: Path) -> None:
    assert "No eval has any points" in said(open_fft(empty_dataset.parent))


def test_raw_ids_stand_over_their_band_with_the_caption(open_fft, demo_dataset: Path) -> None:
    app = open_fft(demo_dataset.parent, task="Letters")
    app.segmented_control(key="fft_kind").set_value("raw").run()
    assert not app.exception
    text = said(app).lower()
    assert "token ids are labels; only what leaves the band can be due to id order" in text
    assert "leave the band of" in text


def test_chosen_evals_and_projections_change_the_page(open_fft, demo_dataset: Path) -> None:
    app = open_fft(demo_dataset.parent, task="Letters")
    app.selectbox(key="fft_a").set_value(0).run()
    assert "but the template differs too" in said(app)
    app.selectbox(key="fft_b").set_value(0).run()
    assert "A comparison needs two evals" in app.error[0].value
    app.multiselect(key="fft_projections").set_value(["letters_words"]).run()
    assert not app.exception
    # An eval that a filter takes away is no longer chosen.
    app.multiselect(key="eval").set_value([3, 5]).run()
    assert not app.exception
    assert app.selectbox(key="fft_a").value in (3, 5)


def test_one_eval_says_what_more_is_needed(open_fft, demo_dataset: Path) -> None:
    app = open_fft(demo_dataset.parent, eval="SmolLM2 135M · few-shot · greedy")
    assert "is alone here, read with the tokenizer HuggingFaceTB/SmolLM2-135M-Instruct" in said(app)
    assert "With two evals, their tokenizers and their accuracy are compared here" in said(app)


def test_task_without_projections_has_one_line_and_a_hint(
    open_fft, demo_dataset: Path, tmp_path: Path
) -> None:
    folder = copied(demo_dataset, tmp_path)
    document = json.loads((folder / "demo.json").read_text())
    document["basetasks"]["sort"]["projections"] = []
    (folder / "demo.json").write_text(json.dumps(document))
    app = open_fft(folder, task="Sort")
    assert "One line for all prompts of Sort" in said(app)
    assert "basetasks.sort.projections" in said(app)


def test_prompts_too_short_are_told(open_fft, demo_dataset: Path, tmp_path: Path) -> None:
    folder = copied(demo_dataset, tmp_path)
    with duckdb.connect(str(folder / "demo.duckdb")) as connection:
        connection.execute("UPDATE spectra SET bands = NULL")
    app = open_fft(folder)
    assert "shorter than 16 tokens" in said(app)


def test_spectra_are_computed_on_request_and_shown(open_fft, strange_dataset: Path, tmp_path: Path) -> None:
    app = open_fft(copied(strange_dataset, tmp_path))
    app.button(key="compute_spectra").click().run()
    assert not app.exception
    assert "Spectra computed." in app.success[0].value
    assert "UTF-8 bytes in place of tokens" in app.text[0].value
    assert "No spectra have been computed" not in said(app)
    for element in (*app.markdown, *app.caption, *app.info):
        assert "<script>" not in element.value
