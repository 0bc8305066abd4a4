"""Texts of models: thinking told from the answer, nothing hidden, long ones cut."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tiers.completions.text import (
    HEAD,
    LONG,
    TAIL,
    THINKING,
    excerpt,
    name_hidden,
    one_line,
    split_thinking,
    visible,
)


@pytest.mark.parametrize(("opening", "end"), THINKING)
def test_thinking_ends_where_it_is_marked(opening: str, end: str) -> None:
    for start in (opening, f"\n {opening}\n", ""):
        parts = split_thinking(f"{start}well ...{end}\n\nthe answer {end} 4")
        assert (parts.thinking, parts.answer, parts.unfinished) == ("well ...", f"the answer {end} 4", False)


@pytest.mark.parametrize(("opening", "end"), THINKING)
def test_an_end_that_is_missing_is_told(opening: str, end: str) -> None:
    parts = split_thinking(f" {opening}well ... and on")
    assert (parts.thinking, parts.answer, parts.unfinished) == ("well ... and on", "", True)


@pytest.mark.parametrize("text", ["", "4", "I think <think> is a tag", "think</ think>"])
def test_without_a_mark_all_is_the_answer(text: str) -> None:
    parts = split_thinking(text)
    assert (parts.thinking, parts.answer, parts.unfinished) == (None, text, False)


@pytest.mark.parametrize(
    ("text", "shown", "number"),
    [
        ("plain\ttext\nof lines", "plain\ttext\nof lines", 0),
        ("windows\r\nlines", "windows\nlines", 0),
        ("over\rwritten", "over␍written", 1),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m", 2),
        ("a\x00b\x7f\x9b", "a␀b␡⟨U+009B⟩", 3),
        ("\u202egnp.exe\u2066\u200f", "⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+200F⟩", 3),
        ("zero\u200bwidth\u2060\ufeff\u00ad", "zero⟨U+200B⟩width⟨U+2060⟩⟨U+FEFF⟩⟨U+00AD⟩", 4),
        ("tags \U000e0041\U000e007f", "tags ⟨U+E0041⟩⟨U+E007F⟩", 2),
        ("line\u2028separator\u3164", "line⟨U+2028⟩separator⟨U+3164⟩", 2),
        ("Ünïcode 漢字 🤖 ½", "Ünïcode 漢字 🤖 ½", 0),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str, number: int) -> None:
    assert visible(text) == (shown, number)


@given(st.text(st.characters(codec="utf-8")))
def test_no_control_or_format_character_is_left(text: str) -> None:
    shown, number = visible(text)
    hidden = {one for one in shown if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp")} - {"\n", "\t"}
    # Marks of scripts that are drawn, and of music and shorthand.
    assert {
        one
        for one in hidden
        if not unicodedata.name(one, "").startswith(("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN"))
    } == set()
    assert visible(shown) == (shown, 0)
    assert (number > 0) == bool(name_hidden(text))


def test_hidden_characters_have_names() -> None:
    assert name_hidden("a\u202eb\x1b\u202e") == ["right-to-left override", "control character 1b"]


def test_a_long_text_is_shown_from_both_ends() -> None:
    short = "x" * LONG
    assert excerpt(short) == excerpt(short).__class__(short, "", 0)
    text = "".join(map(str, range(100_000)))
    part = excerpt(text)
    assert (len(part.head), len(part.tail)) == (HEAD, TAIL)
    assert text == part.head + text[HEAD : HEAD + part.left_out] + part.tail


def test_a_cell_is_one_line_of_some_length() -> None:
    assert one_line(" a\n\n b\tc ", 10) == "a b c"
    assert one_line("abcdefghij", 10) == "abcdefghij"
    assert one_line("abcdefghijk", 10) == "abcdefghi…"
    assert one_line("\u202ea", 20) == "⟨U+202E⟩a"
