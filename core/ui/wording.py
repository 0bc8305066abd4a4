"""Words on screen: data made safe for Markdown, counts with their nouns, labels that stay apart."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from core.tiers.words import capital, count

__all__ = ["apart", "capital", "count", "escape", "listed", "said_as"]

Option = TypeVar("Option")

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|$~^:&=\"'/@%])")
# Streamlit turns :name: into an emoji or an icon after Markdown has been read, so a backslash is too early.
_SHORTCODE = re.compile(r":(?=[\w+\-/]+:)")
# And it makes links of bare addresses after that, too.
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[\w.-])", re.IGNORECASE)
_WORD_JOINER = "\u2060"


def escape(text: object) -> str:
    """Return text that Markdown shows as it is, on one line."""
    plain = _ADDRESS.sub(_WORD_JOINER, " ".join(str(text).split()))
    return _MARKS.sub(r"\\\1", _SHORTCODE.sub(f":{_WORD_JOINER}", plain))


def listed(words: Sequence[str], most: int = 4) -> str:
    """Return "a, b and c", or "a, b, c and 7 more" beyond `most`."""
    shown = list(words[:most])
    if len(words) > most:
        return f"{', '.join(shown)} and {len(words) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def apart(options: Iterable[Option], labels: Iterable[str]) -> dict[Option, str]:
    """Return a label for each option, made unique with the option itself where two labels are the same.

    Widgets tell options apart by their label, in the address too.
    """
    pairs = [
        (option, " ".join(label.split()) or "(no label)")
        for option, label in zip(options, labels, strict=True)
    ]
    times = Counter(label for _, label in pairs)
    taken = {label for label, number in times.items() if number == 1}
    told = {}
    for option, label in pairs:
        unique = label
        while times[label] > 1 and (unique == label or unique in taken):
            unique += f" [{option!r}]"
        taken.add(unique)
        told[option] = unique
    return told


def said_as(labels: Mapping[Option, str]) -> Callable[[Option], str]:
    """Return the `format_func` of a widget that a page shows.

    A session remembers it after the page was left; made in the page it would keep all that the page had.
    """
    return lambda option: labels.get(option, str(option))
