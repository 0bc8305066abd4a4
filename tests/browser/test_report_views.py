"""Views and report as a person meets them: saved here, opened there, and a file that arrives."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from tests.browser.gestures import choose, download, expect_chosen, visit

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]


def open_popover(page: Page, name: str) -> None:
    """Open a popover of the head by keyboard."""
    settle(page)
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")
    settle(page)


def test_a_view_is_saved_and_opened_again_from_another_page(new_page: Open) -> None:
    page = new_page("/?dataset=demo")
    choose(page, "Tiers", "Easy")
    expect(page).to_have_url(re.compile("tier=Easy"))
    open_popover(page, "Views")
    page.get_by_role("textbox", name="Save this page as").fill("Easy <i>only</i>")
    # Only then does the form know what was typed.
    expect(page.get_by_text("Press Enter to submit form")).to_be_visible()
    page.keyboard.press("Enter")
    link = page.get_by_role("navigation", name="Saved views").get_by_role("link", name="Easy <i>only</i>")
    expect(link).to_be_visible()
    # Somebody else, in a browser of their own, on another page and without the filter.
    other = new_page("/tasks?dataset=demo")
    other.set_viewport_size({"width": 390, "height": 844})
    open_popover(other, "Views")
    link = other.get_by_role("navigation", name="Saved views").get_by_role("link", name="Easy <i>only</i>")
    link.focus()
    other.keyboard.press("Enter")
    expect(other.locator("h1")).to_have_text("Scores")
    expect(other).to_have_url(re.compile(r"/\?dataset=demo&tier=Easy$"))
    settle(other)
    other.set_viewport_size({"width": 1440, "height": 1200})
    expect_chosen(other, "Tiers", ["Easy"])
    other.go_back()
    expect(other.locator("h1")).to_have_text("Tasks")
    settle(other)
    expect_chosen(other, "Tiers", [])
    # Two tabs, one list: what the first deletes, the second finds gone.
    page.get_by_text("Rename, delete, share").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No saved view yet")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("navigation", name="Saved views")).to_be_visible()


def test_a_report_of_the_filter_arrives_while_one_reads_on(new_page: Open) -> None:
    page = new_page(
        "/tasks?dataset=demo&tier=Easy&task=Arithmetic&eval=SmolLM2%20135M%20%C2%B7%20direct%20%C2%B7%20greedy"
    )
    open_popover(page, "Report")
    expect(page.get_by_text("python -m core report")).to_be_visible()
    with page.expect_download(timeout=120_000) as info:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name="HTML").click()
        # The file comes though the popover is closed and another page is read.
        page.keyboard.press("Escape")
        visit(page, "Evals")
    assert info.value.suggested_filename.startswith("demo_report_eval")
    html = info.value.path().read_text(encoding="utf-8")
    sentence = re.search(r"<p>Selected: (.*?)\. 1 eval,", html)
    assert sentence
    expect(page.get_by_test_id("stSidebar")).to_contain_text(unescape(sentence[1]), ignore_case=True)
    assert "tier Easy" in sentence[1]
    open_popover(page, "Report")
    name, markdown = download(page, "Markdown")
    assert name.endswith(".md")
    assert markdown.startswith(b"# demo: evaluation report")
    assert page.get_by_test_id("stException").count() == 0
    file = page.context.new_page()
    file.set_content(html)
    expect(file.get_by_role("heading", name="Summary")).to_be_visible()
    assert file.evaluate("[...document.images].every(one => one.complete && one.naturalWidth > 300)")
    file.set_viewport_size({"width": 390, "height": 844})
    assert file.evaluate("document.documentElement.scrollWidth") == 390
