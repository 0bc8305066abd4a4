"""Cluster and Spiderweb in a real browser: a clique becomes the filter, addresses and downloads work."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import command
from tests.browser.conftest import settle
from tests.browser.gestures import choose, click_cell, download, expect_chosen, table, visit

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

DEMO = "?dataset=demo"
PNG = b"\x89PNG\r\n\x1a\n"


def labels(config: Path) -> list[str]:
    return [entry["label"] for entry in json.loads(config.read_text(encoding="utf-8"))["evals"]]


def clusters(config: Path, *flags: str) -> list[dict[str, list[list[int]]]]:
    sections: list[dict[str, list[list[int]]]] = command.ask(
        "cluster", config, "--format", "json", *flags
    ).document()["sections"]
    return sections


def press(page: Page, name: str) -> None:
    """Choose an option of a segmented control."""
    page.get_by_test_id("stButtonGroup").get_by_text(name, exact=True).click()
    settle(page)


def test_selected_clique_becomes_the_filter_of_every_page(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/cluster{DEMO}&section=Letters")
    section = next(one for one in clusters(demo_dataset) if one["value"] == "letters")
    wanted = [labels(demo_dataset)[one] for one in sorted(section["cliques"][1])]
    click_cell(page, table(page, "Cliques of Letters"), 1, 15)
    expect(page).to_have_url(re.compile("eval="))
    expect_chosen(page, "Evals", wanted)
    expect(page.get_by_test_id("stSidebar")).to_contain_text(f"{len(wanted)} evals")
    visit(page, "Scores")
    expect_chosen(page, "Evals", wanted)
    visit(page, "Cluster")
    page.get_by_role("button", name="All evals again").click()
    expect(page).not_to_have_url(re.compile("eval="))
    expect_chosen(page, "Evals", [])


def test_address_reproduces_the_page(new_page: Open) -> None:
    page = new_page(f"/cluster{DEMO}")
    press(page, "tier")
    press(page, "paired difference, Holm")
    page.get_by_role("combobox", name="Tier", exact=True).click()
    page.get_by_role("option", name="Hard", exact=True).click()
    settle(page)
    heading = page.get_by_text("Hard: evals that are not separated (paired difference, Holm)")
    expect(heading).to_be_visible()
    other = new_page(page.url)
    expect(other.get_by_text("Hard: evals that are not separated (paired difference, Holm)")).to_be_visible()
    expect(other.get_by_text("In force: paired difference, Holm")).to_be_visible()


def test_downloads_are_what_the_command_line_writes(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/cluster{DEMO}&tier=Easy")
    name, content = download(page, "JSON")
    assert name == "demo_cluster_base_task_easy.json"
    flags = ("--filters", '{"tiers": ["easy"]}')
    assert content.decode() == command.ask("cluster", demo_dataset, "--format", "json", *flags).out
    name, content = download(page, "Markdown")
    assert name.endswith("_easy.md")
    assert content.decode() == command.ask("cluster", demo_dataset, *flags).out
    _, content = download(page, "Cluster PNG")
    assert content.startswith(PNG)


def test_split_comes_as_a_zip(new_page: Open) -> None:
    page = new_page(f"/cluster{DEMO}&cluster_split=sampler")
    name, content = download(page, "JSON per sampler")
    assert name == "demo_cluster_base_task_sampler_json.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == [
            "demo_cluster_base_task_sampler-greedy.json", "demo_cluster_base_task_sampler-t10.json"
        ]  # fmt: skip


def test_chosen_evals_are_drawn_large_or_side_by_side(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/spiderweb{DEMO}")
    charts = page.get_by_test_id("stVegaLiteChart")
    expect(charts).to_have_count(6)
    names = labels(demo_dataset)
    choose(page, "Show", names[3])
    expect(charts).to_have_count(1)
    expect(page.get_by_text(f"{names[3]}: accuracy per task")).to_be_visible()
    press(page, "Bars")
    expect(page.get_by_text(f"{names[3]}: accuracy and tokens per task")).to_be_visible()
    expect(new_page(page.url).get_by_text(f"{names[3]}: accuracy and tokens per task")).to_be_visible()


def test_all_models_as_one_zip(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/spiderweb{DEMO}")
    name, content = download(page, "All evals (ZIP)")
    assert name == "demo_spiderweb_radar.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        assert sum(one.endswith("_spider.png") for one in names) == len(labels(demo_dataset))
        assert archive.read(names[0]).startswith(PNG)
    _, content = download(page, "JSON")
    assert content.decode() == command.ask("spiderweb", demo_dataset, "--format", "json").out


@pytest.mark.parametrize("path", ["cluster", "spiderweb"])
def test_works_on_a_narrow_screen(new_page: Open, path: str) -> None:
    page = new_page(f"/{path}{DEMO}")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    box = page.get_by_test_id("stVegaLiteChart").first.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    expect(page.get_by_test_id("stException")).to_have_count(0)
