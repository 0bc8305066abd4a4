"""The Model info page in a real browser: a fetch on a click, a README that does nothing, the way to texts."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import serving, settle
from tests.browser.gestures import click_cell, download, table
from tests.hub.small_hub import CONFIG, SmallHub, only_hub

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

SMOL, GEMMA = "HuggingFaceTB/SmolLM2-135M-Instruct", "google/gemma-3-270m"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallHub]:
    with only_hub(monkeypatch) as hub:
        yield hub


@pytest.fixture
def own_server(
    small: SmallHub, demo_dataset: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The app on the demo alone, with the small hub as its only one."""
    for path in (demo_dataset, demo_dataset.with_suffix(".duckdb")):
        shutil.copy(path, tmp_path)
    with serving(tmp_path, tmp_path_factory.mktemp("server") / "log") as address:
        yield address


def test_fetch_on_a_click_and_a_readme_that_does_nothing(
    new_page: Open, own_server: str, small: SmallHub, tmp_path: Path
) -> None:
    readme = (
        f"# Hello\n\n<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>\n"
        f"![x]({small.address}/evil.png) [click](javascript:window.ran=1)\n"
        f"<iframe src={small.address}/evil></iframe>\n"
        "<style>body { display: none }</style>\n"
    )
    small.add(SMOL, {"README.md": readme.encode(), "config.json": json.dumps(CONFIG).encode()})
    small.add(GEMMA, gated=True)
    page = new_page(f"{own_server}/modelinfo")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(_host(request)))
    expect(page.get_by_text("leads with a plain score of").first).to_be_visible()
    expect(page.get_by_text("2 of 2", exact=False)).to_have_count(0)
    assert small.requests == []
    page.get_by_role("button", name="Fetch 2 models from the hub").click()
    expect(page.get_by_text("From the cache: fetched from the hub")).to_be_visible()
    expect(page.get_by_text("accept its terms on the model's page")).to_be_visible()
    settle(page)
    assert (tmp_path / "metadata" / SMOL / "config.json").is_file()
    box = page.get_by_role("combobox", name="Model", exact=True)
    box.scroll_into_view_if_needed()
    expect(box).to_have_value(re.compile(f"{SMOL}|{GEMMA}"))
    box.click()
    box.fill(SMOL)
    page.keyboard.press("Enter")
    settle(page)
    expect(page.get_by_text("<script>window.ran = 1</script>").first).to_be_visible()
    assert page.evaluate("window.ran") is None
    assert set(asked) <= {_of(own_server)}
    assert not any("evil" in path for path in small.paths())
    assert [request.status for request in small.requests].count(401) == 1


def _host(request: Request) -> str:
    return _of(request.url)


def _of(address: str) -> str:
    return "/".join(address.split("/")[:3])


def test_a_row_leads_to_what_the_eval_answered(new_page: Open) -> None:
    page = new_page("/modelinfo?dataset=demo&tier=Easy")
    grid = table(page, "Scores, tokens, parameters")
    grid.scroll_into_view_if_needed()
    # The marker column selects a row.
    click_cell(page, grid, 1, 12)
    expect(page.get_by_text(re.compile("^Completions of"))).to_be_visible()
    page.get_by_role("link", name="incorrect", exact=True).click()
    expect(page.locator("h1")).to_have_text("Completions")
    settle(page)
    assert "tier=Easy" in page.url
    page.go_back()
    expect(page.locator("h1")).to_have_text("Model info")
    settle(page)
    assert "tier=Easy" in page.url


def test_a_point_leads_there_too(new_page: Open) -> None:
    page = new_page("/modelinfo?dataset=demo")
    chart = page.get_by_test_id("stVegaLiteChart").first
    chart.scroll_into_view_if_needed()
    chart.locator(".mark-symbol.role-mark path").first.click(force=True)
    expect(page.get_by_text(re.compile("^Completions of"))).to_be_visible()


def test_choices_live_in_the_address_and_images_are_named_by_the_rule(new_page: Open) -> None:
    page = new_page("/modelinfo?dataset=demo&coloured_by=template&scored_by=ReasonScore")
    expect(page.get_by_text("ReasonScore against parameters")).to_be_visible()
    name, content = download(page, "Per token PNG")
    assert name == "demo_modelinfo_per-token.png"
    assert content.startswith(b"\x89PNG")
    name, content = download(page, "Modelinfo CSV")
    assert name == "demo_modelinfo.csv"
    assert b"plain_per_tokens_lower" in content
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth") <= 390
