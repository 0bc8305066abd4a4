"""Words on screen."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ui.wording import apart, count, escape, listed


@given(st.text())
def test_escaped_text_has_no_bare_mark(text: str) -> None:
    bare = re.sub(r"\\.", "", escape(text))
    assert not set(bare) & set("`*_{}[]<>#|$~:!\\")
    assert "\n" not in bare


@given(st.text())
def test_escaping_changes_nothing_but_spaces(text: str) -> None:
    shown = re.sub(r"\\(.)", r"\1", escape(text)).replace("\u2060", "")
    assert shown == " ".join(text.split()).replace("\u2060", "")


def test_shortcodes_are_broken() -> None:
    assert ":smile:" not in escape(":smile:").replace("\\", "")
    assert escape("family:phi").replace("\\", "") == "family:phi"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1, "item"), "1 item"),
        ((1200, "item"), "1,200 items"),
        ((2, "identity", "identities"), "2 identities"),
    ],
)
def test_counts(arguments: tuple[int, str], words: str) -> None:
    assert count(*arguments) == words


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (list("abc"), "a, b and c"),
        (list("abcdef"), "a, b, c, d and 2 more"),
    ],
)
def test_lists(words: list[str], text: str) -> None:
    assert listed(words) == text


@given(st.lists(st.text(max_size=3)))
def test_labels_stay_apart(labels: list[str]) -> None:
    told = apart(range(len(labels)), labels)
    assert list(told) == list(range(len(labels)))
    assert all(told.values())


def test_twins_are_told_by_their_option() -> None:
    assert apart([0, 1, 2], ["a", "b", "a"]) == {0: "a [0]", 1: "b", 2: "a [2]"}
