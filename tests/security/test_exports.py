"""What leaves the app: no formula in a CSV file, nothing that runs in a report, an image or a chart."""

import base64
import csv
import io
import json
import re
from pathlib import Path

import pytest

from core.export import FORMULA_STARTS
from core.filters import Filters
from core.store import open_dataset
from core.tiers import report, surface
from core.tiers.methods import Methods
from core.tiers.report import read_report
from tests.command import ask
from tests.security import hostile
from tests.security.test_pages import harmless_labels

COMMANDS = [
    ("evals", "--show-token-counts", "--show-projections"),
    ("tasks",),
    ("scores", "--baseline", "0"),
    ("cluster",),
    ("cluster", "--stack", "tier", "--pairs"),
    ("compare", "--a", "0", "--b", "1"),
    ("compare", "--a", "0"),
    ("spiderweb",),
    ("surface", "--split", "none"),
    ("surface", "--split", "none", "--difference", "0", "1"),
    ("hazard", "--split", "none"),
    ("hazard", "--split", "base_task", "--compare", "0,1"),
    ("fft",),
    ("compression", "--split", "none", "--series", "tier"),
    ("completions",),
    ("completions", "--hardest", "all"),
    ("modelinfo", "--no-fetch"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_cell_of_a_csv_file_is_a_formula(
    hostile_dataset: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = ask(command[0], hostile_dataset, *command[1:], "--format", "csv", "--output", tmp_path / "out.csv")
    assert done.status == 0, done.said
    found = list(tmp_path.glob("*.csv"))
    assert found
    for path in found:
        text = path.read_bytes().decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        assert len({len(row) for row in rows}) == 1
        cells = [cell for row in rows for cell in row]
        assert not [cell for cell in cells if cell.startswith(FORMULA_STARTS) and not is_number(cell)]
    # A name that is a formula is there, made harmless.
    if command[0] in ("evals", "tasks", "completions"):
        assert any(cell.startswith(("'=HYPERLINK", "'@SUM")) or f"{hostile.SUM}" in cell for cell in cells)


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


HTML_TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "nav", "ol", "ul",
    "li", "a", "main", "section", "strong", "figure", "img", "div", "table", "caption", "thead", "tbody",
    "tr", "th", "td",
    "pre", "code",
}  # fmt: skip


def test_a_report_runs_nothing_and_asks_nobody(hostile_dataset: Path) -> None:
    dataset = open_dataset(hostile_dataset)
    some = {"eval_id": [0, 1], "base_task": [dataset.catalog.base_tasks[0]], "tiers": [hostile.SQL]}
    found = read_report(dataset, Filters.from_dict(some), Methods())
    assert [section.fault for section in found.sections] == [""] * len(found.sections)
    html = report.to_html(found)
    pictures = []
    for tag, attributes in hostile.Tags(html).found:
        assert tag in HTML_TAGS
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")
        if "src" in attributes:
            kind, _, data = attributes["src"].partition(",")
            assert kind == "data:image/svg+xml;base64"
            pictures.append(base64.b64decode(data).decode())
    assert pictures
    for picture in pictures:
        harmless_svg(picture)
    markdown = report.to_markdown(found)
    read = "\n".join(line for line in markdown.split("\n") if not line.startswith("    "))
    # Indented lines are code. An address reads as what it is; that a reader may make it a link asks nobody.
    assert [one for one in hostile.bare_markdown(read) if not one.startswith("http")] == []
    for text in (html, markdown):
        assert hostile.MARK.replace("_", "") in text.replace("\\", "").replace("_", "")


def harmless_svg(text: str) -> None:
    for tag, attributes in hostile.Tags(text).found:
        assert tag not in ("script", "foreignobject", "image", "iframe", "use", "animate", "set"), tag
        assert not [name for name in attributes if name.startswith("on")], attributes
        for name, value in attributes.items():
            assert not name.endswith("href") or value.startswith("#"), value
            assert "javascript:" not in value or name in ("aria-label", "aria-roledescription"), (name, value)


def test_labels_of_a_3d_figure_are_no_markup(hostile_dataset: Path) -> None:
    dataset = open_dataset(hostile_dataset)
    grid = surface.read_surfaces(dataset, Filters(), Methods())
    for choice in grid.choices:
        figure = surface.surface_scene(grid, choice, surface.View())
        harmless_labels(json.loads(figure.to_json()))
    html = surface.scenes_html(grid, grid.choices[:2], surface.View())
    text = html.decode() if isinstance(html, bytes) else html
    # Nothing of the data ends the script that it stands in.
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    assert not any(hostile.SCRIPT in script for script in scripts)
    assert f"<iframe src=//{hostile.ELSEWHERE}" not in re.sub(
        r"<script[^>]*>.*?</script>", "", text, flags=re.DOTALL
    )
