"""The report: every section of a selection in one file, in which nothing of the data runs."""

import re
import shlex
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from altair.typing import ChartType

from core import charts
from core.errors import FilterError
from core.filters import Filters
from core.store import open_dataset
from core.tiers.hazard import read_hazard
from core.tiers.methods import Methods
from core.tiers.report import Figure, Report, read_report, sections, to_html, to_markdown
from core.tiers.report.html import lighter
from core.tiers.scores import read_scores
from tests.command import ask

TITLES = ["Leaderboard", "Clusters", "Surfaces", "Hazards", "Methods and sources"]
EASY = Filters(tiers=("easy",), base_task=("arithmetic",))


class Tags(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def demo_report(demo_dataset: Path) -> Report:
    return read_report(open_dataset(demo_dataset), EASY, Methods())


@pytest.fixture(scope="module")
def demo_html(demo_report: Report) -> str:
    return to_html(demo_report)


def test_every_section_says_what_its_page_says(demo_dataset: Path, demo_report: Report) -> None:
    dataset = open_dataset(demo_dataset)
    assert [one.title for one in demo_report.sections] == TITLES
    assert all(one.sentence and not one.fault for one in demo_report.sections)
    assert demo_report.sections[0].sentence == read_scores(dataset, EASY, Methods()).summary()
    hazards = demo_report.sections[3]
    groups = len(read_hazard(dataset, EASY, Methods()).curves)
    assert sum(isinstance(part, Figure) for part in hazards.parts) == min(groups, sections.MOST_FIGURES)


def test_html_needs_no_network_and_runs_nothing(demo_html: str) -> None:
    html = demo_html
    tags = Tags(html).found
    assert not {tag for tag, _ in tags} & {"script", "link", "iframe", "object", "embed", "form"}
    images = [attributes for tag, attributes in tags if tag == "img"]
    assert images
    assert all(one["alt"] and str(one["src"]).startswith("data:image/svg+xml;base64,") for one in images)
    assert all(str(one["href"]).startswith("#") for tag, one in tags if tag == "a")
    assert not re.search(r"url\(|@import|https?://", re.sub(r'src="data:[^"]*"', "", html))


def test_markdown_has_the_words_and_tables_of_the_html(demo_report: Report) -> None:
    text = to_markdown(demo_report)
    assert re.findall(r"^## (.*)$", text, re.M) == ["Summary", *TITLES, "The same report again"]
    assert f"| {demo_report.config.eval_names[0]} |" in text
    assert "95% Wilson intervals" in text


def test_provenance_names_the_files_and_not_their_folders(
    demo_report: Report, demo_html: str, demo_dataset: Path
) -> None:
    table = demo_report.sections[-1].parts[0]
    assert isinstance(table, sections.Table)
    assert table.frame["file"].str.endswith("completions.jsonl.gz").all()
    for text in (demo_html, to_markdown(demo_report)):
        assert str(demo_dataset.parent) not in text


def test_names_of_the_data_are_text(strange_dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "MOST_FIGURES", 1)
    report = read_report(open_dataset(strange_dataset), Filters(), Methods())
    html = to_html(report)
    assert "<script>alert(1)</script>" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "<script>" not in to_markdown(report)


def test_what_the_data_lack_is_said_and_stops_no_other_section(bare_dataset: Path) -> None:
    report = read_report(open_dataset(bare_dataset), Filters(), Methods())
    faults = {one.title: one.fault for one in report.sections}
    assert not faults["Leaderboard"]
    assert "surface" in faults["Surfaces"]
    assert "token" in faults["Hazards"]
    assert "Not in this report" in to_html(report)


def test_a_fault_of_our_own_in_a_section_leaves_the_others(
    demo_dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> sections.Section:
        raise ZeroDivisionError

    monkeypatch.setitem(sections.SECTIONS, "Clusters", broken)
    monkeypatch.setattr(sections, "MOST_FIGURES", 1)
    report = read_report(open_dataset(demo_dataset), EASY, Methods())
    assert "ZeroDivisionError" in report.sections[1].fault
    assert not report.sections[0].fault
    assert report.summary[-1] == f"Clusters: not in this report. {report.sections[1].fault}"
    for text in (to_html(report), to_markdown(report)):
        assert "Clusters: not in this report" in text.replace("\\", "")


def test_a_figure_that_cannot_be_drawn_leaves_the_others(
    demo_report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = demo_report.sections[0].parts[0]
    assert isinstance(first, Figure)
    few = replace(demo_report, sections=demo_report.sections[:2])
    draw = charts.to_svg

    def broken(chart: ChartType) -> str:
        if chart is first.chart:
            raise ValueError("a value of the data: <b>")
        return draw(chart)

    monkeypatch.setattr(charts, "to_svg", broken)
    html = to_html(few)
    assert f"Figure not drawn (ValueError): {escape(str(first.chart['description']))}" in html
    assert "<b>" not in html
    assert html.count("data:image/svg+xml") == sum(isinstance(part, Figure) for part in few.sections[1].parts)


def test_a_lighter_image_keeps_what_is_seen() -> None:
    seen = '<text x="2.5">1.23456 role="x"</text></g>'
    svg = f'<g role="graphics-symbol" aria-label="a > b"><path d="M1.23456,-0.1Z"/>{seen}'
    assert lighter(svg) == f'<g><path d="M1.234,-0.1Z"/>{seen}'


def test_the_command_line_in_a_report_makes_it_again(demo_dataset: Path, tmp_path: Path) -> None:
    some = replace(EASY, base_task=("arithmetic",), params=(("length", (2,)),))
    report = read_report(open_dataset(demo_dataset), some, Methods("jeffreys", "independent"))
    line = shlex.split(report.command("md"))
    assert line[:5] == ["python", "-m", "core", "report", "demo.json"]
    assert line[-1] == "demo_report_easy_arithmetic_length-2.md"
    done = ask("report", demo_dataset, *line[5:-2])
    assert done.status == 0, done.said
    made_at = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")
    assert made_at.sub("", done.out) == made_at.sub("", to_markdown(report))
    assert report.command("md") in done.out


def test_the_head_says_how_much_is_selected(demo_report: Report) -> None:
    rows = demo_report.amounts
    assert re.fullmatch(r"8 evals, [\d,]+ points, [\d,]+ items, [\d,]+ completions", rows)
    assert rows in to_markdown(demo_report)


def test_filters_that_name_nothing_are_refused(demo_dataset: Path) -> None:
    with pytest.raises(FilterError, match="base_task"):
        read_report(open_dataset(demo_dataset), Filters(base_task=("nothing",)), Methods())
