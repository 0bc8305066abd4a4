"""`python -m core spectra` and `fft`: what they print, write and refuse."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers import fft
from tests.command import ask, run

LETTERS = '{"base_task": "letters"}'


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def copied(tmp_path: Path, strange_dataset: Path) -> Path:
    """A dataset with prompts and without token ids, to write to."""
    folder = tmp_path / "data"
    folder.mkdir()
    for path in (strange_dataset, strange_dataset.with_suffix(".duckdb")):
        shutil.copy(path, folder)
    return folder / strange_dataset.name


def test_the_demo_has_spectra_from_its_import(demo_dataset: Path) -> None:
    document = ask("fft", demo_dataset, "--format", "json").document()
    assert [one["tokenizer"] for one in document["columns"][:2]] == [
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        "google/gemma-3-270m",
    ]
    assert len(document["lines"]) == 276
    comparison = document["comparison"]
    assert (comparison["eval_a"], comparison["eval_b"], comparison["shared"]) == (3, 5, "prompts")
    assert comparison["rows"][0]["n_prompts"] == 816


@pytest.mark.parametrize("kind", ["indicator", "raw"])
def test_json_is_what_the_page_reads(demo_dataset: Path, kind: str) -> None:
    flags = ("--format", "json", "--filters", LETTERS, "--kind", kind, "--compare", "4", "6")
    said = ask("fft", demo_dataset, *flags).document()
    dataset = open_dataset(demo_dataset)
    grid = fft.read_grid(dataset, Filters(base_task=("letters",)))
    lines = fft.read_lines(dataset, grid, kind, grid.rows, grid.columns)
    found = fft.read_comparison(dataset, grid, 4, 6)
    assert said == json.loads(json.dumps(fft.to_document(grid, lines, kind, found)))


def test_csv_has_a_row_per_line_and_band(demo_dataset: Path) -> None:
    rows = list(
        csv.DictReader(io.StringIO(ask("fft", demo_dataset, "--format", "csv", "--filters", LETTERS).out))
    )
    assert len(rows) == 6 * 4 * 64
    first = rows[:64]
    assert sum(float(row["mean"]) for row in first) == pytest.approx(1, abs=1e-6)
    assert {row["projection"] for row in first} == {"letters_words"}
    compared = ask("fft", demo_dataset, "--format", "csv", "--filters", LETTERS, "--compare", "3", "5").out
    (total, letters) = csv.DictReader(io.StringIO(compared))
    assert (total["task"], letters["task"]) == ("", "letters")
    assert total["n_prompts"] == "48"


def test_images_have_names_by_the_rule(demo_dataset: Path, tmp_path: Path) -> None:
    flags = ("--filters", '{"base_task": "letters", "eval_id": [3, 5]}', "--output-dir", tmp_path)
    assert ask("fft", demo_dataset, *flags).status == 0
    assert ask("fft", demo_dataset, *flags, "--kind", "raw", "--log").status == 0
    assert ask("fft", demo_dataset, *flags, "--compare", "3", "5").status == 0
    assert names(tmp_path) == [
        "demo_fft_compare-3-5_eval3-5_letters.png",
        "demo_fft_eval3-5_letters.png",
        "demo_fft_raw_eval3-5_letters.png",
    ]
    assert all((tmp_path / name).read_bytes().startswith(b"\x89PNG") for name in names(tmp_path))


def test_more_than_fits_is_further_images(demo_dataset: Path, tmp_path: Path) -> None:
    flags = ("--show", "sort_length", "--output", tmp_path / "f.png")
    assert ask("fft", demo_dataset, *flags).status == 0
    assert names(tmp_path) == ["f.png", "f_2.png"]


def test_mistakes_are_told_in_a_sentence(demo_dataset: Path, no_repeats_dataset: Path) -> None:
    for config, flags, words in (
        (demo_dataset, ("--kind", "cooked"), "No kind 'cooked'; valid: indicator, raw"),
        (
            demo_dataset,
            ("--show", "nope"),
            "No projection 'nope' in this selection; valid: arithmetic_length",
        ),
        (demo_dataset, ("--compare", "3", "3"), "A comparison needs two evals"),
        (demo_dataset, ("--compare", "3", "44"), "Eval 44 has no spectra in this selection"),
        (demo_dataset, ("--format", "table"), "valid: png, json, csv"),
        (demo_dataset, ("--filters", '{"params": {"count": [2]}, "base_task": "sort"}'), "No results found"),
        (no_repeats_dataset, (), "No prompt of this selection is in the dataset"),
    ):
        assert words in ask("fft", config, *flags).refused()
    assert "The dataset has no prompts" in ask("spectra", no_repeats_dataset).refused()
    assert "Config not found" in ask("spectra", no_repeats_dataset.with_name("gone.json")).refused()


def test_spectra_as_a_user_runs_it(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"Compute them: python -m core spectra {copied}" in ask("fft", copied).refused()
    monkeypatch.setenv("HF_HOME", str(copied.parent / "hf"))
    done = run("spectra", copied)
    assert done.status == 0, done.err
    assert "UTF-8 bytes in place of tokens" in done.out
    assert "no hf_id is known: add one to its eval in the config, and fetch" in done.out
    assert ask("fft", copied, "--format", "json").document()["columns"][0]["tokenizer"] == "UTF-8 bytes"


def test_a_hub_is_asked_with_leave_only(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(copied.read_text(encoding="utf-8"))
    document["evals"][0]["hf_id"] = "org/name"
    copied.write_text(json.dumps(document), encoding="utf-8")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(copied.parent / "hf"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert "the tokenizer of org/name is not on this machine: fetch it" in ask("spectra", copied).out
    assert "the Hub cannot be reached" in ask("spectra", copied, "--fetch").out
