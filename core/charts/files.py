"""Finished charts as SVG, PNG and HTML, with the margin and the footer that Vega-Lite does not have."""

import json
import math
import re
from functools import cache
from html import escape

import vl_convert
from altair.typing import ChartType

from core.charts.look import FONT, FOOTER_SIZE, LINE, MARGIN, footer_height, footer_of, to_spec, usermeta
from core.palette import theme

MOST_PIXELS = 2_300_000
"""Of an image, unless it is longer at scale 1."""

_UNDRAWABLE = re.compile(r"\\\\|\\[bf]|\\u(?:00(?:0[0-8bcef]|1[0-9a-f]|7f)|202[89]|fff[ef])")
"""JSON escapes of control characters, line separators and non-characters; and a backslash, to skip it."""


def to_svg(chart: ChartType, *, widescreen: bool = False) -> str:
    """Return a finished chart as SVG with margin and footer.

    Parameters
    ----------
    chart
        What `finish` returned.
    widescreen
        Widen the page to 16:9 where the chart is of another shape.
    """
    meta = usermeta(chart)
    colours = theme(bool(meta.get("dark")))
    lines = meta.get("footer_lines", [])
    inner = vl_convert.vegalite_to_svg(_spec(chart), allowed_base_urls=[])
    inner_width, inner_height = _svg_size(inner)
    height = inner_height + 2 * MARGIN + footer_height(lines)
    width = inner_width + 2 * MARGIN
    if widescreen:
        width, height = max(width, round(height * 16 / 9)), max(height, round(width * 9 / 16))
    left = (width - inner_width) // 2
    placed = inner.replace("<svg ", f'<svg x="{left}" y="{MARGIN}" ', 1)
    first = height - MARGIN - round(FOOTER_SIZE * LINE * (len(lines) - 1))
    texts = (
        f'<text x="{left}" y="{first + round(FOOTER_SIZE * LINE * number)}" fill="{colours.muted}"'
        f' font-family="{FONT}" font-size="{FOOTER_SIZE}">{escape(_printable(line))}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="{colours.background}"/>'
        f"{placed}{''.join(texts)}</svg>"
    )


def to_png(chart: ChartType, *, scale: float = 2, widescreen: bool = False) -> bytes:
    """Return a finished chart as PNG; no browser is needed.

    A chart as long as 75 evals make it is drawn at a smaller scale, never below 1: twice the size would take
    seconds, and no slide has room for it.
    """
    svg = to_svg(chart, widescreen=widescreen)
    width, height = _svg_size(svg)
    fitting = max(1.0, math.sqrt(MOST_PIXELS / (width * height)))
    return bytes(vl_convert.svg_to_png(svg, scale=min(scale, fitting)))


def to_html(chart: ChartType) -> str:
    """Return a finished chart as one HTML file that needs no network."""
    meta = usermeta(chart)
    colours = theme(bool(meta.get("dark")))
    # Inside a script element only "<" can end it; a label may well contain "</script>".
    spec = _spec(chart).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(str(chart['description']))}</title>"
        f"<style>body {{ margin: {MARGIN}px; background: {colours.background}; color: {colours.muted};"
        f" font: {FOOTER_SIZE}px {FONT}; }}</style></head>\n"
        f'<body><div id="chart"></div><p>{escape(footer_of(chart))}</p>\n'
        f'<script type="module">{_vega_bundle()}</script>\n'
        f'<script type="module">window.vegaEmbed("#chart", {spec},'
        ' {renderer: "svg", actions: false});</script>\n</body></html>\n'
    )


def _spec(chart: ChartType) -> str:
    """Return the chart as JSON, without the characters that no image can hold.

    vl-convert ends the whole process at a control character, and Vega cannot parse line separators in a
    domain; a label of the data may have both.
    """
    text = json.dumps(to_spec(chart), allow_nan=False)
    return _UNDRAWABLE.sub(lambda found: found[0] if found[0] == "\\\\" else " ", text)


def _svg_size(svg: str) -> tuple[int, int]:
    numbers = svg.partition('viewBox="0 0 ')[2].partition('"')[0].split()
    return round(float(numbers[0])), round(float(numbers[1]))


def _printable(text: str) -> str:
    """Return text that XML can hold."""
    return "".join(c for c in text if c.isprintable())


@cache
def _vega_bundle() -> str:
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
