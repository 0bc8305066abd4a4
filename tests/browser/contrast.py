"""The contrast of the words in charts, as they are painted: axe leaves every text of an SVG undecided."""

import io
import re
import statistics
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import Page

from core import palette

HIDDEN = "svg text { visibility: hidden !important; }"

LARGE, LARGE_BOLD = 24, 18.66
"""CSS pixels from which WCAG 1.4.3 asks for 3:1 instead of 4.5:1."""


class Contrast(NamedTuple):
    """What the worst letter of some words has, and what it should have."""

    ratio: float
    asked: float


def contrasts(page: Page) -> dict[str, Contrast]:
    """Return the contrast of the words in the charts that are in sight; of words that stand twice, the worse.

    The page has tests/browser/accessibility.js. Of nine places behind a letter the middle one counts, so
    that a grid line through a word is no fault.
    """
    texts = page.evaluate("asked.words()")
    style = page.add_style_tag(content=HIDDEN)
    picture = Image.open(io.BytesIO(page.screenshot(scale="css", animations="disabled"))).convert("RGB")
    style.evaluate("node => node.remove()")
    found: dict[str, Contrast] = {}
    for text in texts:
        large = text["pixels"] >= (LARGE_BOLD if text["bold"] else LARGE)
        ratio = min(
            statistics.median(_ratio(text, _pixel(picture, *place)) for place in letter)
            for letter in text["letters"]
        )
        one = Contrast(ratio, 3.0 if large else 4.5)
        found[text["words"]] = min(one, found.get(text["words"], one), key=lambda it: it.ratio / it.asked)
    return found


def too_faint(found: dict[str, Contrast]) -> list[str]:
    """Return the words that are too hard to read, with their contrast."""
    return [f"{words}: {one.ratio:.2f}:1" for words, one in found.items() if one.ratio < one.asked]


def _ratio(text: dict[str, Any], behind: tuple[int, ...]) -> float:
    """Return the contrast of words with a colour behind them, which may shine through them."""
    *ink, alpha = (*map(float, re.findall(r"[\d.]+", text["ink"])), 1.0)[:4]
    share = alpha * text["opacity"]
    mixed = [share * a + (1 - share) * b for a, b in zip(ink, behind, strict=True)]
    return palette.contrast(_hex(*mixed), _hex(*behind))


def _pixel(picture: Image.Image, x: float, y: float) -> tuple[int, ...]:
    # The edge of a letter that is in sight may be out of it.
    column, row = min(max(int(x), 0), picture.width - 1), min(max(int(y), 0), picture.height - 1)
    colour = picture.getpixel((column, row))
    assert isinstance(colour, tuple)
    return colour


def _hex(*colour: float) -> str:
    return "#" + "".join(f"{round(part):02x}" for part in colour)
