"""What a person does with the mouse, and what they then see."""

import re

from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.conftest import settle

ROW, HEADER = 35, 35
"""Heights in pixels of a table's row and header: the cells are drawn on a canvas."""


def choose(page: Page, label: str, *options: str) -> None:
    """Pick options in a multiselect of the sidebar."""
    box = page.get_by_role("combobox", name=label, exact=True)
    for option in options:
        offered = page.get_by_role("option", name=option, exact=True)
        for _ in range(4):
            settle(page)
            box.click()
            try:
                # A run that ends just now closes the list again; a person would click once more.
                offered.click(timeout=8000)
                break
            except TimeoutError:
                continue
        expect(_multiselect(page, label).locator(f"[data-tag][aria-label='{option}']")).to_be_visible()
    page.keyboard.press("Escape")
    settle(page)


def expect_chosen(page: Page, label: str, options: list[str]) -> None:
    """Wait until a multiselect of the sidebar has these options and no others."""
    tags = _multiselect(page, label).locator("[data-tag]")
    expect(tags).to_have_count(len(options))
    for place, option in enumerate(options):
        expect(tags.nth(place)).to_have_attribute("aria-label", option)


def _multiselect(page: Page, label: str) -> Locator:
    box = page.get_by_role("combobox", name=label, exact=True)
    return page.get_by_test_id("stMultiSelect").filter(has=box).locator(".react-aria-ComboBox")


def visit(page: Page, title: str) -> None:
    """Go to another page by the navigation."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=title).click()
    expect(page.locator("h1")).to_have_text(title)
    settle(page)


def table(page: Page, name: str) -> Locator:
    """Return the table whose alternative text begins so."""
    return page.get_by_test_id("stDataFrame").filter(has=page.get_by_label(re.compile(f"^{re.escape(name)}")))


def click_cell(page: Page, grid: Locator, row: int, x: int) -> None:
    """Click a row of a table, x pixels from its left edge."""
    settle(page)
    grid.click(position={"x": x, "y": HEADER + ROW * row + ROW // 2})
    settle(page)


def download(page: Page, label: str) -> tuple[str, bytes]:
    """Click a download button and return the file's name and content."""
    button = page.get_by_test_id("stDownloadButton").get_by_role("button", name=label)
    button.scroll_into_view_if_needed()
    with page.expect_download() as info:
        button.click()
    return info.value.suggested_filename, info.value.path().read_bytes()
