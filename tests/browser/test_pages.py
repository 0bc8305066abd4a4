"""The three pages in a real browser: looking, filtering, sharing, selecting, downloading."""

import csv
import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import command
from tests.browser.conftest import serving, settle
from tests.browser.gestures import choose, click_cell, download, expect_chosen, table, visit

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

PNG = b"\x89PNG\r\n\x1a\n"
DEMO = "?dataset=demo"


def png_size(content: bytes) -> tuple[int, int]:
    """Width and height from the header of a PNG."""
    assert content.startswith(PNG)
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def labels(config: Path) -> list[str]:
    return [entry["label"] for entry in json.loads(config.read_text(encoding="utf-8"))["evals"]]


@pytest.mark.parametrize(("path", "title"), [("/", "Scores"), ("/evals", "Evals"), ("/tasks", "Tasks")])
def test_page_opens_without_a_fault(new_page: Open, path: str, title: str) -> None:
    page = new_page(path)
    expect(page.locator("h1")).to_have_text(title)
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_first_page_opens_by_its_name_too_with_its_filters(new_page: Open) -> None:
    page = new_page(f"/scores{DEMO}&task=Letters&task=Arithmetic&tier=Easy")
    expect(page.locator("h1")).to_have_text("Scores")
    expect_chosen(page, "Tasks", ["Letters", "Arithmetic"])
    expect_chosen(page, "Tiers", ["Easy"])
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(14)


def test_a_page_asks_nobody_but_its_own_server(browser: Browser, server: str) -> None:
    asked: list[str] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{server}/evals{DEMO}")
        settle(page)
    local = (server, server.replace("http", "ws", 1), "data:", "blob:")
    assert len(asked) > 5
    assert [url for url in asked if not url.startswith(local)] == []


def test_filters_stay_on_every_page_and_in_the_address(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/{DEMO}")
    wanted = labels(demo_dataset)[:2]
    choose(page, "Evals", *wanted)
    choose(page, "Tiers", "Easy")
    for title in ("Evals", "Tasks", "Scores"):
        visit(page, title)
        expect_chosen(page, "Evals", wanted)
    expect(page.get_by_test_id("stSidebar")).to_contain_text("2 evals")
    # Somebody else opens the same address.
    other = new_page(page.url)
    expect_chosen(other, "Evals", wanted)
    expect_chosen(other, "Tiers", ["Easy"])
    assert other.locator("h1").inner_text() == "Scores"
    rows = re.compile(r"Leaderboard of 2 evals")
    expect(other.get_by_test_id("stDataFrame").first.get_by_label(rows).first).to_be_attached()


def test_back_undoes_a_selection_and_a_page_switch(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/{DEMO}&tier=Easy")
    visit(page, "Evals")
    click_cell(page, table(page, "Evals:"), 0, 15)
    expect(page).to_have_url(re.compile("eval="))
    expect_chosen(page, "Evals", labels(demo_dataset)[:1])
    page.go_back()
    expect(page).not_to_have_url(re.compile("eval="))
    expect_chosen(page, "Evals", [])
    page.go_back()
    expect(page.locator("h1")).to_have_text("Scores")
    expect_chosen(page, "Tiers", ["Easy"])


def test_clear_lifts_every_filter(new_page: Open) -> None:
    page = new_page(f"/{DEMO}&tier=Easy&task=Arithmetic&param.length=2")
    expect_chosen(page, "Tiers", ["Easy"])
    page.get_by_role("button", name="Clear filters").click()
    expect(page).not_to_have_url(re.compile("tier|task|param"))
    expect_chosen(page, "Tiers", [])
    expect(page.get_by_test_id("stSidebar")).to_contain_text("All evals, all tasks")


def test_selected_rows_are_the_eval_filter(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/evals{DEMO}")
    names = labels(demo_dataset)
    grid = table(page, "Evals:")
    click_cell(page, grid, 0, 15)
    expect(page).to_have_url(re.compile("eval="))
    expect_chosen(page, "Evals", names[:1])
    click_cell(page, grid, 2, 15)
    expect(page.get_by_test_id("stSidebar")).to_contain_text("2 evals")
    expect_chosen(page, "Evals", [names[0], names[2]])
    # Chosen in the sidebar, a row is selected in the table: clicking it again takes it out.
    page.get_by_role("button", name="Clear filters").click()
    expect(page).not_to_have_url(re.compile("eval="))
    choose(page, "Evals", names[1])
    expect(table(page, "Evals:").locator("[role=row][aria-selected=true]")).to_have_count(1)
    click_cell(page, table(page, "Evals:"), 1, 15)
    expect(page).not_to_have_url(re.compile("eval="))
    expect_chosen(page, "Evals", [])


def test_selected_cell_explains_its_number(new_page: Open) -> None:
    page = new_page(f"/{DEMO}")
    grid = table(page, "Leaderboard")
    width = grid.bounding_box()["width"]  # type: ignore[index]
    click_cell(page, grid, 0, 320)
    expect(page.get_by_test_id("stTable")).to_contain_text("geometric mean")
    click_cell(page, grid, 0, round(width) - 120)
    expect(page.get_by_test_id("stTable")).to_contain_text("Counted completions n")
    expect(page.get_by_test_id("stTable")).to_contain_text("All-in accuracy")


def test_csv_says_what_the_command_line_says(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/{DEMO}&tier=Easy")
    name, content = download(page, "Leaderboard CSV")
    assert name == "demo_leaderboard_easy.csv"
    shown = rows_of(content)
    expected = command.scores(demo_dataset, "--filters", '{"tiers": ["easy"]}')["rows"]
    assert [row["label"] for row in shown] == [row["label"] for row in expected]
    for field in ("plain_score", "plain_lower", "plain_upper", "reasonscore"):
        assert [float(row[field]) for row in shown] == [row[field] for row in expected]


def test_pngs_are_images(new_page: Open) -> None:
    page = new_page(f"/{DEMO}")
    name, content = download(page, "Leaderboard PNG")
    assert name == "demo_leaderboard.png"
    assert png_size(content)[0] >= 1920
    _, content = download(page, "Scores PNG")
    assert png_size(content)[0] == 1920
    visit(page, "Tasks")
    _, content = download(page, "Accuracy PNG")
    assert png_size(content)[0] > 1000


def test_csv_of_evals_and_tasks(new_page: Open, demo_dataset: Path) -> None:
    page = new_page(f"/evals{DEMO}")
    _, content = download(page, "Evals CSV")
    assert [row["label"] for row in rows_of(content)] == labels(demo_dataset)
    visit(page, "Tasks")
    _, content = download(page, "Tasks CSV")
    assert len(rows_of(content)) == len(json.loads(demo_dataset.read_text(encoding="utf-8"))["basetasks"])


def test_other_dataset_drops_the_filters_of_the_first(new_page: Open) -> None:
    page = new_page(f"/{DEMO}&task=Arithmetic&tier=Easy")
    page.get_by_role("combobox", name="Dataset").click()
    page.get_by_role("option", name="repeats", exact=True).click()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("4 evals")
    expect_chosen(page, "Tasks", [])
    assert "Arithmetic" not in page.url
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_impossible_filters_offer_the_one_to_lift(new_page: Open, demo_dataset: Path) -> None:
    config = json.loads(demo_dataset.read_text(encoding="utf-8"))
    groups = sorted(
        {group for entry in config["evals"] for group in entry["groups"] if group.startswith("family:")}
    )
    page = new_page(f"/{DEMO}&group={groups[0]}&group={groups[1]}")
    expect(page.get_by_text("Nothing matches these filters")).to_be_visible()
    page.get_by_role("button", name="Lift").click()
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    expect_chosen(page, "Groups", [])


def test_rebuilt_database_is_shown(
    new_page: Open, data_folder: Path, no_repeats_dataset: Path, one_model_dataset: Path
) -> None:
    name = "changing"
    install(one_model_dataset, data_folder, name)
    page = new_page(f"/?dataset={name}")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("1 eval,")
    install(no_repeats_dataset, data_folder, name)
    visit(page, "Evals")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("2 evals,")
    visit(page, "Scores")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def install(config: Path, folder: Path, name: str) -> None:
    """Put a dataset in place as an import does: written aside, then moved."""
    document = json.loads(config.read_text(encoding="utf-8")) | {"db": f"{name}.duckdb", "name": name}
    shutil.copy(config.with_suffix(".duckdb"), folder / "aside")
    (folder / "aside").replace(folder / f"{name}.duckdb")
    (folder / "aside").write_text(json.dumps(document), encoding="utf-8")
    (folder / "aside").replace(folder / f"{name}.json")


def test_works_on_a_narrow_screen(new_page: Open) -> None:
    page = new_page(f"/{DEMO}")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()


def test_shared_address_is_the_first_thing_a_server_shows(
    browser: Browser, data_folder: Path, tmp_path: Path
) -> None:
    # Before anybody opened the app itself, Streamlit would run a page of the folder without it.
    with serving(data_folder, tmp_path / "log") as address:
        context = browser.new_context(viewport={"width": 1440, "height": 1200})
        page = context.new_page()
        page.goto(f"{address}/evals{DEMO}&tier=Easy")
        settle(page)
        expect(page.locator("h1")).to_have_text("Evals")
        expect_chosen(page, "Tiers", ["Easy"])
        expect(page).to_have_url(re.compile(r"/evals\?.*tier=Easy"))
        context.close()


def test_selected_task_is_the_one_in_detail(new_page: Open) -> None:
    page = new_page(f"/tasks{DEMO}")
    click_cell(page, table(page, "Tasks:"), 2, 15)
    expect(page).to_have_url(re.compile("detail="))
    chosen = "Largest"
    expect(page.get_by_role("combobox", name="Task", exact=True)).to_have_value(chosen)
    expect(page.get_by_test_id("stVegaLiteChart")).to_be_visible()
    other = new_page(page.url)
    expect(other.get_by_role("combobox", name="Task", exact=True)).to_have_value(chosen)
    expect(other.get_by_text(re.compile(f"^{chosen}: accuracy by"))).to_be_visible()


def test_share_gives_the_full_address(new_page: Open) -> None:
    page = new_page(f"/{DEMO}&tier=Easy")
    page.get_by_role("button", name="Share").click()
    code = page.get_by_test_id("stCode")
    expect(code).to_contain_text("tier=Easy")
    other = new_page(code.inner_text().strip())
    expect_chosen(other, "Tiers", ["Easy"])
