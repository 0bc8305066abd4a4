"""From a file on somebody's disk to the leaderboard, and an edit undone, in a real browser."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from tests.browser.gestures import table, visit

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]

ODD = "q_no,llm,benchmark,is_right,tokens_out,digits\n" + "".join(
    f"{item},{model},sums,{int((item * 7) % 10 < skill)},{20 + item},{1 + item % 3}\n"
    for model, skill in (("strong one", 9), ("weak one", 3))
    for item in range(40)
)
"""Columns that no importer knows."""


def upload(page: Page, name: str, content: str) -> None:
    """Give the page a file as if it were chosen from the disk."""
    chooser = page.get_by_test_id("stFileUploader").locator("input[type=file]")
    chooser.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content.encode()})
    expect(page.get_by_test_id("stFileUploader")).to_contain_text(name)
    settle(page)


def pick(page: Page, label: str, option: str) -> None:
    """Choose an option of a selectbox by keyboard."""
    box = page.get_by_role("combobox", name=label, exact=True)
    box.click()
    box.fill(option)
    page.get_by_role("option", name=option, exact=True).wait_for()
    page.keyboard.press("Enter")
    settle(page)


def test_a_table_with_unknown_columns_reaches_the_leaderboard_in_a_minute(
    new_page: Open, data_folder: Path
) -> None:
    page = new_page("/")
    began = time.monotonic()
    visit(page, "Import")
    upload(page, "my results.csv", ODD)
    main = page.get_by_test_id("stMain")
    # The names say most of it; one does not.
    main.get_by_text("More columns: Completion tokens").click()
    pick(page, "Item id", "q_no")
    expect(main).to_contain_text("80 of the first 80 records can be used")
    page.get_by_role("button", name="Import into my-results").click()
    opening = page.get_by_role("button", name="Open my-results")
    expect(opening).to_be_visible()
    expect(main).to_contain_text("80 records of 80 imported")
    opening.click()
    expect(page.locator("h1")).to_have_text("Scores")
    settle(page)
    board = page.get_by_test_id("stDataFrame").first.get_by_label(re.compile("Leaderboard of 2 evals"))
    expect(board.first).to_be_attached()
    assert time.monotonic() - began < 60
    expect(page.get_by_test_id("stSidebar")).to_contain_text("2 evals")
    config = json.loads((data_folder / "my-results.json").read_text(encoding="utf-8"))
    assert [entry["label"] for entry in config["evals"]] == ["strong one", "weak one"]
    assert list(config["basetasks"]) == ["sums"]
    # Nothing of the upload is left.
    assert [path for path in (data_folder / ".imports").rglob("*.csv")] == []
    # Somebody else who opens the page finds the report.
    other = new_page("/imports")
    expect(other.get_by_test_id("stMain")).to_contain_text("80 records of 80 imported")
    other.get_by_role("button", name="Close").click()
    settle(other)
    expect(other.get_by_test_id("stMain")).not_to_contain_text("80 records of 80 imported")


def test_an_eval_is_renamed_by_typing_and_the_edit_undone(new_page: Open, data_folder: Path) -> None:
    before = (data_folder / "repeats.json").read_text(encoding="utf-8")
    page = new_page("/dataset?dataset=repeats")
    grid = table(page, "Evals of the dataset")
    expect(grid).to_be_visible()
    settle(page)
    # A cell of the label column: below the header, right of eval_id and place.
    grid.click(position={"x": 200, "y": 52})
    page.keyboard.press("Enter")
    cell = page.locator("#portal textarea, #portal input").last
    expect(cell).to_be_focused()
    cell.fill("Renamed")
    page.keyboard.press("Enter")
    saving = page.get_by_role("button", name="Save evals")
    expect(saving).to_be_enabled()
    expect(page.get_by_test_id("stMain")).to_contain_text("Not saved yet: eval 0 (Renamed)")
    saving.click()
    expect(page.get_by_test_id("stMain")).to_contain_text("Saved: eval 0 (Renamed)")
    assert (
        json.loads((data_folder / "repeats.json").read_text(encoding="utf-8"))["evals"][0]["label"]
        == "Renamed"
    )
    # A reload finds the edit and takes it back.
    page.reload()
    settle(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("Undone: eval 0 (Renamed)")
    assert (data_folder / "repeats.json").read_text(encoding="utf-8") == before
