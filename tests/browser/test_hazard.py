"""The Hazard page in a real browser: pictures, the budget, the address, the way to the completions, files."""

import io
import re
import zipfile
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from tests.browser.gestures import download

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

START = "/hazard?dataset=demo"


def test_pictures_are_drawn_and_tell_their_numbers(new_page: Open) -> None:
    page = new_page(f"{START}&task=Letters")
    expect(page.get_by_text("Read a picture at any number of tokens")).to_be_visible()
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(5)
    picture = page.get_by_test_id("stVegaLiteChart").first
    for words in ("% correct", "% incorrect", "90% of the correct by", "(below them: still thinking)"):
        expect(picture.locator("svg text", has_text=words).first).to_be_attached()
    # A region of the picture says how things stood by then.
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box is not None
    tooltip = page.locator("#vg-tooltip-element")
    for share in (0.3, 0.4, 0.5):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        page.wait_for_timeout(300)
        if tooltip.is_visible():
            break
    for words in ("by tokens", "still thinking", "95% from"):
        expect(tooltip).to_contain_text(words)


def test_budget_is_in_the_address_and_moves_nothing_else(new_page: Open) -> None:
    page = new_page(f"{START}&task=Letters&budget=32")
    sentence = page.get_by_text(re.compile(r"A budget of \d+ tokens would cost"))
    expect(sentence).to_contain_text("A budget of 32 tokens")
    before = page.get_by_test_id("stVegaLiteChart").first.element_handle()
    slider = page.get_by_role("slider", name="Budget, tokens")
    slider.focus()
    slider.press("ArrowRight")
    expect(sentence).not_to_contain_text("A budget of 32 tokens")
    expect(page).to_have_url(re.compile("budget=38"))
    settle(page)
    assert before.is_visible()
    other = new_page(page.url)
    expect(other.get_by_text("A budget of 38 tokens would cost")).to_be_visible()


def test_from_a_picture_to_its_completions_and_back(new_page: Open) -> None:
    page = new_page(f"{START}&hazard_page=2")
    address = page.url
    link = page.get_by_role("link", name=re.compile("cut off")).first
    link.scroll_into_view_if_needed()
    link.click()
    expect(page.locator("h1")).to_have_text("Completions")
    settle(page)
    expect(page).to_have_url(re.compile("list.outcome=truncated", re.IGNORECASE))
    page.go_back()
    expect(page.locator("h1")).to_have_text("Hazard")
    assert page.url == address


def test_files(new_page: Open) -> None:
    page = new_page(f"{START}&task=Letters&bucket=32")
    name, content = download(page, "Hazard CSV")
    assert name == "demo_hazard_letters.csv"
    assert content.decode("utf-8-sig").startswith("task,model,n,budget,bucket_start,bucket_end,at_risk")
    name, content = download(page, "Hazard PNG (ZIP)")
    assert name == "demo_hazard_png_letters.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert all(one.startswith("demo_hazard_base_task-letters_model-") for one in archive.namelist())
        assert all(archive.read(one).startswith(b"\x89PNG\r\n\x1a\n") for one in archive.namelist())


def test_narrow_screen(new_page: Open) -> None:
    page = new_page(f"{START}&task=Letters")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    assert page.get_by_test_id("stMain").evaluate("element => element.scrollWidth") <= 390
