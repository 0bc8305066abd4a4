"""The grid of spectra as one Altair chart: a row a projection, a column a tokenizer on a template."""

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from core import __version__, charts
from core.palette import ordered_colours, theme
from core.spectra.sample import MOST
from core.stats.spectrum import band_centres
from core.tiers.fft.grid import Column, FftGrid
from core.tiers.fft.lines import Line
from core.tiers.fft.rows import Row
from core.tiers.fft.words import RAW_CAPTION

ROWS, COLUMNS = 3, 4
"""Most rows and columns of one image: more are further images, never smaller ones."""

WIDTH, GAP, AXIS_ROOM, LEGEND_ROOM = 960, 12, 62, 90
HEIGHT = 150
HEADING, HEADING_LINES, TITLE = 13, 7, 13
PERIODS = (2, 4, 8, 16)
LEAST_SHARE = 1e-5
"""Where a logarithmic axis ends: a band cannot reach 0."""

Units = tuple[str, str]
"""What an axis calls one sign of a prompt, and several."""


@dataclass(frozen=True)
class Page:
    """The rows and columns of one image of a grid."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]


def pages(grid: FftGrid) -> tuple[Page, ...]:
    """Return how a grid is cut into images, columns first."""
    return tuple(
        Page(grid.rows[top : top + ROWS], grid.columns[left : left + COLUMNS])
        for top in range(0, len(grid.rows), ROWS)
        for left in range(0, len(grid.columns), COLUMNS)
    )


def spectra_chart(
    grid: FftGrid,
    page: Page,
    lines: Sequence[Line],
    *,
    kind: str,
    log: bool = False,
    dark: bool = False,
    hover: bool = False,
) -> alt.VConcatChart:
    """Return the spectra of one page of a grid.

    Parameters
    ----------
    lines : sequence of Line
        Those of the page, of this kind.
    log : bool
        A logarithmic axis of power.
    hover : bool
        Whether points answer to the mouse: they take an image most of its time, and cannot be seen in it.
    """
    width = _panel_width(len(page.columns))
    rows = [
        _row(grid, row, page, [line for line in lines if line.row == row.id], kind, log, width, dark, hover)
        for row in page.rows
    ]
    stacked: alt.VConcatChart = alt.VConcatChart(vconcat=rows, spacing=22).resolve_scale(color="independent")
    n = [line.n for line in lines]
    band = (
        f"bands: 95% from 100 relabellings; {RAW_CAPTION}" if kind == "raw" else "bands: ± 1 standard error"
    )
    spectrum = "token ids" if kind == "raw" else "recurring tokens"
    return charts.finish(
        stacked,
        title=f"Spectrum of {spectrum} in the prompts, by {_axes(page.rows)}",
        subtitle=grid.filters.sentence(grid.config),
        footer=charts.footer_text(
            grid.config.name,
            f"{charts.n_text(min(n), max(n))} prompts a line (at most {MOST}, seeded)" if n else "n = 0",
            band,
            version=__version__,
        ),
        description=_description(page, lines, kind),
        width=(width + GAP) * len(page.columns) + AXIS_ROOM + LEGEND_ROOM,
        dark=dark,
    )


def _panel_width(columns: int) -> int:
    room = WIDTH - AXIS_ROOM - LEGEND_ROOM - GAP * (columns - 1)
    return min(room // columns, 560)


def _axes(rows: Sequence[Row]) -> str:
    axes = list(dict.fromkeys(row.axis for row in rows if row.axis))
    return ", ".join(axes) if axes else "task"


def _row(
    grid: FftGrid, row: Row, page: Page, lines: Sequence[Line], kind: str, log: bool, width: int, dark: bool,
    hover: bool,
) -> alt.FacetChart:  # fmt: skip
    """Return one row; the first has the headings of the columns, the last the title of the x axis."""
    first, last = row == page.rows[0], row == page.rows[-1]
    header = alt.Header(
        labelOrient="top", labelAnchor="start", labelFontSize=HEADING, labelFontWeight="normal", labelLimit=0,
        labelPadding=8, labelExpr=_headings(grid, page.columns, width, shown=first), title=None,
    )  # fmt: skip
    title = alt.TitleParams(
        row.title, fontSize=15, anchor="start", offset=4, color=theme(dark).text, limit=WIDTH
    )
    names = [column.name for column in page.columns]
    units = _units(page.columns)
    return _layers(row, lines, kind, log, width, dark, units, hover=hover, first=first, last=last).facet(
        data=_data(row, page.columns, lines, kind, log),
        column=alt.Column("c:N", sort=names, header=header, title=None),
        title=title,
        spacing=GAP,
    )


def _data(row: Row, columns: Sequence[Column], lines: Sequence[Line], kind: str, log: bool) -> pd.DataFrame:
    """Return a row per line and band, under short names: they are sent to the browser."""
    centres = band_centres()
    names = {(column.tokenizer, column.template): column.name for column in columns}
    parts = []
    for line in lines:
        lower, upper = line.mean - line.error, line.mean + line.error
        if kind == "raw":
            lower, upper = line.lower, line.upper
        values = {"m": line.mean, "lo": np.maximum(lower, LEAST_SHARE if log else 0), "hi": upper}
        part = pd.DataFrame({"f": centres, "p": 1 / centres, **values})
        parts.append(part.assign(c=names[line.tokenizer, line.template], v=line.label, n=line.n))
    # Every row has all the columns, so that they stand in line.
    present = {names[line.tokenizer, line.template] for line in lines}
    absent = [name for name in names.values() if name not in present]
    parts.append(pd.DataFrame({"c": absent}).assign(v=row.steps[0], f=centres[0]))
    data = pd.concat(parts, ignore_index=True)
    # Six digits are more than a pixel; the files have them all.
    return data.round({"f": 6, "m": 6, "lo": 6, "hi": 6, "p": 2})


def _layers(
    row: Row, lines: Sequence[Line], kind: str, log: bool, width: int, dark: bool, units: Units, *,
    hover: bool, first: bool, last: bool,
) -> alt.LayerChart:  # fmt: skip
    labels = [step for step in row.steps if any(line.label == step for line in lines)] or list(row.steps[:1])
    legend = alt.Legend(symbolType="stroke", symbolStrokeWidth=4, symbolOpacity=1) if row.axis else None
    colour = alt.Color(
        "v:N",
        title=row.axis or None,
        scale=alt.Scale(domain=labels, range=ordered_colours(len(labels), dark)),
        legend=legend,
    )
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=True, nice=False)
    y_axis = alt.Axis(format="~p", tickCount=4, titleFontSize=TITLE)
    y, low = (alt.Y(f"{name}:Q", title="share of power", scale=scale, axis=y_axis) for name in ("m", "lo"))
    tooltip = [
        alt.Tooltip("c:N", title="tokenizer · template"),
        alt.Tooltip("v:N", title=row.axis or "line"),
        alt.Tooltip("f:Q", title=f"cycles per {units[0]}", format=".3f"),
        alt.Tooltip("p:Q", title=f"period in {units[1]}", format=".1f"),
        alt.Tooltip("m:Q", title="share of power", format=".2%"),
        alt.Tooltip("lo:Q", title="band from" if kind == "raw" else "− 1 SE", format=".2%"),
        alt.Tooltip("hi:Q", title="band to" if kind == "raw" else "+ 1 SE", format=".2%"),
        alt.Tooltip("n:Q", title="prompts", format=","),
    ]
    base = alt.Chart().transform_filter("isValid(datum.m)").encode(color=colour)
    # Bands from relabelling are wide and nearly the same for all lines of a panel: together no darker.
    opacity = 0.3 / len(labels) if kind == "raw" else 0.25
    layers = [
        base.mark_area(opacity=opacity, clip=True).encode(
            x=_x(_periods(units if first else None)), y=low, y2="hi:Q"
        ),
        base.mark_line(strokeWidth=1.8, clip=True).encode(x=_x(_frequencies(units if last else None)), y=y),
    ]
    if kind == "raw":
        # What leaves the band is what there is to see.
        outside = base.transform_filter("datum.m < datum.lo || datum.m > datum.hi")
        layers.append(outside.mark_point(size=28, filled=True, clip=True).encode(x=_x(None), y=y))
    if hover:
        over = base.mark_point(opacity=0, size=40, filled=True)
        layers.append(over.encode(x=_x(None), y=y, tooltip=tooltip))
    layered: alt.LayerChart = alt.LayerChart(layer=layers).resolve_axis(x="independent")
    return layered.properties(width=width, height=HEIGHT)


def _x(axis: alt.Axis | None) -> alt.X:
    return alt.X("f:Q", scale=alt.Scale(domain=[0, 0.5], nice=False), axis=axis)


def _units(columns: Sequence[Column]) -> Units:
    """Return what the columns take for one sign, and for several: without a tokenizer it is a byte."""
    kinds = {column.origin == "bytes" for column in columns}
    if len(kinds) > 1:
        return "token (without tokenizer: byte)", "tokens (without tokenizer: bytes)"
    return ("byte", "bytes") if True in kinds else ("token", "tokens")


def _frequencies(units: Units | None) -> alt.Axis:
    values = [0, 0.1, 0.2, 0.3, 0.4, 0.5]
    title = None if units is None else f"cycles per {units[0]}"
    return alt.Axis(title=title, values=values, format=".1f", grid=False, titleFontSize=TITLE)


def _periods(units: Units | None) -> alt.Axis:
    """Return the second x axis: the same places named by their period."""
    title = None if units is None else f"period in {units[1]}"
    return alt.Axis(
        orient="top", title=title, values=[1 / one for one in PERIODS],
        labelExpr="format(1 / datum.value, 'd')", grid=True, gridDash=[2, 3], titleFontSize=TITLE,
        titlePadding=4,
    )  # fmt: skip


def _headings(grid: FftGrid, columns: Sequence[Column], width: int, *, shown: bool) -> str:
    """Return a Vega expression of the lines of a column's heading, as many in every column."""
    letters = max(12, int(width / (0.54 * HEADING)))
    rule = textwrap.TextWrapper(letters, max_lines=2, placeholder="…", break_on_hyphens=False)
    evals_rule = textwrap.TextWrapper(letters, max_lines=HEADING_LINES - 3, placeholder=" …")
    wrapped = {}
    for column in columns:
        owner, slash, name = column.tokenizer.rpartition("/")
        parts = [f"{owner}/", name] if slash and len(column.tokenizer) > letters else [column.tokenizer]
        wrapped[column.name] = [
            *(line for part in parts for line in rule.wrap(part)[: 2 if len(parts) == 1 else 1]),
            *rule.wrap(f"template {column.template}")[:1],
            *evals_rule.wrap(", ".join(grid.name(one) for one in column.evals)),
        ]
    most = max(map(len, wrapped.values()))
    lines = {name: (some + [""] * most)[:most] if shown else [" "] for name, some in wrapped.items()}
    return f"{json.dumps(lines)}[datum.value]"


def _description(page: Page, lines: Sequence[Line], kind: str) -> str:
    """Return the alternative text: where the strongest band of the first few lines lies."""
    titles = {row.id: row.title for row in page.rows}
    centres = band_centres()
    told = []
    for line in lines[:6]:
        peak = int(np.argmax(line.mean))
        told.append(
            f"{titles[line.row]} {line.label}, {line.tokenizer}: strongest at a period of"
            f" {1 / centres[peak]:.1f} tokens ({line.mean[peak]:.1%} of the power)"
        )
    more = f"; and {len(lines) - 6} more lines" if len(lines) > 6 else ""
    return f"Mean {kind} spectra of prompts. {'; '.join(told)}{more}."
