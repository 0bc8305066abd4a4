"""Every page opens with one sentence made from the data: it has a number, and another filter changes it."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.views import DEFAULT_PAGE, PAGES
from tests.command import ROOT

TEXTS = ("markdown", "caption", "alert", "error", "info", "warning", "subheader")
TOOLS = ("main", "flex_container", "title", "popover", "button", "download_button", "html")
"""What may stand in the head of a page."""

Elements = list[tuple[str, str]]


@pytest.fixture(scope="module")
def shown(demo_dataset: Path) -> dict[tuple[str, bool], Elements]:
    """What each page shows from its title down, kind and text, for everything and for the easy tier."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["app.py", "--data", str(demo_dataset.parent)])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        found = {}
        for filtered in (False, True):
            for page in PAGES:
                app.switch_page(f"pages/{page}.py").run()
                if filtered and page == DEFAULT_PAGE:
                    app.multiselect(key="tier").set_value(["easy"]).run()
                assert not app.exception, page
                found[page, filtered] = [(one.type, str(getattr(one, "value", ""))) for one in app.main]
    return found


def opening(elements: Elements) -> str:
    """Return the first text below the title; nothing but the tools beside the title comes before it."""
    first = next(place for place, (kind, _) in enumerate(elements) if kind in TEXTS)
    assert {kind for kind, _ in elements[:first]} <= set(TOOLS)
    return elements[first][1].replace("\\", "")


@pytest.mark.parametrize("page", PAGES)
def test_page_opens_with_a_sentence_that_follows_the_filters(
    shown: dict[tuple[str, bool], Elements], page: str
) -> None:
    everything, easy = (opening(shown[page, filtered]) for filtered in (False, True))
    for text in (everything, easy):
        assert re.fullmatch(r"\*\*.*\d.*\.\*\*", text), text
    assert easy != everything
