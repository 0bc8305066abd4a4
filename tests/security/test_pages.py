"""Every page on the hostile dataset: nothing of the data is markup, an expression or an address."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.command import ROOT
from tests.security import hostile
from tests.security.conftest import Show

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))

ADDRESSES: dict[str, list[dict[str, Any]]] = {
    "scores": [{"by_tier": "true"}],
    "completions": [{"list__completion": "0"}, {"list__view": "Hardest items", "hard__item": "0"}],
    "dataset": [{"edit": "Tasks"}, {"edit": "Tiers"}, {"edit": "Sources"}],
}
"""More of a page than it first shows."""

OPENED = [(page, address) for page in PAGES for address in [{}, *ADDRESSES.get(page, [])]]


@pytest.mark.parametrize(("page", "address"), OPENED, ids=[f"{p} {'_'.join(a.values())}" for p, a in OPENED])
def test_hostile_words_are_words_on_every_page(
    show: Show, hostile_dataset: Path, page: str, address: dict[str, Any]
) -> None:
    app = show(hostile_dataset.parent, page, **address)
    assert not app.exception
    assert not app.error
    elements = list(walk(app))
    for element in elements:
        check(element)
    if page != "imports":
        # The words are there: a page that shows nothing would pass everything above.
        assert hostile.MARK in "".join(map(text_of, elements)).replace("\\", "")


def walk(app: AppTest) -> Iterator[Any]:
    """Every element of a page and its sidebar, those that the testing library has no class for included."""

    def down(block: Any) -> Iterator[Any]:
        for child in block.children.values():
            if hasattr(child, "children"):
                yield from down(child)
            else:
                yield child

    yield from down(app.main)
    yield from down(app.sidebar)


def text_of(element: Any) -> str:
    return str(element.proto)


def check(element: Any) -> None:
    """Find nothing of the data in the parts of an element that a browser would run or follow."""
    kind, proto = element.type, element.proto
    if kind in ("markdown", "caption", "latex"):
        assert not proto.allow_html
        assert kind == "latex" or not hostile.bare_markdown(proto.body), proto.body
    elif kind == "html":
        harmless_html(proto.body)
        assert not getattr(proto, "unsafe_allow_javascript", False)
    elif "vega" in kind:
        harmless_spec(json.loads(proto.spec))
    elif "plotly" in kind:
        harmless_labels(json.loads(proto.spec))
    elif kind in ("alert", "info", "warning", "error", "success"):
        assert not hostile.bare_markdown(proto.body), proto.body
    elif hasattr(proto, "columns") and isinstance(proto.columns, str) and proto.columns:
        harmless_columns(json.loads(proto.columns))
    # Labels and help of widgets are Markdown, too.
    for name in ("label", "help"):
        text = getattr(proto, name, "")
        if isinstance(text, str) and kind not in ("metric",):
            assert not hostile.bare_markdown(text), text


TAGS = {"span", "a", "style", "nav", "ul", "li", "div", "p", "strong", "small"}


def harmless_html(body: str) -> None:
    """HTML of ours: known elements, no handlers, addresses of this app only."""
    for tag, attributes in hostile.Tags(body).found:
        assert tag in TAGS, body
        assert not [name for name in attributes if name.startswith("on")], body
        if "href" in attributes:
            assert re.match(r"[a-z]*\?|/?[a-z]*$", attributes["href"]), attributes["href"]
        assert hostile.MARK not in attributes.get("style", "")


EXPRESSIONS = {"expr", "calculate", "filter", "test", "labelExpr", "signal", "update", "groupby_expr"}
ADDRESSED = {"url", "href", "loader"}


def harmless_spec(spec: Any) -> None:
    """A Vega-Lite specification: what is hostile in an expression is in quotes, and nothing is fetched."""
    if isinstance(spec, list):
        for one in spec:
            harmless_spec(one)
    elif isinstance(spec, dict):
        for key, value in spec.items():
            assert key not in ADDRESSED or not value, f"{key}: {value}"
            if key in EXPRESSIONS and isinstance(value, str):
                outside = re.sub(r"\"(\\.|[^\"\\])*\"|'(\\.|[^'\\])*'", "", value)
                assert hostile.MARK not in outside and "javascript" not in outside, value
            if key != "datasets":
                harmless_spec(value)


# plotly.js makes these of a label, a link among them; what it does not know it shows as it stands.
KNOWN_TO_PLOTLY = re.compile(r"<(/?)(a|b|i|u|s|sub|sup|em|strong|span|br)\b[^>]*>", re.IGNORECASE)


def harmless_labels(spec: Any) -> None:
    """A Plotly figure: no label has a link, or an element that could become one."""
    text = json.dumps(spec)
    for found in KNOWN_TO_PLOTLY.finditer(text):
        assert found.group(2).lower() in ("br", "b", "i", "sup", "sub") and "=" not in found.group(), text
    assert "http" not in text or hostile.ELSEWHERE not in re.findall(r"href=[^>]*", text)


def harmless_columns(columns: dict[str, Any]) -> None:
    """Columns of a table: their help is Markdown; their names and cells are drawn on a canvas."""
    for config in columns.values():
        assert not hostile.bare_markdown(config.get("help") or ""), config
