"""Colours: one per eval, one per outcome, scales for accuracy and differences, and the two page themes.

The model and outcome colours reach 3:1 against both page backgrounds (WCAG 1.4.11) and stay apart under
protanopia, deuteranopia and tritanopia; tests/test_palette.py computes both. .streamlit/config.toml repeats
the colours, and a test compares the two.
"""

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

MODEL_COLOURS = (
    "#4d55d8",
    "#f06c00",
    "#369bd8",
    "#d12e46",
    "#8b4d9b",
    "#1f8b7c",
    "#8374ff",
    "#8b9b64",
    "#1f7400",
    "#d164aa",
)
"""Ordered so that any first k of them are as far apart as k colours of this list can be."""

MODEL_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
"""Seven shapes against ten colours: 70 evals have a pair of their own."""

OUTCOME_COLOURS = {
    "correct": "#1f78b4",
    "incorrect": "#b63b2d",
    "invalid": "#c46cf0",
    "truncated": "#b98600",
    "error": "#6b7480",
}
"""Fixed, in the order in which outcomes are stacked and listed."""


@dataclass(frozen=True)
class Theme:
    """The colours of a page or an image; `sequential` runs from 0 to 1, `diverging` from -1 to 1.

    `ordered` is for lines of ordered values: all of it can be seen on the background.
    """

    background: str
    text: str
    muted: str
    line: str
    sequential: tuple[str, ...]
    diverging: tuple[str, ...]
    ordered: tuple[str, ...]


LIGHT = Theme(
    background="#ffffff",
    text="#0c121b",
    muted="#566070",
    line="#d5dbe3",
    sequential=(
        "#f7f5e6",
        "#e2ecd4",
        "#c6e0cb",
        "#a3d0c6",
        "#7fbdc2",
        "#5da6bd",
        "#438cb4",
        "#3471a8",
        "#2b5695",
        "#243f7d",
    ),
    diverging=(
        "#8c3d0c",
        "#b9601f",
        "#d98f55",
        "#ecc09c",
        "#f7e6d8",
        "#dbe6f2",
        "#a9c6e4",
        "#6f9fd0",
        "#3a74b4",
        "#1b4b86",
    ),
    ordered=("#33187f", "#7a1d9a", "#b5267f", "#d63d4f", "#d8601a", "#a67c00"),
)
DARK = Theme(
    background="#14181f",
    text="#e7ebf1",
    muted="#a3aebd",
    line="#38414e",
    sequential=(
        "#20283a",
        "#26385a",
        "#2a4a7a",
        "#2d5f90",
        "#31769f",
        "#3b8ea6",
        "#52a7a9",
        "#7abfac",
        "#aad5b3",
        "#e3ecc0",
    ),
    diverging=(
        "#f0a878",
        "#d98549",
        "#b0622c",
        "#7d4723",
        "#43312a",
        "#27364a",
        "#2d5688",
        "#3f7cbc",
        "#6ba3dc",
        "#a5cdf2",
    ),
    ordered=("#8a74ff", "#c46be0", "#f0709f", "#ff8f5c", "#ffb83f", "#f2ea6b"),
)


def theme(dark: bool = False) -> Theme:
    """Return the colours of the light or the dark page."""
    return DARK if dark else LIGHT


def model_colour(eval_id: int) -> str:
    """Return the colour of an eval, from its place in the config: the same on every page and export."""
    return MODEL_COLOURS[eval_id % len(MODEL_COLOURS)]


def model_shape(eval_id: int) -> str:
    """Return the Vega point shape of an eval, so that colour is never the only difference."""
    return MODEL_SHAPES[eval_id % len(MODEL_SHAPES)]


def accuracy_colour(value: float, dark: bool = False) -> str:
    """Return the colour of an accuracy in [0, 1] (clamped); NaN gives the background."""
    if math.isnan(value):
        return theme(dark).background
    return _along(theme(dark).sequential, value)


def difference_colour(value: float, limit: float = 1.0, dark: bool = False) -> str:
    """Return the colour of a difference in [-limit, limit] (clamped); NaN gives the background."""
    if math.isnan(value):
        return theme(dark).background
    return _along(theme(dark).diverging, (value / limit + 1.0) / 2.0)


def ordered_colours(number: int, dark: bool = False) -> list[str]:
    """Return the colours of so many lines of ordered values, from the first to the last."""
    stops = theme(dark).ordered
    return [_along(stops, place / max(number - 1, 1)) for place in range(number)]


@cache
def text_on(colour: str) -> str:
    """Return black or white, whichever reads better; one of them always reaches 4.58:1."""
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, 0 to 1 (WCAG 2.2)."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (b / 255 for b in _bytes(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _along(stops: tuple[str, ...], share: float) -> str:
    place = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    low, high = list(pairwise(stops))[first]
    part = place - first
    mixed = (round(a + (b - a) * part) for a, b in zip(_bytes(low), _bytes(high), strict=True))
    return "#" + "".join(f"{c:02x}" for c in mixed)


def _bytes(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
