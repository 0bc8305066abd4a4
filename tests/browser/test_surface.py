"""The Surface page in a real browser: surfaces, the view, filters, the address, and the downloads."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from tests.browser.gestures import choose, download, expect_chosen

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

START = "/surface?dataset=demo"
SURFACES = ["Arithmetic: Length x Digits", "Boolean: Length x Depth"]
EYE = """() => [...document.querySelectorAll('.js-plotly-plot')].map(
    plot => plot._fullLayout.scene._scene.getCamera().eye)"""


def eyes(page: Page) -> list[dict[str, float]]:
    """Where the camera of every 3-D panel stands."""
    expect(page.locator(".js-plotly-plot .gl-container canvas").first).to_be_visible()
    page.wait_for_timeout(1500)
    found: list[dict[str, float]] = page.evaluate(EYE)
    return found


def same(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(abs(one[axis] - other[axis]) < 0.01 for axis in "xyz")


def panel_names(config: Path, count: int) -> list[str]:
    """What the page calls the first eval on the first surfaces."""
    document = json.loads(config.read_text(encoding="utf-8"))
    return [f"{document['evals'][0]['label']} · {surface}" for surface in SURFACES[:count]]


def pick(page: Page, label: str, *options: str, several: bool = True) -> None:
    """Pick options of a widget of the page, typing first: a long list may reach below the window."""
    box = page.get_by_role("combobox", name=label, exact=True)
    for option in options:
        box.evaluate("element => element.scrollIntoView({block: 'center'})")
        box.click()
        box.fill(option)
        page.get_by_role("option", name=option, exact=True).click()
        settle(page)
    if several:
        page.keyboard.press("Escape")
        settle(page)


def test_view_stays_over_a_filter_and_in_another_browser(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(START)
    pick(page, "Surfaces", *SURFACES)
    chosen = panel_names(demo_dataset, 2)
    pick(page, "Show in 3-D", *chosen)
    start = eyes(page)
    assert len(start) == 2
    assert same(*start)
    page.get_by_role("button", name="Along y", exact=True).click()
    expect(page).to_have_url(re.compile("azimuth=0"))
    settle(page)
    turned = eyes(page)
    assert same(*turned)
    assert not same(turned[0], start[0])
    # A filter that keeps both panels keeps the view.
    choose(page, "Tiers", "Easy")
    assert all(same(eye, turned[0]) for eye in eyes(page))
    expect_chosen(page, "Show in 3-D", chosen)
    other = new_page(page.url)
    expect_chosen(other, "Surfaces", SURFACES)
    expect_chosen(other, "Show in 3-D", chosen)
    expect_chosen(other, "Tiers", ["Easy"])
    assert all(same(eye, turned[0]) for eye in eyes(other))


def test_mouse_turn_survives_what_does_not_concern_the_chart(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(START)
    pick(page, "Show in 3-D", *panel_names(demo_dataset, 1))
    before = eyes(page)[0]
    plot = page.locator(".js-plotly-plot").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y + 10, steps=8)
    page.mouse.up()
    turned = eyes(page)[0]
    assert not same(before, turned)
    page.get_by_role("radio", name="digits").or_(
        page.get_by_role("button", name="digits", exact=True)
    ).first.click()
    settle(page)
    assert same(eyes(page)[0], turned)


def test_difference_is_in_the_address(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"{START}&task=Arithmetic")
    evals = [entry["label"] for entry in json.loads(demo_dataset.read_text(encoding="utf-8"))["evals"]]
    pick(page, "Eval A", evals[0], several=False)
    pick(page, "minus eval B", evals[2], several=False)
    expect(page.get_by_text("after Benjamini-Hochberg at 5% (m = 12)")).to_be_visible()
    query = parse_qs(urlsplit(page.url).query)
    assert {"minuend", "subtrahend"} <= set(query)
    other = new_page(page.url)
    expect(other.get_by_text("after Benjamini-Hochberg at 5% (m = 12)")).to_be_visible()


def test_hover_tells_bounds_and_n(new_page: Open) -> None:
    page = new_page(f"{START}&task=Arithmetic")
    cell = page.get_by_test_id("stVegaLiteChart").first.locator(".mark-rect path").first
    cell.scroll_into_view_if_needed()
    cell.hover(force=True)
    tooltip = page.locator("#vg-tooltip-element")
    for words in ("accuracy", "center", "95% from", "95% to", "items"):
        expect(tooltip).to_contain_text(words)


def test_downloads_are_named_by_the_rule(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"{START}&task=Arithmetic")
    name, content = download(page, "Surface PNG")
    assert name.startswith("demo_surface_grid")
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    name, content = download(page, "Surface CSV")
    assert name == "demo_surface_arithmetic.csv"
    assert io.StringIO(content.decode("utf-8-sig")).readline().startswith("eval_id,label,task,surface")
    pick(page, "Show in 3-D", *panel_names(demo_dataset, 1))
    name, content = download(page, "Surface 3-D PNG")
    assert name == "demo_surface_3d_arithmetic.png"
    assert content.startswith(b"\x89PNG\r\n\x1a\n")


def test_narrow_screen_moves_the_grid_not_the_page(new_page: Open) -> None:
    page = new_page(START)
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth") <= 390
