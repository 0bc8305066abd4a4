"""`python -m core modelinfo`: fetching, what is told where, and agreement with the page's numbers."""

import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers import modelinfo as tier
from core.tiers.methods import Methods
from tests.command import ROOT, ask, environment
from tests.hub.small_hub import SmallHub, Trouble, only_hub

SMOL, GEMMA = "HuggingFaceTB/SmolLM2-135M-Instruct", "google/gemma-3-270m"
QUICK = ("--pause", "0")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallHub]:
    with only_hub(monkeypatch) as hub:
        yield hub


@pytest.fixture
def config(demo_dataset: Path, tmp_path: Path) -> Path:
    """The demo in a folder of its own, without the parameter counts of its config."""
    folder = tmp_path / "data"
    folder.mkdir()
    document = json.loads(demo_dataset.read_text())
    for entry in document["evals"]:
        entry.pop("parameters", None)
    (folder / "demo.json").write_text(json.dumps(document))
    shutil.copy(demo_dataset.with_suffix(".duckdb"), folder)
    return folder / "demo.json"


def counted(number: int) -> dict[str, Any]:
    return {"safetensors": {"parameters": {"BF16": number}}}


def test_fetch_tell_and_use(config: Path, small: SmallHub) -> None:
    small.add(SMOL, info=counted(134_515_008))
    small.add(GEMMA, gated=True, info=counted(268_098_176))
    found = ask("modelinfo", config, *QUICK, "--format", "json")
    document = found.document()
    assert f"{SMOL}: 2 files" in found.err
    assert f"Note: {GEMMA}: config.json: gated (status 401): accept its terms" in found.err
    assert sorted(path.name for path in (config.parent / "metadata").iterdir() if path.name != ".lock") == [
        "HuggingFaceTB", "google", "index.json",
    ]  # fmt: skip
    assert {one["model_id"]: one["status"] for one in document["models"]} == {
        SMOL: "complete",
        GEMMA: "gated",
    }
    assert {one["parameters"] for one in document["rows"]} == {134_515_008, 268_098_176}
    assert "at 268M parameters" in document["summary"][0]
    asked = len(small.requests)
    again = ask("modelinfo", config, *QUICK)
    assert again.status == 0
    assert "From the cache: fetched from the hub just now." in again.out
    # Only what was missing is asked for again.
    assert [path for path in small.paths()[asked:] if SMOL in path] == []
    small.requests.clear()
    assert ask("modelinfo", config, "--no-fetch", "--format", "csv").status == 0
    assert small.requests == []


def test_page_and_command_line_agree(config: Path, small: SmallHub) -> None:
    small.add(SMOL, info=counted(10**8))
    flags = ("--filters", '{"base_task": "arithmetic"}', "--interval", "jeffreys")
    document = ask("modelinfo", config, *QUICK, "--format", "json", *flags).document()
    dataset = open_dataset(config)
    found = tier.read_modelinfo(
        dataset,
        Filters.from_dict({"base_task": "arithmetic"}),
        Methods("jeffreys"),
        tier.read_metadata(tier.folder_of(config)),
    )
    summary = tier.summarise(found, tier.AXES["parameters"])
    assert document == json.loads(json.dumps(tier.to_document(found, [summary])))
    rows = list(
        csv.DictReader(io.StringIO(ask("modelinfo", config, "--no-fetch", "--format", "csv", *flags).out))
    )
    assert [float(one["plain_score"]) for one in rows] == [one["plain_score"] for one in document["rows"]]
    dataset.close()


def test_another_folder(config: Path, small: SmallHub, tmp_path: Path) -> None:
    small.add(SMOL)
    small.add(GEMMA)
    assert ask("modelinfo", config, *QUICK, "--output-dir", tmp_path / "there").status == 0
    assert (tmp_path / "there" / GEMMA / "config.json").is_file()
    assert not (config.parent / "metadata").exists()


def test_images(config: Path, small: SmallHub, tmp_path: Path) -> None:
    small.add(SMOL, info=counted(10**8))
    small.add(GEMMA, info=counted(10**9))
    document = json.loads(config.read_text())
    for entry in document["evals"]:
        entry["price"] = {"input": 0.1, "output": 0.4}
    config.write_text(json.dumps(document))
    assert ask("modelinfo", config, *QUICK, "--format", "png", cwd=tmp_path).status == 0
    assert (tmp_path / "demo_modelinfo.png").read_bytes().startswith(b"\x89PNG")
    for chart in ("per-token", "cost"):
        flags = ("--no-fetch", "--chart", chart, "--colour-by", "template", "--score", "reasonscore")
        made = ask(
            "modelinfo",
            config,
            *flags,
            "--format",
            "png",
            "--output",
            tmp_path / f"{chart}.png",
            "--width",
            "700",
        )
        assert made.status == 0, made.err
        width = int.from_bytes((tmp_path / f"{chart}.png").read_bytes()[16:20], "big")
        assert width == 1400


def test_without_results_the_models_are_still_fetched(config: Path, small: SmallHub) -> None:
    small.add(SMOL, info=counted(10**8))
    config.with_suffix(".duckdb").unlink()
    found = ask("modelinfo", config, *QUICK, "--format", "json")
    assert "Note: without results: Database not found" in found.err
    assert [one["status"] for one in found.document()["models"]] == ["complete", "not_found"]
    assert "100M" in ask("modelinfo", config, "--no-fetch").out
    assert "A PNG needs results" in ask("modelinfo", config, "--no-fetch", "--format", "png").refused()


def test_no_hub_is_one_sentence(config: Path, small: SmallHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr("time.sleep", lambda _: None)
    said = ask("modelinfo", config, *QUICK).refused()
    assert said == "Error: 127.0.0.1:1 cannot be reached; what was fetched before is still used"
    assert ask("modelinfo", config, "--no-fetch").status == 0


def test_a_model_without_name_or_hub(bare_dataset: Path, small: SmallHub, config: Path) -> None:
    found = ask("modelinfo", bare_dataset)
    assert found.status == 0
    assert "no eval of the config has an hf_id" in found.err
    assert "Without hf_id in the config" in found.out
    assert not (bare_dataset.parent / "metadata").exists()
    document = json.loads(config.read_text())
    document["evals"][0]["hf_id"] = "../../../etc/passwd"
    config.write_text(json.dumps(document))
    small.add(SMOL)
    small.add(GEMMA)
    found = ask("modelinfo", config, *QUICK)
    assert "Note: hf_id '../../../etc/passwd' is no model name of the hub" in found.err
    assert "Correct it in the config." in found.out
    assert not any("passwd" in path for path in small.paths())


def test_mistakes_are_told_in_a_sentence(config: Path) -> None:
    for flags, words in (
        (("--against", "size"), "valid: parameters, active"),
        (("--score", "elo"), "valid: plain, reasonscore"),
        (("--chart", "pie"), "valid: score, per-token, cost, per-cost"),
        (("--format", "png"), "No eval has both plain score (0 to 1000) and parameters"),
        (("--filters", '{"eval_id": [99]}'), "No eval_id 99"),
    ):
        assert words in ask("modelinfo", config, "--no-fetch", *flags).refused()
    broken = json.loads(config.read_text())
    for value in ({"parameters": "many"}, {"price": {}}, {"price": {"input": -1}}):
        broken["evals"][0] = {"label": "x", **value}
        config.write_text(json.dumps(broken))
        assert "is not valid: evals.0." in ask("modelinfo", config, "--no-fetch").refused()


def test_an_interrupt_keeps_what_was_fetched(config: Path, small: SmallHub) -> None:
    small.add(SMOL, info=counted(10**8))
    small.trouble[f"/api/models/{GEMMA}"] = [Trouble(slow=20)]
    process = subprocess.Popen(
        [sys.executable, "-m", "core", "modelinfo", str(config), *QUICK],
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline().decode() == f"{SMOL}: 2 files\n"
    process.send_signal(2)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"what was fetched stays" in err
    assert out == b""
    index = json.loads((config.parent / "metadata" / "index.json").read_text())
    assert list(index) == [SMOL]


def test_other_commands_do_not_load_the_hubs_library(config: Path) -> None:
    code = "import sys, core.cli.main as cli; cli.make_app(); sys.exit('huggingface_hub' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
