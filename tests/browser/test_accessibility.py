"""Every page for everyone: axe finds nothing in either theme, a phone shows all, the keyboard reaches it.

Two loads a page: the light one on a desk, with all rules of axe; the dark one on a phone, where the markup is
the same and only the contrast is looked at again. What they ask of a page is in accessibility.js.
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
"""Thousands of marks, over which axe's contrast rule takes seconds and decides nothing: see contrast.py."""

STREAMLIT = {
    # The navigation puts the groups of pages in <div> and <header> straight into a <ul>; nothing in
    # st.navigation or in the theme changes its elements.
    "list": '[data-testid="stSidebarNavItems"]',
    "listitem": '[data-testid="stSidebarNavItems"] li',
}
"""What axe finds in Streamlit's own markup that the app cannot change: rule and selector."""

RESULT = '[data-testid="stMain"] :is([data-testid="stVegaLiteChart"], [data-testid="stDataFrame"])'
WITHOUT_RESULT = "imports"

SCRIPT = Path(__file__).with_name("accessibility.js")

WITHOUT_CHARTS = {"evals", "completions", "imports", "dataset"}
EVAL_A, EVAL_B = "SmolLM2 135M · few-shot · greedy", "Gemma 3 270M base · few-shot · greedy"
VIEWS = [
    *((page, "") for page in PAGES if page not in WITHOUT_CHARTS),
    ("spiderweb", "&spider_view=Bars"),
    ("spiderweb", "&spider_view=Overlay"),
    ("surface", f"&minuend={EVAL_A}&subtrahend={EVAL_B}"),
]
"""Pages and what follows in the address, for the charts that a page does not show at first."""

WORDS = """<body style="margin: 0; background: white"><div data-testid="stVegaLiteChart">
<svg width="400" height="400">
<rect x="0" y="0" width="400" height="40"/><rect x="0" y="260" width="60" height="40"/>
<rect x="0" y="340" width="400" height="2"/>
<g font-size="15" font-family="Arial">
<text x="10" y="25" fill="white">on a bar</text><text x="10" y="75" fill="#777777">grey</text>
<text x="10" y="115" opacity="0.5">half</text><text x="10" y="155" fill="#777" font-size="24">large</text>
<text x="10" y="195" fill="#777" font-size="19" font-weight="bold">bold</text>
<text x="300" y="60" fill="#777" transform="rotate(90 300 60)">turned</text>
<text x="40" y="285">leaves its bar</text><text x="10" y="347">on a line</text>
<text x="10" y="385" fill="none">no ink</text></g></svg></div></body>"""
"""A chart with words of known contrast."""


@pytest.fixture(scope="module")
def tab(browser: Browser, server: str) -> Iterator[Page]:
    """One tab for all pages: the scripts of the app are loaded once."""
    with browser.new_context(viewport=DESKTOP, base_url=server) as context:
        context.add_init_script(path=SCRIPT)
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


def show(page: Page, path: str, options: str = "", *, dark: bool, size: ViewportSize) -> None:
    """Load a page of the demo in a theme and wait until it is drawn."""
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size(size)
    page.goto(f"/{path}?dataset=demo{options}")
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


def test_the_contrast_of_words_is_that_of_the_worst_letter_as_painted(browser: Browser) -> None:
    with browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        page.set_content(WORDS)
        page.add_script_tag(path=SCRIPT)
        found = contrast.contrasts(page)
    assert {words: (round(one.ratio, 2), one.asked) for words, one in found.items()} == {
        "on a bar": (21, 4.5),
        "grey": (4.48, 4.5),
        "half": (3.95, 4.5),
        "large": (4.48, 3),
        "bold": (4.48, 3),
        "turned": (4.48, 4.5),
        "leaves its bar": (1, 4.5),
        "on a line": (21, 4.5),
    }
    assert contrast.too_faint(found) == [
        "grey: 4.48:1", "half: 3.95:1", "turned: 4.48:1", "leaves its bar: 1.00:1"
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("path", "options"), VIEWS)
def test_words_in_charts_can_be_read(tab: Page, path: str, options: str, dark: bool) -> None:
    show(tab, path, options, dark=dark, size=TALL)
    found = contrast.contrasts(tab)
    assert found
    assert contrast.too_faint(found) == []


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
