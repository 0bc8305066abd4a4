"""How every flat chart looks and leaves the app: the Altair theme, title and footer, SVG, PNG and HTML.

The chart that `finish` returns is both the one on screen (with theme=None) and the one that is exported.
Vega-Lite has no footer, so it travels in `usermeta` and is drawn around the chart by the writers below.
"""

import json
import math
import re
import unicodedata
from functools import cache
from html import escape
from typing import Any, TypeVar

import altair as alt
import vl_convert
from altair.typing import ChartType
from altair.utils import schemapi

from core.chart_data import chart_values
from core.palette import MODEL_COLOURS, MODEL_SHAPES, theme

alt.data_transformers.register("chart_values", chart_values)
alt.data_transformers.enable("chart_values")

# Altair checks every part of a chart against its schema as it is made, which takes as long as all the rest;
# the tests switch that on again (tests/conftest.py).
schemapi.disable_debug_mode()

# vl-convert carries Liberation Sans; Arial has the same metrics, so that screen and image agree.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
WIDTH, HEIGHT = 960, 540
"""Size of an image in CSS pixels: 16:9, and at half a slide a label of 15 px is still about 7.5 pt."""

MOST_PIXELS = 5_000_000
"""Of an image, unless it is longer at scale 1."""

MARGIN = 20
TITLE_SIZE, SUBTITLE_SIZE, LABEL_SIZE, FOOTER_SIZE = 22, 16, 15, 13
_LINE = 1.3

_UNDRAWABLE = re.compile(r"\\\\|\\[bf]|\\u(?:00(?:0[0-8bcef]|1[0-9a-f]|7f)|202[89]|fff[ef])")
"""JSON escapes of control characters, line separators and non-characters; and a backslash, to skip it."""

Chart = TypeVar("Chart", bound=ChartType)


def finish(
    chart: Chart,
    *,
    title: str,
    subtitle: str = "",
    footer: str = "",
    description: str = "",
    width: int = WIDTH,
    height: int = HEIGHT,
    dark: bool = False,
) -> Chart:
    """Give a chart everything an export needs, words, size and the project's theme, and return it.

    Parameters
    ----------
    chart
        Any Altair chart. A single or layered one is fitted to the size; a facet or concatenation keeps
        the sizes of its parts, and its image is as large as they are.
    title, subtitle, footer
        What is shown; the filter sentence; dataset, n, interval method and version (see `footer_text`).
        Each is wrapped to the width.
    description
        Alternative text; title and subtitle where it is empty.
    width, height
        Of the image in CSS pixels, margins, title and footer included. On screen the page sets the width.
    dark
        Colours of the dark page.
    """
    room = width - 2 * MARGIN
    footer_lines = _wrap(footer, room, FOOTER_SIZE, 2)
    properties: dict[str, Any] = {
        "title": alt.TitleParams(
            _wrap(title, room, TITLE_SIZE, 2),
            subtitle=_wrap(subtitle, room, SUBTITLE_SIZE, 3) or alt.Undefined,
        ),
        "description": description or ". ".join(filter(None, (title, subtitle))),
        "usermeta": {"footer": footer, "footer_lines": footer_lines, "dark": dark},
    }
    if _fits(chart):
        properties["width"] = room
        properties["height"] = height - 2 * MARGIN - _footer_height(footer_lines)
        properties["autosize"] = alt.AutoSizeParams(type="fit", contains="padding")
    properties["config"] = alt.Config(**_merged(theme_config(dark), _config_of(chart)))
    # Not on a copy: Altair would copy every layer, which takes longer than all that was done here.
    for key, value in properties.items():
        chart[key] = value
    return chart


def to_spec(chart: ChartType) -> dict[str, Any]:
    """Return a chart as Vega-Lite; it is checked against the schema where Altair's debug mode is on."""
    spec: dict[str, Any] = chart.to_dict(validate=schemapi.DEBUG_MODE)
    return spec


def footer_text(dataset: str, *facts: str, version: str) -> str:
    """Return the footer: dataset, facts (n, interval method, ...) and the program's version."""
    return " · ".join(filter(None, (dataset, *facts, f"ReasonScape Explorer {version}")))


def n_text(least: float, most: float) -> str:
    """Return the footer's n: one number, or the range where it differs between marks."""
    return f"n = {span_text(least, most)}"


def span_text(least: float, most: float) -> str:
    """Return whole numbers from least to most as text, one where they are the same."""
    return f"{int(least):,}" if least == most else f"{int(least):,} to {int(most):,}"


def footer_of(chart: ChartType) -> str:
    """Return the footer of a finished chart, for a caption on screen."""
    return str(_usermeta(chart).get("footer", ""))


def to_svg(chart: ChartType, *, widescreen: bool = False) -> str:
    """Return a finished chart as SVG with margin and footer.

    Parameters
    ----------
    chart
        What `finish` returned.
    widescreen
        Widen the page to 16:9 where the chart is of another shape.
    """
    meta = _usermeta(chart)
    colours = theme(bool(meta.get("dark")))
    lines = meta.get("footer_lines", [])
    inner = vl_convert.vegalite_to_svg(_spec(chart), allowed_base_urls=[])
    inner_width, inner_height = _svg_size(inner)
    height = inner_height + 2 * MARGIN + _footer_height(lines)
    width = inner_width + 2 * MARGIN
    if widescreen:
        width, height = max(width, round(height * 16 / 9)), max(height, round(width * 9 / 16))
    left = (width - inner_width) // 2
    placed = inner.replace("<svg ", f'<svg x="{left}" y="{MARGIN}" ', 1)
    first = height - MARGIN - round(FOOTER_SIZE * _LINE * (len(lines) - 1))
    texts = (
        f'<text x="{left}" y="{first + round(FOOTER_SIZE * _LINE * number)}" fill="{colours.muted}"'
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
    meta = _usermeta(chart)
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


def theme_config(dark: bool = False) -> dict[str, Any]:
    """Return the project's Vega-Lite config."""
    colours = theme(dark)
    # Streamlit fills in its own fonts where a part of the chart names none.
    fonts = {"labelFont": FONT, "titleFont": FONT}
    axis = {
        **fonts,
        "labelColor": colours.text,
        "titleColor": colours.text,
        "labelFontSize": LABEL_SIZE,
        "titleFontSize": LABEL_SIZE,
        "titleFontWeight": "bold",
        "titlePadding": 10,
        "labelLimit": 320,
        "gridColor": colours.line,
        "domainColor": colours.muted,
        "tickColor": colours.muted,
    }
    legend = {
        **fonts,
        "labelColor": colours.text,
        "titleColor": colours.text,
        "labelFontSize": LABEL_SIZE,
        "titleFontSize": LABEL_SIZE,
        "labelLimit": 260,
        "symbolSize": 120,
    }
    return {
        "background": colours.background,
        "font": FONT,
        # A descender at the lower edge is not cut.
        "padding": {"left": 0, "top": 0, "right": 4, "bottom": 5},
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": colours.text,
            "subtitleColor": colours.muted,
            "fontSize": TITLE_SIZE,
            "subtitleFontSize": SUBTITLE_SIZE,
            "lineHeight": round(TITLE_SIZE * _LINE),
            "subtitleLineHeight": round(SUBTITLE_SIZE * _LINE),
            "subtitlePadding": 6,
            "offset": 16,
        },
        "axis": axis,
        "axisQuantitative": {"tickCount": 6},
        "axisXDiscrete": {"labelAngle": -35},
        "header": {key: value for key, value in axis.items() if key.startswith(("label", "titleF"))}
        | {"titleColor": colours.text},
        "legend": legend,
        "view": {"stroke": None},
        "text": {"color": colours.text, "fontSize": LABEL_SIZE},
        "rule": {"color": colours.muted},
        "line": {"strokeWidth": 2.5},
        "point": {"size": 90, "filled": True, "opacity": 1},
        "range": {
            "category": list(MODEL_COLOURS),
            "symbol": list(MODEL_SHAPES),
            "ramp": list(colours.sequential),
            "heatmap": list(colours.sequential),
            "diverging": list(colours.diverging),
        },
    }


def _fits(chart: ChartType) -> bool:
    """Whether Vega-Lite can fit the chart to a size: single and layered views only."""
    if isinstance(chart, alt.LayerChart):
        return True
    if not isinstance(chart, alt.Chart):
        return False
    encoding = chart["encoding"]
    if encoding is alt.Undefined:
        return True
    return all(encoding[name] is alt.Undefined for name in ("row", "column", "facet"))


def _config_of(chart: ChartType) -> dict[str, Any]:
    config = chart["config"]
    return {} if config is alt.Undefined else dict(config.to_dict())


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return base with the values of over put in, object by object."""
    both = base.keys() & over.keys()
    objects = {key for key in both if isinstance(base[key], dict) and isinstance(over[key], dict)}
    return {**base, **over, **{key: _merged(base[key], over[key]) for key in objects}}


def _usermeta(chart: ChartType) -> dict[str, Any]:
    meta = chart["usermeta"]
    return meta if isinstance(meta, dict) else {}


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


def _footer_height(lines: list[str]) -> int:
    return round(FOOTER_SIZE * _LINE * len(lines) + FOOTER_SIZE) if lines else 0


def _wrap(text: str, width: float, size: int, most: int) -> list[str]:
    """Return the text in at most `most` lines of a width in pixels, an ellipsis where it was cut."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        for piece in _pieces(word, width, size):
            longer = f"{line} {piece}" if line else piece
            if line and _text_width(longer, size) > width:
                lines.append(line)
                line = piece
            else:
                line = longer
    lines += [line] if line else []
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and _text_width(last + "…", size) > width:
        last = last[:-1]
    return [*lines[: most - 1], last.rstrip() + "…"]


def _pieces(word: str, width: float, size: int) -> list[str]:
    """Return a word cut where it alone is wider than a line."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and _text_width(pieces[-1] + letter, size) > width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _text_width(text: str, size: int) -> float:
    """Return an estimate in pixels, on the wide side: 0.56 em a letter, 1 em for East Asian and emoji."""
    return sum(size * (1.0 if unicodedata.east_asian_width(c) in "WF" else 0.56) for c in text)


def _printable(text: str) -> str:
    """Return text that XML can hold."""
    return "".join(c for c in text if c.isprintable())


@cache
def _vega_bundle() -> str:
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
