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
        tag = _multiselect(page, label).locator(f"[data-tag][aria-label='{option}']")
        for _ in range(4):
            settle(page)
            box.click()
            # By keyboard: the list moves as it opens, and a click may fall on "Select all".
            box.fill(option)
            offered = page.get_by_role("option", name=option, exact=True)
            try:
                expect(offered).to_be_visible(timeout=8000)
                for _ in range(20):
                    if offered.get_attribute("data-focused"):
                        break
                    page.keyboard.press("ArrowDown")
                page.keyboard.press("Enter")
                expect(tag).to_be_visible(timeout=8000)
                break
            except (AssertionError, TimeoutError):
                # A run that ends just now closes the list again; a person would try once more.
                continue
        expect(tag).to_be_visible()
    # While the list is open, the rest of the page is hidden from roles; a rerun may open it once more.
    for _ in range(4):
        page.keyboard.press("Escape")
        settle(page)
        if not page.get_by_role("listbox").count():
            break


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
