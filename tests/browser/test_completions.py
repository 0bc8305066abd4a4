"""From a number to its completions and back; reading, paging, flagging; text that would like to be more."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Browser, Page, expect

from core.flags import flags_path, read_flags
from tests import command, synthetic
from tests.browser.conftest import SIZE, serving, settle
from tests.browser.gestures import choose, click_cell, expect_chosen, table, visit

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

ESC, OVERRIDE, NARROW = "\x1b", "\u202e", "\u200b"
HOSTILE = (
    "<script>window.hacked = 1</script>"
    '<img src="x" onerror="window.hacked = 2">'
    '<a href="javascript:window.hacked = 3">html link</a>'
    "[markdown link](javascript:window.hacked=4) ![image](http://192.0.2.1/pixel.png)"
    "\n# heading **bold** :red[red] $x^2$ :material/home:"
    f"\n{ESC}[31mred{ESC}[0m {OVERRIDE}gpj.exe zero{NARROW}width"
)
SHOWN = "␛[31mred␛[0m ⟨U+202E⟩gpj.exe zero⟨U+200B⟩width"
LONG = "".join(f"line {number:06d} of a long response\n" for number in range(10_000))


def hostile_records() -> list[synthetic.Record]:
    texts = [HOSTILE, f"<think>so {HOSTILE}</think>{HOSTILE}", "<think>for ever", LONG, *["ordinary"] * 60]
    return [
        {
            "model": model,
            "base_task": "add",
            "params": {"size": 1 + number % 2},
            "item_key": f"{number}",
            "prompt": f"{HOSTILE} {number}",
            "response": text,
            "answer": HOSTILE if number < 2 else f"{number % 3}",
            "reference": HOSTILE if number == 0 else "1",
            "outcome": "incorrect" if number % 3 else "correct",
            "explanation": HOSTILE,
        }
        for model in ("m1", "m2")
        for number, text in enumerate(texts)
    ]


@pytest.fixture(scope="module")
def own_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("hostile")
    source = synthetic.write_records(data / "source" / "records.jsonl", hostile_records())
    done = command.import_(data, "hostile", source, alone=True)
    assert done.status == 0, done.said
    return data


@pytest.fixture(scope="module")
def own_server(own_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(own_data, tmp_path_factory.mktemp("server") / "log") as address:
        yield address


@pytest.fixture
def page(browser: Browser, own_server: str) -> Iterator[Page]:
    with browser.new_context(viewport=SIZE) as context:
        page = context.new_page()
        page.goto(f"{own_server}/completions")
        settle(page)
        yield page


def follow(page: Page, word: str, **asked: str) -> None:
    """Follow a link to completions, once its address asks for this."""
    wanted = "".join(f"[href*='{key}={quote_plus(value)}']" for key, value in asked.items())
    page.locator(f"[class*='st-key-drill'] a{wanted}").filter(has_text=word).first.click()
    expect(page.locator("h1")).to_have_text("Completions")
    settle(page)


def back_to(page: Page, title: str) -> None:
    """Press the browser's Back until a page is there again."""
    for _ in range(6):
        page.go_back()
        settle(page)
        if page.locator("h1").inner_text() == title:
            return
    expect(page.locator("h1")).to_have_text(title)


def drill_down(page: Page, config_path: Path, base_task: str, place: int) -> None:
    """Reach an incorrect completion of one eval on one task and tier by clicks, read it, and go back."""
    config = json.loads(config_path.read_text(encoding="utf-8"))
    board = command.scores(config_path, "--filters", json.dumps({"base_task": [base_task]}))
    label = board["rows"][place]["label"]
    task, tier = config["basetasks"][base_task]["label"], config["tiers"][1]["label"]
    choose(page, "Tasks", task)
    page.get_by_text("A column per tier").click()
    settle(page)
    grid = table(page, "Leaderboard")
    title = page.get_by_text(f"{label}, {task}, {tier}", exact=True)
    click_cell(page, grid, place, 640)
    for _ in range(3):
        # Column widths differ between datasets: the cell that was hit may be one of an easier tier.
        try:
            expect(title).to_be_visible(timeout=8000)
            break
        except AssertionError:
            page.keyboard.press("ArrowRight")
            settle(page)
    expect(title).to_be_visible()
    before = page.url
    follow(page, "incorrect", eval=label, task=task, tier=tier)
    expect_chosen(page, "Evals", [label])
    expect_chosen(page, "Tasks", [task])
    expect_chosen(page, "Tiers", [tier])
    click_cell(page, table(page, "Completions"), 0, 16)
    expect(page.get_by_role("heading", name="✗ Incorrect")).to_be_visible()
    named = re.compile(f"^{re.escape(f'{label} · {task} · ')}.*item \\d+, repeat \\d+$")
    expect(page.get_by_text(named)).to_be_visible()
    expect(page.get_by_text(re.compile("The source says incorrect|below the threshold"))).to_be_visible()
    back_to(page, "Scores")
    assert page.url == before
    expect_chosen(page, "Tasks", [task])
    expect_chosen(page, "Evals", [])
    expect(page.get_by_role("switch", name="A column per tier")).to_be_checked()


def test_from_the_leaderboard_to_a_completion_and_back(new_page: Open, demo_dataset: Path) -> None:
    drill_down(new_page("/?dataset=demo"), demo_dataset, "arithmetic", 2)


def test_from_the_leaderboard_of_the_real_results(browser: Browser, rg_dataset: Path, tmp_path: Path) -> None:
    with (
        serving(rg_dataset.parent, tmp_path / "log") as address,
        browser.new_context(viewport=SIZE) as context,
    ):
        page = context.new_page()
        page.goto(address)
        settle(page)
        drill_down(page, rg_dataset, "maze", 1)


def test_a_reader_goes_through_a_list_by_keyboard(page: Page) -> None:
    page.get_by_test_id("stMain").get_by_role("button", name="Next Shortcut N").click()
    expect(page.get_by_text("1 of 128 completions", exact=True)).to_be_visible()
    for place in (2, 3):
        page.locator("h1").click()
        page.keyboard.press("n")
        expect(page.get_by_text(f"{place} of 128 completions", exact=True)).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_text("2 of 128 completions", exact=True)).to_be_visible()
    page.get_by_text("incorrect", exact=True).first.click()
    expect(page.get_by_text(re.compile(r"^84 completions of 128 selected ones: incorrect"))).to_be_visible()
    page.get_by_label("Search in the text").fill("line 009999")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(r"^0 completions of 128|^2 completions of 128"))).to_be_visible()


def open_(page: Page, address: str, heading: str) -> None:
    page.goto(address)
    settle(page)
    expect(page.get_by_role("heading", name=heading)).to_be_visible()


def ids_of(data: Path) -> dict[str, int]:
    """The completion of each item by the first model."""
    rows = command.ask("completions", data / "hostile.json", "--format", "jsonl").out.splitlines()
    return {row["item_key"]: row["completion_id"] for row in map(json.loads, rows) if row["model"] == "m1"}


def test_text_of_a_model_is_shown_and_never_run(page: Page, own_server: str, own_data: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    ids = ids_of(own_data)
    open_(page, f"{own_server}/completions?list.completion={ids['1']}&list.beside=m2", "✗ Incorrect")
    page.get_by_text("All that is known of this completion").click()
    blocks = page.get_by_test_id("stCode")
    expect(blocks.filter(has_text=SHOWN).first).to_be_visible()
    assert blocks.filter(has_text=SHOWN).count() >= 4
    expect(blocks.filter(has_text="<script>window.hacked = 1</script>").first).to_be_visible()
    expect(page.get_by_text("Answer after the thinking")).to_be_visible()
    expect(
        page.get_by_text(re.compile("Written out, since they cannot be seen: .*right-to-left override")).first
    ).to_be_visible()
    open_(page, f"{own_server}/completions?list.completion={ids['2']}", "✗ Incorrect")
    expect(page.get_by_text("The thinking never ends")).to_be_visible()
    open_(page, f"{own_server}/completions?list.view=Hardest+items&hard.item=1", "Item 1 across evals")
    main = page.get_by_test_id("stMain")
    assert page.evaluate("window.hacked") is None
    assert main.locator("a[href^='javascript']").count() == 0
    assert main.locator("img, script, iframe").count() == 0
    assert main.get_by_role("heading", name="heading").count() == 0
    assert [url for url in asked if "192.0.2.1" in url] == []


def test_a_long_response_opens_at_once_and_whole_on_demand(
    page: Page, own_server: str, own_data: Path
) -> None:
    page.goto(f"{own_server}/completions?list.completion={ids_of(own_data)['3']}")
    settle(page)
    whole = page.get_by_text("All 310,000 characters")
    expect(whole).to_be_visible()
    expect(page.get_by_text("294,000 characters are left out here.")).to_be_visible()
    assert page.evaluate("document.body.innerText.length") < 40_000
    started = page.evaluate("performance.now()")
    whole.click()
    expect(page.get_by_test_id("stCode").filter(has_text="line 005000")).to_be_visible(timeout=6000)
    assert page.evaluate("performance.now()") - started < 6000


def test_a_flagged_completion_is_left_out_where_someone_asks_for_it(
    page: Page, own_server: str, own_data: Path
) -> None:
    page.goto(f"{own_server}/completions?list.completion=5")
    settle(page)
    page.get_by_label("Note", exact=True).fill("wrong reference")
    page.get_by_role("button", name="Flag", exact=True).click()
    expect(page.get_by_text("Flagged: wrong reference")).to_be_visible()
    (flag,) = read_flags(flags_path(own_data / "hostile.json"))
    assert (flag.model, flag.note, flag.repeat) == ("m1", "wrong reference", 0)
    page.get_by_text("More filters").click()
    page.get_by_text("Leave out flagged completions").click()
    expect(page.get_by_text("Flagged completions left out.").first).to_be_visible()
    visit(page, "Scores")
    expect(page.get_by_text("Flagged completions left out", exact=True)).to_be_visible()
    assert "flagged=true" in page.url
    page.goto(f"{own_server}/completions?list.completion=5")
    settle(page)
    page.get_by_role("button", name="Unflag").click()
    expect(page.get_by_role("button", name="Flag", exact=True)).to_be_visible()
    assert read_flags(flags_path(own_data / "hostile.json")) == ()
