"""The Compression page in a real browser: panels, hover, the text of a loop, the address, the downloads."""

import io
import re
import zipfile
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from tests.browser.gestures import download

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

START = "/compression?dataset=demo"


def pick(page: Page, label: str, option: str | re.Pattern[str], typed: str) -> None:
    """Pick an option of a selectbox, typing: a list may reach below the window, and moves as it opens."""
    settle(page)
    box = page.get_by_role("combobox", name=label, exact=True)
    box.evaluate("element => element.scrollIntoView({block: 'center'})")
    box.click()
    box.fill(typed)
    found = page.get_by_role("option", name=option)
    expect(found.first).to_be_visible()
    page.keyboard.press("Enter")
    settle(page)


def test_choices_are_in_the_address_and_bins_tell_n(new_page: Open) -> None:
    page = new_page(f"{START}&task=Sort")
    expect(page.get_by_text("Compressed bytes by tokens: Sort")).to_be_visible()
    pick(page, "Colour by", re.compile("^template$"), "template")
    expect(page).to_have_url(re.compile("compression_series=template"))
    page.get_by_role("radio", name="Bytes").or_(
        page.get_by_role("button", name="Bytes", exact=True)
    ).first.click()
    expect(page.get_by_text("Compressed bytes by response bytes: Sort")).to_be_visible()
    settle(page)
    query = parse_qs(urlsplit(page.url).query)
    assert {"compression_series", "compression_length"} <= set(query)
    other = new_page(page.url)
    expect(other.get_by_text("Compressed bytes by response bytes: Sort")).to_be_visible()
    dot = other.get_by_test_id("stVegaLiteChart").first.locator(".mark-symbol path").first
    dot.scroll_into_view_if_needed()
    dot.hover(force=True)
    tooltip = other.locator("#vg-tooltip-element")
    for words in ("template", "n", "share of the series in this panel", "response bytes", "compressed bytes"):
        expect(tooltip).to_contain_text(words)


def test_a_loop_is_read_and_downloaded(new_page: Open) -> None:
    page = new_page(START)
    expect(page.get_by_text("Rule: at least 1,000 bytes")).to_be_visible()
    pick(page, "Read a response", re.compile(r"^1\. .*1,344 bytes$"), "1,344")
    code = page.get_by_test_id("stCode")
    expect(code).to_contain_text("fireplace, fireplace")
    expect(page.get_by_text("1,344 characters.")).to_be_visible()
    name, content = download(page, "Response")
    assert re.fullmatch(r"demo_response_\d+\.txt", name)
    assert len(content.decode()) == 1344
    name, content = download(page, "Loops CSV")
    assert name == "demo_loops.csv"
    assert len(io.StringIO(content.decode("utf-8-sig")).readlines()) >= 14


def test_downloads_are_named_by_the_rule(new_page: Open) -> None:
    page = new_page(f"{START}&task=Sort&task=Boolean")
    name, content = download(page, "Sort PNG")
    assert name == "demo_compression_base_task-sort_sort-boolean.png"
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    name, content = download(page, "CSV per base_task (ZIP)")
    assert name.endswith(".zip")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert sorted(archive.namelist()) == [
            "demo_compression_base_task-boolean_sort-boolean.csv",
            "demo_compression_base_task-sort_sort-boolean.csv",
        ]


def test_narrow_screen_moves_the_panels_not_the_page(new_page: Open) -> None:
    page = new_page(START)
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    # The page is laid out again some frames after the window has its new size.
    page.wait_for_function(
        "() => document.querySelector('[data-testid=\"stMain\"]').scrollWidth <= 390", timeout=30_000
    )
