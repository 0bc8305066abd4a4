"""`python -m core surface`: files and their names, the JSON, 3-D and what happens without a browser."""

import csv
import io
import json
from pathlib import Path

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers.methods import Methods
from core.tiers.surface import find_browser, read_surfaces, to_document
from tests.command import ask

ARITHMETIC = '{"base_task": "arithmetic"}'
PNG = b"\x89PNG\r\n\x1a\n"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def width_of(path: Path) -> int:
    content = path.read_bytes()
    assert content.startswith(PNG)
    return int.from_bytes(content[16:20], "big")


def test_json_has_the_arrays_of_every_eval_and_surface(demo_dataset: Path) -> None:
    document = ask("surface", demo_dataset, "--split", "none", "--format", "json").document()
    evals = json.loads(demo_dataset.read_text())["evals"]
    assert {one["eval_id"] for one in document["surfaces"]} == set(range(len(evals)))
    for one in document["surfaces"]:
        assert one["label"] == evals[one["eval_id"]]["label"]
        for name in ("accuracy", "center", "lower", "upper", "n", "n_items", "truncated_ratio"):
            assert len(one[name]) == len(one["y"])
            assert all(len(row) == len(one["x"]) for row in one[name])
        flat = ([v for row in one[name] for v in row] for name in ("n", "lower", "center", "upper"))
        for n, low, mean, high in zip(*flat, strict=True):
            assert (n is None) == (low is None)
            assert n is None or (isinstance(n, int) and 0 <= low <= mean <= high <= 1)


def test_json_is_what_the_page_reads(demo_dataset: Path) -> None:
    said = ask("surface", demo_dataset, "--split", "none", "--format", "json", "--interval", "jeffreys")
    grid = read_surfaces(open_dataset(demo_dataset), Filters(), Methods(interval="jeffreys"))
    assert said.document() == json.loads(json.dumps(to_document(grid)))


def test_one_text_goes_to_stdout_and_several_go_to_files(demo_dataset: Path, tmp_path: Path) -> None:
    one = ask("surface", demo_dataset, "--format", "json", "--filters", ARITHMETIC, cwd=tmp_path)
    assert one.document()["split"] == {"dimension": "base_task", "value": "arithmetic"}
    assert names(tmp_path) == []
    several = ask("surface", demo_dataset, "--format", "csv", cwd=tmp_path)
    assert (several.status, several.out) == (0, "")
    tasks = {
        one["task"]
        for one in ask("surface", demo_dataset, "--split", "none", "--format", "json").document()["surfaces"]
    }
    assert names(tmp_path) == sorted(f"demo_surface_base_task-{task}.csv" for task in tasks)


def test_csv_has_a_row_per_cell(demo_dataset: Path) -> None:
    flags = ("--split", "none", "--filters", ARITHMETIC)
    rows = list(csv.DictReader(io.StringIO(ask("surface", demo_dataset, *flags, "--format", "csv").out)))
    (first, *_) = ask("surface", demo_dataset, *flags, "--format", "json").document()["surfaces"]
    mine = [row for row in rows if row["eval_id"] == str(first["eval_id"])]
    for row in mine:
        j = [str(step) for step in first["y"]].index(row["y"])
        i = [str(step) for step in first["x"]].index(row["x"])
        assert float(row["accuracy"]) == first["accuracy"][j][i]
        assert int(row["n"]) == first["n"][j][i]


def test_flat_images_have_reasonscapes_names(demo_dataset: Path, tmp_path: Path) -> None:
    flags = ("--flat", "--width", "900", "--output-dir", tmp_path, "--filters", '{"eval_id": [0, 1]}')
    assert ask("surface", demo_dataset, "--split", "tier", *flags).status == 0
    assert ask("surface", demo_dataset, "--split", "none", *flags).status == 0
    tiers = [tier["id"] for tier in json.loads(demo_dataset.read_text())["tiers"]]
    found = names(tmp_path)
    assert {f"demo_surface_tier-{tier}_eval0-1.png" for tier in tiers} <= set(found)
    assert "demo_surface_grid_eval0-1.png" in found
    # More surfaces than one image has room for are further images.
    assert "demo_surface_grid_eval0-1-2.png" in found
    assert all(width_of(tmp_path / name) <= 1800 for name in found)


@pytest.mark.parametrize("dimension", ["model", "template", "eval_id", "surface", "length"])
def test_split_by_any_dimension(demo_dataset: Path, tmp_path: Path, dimension: str) -> None:
    said = ask(
        "surface", demo_dataset, "--split", dimension, "--format", "json", "--output-dir", tmp_path,
        "--filters", ARITHMETIC,
    )  # fmt: skip
    assert said.status == 0, said.err
    whole = ask("surface", demo_dataset, "--split", "none", "--format", "json", "--filters", ARITHMETIC)
    total = sum(n or 0 for one in whole.document()["surfaces"] for row in one["n"] for n in row)
    parts = [json.loads(path.read_text()) for path in tmp_path.iterdir()]
    assert {part["split"]["dimension"] for part in parts} == {dimension}
    assert sum(n or 0 for part in parts for one in part["surfaces"] for row in one["n"] for n in row) == total


def test_difference_of_two_evals(demo_dataset: Path, tmp_path: Path) -> None:
    flags = ("--split", "none", "--difference", "0", "2")
    found = ask("surface", demo_dataset, *flags, "--format", "json").document()["difference"]
    assert (found["a"], found["b"]) == (0, 2)
    p = [one for surface in found["surfaces"] for row in surface["p"] for one in row if one is not None]
    assert found["m"] == len(p)
    assert ask("surface", demo_dataset, *flags, "--output", tmp_path / "d.png").status == 0
    assert names(tmp_path)[0].startswith("d")
    assert "needs two evals" in ask("surface", demo_dataset, "--difference", "1", "1").refused()


def test_3d_image_is_the_default(demo_dataset: Path, tmp_path: Path) -> None:
    if find_browser() is None:
        pytest.skip("no Chrome or Chromium here")
    filters = '{"base_task": "arithmetic", "eval_id": [0]}'
    flags = ("--filters", filters, "--width", "600", "--azimuth", "40", "--elevation", "60")
    said = ask("surface", demo_dataset, *flags, "--output", tmp_path / "one.png")
    assert said.status == 0, said.err
    assert "flat" not in said.err
    assert width_of(tmp_path / "one.png") == 1200


def test_without_a_browser_it_is_flat_and_says_so(
    demo_dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.tiers.surface.browser_png.find_browser", lambda: None)
    monkeypatch.setattr("core.tiers.surface.browser_png._started", [])
    said = ask("surface", demo_dataset, "--filters", ARITHMETIC, "--output", tmp_path / "flat.png")
    assert said.status == 0
    assert said.out == ""
    assert "Note: drawn flat. A PNG of a 3-D surface needs Chrome or Chromium" in said.err
    assert all(width_of(path) > 1000 for path in tmp_path.iterdir())


def test_mistakes_are_told_in_a_sentence(demo_dataset: Path, bare_dataset: Path) -> None:
    for flags, words in (
        (("--split", "nope"), "No dimension 'nope' to split by; valid: model"),
        (("--format", "markdown"), "valid: png, json, csv"),
        (("--filters", '{"surfaces": ["nope"]}'), "No surfaces 'nope' in this dataset"),
        (("--filters", '{"base_task": "letters"}'), "two params that vary; Letters has fewer."),
        (("--filters", '{"base_task": "arithmetic", "params": {"count": [2]}}'), "No results found"),
    ):
        assert words in ask("surface", demo_dataset, *flags).refused()
    assert "two params that vary; Add has fewer" in ask("surface", bare_dataset, "--split", "none").refused()
