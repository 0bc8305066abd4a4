"""The panels as a chart: a dot per bin and series, with marginal histograms, one row of three per stack."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from core import __version__, charts
from core.palette import MODEL_COLOURS, OUTCOME_COLOURS, model_colour, theme
from core.tiers.compression.bins import PANELS, marginal
from core.tiers.compression.panels import Panels
from core.tiers.compression.parts import NO_SERIES, STACK
from core.tiers.compression.summary import panels_sentence

PLOT, MARGINAL, GAP = 236, 44, 6
"""Pixels of a panel's sides, of a marginal histogram, and between the two."""

MOST_SERIES = len(MODEL_COLOURS)
"""Series drawn: further ones would repeat a colour, and stand in the table and the files only."""

Colour = alt.Color | alt.ColorValue

TITLES = {"correct": "Correct", "incorrect": "Incorrect or invalid", "truncated": "Truncated"}
LEAST_DOT, LARGEST_DOT = 8, 260


def panel_chart(
    panels: Panels,
    stacks: Sequence[int | None] | None = None,
    *,
    of: str = "",
    dark: bool = False,
) -> alt.VConcatChart | alt.HConcatChart:
    """Return panels as a chart.

    Parameters
    ----------
    stacks : sequence
        Rows to show; all where absent.
    of : str
        What the selection is of, for the title: the label of a split value.
    """
    stacks = panels.stacks if stacks is None else tuple(stacks)
    shown = panels.series[:MOST_SERIES]
    rows = [_row(panels, stack, shown, dark=dark) for stack in stacks]
    drawn, total = (
        sum(panels.counted(name, outcome, stack) for stack in stacks for outcome in PANELS)
        for name in ("drawn", "n")
    )
    more = len(panels.series) - len(shown)
    left_out = f"{more} more {panels.parts.series} series not drawn" if more > 0 else ""
    title = f"Compressed bytes by {panels.length.name}" + (f": {of}" if of else "")
    # Altair copies all that a chart holds at every level of it.
    alone = len(rows) == 1 and stacks[0] is None
    return charts.finish(
        rows[0] if alone else alt.VConcatChart(vconcat=rows, spacing=24),
        title=title,
        subtitle=panels.filters.sentence(panels.config),
        footer=charts.footer_text(
            panels.config.name,
            f"n = {total:,} completions" + (f", {drawn:,} drawn" if drawn < total else ""),
            left_out,
            "a dot is a bin, its area the share of its series in the panel",
            version=__version__,
        ),
        description=f"{title}. {panels_sentence(panels, stacks)}",
        width=3 * (PLOT + MARGINAL + GAP) + 100,
        dark=dark,
    )


def _row(panels: Panels, stack: int | None, shown: Sequence[str], *, dark: bool) -> alt.HConcatChart:
    rows = panels.bins_of(stack)
    rows = rows[rows["series"].isin(shown)]
    everywhere = panels.bins.frame
    domains = {side: _domain(panels, everywhere, side) for side in ("i", "j")}
    columns = [
        _panel(panels, rows[rows["outcome"] == outcome], stack, outcome, shown, domains, dark=dark)
        for outcome in PANELS
    ]
    row = alt.HConcatChart(hconcat=columns, spacing=14)
    if stack is not None:
        row = row.properties(
            title=alt.TitleParams(panels.config.eval_names[stack], fontSize=charts.SUBTITLE_SIZE, offset=8)
        )
    return row


def _domain(panels: Panels, rows: pd.DataFrame, side: str) -> list[float]:
    if rows.empty:
        return [1, 10]
    return [panels.bins.edge(int(rows[side].min())), panels.bins.edge(int(rows[side].max()) + 1)]


def _panel(
    panels: Panels,
    rows: pd.DataFrame,
    stack: int | None,
    outcome: str,
    shown: Sequence[str],
    domains: dict[str, list[float]],
    *,
    dark: bool,
) -> alt.VConcatChart:
    first = outcome == PANELS[0]
    colour = _colour(panels, outcome, shown)
    n = panels.counted("n", outcome, stack)
    heading = f"{TITLES[outcome]}, n = {n:,}"
    x = _axis(panels, "length", domains["i"], title=panels.length.name)
    y = _axis(panels, "compressed", domains["j"], title="compressed bytes" if first else None)
    if not first:
        y = y.copy(deep=False)
        y["axis"] = alt.Axis(labels=False, title=None, ticks=False, values=_ticks(domains["j"]))
    scatter = _scatter(panels, rows, x, y, colour, dark=dark) if len(rows) else _nothing(x, y, outcome, n)
    top = _marginal(panels, rows, "i", domains["i"], colour)
    side = _marginal(panels, rows, "j", domains["j"], colour)
    return alt.VConcatChart(
        vconcat=[
            top.properties(title=alt.TitleParams(heading, fontSize=charts.LABEL_SIZE, offset=4)),
            alt.HConcatChart(hconcat=[scatter, side], spacing=GAP, bounds="flush"),
        ],
        spacing=GAP,
        bounds="flush",
    )


def _axis(panels: Panels, field: str, domain: list[float], *, title: str | None) -> Any:
    kind = alt.X if field == "length" else alt.Y
    return kind(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(type="log", domain=domain, nice=False),
        axis=alt.Axis(values=_ticks(domain), format=".3~s", labelAngle=0, labelFlush=False),
    )


def _ticks(domain: list[float]) -> list[float]:
    """Return the powers of ten of a domain, with steps between where there are fewer than two."""
    low, high = domain
    tens = [10.0**power for power in range(8)]
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [ten * factor for ten in tens for factor in factors if low <= ten * factor <= high]
        if len(found) >= 3:
            return found
    return found or [low, high]


def _colour(panels: Panels, outcome: str, shown: Sequence[str]) -> alt.Color | alt.ColorValue:
    if panels.parts.series == NO_SERIES:
        return alt.ColorValue(OUTCOME_COLOURS[outcome])
    rows = panels.parts.rows.drop_duplicates("label").set_index("label")["series"]
    colours = [
        model_colour(int(rows[label])) if panels.parts.series == STACK else MODEL_COLOURS[place]
        for place, label in enumerate(shown)
    ]
    return alt.Color(
        "series:N",
        title=panels.parts.series,
        scale=alt.Scale(domain=list(shown), range=colours),
        legend=alt.Legend(orient="bottom", columns=4, symbolOpacity=1, symbolStrokeWidth=0),
    )


def _scatter(
    panels: Panels, rows: pd.DataFrame, x: alt.X, y: alt.Y, colour: Colour, *, dark: bool
) -> alt.Chart:
    drawn = rows[["series", "i", "j", "n", "share", "length", "compressed"]].sort_values(
        "share", ascending=False
    )
    drawn = drawn.assign(**{name: drawn[name].round(4) for name in ("share", "length", "compressed")})
    # Made at once: each method of a chart copies all of it.
    chart = alt.Chart(
        drawn,
        transform=[
            alt.CalculateTransform(calculate=_range("i", panels.bins.per_decade), **{"as": "from_to"}),
            alt.CalculateTransform(calculate=_range("j", panels.bins.per_decade), **{"as": "size_from_to"}),
        ],
        mark=alt.MarkDef(type="circle", opacity=0.55, stroke=theme(dark).background, strokeWidth=0.3),
        width=PLOT,
        height=PLOT,
    )
    return chart.encode(
        x=x,
        y=y,
        color=colour,
        size=alt.Size(
            "share:Q",
            scale=alt.Scale(domain=[0, 0.15], range=[LEAST_DOT, LARGEST_DOT], clamp=True),
            legend=None,
        ),
        tooltip=[
            alt.Tooltip(
                "series:N", title=panels.parts.series if panels.parts.series != NO_SERIES else "series"
            ),
            alt.Tooltip("n:Q", title="n", format=","),
            alt.Tooltip("share:Q", title="share of the series in this panel", format=".2%"),
            alt.Tooltip("from_to:N", title=panels.length.name),
            alt.Tooltip("size_from_to:N", title="compressed bytes"),
        ],
    )


def _range(place: str, per_decade: float) -> str:
    """Return a Vega expression of a bin's range in whole numbers, as "120 to 149"."""
    low = f"ceil(pow(10, datum.{place} / {per_decade:g}) - 1e-9)"
    high = f"(ceil(pow(10, (datum.{place} + 1) / {per_decade:g}) - 1e-9) - 1)"
    return f"{low} >= {high} ? format({low}, ',') : format({low}, ',') + ' to ' + format({high}, ',')"


def _nothing(x: alt.X, y: alt.Y, outcome: str, n: int) -> alt.LayerChart:
    """Return an empty panel that says why it is empty."""
    text = f"no {outcome} completions" if not n else "none with a length and a size"
    axes = alt.Chart(pd.DataFrame({"length": [None], "compressed": [None]})).mark_point().encode(x=x, y=y)
    words = (
        alt.Chart(pd.DataFrame({"text": [text]}))
        .mark_text()
        .encode(x=alt.value(PLOT / 2), y=alt.value(PLOT / 2), text="text:N")
    )
    return alt.LayerChart(layer=[axes, words]).properties(width=PLOT, height=PLOT)


def _marginal(
    panels: Panels, rows: pd.DataFrame, side: str, domain: list[float], colour: Colour
) -> alt.Chart:
    """Return a histogram of one axis: the share of each series in each of its bins."""
    labels = panels.parts.rows.set_index("part")["label"]
    counted = marginal(rows, side)
    bars = pd.DataFrame(
        {
            "series": counted["part"].map(labels),
            "low": [panels.bins.edge(int(place)) for place in counted[side]],
            "high": [panels.bins.edge(int(place) + 1) for place in counted[side]],
            "n": counted["n"],
            "share": counted["share"],
        }
    ).round(4)
    scale = alt.Scale(type="log", domain=domain, nice=False)
    tooltip = [
        alt.Tooltip("series:N"),
        alt.Tooltip("n:Q", format=","),
        alt.Tooltip("share:Q", format=".1%"),
    ]
    # Made at once: each method of a chart copies all of it.
    along = alt.X if side == "i" else alt.Y
    across, end = (alt.Y, alt.X2) if side == "i" else (alt.X, alt.Y2)
    width, height = (PLOT, MARGINAL) if side == "i" else (MARGINAL, PLOT)
    chart = alt.Chart(bars, mark=alt.MarkDef(type="rect", opacity=0.4), width=width, height=height)
    return chart.encode(
        along("low:Q", scale=scale, axis=None), end("high:Q"), across("share:Q", axis=None),
        color=colour, tooltip=tooltip,
    )  # fmt: skip
