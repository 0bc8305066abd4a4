"""The Model info page: what it says, fetches on a click alone, and shows of files."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.hub.architecture import Architecture
from core.hub.index import ModelEntry, Parameters, write_index
from tests.hub.small_hub import SmallHub, only_hub
from tests.pages.conftest import Open, said

SMOL, GEMMA = "HuggingFaceTB/SmolLM2-135M-Instruct", "google/gemma-3-270m"
README = "# Hello\n\n<script>alert(1)</script> ![x](http://127.0.0.1:9/x.png)\n\x1b[31m \u202e end\n"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallHub]:
    with only_hub(monkeypatch) as hub:
        yield hub


@pytest.fixture
def data(demo_dataset: Path, tmp_path: Path) -> Path:
    """A data folder with the demo, to change its config and fill its cache."""
    for path in (demo_dataset, demo_dataset.with_suffix(".duckdb")):
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.fixture
def open_info(open_app: Open):
    def open_(folder: Path, **address: str | list[str]) -> AppTest:
        app = open_app(folder, "Model info", **address)
        assert not app.exception
        return app

    return open_


def fill(folder: Path) -> None:
    """What an earlier run fetched: one model whole, one gated."""
    home = folder / "metadata"
    (home / SMOL).mkdir(parents=True)
    (home / SMOL / "README.md").write_bytes(README.encode())
    (home / SMOL / "config.json").write_text('{"hidden_size": 576}')
    old = "2026-01-01T00:00:00+00:00"
    write_index(
        home,
        {
            SMOL: ModelEntry(
                SMOL, SMOL, "complete",
                (f"{SMOL}/config.json", f"{SMOL}/README.md", f"{SMOL}/../../../demo.json"),
                cached_at=old, tried_at=old, architecture=Architecture("LlamaForCausalLM", 30, 576),
                parameters=Parameters(134_515_008, "safetensors"),
            ),
            GEMMA: ModelEntry(GEMMA, GEMMA, "gated", fetch_errors=("config.json: gated (status 401)",)),
        },
    )  # fmt: skip


def test_first_sentence_is_the_result(open_info, data: Path) -> None:
    app = open_info(data)
    text = said(app)
    assert "leads with a plain score of 68 [56, 112] on" in text
    assert "at 268M parameters; the smallest not separated from it (95% intervals overlap)" in text
    assert "Parameters: as typed in the config (8 evals)." in text
    assert len(app.get("vega_lite_chart")) == 2
    assert [next(iter(frame.value.columns)) for frame in app.dataframe] == ["eval", "model_id"]


def test_the_page_asks_nobody_until_someone_clicks(open_info, data: Path, small: SmallHub) -> None:
    small.add(SMOL, {"README.md": README.encode(), "config.json": b'{"num_hidden_layers": 30}'})
    app = open_info(data)
    app.selectbox(key="against").set_value("layers").run()
    assert "Nobody says the layers of any eval yet" in said(app)
    assert small.requests == []
    assert list(data.glob("metadata/*")) == []
    app.button(key="fetch_metadata").click().run()
    assert not app.exception
    assert len(small.requests) == 4
    assert "at 30 layers" in said(app)
    assert f"{GEMMA}: {GEMMA}: not on the hub under this name (status 401)" in said(app)
    assert "From the cache: fetched from the hub" in said(app)
    assert app.button(key="fetch_metadata").label == "Fetch 1 model from the hub"


def test_a_hub_that_is_not_there_is_told(
    open_info, data: Path, small: SmallHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr("core.hub.request.time.sleep", lambda _: None)
    app = open_info(data)
    app.button(key="fetch_metadata").click().run()
    assert "127.0.0.1:1 cannot be reached" in said(app)
    assert len(app.dataframe) == 2
    # Said once.
    app.run()
    assert "cannot be reached" not in said(app)


def test_offline_the_cache_is_used_and_its_age_told(open_info, data: Path, small: SmallHub) -> None:
    fill(data)
    app = open_info(data)
    text = said(app)
    assert "From the cache: fetched from the hub" in text
    assert "days ago." in text
    assert f"{GEMMA}: config.json: gated (status 401)." in text
    models = app.dataframe[1].value.set_index("model_id")
    assert models.loc[SMOL, ["status", "architecture", "num_layers"]].tolist() == [
        "complete",
        "LlamaForCausalLM",
        30,
    ]
    assert models.loc[GEMMA, "status"] == "gated"
    assert small.requests == []


def test_files_are_text_and_stay_in_their_folder(open_info, data: Path) -> None:
    fill(data)
    app = open_info(data)
    assert app.selectbox(key="read_model").options == [SMOL]
    choice = app.selectbox(key=f"read_file {SMOL}")
    assert choice.options == ["README.md", "config.json"]
    shown = app.code[0].value
    assert "<script>alert(1)</script>" in shown
    assert "\x1b" not in shown and "\u202e" not in shown
    assert "␛[31m ⟨U+202E⟩ end" in shown
    assert "2 hidden characters written out" in said(app)
    for element in (*app.markdown, *app.caption):
        assert not element.allow_html
        assert "<script>" not in element.value
    choice.set_value("config.json").run()
    assert app.code[0].value == '{"hidden_size": 576}'


def test_a_file_that_is_gone_is_told(open_info, data: Path) -> None:
    fill(data)
    (data / "metadata" / SMOL / "README.md").unlink()
    app = open_info(data)
    assert "README.md cannot be read: No such file" in said(app)


def test_a_cache_elsewhere_is_not_opened(
    open_info, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    fill(other)
    (data / "metadata").symlink_to(other / "metadata")
    app = open_info(data)
    assert "leads out of" in said(app)
    assert not app.dataframe


def test_a_broken_index_is_told_and_the_rest_shown(open_info, data: Path) -> None:
    fill(data)
    (data / "metadata" / "index.json").write_text("{")
    app = open_info(data)
    assert "delete it and fetch again" in said(app)
    assert len(app.dataframe) == 2


def test_choices_change_what_is_shown_and_come_from_the_address(open_info, data: Path) -> None:
    document = json.loads((data / "demo.json").read_text())
    for entry in document["evals"]:
        entry["price"] = {"input": 0.1, "output": 0.4}
    (data / "demo.json").write_text(json.dumps(document))
    app = open_info(data, scored_by="ReasonScore", against="Active parameters", coloured_by="template")
    assert app.selectbox(key="scored_by").value == "reasonscore"
    # Nobody knows active ones; cost needs no architecture.
    assert "No chart: of no eval are both a score and the active parameters known." in said(app)
    assert len(app.get("vega_lite_chart")) == 1
    app.selectbox(key="against").set_value("parameters").run()
    assert not app.exception
    assert len(app.get("vega_lite_chart")) == 4
    assert "ReasonScore against cost of 1,000 completions" in said(app)


def test_without_models_it_says_what_to_type(open_info, no_repeats_dataset: Path) -> None:
    app = open_info(no_repeats_dataset.parent)
    assert "The config names no model of the hub." in said(app)
    assert '"hf_id": "org/name"' in app.code[0].value
    assert "fetch_metadata" not in {button.key for button in app.button}
    assert not app.get("vega_lite_chart")
