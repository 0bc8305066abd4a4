"""Texts of models made safe to read: nothing hidden, thinking told from the answer, long ones cut."""

import re
import unicodedata
from dataclasses import dataclass

THINKING = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<seed:think>", "</seed:think>"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
"""What begins and ends a model's thinking. Many templates write the beginning into the prompt."""

# Not format characters by Unicode's classes, yet nothing to see: fillers, joiners of scripts, the blank of
# Braille, and the selectors and tags that can carry a hidden text.
_BLANK = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    f"{_BLANK}\U000e0000-\U000e0fff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)

LONG = 20_000
"""A longer text is shown from both ends until someone asks for all of it."""
HEAD, TAIL = 12_000, 4_000


@dataclass(frozen=True)
class Response:
    """A response in its parts.

    Attributes
    ----------
    thinking
        What stands before the end of thinking, None where no thinking is marked.
    answer
        The rest; all of it where no thinking is marked, "" where the thinking never ends.
    unfinished
        Whether thinking begins and no end of it is marked.
    """

    thinking: str | None
    answer: str
    unfinished: bool


@dataclass(frozen=True)
class Excerpt:
    """What is shown of a text: all of it, or its beginning and end with `left_out` characters between."""

    head: str
    tail: str
    left_out: int


def split_thinking(text: str) -> Response:
    """Split a response where its thinking ends.

    The first mark of an end counts; without one, thinking that begins the response has no end.
    """
    begun = text.lstrip()
    ends = [(place, opening, mark) for opening, mark in THINKING if (place := text.find(mark)) >= 0]
    if ends:
        place, opening, mark = min(ends)
        thinking = text[:place].lstrip().removeprefix(opening)
        return Response(thinking.strip("\n"), text[place + len(mark) :].lstrip("\n"), False)
    for opening, _ in THINKING:
        if begun.startswith(opening):
            return Response(begun[len(opening) :].strip("\n"), "", True)
    return Response(None, text, False)


def visible(text: str) -> tuple[str, int]:
    """Return a text with what cannot be seen written out, and how many characters that were.

    Control characters (those of terminals among them) become their pictures, such as ␛; marks that turn the
    direction of text, have no width or carry hidden text become ⟨U+202E⟩. Tabs and line ends stay.
    """
    # A Windows line end is a line end; a lone carriage return writes over its line in a terminal.
    return _HIDDEN.subn(_written_out, text.replace("\r\n", "\n"))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"


def name_hidden(text: str) -> list[str]:
    """Return the names of the characters that `visible` writes out, each once, in order of appearance."""
    found = dict.fromkeys(_HIDDEN.findall(text.replace("\r\n", "\n")))
    return [unicodedata.name(one, f"control character {ord(one):02X}").lower() for one in found]


def excerpt(text: str) -> Excerpt:
    """Return what is shown of a text at first."""
    if len(text) <= LONG:
        return Excerpt(text, "", 0)
    return Excerpt(text[:HEAD], text[-TAIL:], len(text) - HEAD - TAIL)


def one_line(text: str, most: int) -> str:
    """Return a text as a cell of a table: one line, nothing hidden, cut to so many characters."""
    plain = " ".join(visible(text)[0].split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"
