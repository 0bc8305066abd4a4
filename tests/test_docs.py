"""The documentation holds: its links, its commands, a page and a picture for every page, and its numbers."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer

from core.cli.main import make_app
from core.stats import cliques, draws, intervals, loglog, signflip, spearman, spectrum, spectrum_sample
from core.tiers import loops, notes
from core.tiers.compression import rows as compression_rows
from core.tiers.hazard import curves, table
from core.tiers.report import sections
from core.tiers.scores import notes as score_notes
from core.tiers.spiderweb import table as spiderweb_table
from core.tiers.surface import table as surface_table
from core.tiers.tasks import table as tasks_table
from core.views import PAGES
from tests.command import ROOT

DOCS = ROOT / "docs"
TIERS = DOCS / "tiers"
PICTURES = DOCS / "images"
WRITTEN = sorted([ROOT / "README.md", *DOCS.rglob("*.md")])
GUIDES = [path for path in WRITTEN if path.parent == TIERS or path.name in ("README.md", "importing.md")]

SECTIONS = (
    "Question",
    "How to read it",
    "The numbers",
    "What it does not tell",
    "On the command line",
    "Sources",
)
DATA_PAGES = ("imports", "dataset")
"""Pages that the import guide describes."""

OTHER_TOOLS = {"--log_samples", "--save-details"}
"""Flags of the tools whose results are imported."""

MOST_BYTES = 2_500_000
"""Of all pictures together: a clone stays small."""

LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"python -m core ([a-z-]+)([^`\n]*)")
FLAG = re.compile(r"(?<![\w-])--[a-z0-9][\w-]*")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def links(path: Path) -> list[str]:
    """The targets of a page's links and pictures within the project."""
    return [one for one in LINK.findall(text_of(path)) if "://" not in one]


def anchors(path: Path) -> set[str]:
    """What the headings of a page are called in an address, as GitHub does it."""
    headings = re.findall(r"^#+ (.+)$", text_of(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in headings}


@pytest.mark.parametrize("path", WRITTEN, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in links(path):
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.is_relative_to(ROOT) and there.exists(), target
        if anchor:
            assert anchor in anchors(there), target


def test_every_picture_is_made_by_the_script_and_shown_and_all_are_small() -> None:
    shown = {(path.parent / one).resolve() for path in WRITTEN for one in links(path) if one.endswith(".png")}
    pictures = set(PICTURES.glob("*.png"))
    made = re.findall(r'Shot\("([\w-]+)"', text_of(DOCS / "screenshots.py"))
    assert {one.stem for one in pictures} == set(made)
    assert pictures <= shown
    assert sum(one.stat().st_size for one in pictures) <= MOST_BYTES


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_the_app_is_described_with_a_picture(page: str) -> None:
    described = DOCS / "importing.md" if page in DATA_PAGES else TIERS / f"{page}.md"
    assert (PICTURES / f"{page}.png").exists()
    assert f"images/{page}.png)" in text_of(described)
    assert f"| {PAGES[page]} |" in text_of(ROOT / "README.md")
    if page not in DATA_PAGES:
        assert f"| [{PAGES[page]}](tiers/{page}.md) |" in text_of(DOCS / "tiers.md")


@pytest.mark.parametrize("path", sorted(TIERS.glob("*.md")), ids=name_of)
def test_every_tier_page_has_its_sections_and_no_others(path: Path) -> None:
    assert tuple(re.findall(r"^## (.+)$", text_of(path), re.MULTILINE)) == SECTIONS
    assert "python -m core" in text_of(path).partition("## On the command line")[2]


@cache
def commands() -> dict[str, typer.core.TyperCommand]:
    return typer.main.get_command(make_app()).commands  # type: ignore[attr-defined, no-any-return]


@cache
def flags_of(command: str) -> set[str]:
    return {
        flag for one in commands()[command].params for flag in (*one.opts, *one.secondary_opts)
    } | {"--help"}  # fmt: skip


def told_commands() -> Iterator[tuple[str, str, str]]:
    for path in WRITTEN:
        for command, rest in COMMAND.findall(text_of(path)):
            yield name_of(path), command, rest.strip()


@pytest.mark.parametrize("told", list(told_commands()), ids=" ".join)
def test_every_command_that_is_told_is_understood(told: tuple[str, str, str]) -> None:
    _, command, rest = told
    assert command in commands()
    assert set(FLAG.findall(rest)) <= flags_of(command)
    words = shlex.split(rest)
    # A usage line has options in brackets; a command named in a sentence may have no arguments.
    if words and "[" not in rest.replace("{", "").partition("'")[0]:
        commands()[command].make_context(command, words)


@pytest.mark.parametrize("path", GUIDES, ids=name_of)
def test_every_flag_that_is_named_is_one_of_some_command(path: Path) -> None:
    known = {flag for command in commands() for flag in flags_of(command)} | OTHER_TOOLS
    assert set(FLAG.findall(text_of(path))) <= known


@pytest.mark.parametrize("path", WRITTEN, ids=name_of)
def test_every_make_target_and_requirements_file_is_there(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:^    |`)make ([a-z-]+)", text_of(path), re.MULTILINE)) <= targets
    for name in re.findall(r"pip install -r ([\w.-]+)", text_of(path)):
        assert (ROOT / name).exists()


NUMBERS = {
    "cluster": [f"stops at {cliques.MOST_CLIQUES:,}"],
    "compare": [f"1 + {signflip.DRAWS:,}", f"at most {signflip.ENUMERATED} items", f"{intervals.Z} \\sqrt"],
    "compression": [
        f"at least {loops.LEAST_BYTES:,} bytes that compress to less than {loops.LOOP_RATIO:.0%}",
        f"Above {compression_rows.MOST_EXACT:,} completions",
        f"fewer than {loglog.LEAST_N} responses",
    ],
    "fft": [
        f"{spectrum.BANDS} bands",
        f"fewer than {spectrum.LEAST_TOKENS} tokens",
        f"{spectrum_sample.RELABELLINGS} shuffled",
    ],
    "hazard": [
        f"fewer than {curves.FEW_AT_RISK} are left",
        f"B is {table.BUCKET_SIZE}",
        f"below {table.SMALL:,}",
    ],
    "modelinfo": [f"from {['no', 'one', 'two', 'three', 'four', 'five'][spearman.LEAST]} models on"],
    "report-and-views": [f"At most {sections.MOST_FIGURES} figures"],
    "scores": [
        f"{draws.DRAWS:,} paired draws",
        f"up to {draws.BOOTSTRAP_ITEMS:,} items",
        f"above {notes.TRUNCATION_TOLD:.0%}",
        f"more than {score_notes.UNEVEN_N} times or is below {score_notes.SMALL_N}",
    ],
    "spiderweb": [
        f"fewer than {spiderweb_table.FEWEST_SPOKES} or more than {spiderweb_table.MOST_SPOKES} tasks"
    ],
    "surface": [f"fewer than {surface_table.FEW_ITEMS} items"],
    "tasks": [f"more than {tasks_table.MOST_VALUES} values"],
}
"""What the pages say of numbers that the code sets."""


@pytest.mark.parametrize("page", NUMBERS)
def test_the_numbers_of_a_page_are_those_of_the_code(page: str) -> None:
    for words in NUMBERS[page]:
        assert words in text_of(TIERS / f"{page}.md")
