"""Cutting a JSON document gives the same as parsing it whole, however it comes in pieces."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.importers.compression import Damaged
from core.importers.cutting import TOO_LONG
from core.importers.documents import Element, Rest, cut_document, reduced

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.fixed_dictionaries(
    {"head": VALUES, "list": st.lists(VALUES, max_size=4), "drop": VALUES, 'odd "name"]': VALUES}
)


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_cut_as_parsed(document: dict[str, Any], size: int, indent: int | None, bom: bool) -> None:
    data = json.dumps(document, indent=indent).encode()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    if bom:
        data, pieces[0] = b"\xef\xbb\xbf" + data, b"\xef\xbb\xbf" + pieces[0]
    *elements, rest = cut_document(pieces, ("list",), ("drop",))
    assert isinstance(rest, Rest) and rest.fault == ""
    assert json.loads(rest.data) == {
        key: value for key, value in document.items() if key not in ("list", "drop")
    }
    for number, (element, value) in enumerate(zip(elements, document["list"], strict=True)):
        assert isinstance(element, Element)
        assert (element.number, json.loads(element.data)) == (number, value)
        assert data[element.offset : element.offset + len(element.data)] == element.data


def test_a_document_that_ends_early_gives_what_was_before() -> None:
    data = b'{"a": 1, "list": [{"b": 2}, [3], "four"], "c": 5}'
    for end in range(len(data)):
        *elements, rest = cut_document([data[:end]], ("list",))
        assert isinstance(rest, Rest) and rest.fault
        assert [json.loads(one.data) for one in elements] == [{"b": 2}, [3], "four"][: len(elements)]


@pytest.mark.parametrize(
    "data", [b"", b"[1]", b"7", b"{,", b'{"a" 1}', b"{a: 1}", b"\x00\xff", b'{"\\x": 1}']
)
def test_what_is_no_document(data: bytes) -> None:
    (rest,) = cut_document([data])
    assert isinstance(rest, Rest)
    assert rest.fault or rest.data == b"{}"


def test_what_is_dropped_may_be_of_any_size() -> None:
    events = json.dumps([{"text": "x" * 50}] * 4000).encode()
    data = b'{"id": 1, "events": ' + events + b', "last": [2]}'
    pieces = [data[start : start + 5000] for start in range(0, len(data), 5000)]
    *_, rest = cut_document(pieces, (), ("events",), limit=20_000)
    assert isinstance(rest, Rest)
    assert (json.loads(rest.data), rest.fault) == ({"id": 1, "last": [2]}, "")
    *_, rest = cut_document(pieces, limit=20_000)
    assert isinstance(rest, Rest) and rest.fault == TOO_LONG
    assert json.loads(reduced(pieces, ("events",))) == {"id": 1, "last": [2]}


def test_reduced_raises() -> None:
    with pytest.raises(Damaged):
        reduced([b'{"a": ['], ())
