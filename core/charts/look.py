"""How every flat chart looks: the Altair theme, title and footer.

The chart that `finish` returns is both the one on screen (with theme=None) and the one that is exported.
Vega-Lite has no footer, so it travels in `usermeta` and is drawn around the chart by core.charts.files.
"""

from typing import Any, TypeVar

import altair as alt
from altair.typing import ChartType
from altair.utils import schemapi

from core.charts.data import chart_values
from core.charts.missing import dash_missing
from core.charts.words import wrapped
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

MARGIN = 20
TITLE_SIZE, SUBTITLE_SIZE, LABEL_SIZE, FOOTER_SIZE = 22, 16, 15, 13
LINE = 1.3

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
    footer_lines = wrapped(footer, room, FOOTER_SIZE, 2)
    properties: dict[str, Any] = {
        "title": alt.TitleParams(
            wrapped(title, room, TITLE_SIZE, 2),
            subtitle=wrapped(subtitle, room, SUBTITLE_SIZE, 3) or alt.Undefined,
        ),
        "description": description or ". ".join(filter(None, (title, subtitle))),
        "usermeta": {"footer": footer, "footer_lines": footer_lines, "dark": dark},
    }
    if _fits(chart):
        properties["width"] = room
        properties["height"] = height - 2 * MARGIN - footer_height(footer_lines)
        properties["autosize"] = alt.AutoSizeParams(type="fit", contains="padding")
    properties["config"] = alt.Config(**_merged(theme_config(dark), _config_of(chart)))
    # Not on a copy: Altair would copy every layer, which takes longer than all that was done here.
    for key, value in properties.items():
        chart[key] = value
    return chart


def to_spec(chart: ChartType) -> dict[str, Any]:
    """Return a chart as Vega-Lite; it is checked against the schema where Altair's debug mode is on."""
    spec: dict[str, Any] = chart.to_dict(validate=schemapi.DEBUG_MODE)
    dash_missing(spec)
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
    return str(usermeta(chart).get("footer", ""))


def usermeta(chart: ChartType) -> dict[str, Any]:
    """Return what `finish` wrote beside a chart: footer, footer_lines, dark."""
    meta = chart["usermeta"]
    return meta if isinstance(meta, dict) else {}


def footer_height(lines: list[str]) -> int:
    """Return the pixels that the lines of a footer take."""
    return round(FOOTER_SIZE * LINE * len(lines) + FOOTER_SIZE) if lines else 0


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
            "lineHeight": round(TITLE_SIZE * LINE),
            "subtitleLineHeight": round(SUBTITLE_SIZE * LINE),
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
