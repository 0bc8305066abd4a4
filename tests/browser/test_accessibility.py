"""Every page for everyone: axe finds nothing in either theme, a phone shows all, the keyboard reaches it.

Two loads a page: the light one on a desk, with all rules of axe; the dark one on a phone, where the markup is
the same and only the contrast is looked at again.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect

from core import views
from tests.browser import contrast
from tests.browser.conftest import settle

pytestmark = pytest.mark.browser

PAGES = ["" if page == views.DEFAULT_PAGE else page for page in views.PAGES]

DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
# axe passes over what has scrolled out of sight.
TALL: ViewportSize = {"width": 1440, "height": 5000}
TALL_PHONE: ViewportSize = {"width": 390, "height": 7000}

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}

CHARTS = "svg.marks"
"""Thousands of marks, over which the contrast rule takes seconds: it looks at them in a test of its own."""

STREAMLIT = {
    # The navigation puts the groups of pages in <div> and <header> straight into a <ul>; nothing in
    # st.navigation or in the theme changes its elements.
    "list": '[data-testid="stSidebarNavItems"]',
    "listitem": '[data-testid="stSidebarNavItems"] li',
}
"""What axe finds in Streamlit's own markup that the app cannot change: rule and selector."""

RESULT = '[data-testid="stMain"] :is([data-testid="stVegaLiteChart"], [data-testid="stDataFrame"])'
WITHOUT_RESULT = "imports"


@pytest.fixture(scope="module")
def tab(browser: Browser, server: str) -> Iterator[Page]:
    """One tab for all pages: the scripts of the app are loaded once."""
    with browser.new_context(viewport=DESKTOP, base_url=server) as context:
        context.add_init_script(path=Path(__file__).with_name("accessibility.js"))
        yield context.new_page()


def violations(page: Page, options: dict[str, Any], *, charts: bool) -> list[str]:
    """Return what axe finds inside the charts or outside, rule by rule, without what is Streamlit's own."""
    if charts and not page.locator(CHARTS).count():
        return []
    context = {"include" if charts else "exclude": [[CHARTS]]}
    found = Axe().run(page, context=context, options={**options, "resultTypes": ["violations"]})
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
        if not (rule["id"] in STREAMLIT and _is(page, node["target"][0], STREAMLIT[rule["id"]]))
    ]


def _is(page: Page, target: str, selector: str) -> bool:
    return bool(page.locator(target).first.evaluate("(node, selector) => node.matches(selector)", selector))


def show(page: Page, path: str, *, dark: bool, size: ViewportSize) -> None:
    """Load a page of the demo in a theme and wait until it is drawn."""
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size(size)
    page.goto(f"/{path}?dataset=demo")
    settle(page)
    if path != WITHOUT_RESULT:
        # A slow server has ended no run yet when the title is there, and nothing at all counts as drawn.
        page.locator(RESULT).first.wait_for()
    page.wait_for_function("asked.drawn()", polling=200)


def grow(page: Page, size: ViewportSize) -> None:
    """Make the window so tall that nothing is out of sight."""
    page.set_viewport_size(size)
    page.wait_for_function("asked.drawn()", polling=200)


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_in_the_light_theme(tab: Page, path: str) -> None:
    show(tab, path, dark=False, size=DESKTOP)
    if path != WITHOUT_RESULT:
        assert tab.evaluate("asked.top", RESULT) < 800, "the first screen holds a chart or a table"
    assert tab.evaluate("asked.nameless()") == []
    grow(tab, TALL)
    every = {"runOnly": {"type": "tag", "values": list(RULES)}}
    assert violations(tab, every, charts=False) == []
    assert violations(tab, {**every, "rules": {"color-contrast": {"enabled": False}}}, charts=True) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_dark_phone_shows_all_and_can_be_read(tab: Page, path: str) -> None:
    show(tab, path, dark=True, size=PHONE)
    assert tab.evaluate("asked.clipped()") == []
    grow(tab, TALL_PHONE)
    assert violations(tab, CONTRAST, charts=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("path", PAGES)
def test_words_in_charts_can_be_read(tab: Page, path: str, dark: bool) -> None:
    show(tab, path, dark=dark, size=TALL)
    assert contrast.too_faint(tab) == []


def test_tab_reaches_every_control_in_order_and_shows_where_it_is(tab: Page) -> None:
    show(tab, "completions", dark=False, size=TALL)
    # A control that has lost the focus fades back to its own look, and would be taken to have it still.
    tab.add_style_tag(content="*, *::before, *::after { transition: none !important; }")
    tab.evaluate("document.activeElement.blur()")
    for _ in range(150):
        tab.keyboard.press("Tab")
        if not tab.evaluate("asked.noteFocus()"):
            break
    reached = tab.evaluate("asked.reached()")
    assert reached["missed"] == []
    assert reached["unseen"] == []
    assert reached["back"] == []


def test_a_shortcut_is_a_letter_while_someone_types(tab: Page) -> None:
    show(tab, "completions", dark=False, size=DESKTOP)
    expect(tab.get_by_text("the keys P and N go to the previous and the next one")).to_be_visible()
    field = tab.get_by_label("Search in the text")
    field.click()
    tab.keyboard.type("npn")
    expect(field).to_have_value("npn")
    settle(tab)
    assert "list.completion" not in tab.url
    tab.keyboard.press("Control+a")
    tab.keyboard.press("Delete")
    tab.locator("h1").click()
    settle(tab)
    tab.keyboard.press("n")
    expect(tab.get_by_text("1 of 7,296 completions", exact=True)).to_be_visible()
