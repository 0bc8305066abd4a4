"""Compare in a real browser: the pair is in the address, numbers lead to completions, downloads are whole."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests import command
from tests.browser.conftest import settle
from tests.browser.gestures import click_cell, download, table

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

DEMO = "?dataset=demo"
PNG = b"\x89PNG\r\n\x1a\n"


def labels(config: Path) -> list[str]:
    return [entry["label"] for entry in json.loads(config.read_text(encoding="utf-8"))["evals"]]


def compared(config: Path, a: int, b: int | None = None) -> dict:
    flags = ("--a", str(a), *(("--b", str(b)) if b is not None else ()), "--format", "json")
    return command.ask("compare", config, *flags).document()


def said(page: Page, text: str) -> None:
    """Wait until the page says so."""
    expect(page.get_by_test_id("stMain").get_by_text(text).first).to_be_visible()


def first_two(config: Path) -> str:
    """Return the part of the address that compares the first two evals of a config."""
    return f"&{urlencode(dict(zip('ab', labels(config), strict=False)))}"


def test_swapped_pair_is_in_the_address(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/compare{DEMO}{first_two(demo_dataset)}")
    said(page, compared(demo_dataset, 0, 1)["verdict"]["wrong"])
    page.get_by_test_id("stButton").get_by_role("button", name="Swap").click()
    turned = compared(demo_dataset, 1, 0)["verdict"]["wrong"]
    said(page, turned)
    expect(page).to_have_url(re.compile("[?&]a="))
    settle(page)
    said(new_page(page.url), turned)


def test_a_row_of_all_others_becomes_b(new_page: Open, demo_dataset: Path) -> None:
    first = urlencode({"a": labels(demo_dataset)[0]})
    page = new_page(f"/compare{DEMO}&{first}&compare_with=All+others")
    found = compared(demo_dataset, 0)
    said(page, found["summary"]["wrong"])
    click_cell(page, table(page, f"{labels(demo_dataset)[0]} against every other eval"), 2, 15)
    other = [row["value"] for row in found["rows"] if row["truncated"] == "wrong"][2]
    said(page, compared(demo_dataset, 0, other)["verdict"]["wrong"])
    expect(page).not_to_have_url(re.compile("compare_with="))


def test_gained_items_open_their_completions_and_back(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/compare{DEMO}{first_two(demo_dataset)}&tier=Easy")
    settle(page)
    page.get_by_test_id("stMain").get_by_role("link", name="Completions").nth(1).click()
    expect(page.locator("h1")).to_have_text("Completions")
    settle(page)
    a, b = labels(demo_dataset)[:2]
    said(page, f"tems on which {a} does better than {b}")
    expect(page).to_have_url(re.compile("tier=Easy"))
    page.go_back()
    expect(page.locator("h1")).to_have_text("Compare")
    expect(page).to_have_url(re.compile("tier=Easy"))


def test_downloads_are_what_the_command_line_writes(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/compare{DEMO}{first_two(demo_dataset)}&task=Boolean")
    flags = ("--a", "0", "--b", "1", "--filters", '{"base_task": ["boolean"]}')
    name, content = download(page, "JSON")
    assert name == "demo_compare_eval0_eval1_boolean.json"
    assert content.decode() == command.ask("compare", demo_dataset, "--format", "json", *flags).out
    name, content = download(page, "Markdown")
    assert name.endswith("_boolean.md")
    assert content.decode() == command.ask("compare", demo_dataset, *flags).out
    assert download(page, "Forest PNG")[1].startswith(PNG)


def test_works_on_a_narrow_screen(new_page: Open) -> None:
    page = new_page(f"/compare{DEMO}")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    chart = page.get_by_test_id("stVegaLiteChart").first
    expect(chart).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    box = chart.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    expect(page.get_by_test_id("stException")).to_have_count(0)
