"""The FFT page in a real browser: the address, the tooltip, downloads, and spectra computed by a click."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SIZE, serving, settle
from tests.browser.gestures import download

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

CAPTION = "Token ids are labels; only what leaves the band can be due to id order."


def test_choices_are_in_the_address_and_files_are_named_by_the_rule(new_page: Open) -> None:
    page = new_page("/fft?dataset=demo&task=Letters")
    expect(page.get_by_text("On the same 48 prompts")).to_be_visible()
    page.get_by_text("Token ids (raw)", exact=True).click()
    expect(page.get_by_text(CAPTION, exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("fft_kind=Token"))
    settle(page)
    name, content = download(page, "Spectra PNG")
    assert name == "demo_fft_raw_letters.png"
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    name, content = download(page, "Comparison CSV")
    assert name == "demo_fft_compare-3-5_letters.csv"
    assert content.decode("utf-8-sig").startswith("eval_a,eval_b,tokenizer_a,tokenizer_b,shared,task")
    other = new_page(page.url)
    expect(other.get_by_text(CAPTION, exact=True)).to_be_visible()


def test_hover_tells_frequency_period_share_and_prompts(new_page: Open) -> None:
    page = new_page("/fft?dataset=demo&task=Letters")
    chart = page.get_by_test_id("stVegaLiteChart").first
    point = chart.locator(".mark-symbol.role-mark path").nth(10)
    point.scroll_into_view_if_needed()
    point.hover(force=True)
    tooltip = page.locator("#vg-tooltip-element")
    for words in ("cycles per token", "period in tokens", "share of power", "prompts", "SE"):
        expect(tooltip).to_contain_text(words)


def test_narrow_screen_moves_the_grid_not_the_page(new_page: Open) -> None:
    page = new_page("/fft?dataset=demo")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth") <= 390


def test_a_click_computes_spectra(browser: Browser, demo_dataset: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for path in (demo_dataset, demo_dataset.with_suffix(".duckdb")):
        shutil.copy(path, data)
    _forget_tokens(data)
    with serving(data, tmp_path / "log") as address:
        page = browser.new_page(viewport=SIZE)
        page.goto(f"{address}/fft?task=Letters")
        settle(page)
        expect(page.get_by_text("No spectra have been computed")).to_be_visible()
        page.get_by_role("button", name="Compute spectra").click()
        expect(page.get_by_text("Spectra computed.")).to_be_visible()
        expect(page.get_by_text("No tokenizer is known for")).to_be_visible()
        page.close()
    assert json.loads((data / "demo.json").read_text())["name"] == "demo"
    assert not list(data.glob("*.building*"))


def _forget_tokens(data: Path) -> None:
    with duckdb.connect(str(data / "demo.duckdb")) as connection:
        for table in ("identity_tokenizers", "prompt_tokens", "spectra"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("DELETE FROM completions WHERE point_id % 8 > 1")
    document = json.loads((data / "demo.json").read_text())
    for entry in document["evals"]:
        entry["hf_id"] = None
    (data / "demo.json").write_text(json.dumps(document))
