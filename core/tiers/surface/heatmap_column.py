"""One column of the grid of heatmaps: a surface, a row an eval."""

import json
import textwrap
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from core.palette import theme
from core.tiers.surface.axes import Panel

CELL_HEIGHT, LEAST_CELL = 30, 34
AXIS_ROOM = 74
HEADING, HEADING_LINES = 14, 3

SPACING = 0.6
"""Between the diagonals that hatch a cell, in half cell heights."""


def column(
    cells: pd.DataFrame,
    panel: Panel,
    names: Sequence[str],
    *,
    step: float,
    height: int,
    measure: str,
    scale: alt.Scale,
    tooltip: list[alt.Tooltip],
    dark: bool,
    first: bool,
    heading_width: float,
) -> alt.FacetChart:
    """Return one surface with a row per name; one facet compiles several times faster than single panels.

    `heading_width` is the first column's, which shows the names: wrapped to another width, the blank
    headings of this column would take other lines and push its rows out of line with the names.
    """
    colours = theme(dark)
    data = cells.assign(
        column=[panel.x_texts[x] for x in cells["x"]], row=[panel.y_texts[y] for y in cells["y"]], there=True
    )
    # Every column has all the rows, so that they stand in line.
    absent = pd.DataFrame({"name": [name for name in names if name not in set(cells["name"])]})
    absent = absent.assign(column=panel.x_texts[0], row=panel.y_texts[0], there=False)
    data = pd.concat([data, absent], ignore_index=True) if len(absent) else data
    size = (round(step * len(panel.x)), height)
    header = alt.Header(
        labelOrient="top", labelAnchor="start", labelFontSize=HEADING, labelFontWeight="bold", labelLimit=0,
        labelPadding=8, labelExpr=_headings(names, heading_width, shown=first), title=None,
    )  # fmt: skip
    title = alt.TitleParams(
        panel.title, fontSize=14, anchor="start", offset=8, color=colours.muted, limit=size[0] + AXIS_ROOM
    )
    return _layers(panel, measure, scale, tooltip, step, size, dark).facet(
        data=data, row=alt.Row("name:N", sort=list(names), header=header, title=None), title=title, spacing=14
    )


def hatching(aspect: float) -> str:
    """Return the path of diagonals over a cell that is `aspect` times as wide as 2 units high."""
    parts = []
    start = -aspect - 2.0
    while start < aspect:
        # The diagonal from (start, -1) to (start + 2, 1), cut at both sides of the cell.
        left, right = max(start, -aspect), min(start + 2, aspect)
        if right - left > 0.05:
            parts.append(f"M{left:.2f},{left - start - 1:.2f}L{right:.2f},{right - start - 1:.2f}")
        start += SPACING
    return "".join(parts)


def _headings(names: Sequence[str], width: float, *, shown: bool) -> str:
    """Return a Vega expression of the lines of a row's heading, as many in every row and column.

    A heading wider than its panel would push the next column away.
    """
    letters = max(12, int(width / (0.56 * HEADING)))
    rule = textwrap.TextWrapper(letters, max_lines=HEADING_LINES, placeholder="…")
    wrapped = {name: rule.wrap(name) or [" "] for name in names}
    most = max(map(len, wrapped.values()))
    lines = {name: ([""] * most + some)[-most:] if shown else [" "] * most for name, some in wrapped.items()}
    return f"{json.dumps(lines)}[datum.value]"


def _layers(
    panel: Panel, measure: str, scale: alt.Scale, tooltip: list[alt.Tooltip], step: float,
    size: tuple[int, int], dark: bool,
) -> alt.LayerChart:  # fmt: skip
    colours = theme(dark)
    cell = size[1] / len(panel.y)
    long = any(len(text) * 8 > step for text in panel.x_texts)
    x = alt.X(
        "column:O",
        title=panel.surface.x_data,
        scale=alt.Scale(domain=list(panel.x_texts), paddingInner=0.04, paddingOuter=0.02),
        axis=alt.Axis(labelAngle=-35 if long else 0, labelOverlap=False, domain=False, titlePadding=6),
    )
    y = alt.Y(
        "row:O",
        title=panel.surface.y_data,
        # The first step stands below, as on the axes of a plot; a title taller than its row would push
        # the rows of this column out of line with the others.
        scale=alt.Scale(domain=list(reversed(panel.y_texts)), paddingInner=0.06, paddingOuter=0.02),
        axis=alt.Axis(
            labelOverlap=False,
            labelLimit=AXIS_ROOM - 24,
            titleFontSize=13,
            titleLimit=size[1] - 8,
            titlePadding=6,
            domain=False,
            ticks=False,
        ),
    )
    base = alt.Chart().transform_filter("datum.there").encode(x=x, y=y, tooltip=tooltip)
    known, unknown = "isValid(datum.shown)", "!isValid(datum.shown)"
    legend = alt.Legend(
        orient="bottom", direction="horizontal", gradientLength=240, titleLimit=400, format=".1f"
    )
    # A condition on the datum, since a colour without a scale beside one with a scale cannot be layered.
    ink: Any = alt.when("datum.light").then(alt.value("#ffffff")).otherwise(alt.value("#000000"))
    # What only marks a cell has no words of its own; its number has them.
    return alt.LayerChart(
        layer=[
            base.transform_filter(known)
            .mark_rect()
            .encode(color=alt.Color("shown:Q", scale=scale, title=measure, legend=legend)),
            base.transform_filter(unknown).mark_rect(
                fill="transparent", stroke=colours.line, strokeDash=[3, 3], aria=False
            ),
            base.transform_filter("datum.few")
            .mark_point(
                shape=hatching(step / cell),
                size=(0.92 * cell) ** 2,
                filled=False,
                clip=True,
                strokeWidth=1,
                opacity=0.5,
                aria=False,
            )
            .encode(stroke=ink),
            base.transform_filter("datum.outlined").mark_rect(
                fill="transparent", stroke=colours.text, strokeWidth=3, aria=False
            ),
            base.mark_text(fontSize=12).encode(text="text:N", color=ink),
        ],
        width=size[0],
        height=size[1],
    )
