"""Differences as a forest plot: an interval per task, tier or other eval, around no difference."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import pandas as pd

from core import __version__, charts
from core.export import plain
from core.palette import model_colour, model_shape, theme
from core.tiers.compare.items import MEASURE_WORDS, RULE_NAMES
from core.tiers.compare.rows import CORRECTIONS
from core.tiers.compare.table import Against, Comparison
from core.tiers.compare.words import (
    against_summary,
    filter_words,
    interval_name,
    section_sentence,
    verdict,
    winners,
)

PAGE_ROWS = 25
"""Rows per chart: more go on further pages, so that rows never shrink."""
ROW_HEIGHT = 44
"""Room for a name over its interval: beside it, long names would leave a narrow screen no plot."""
_HEAD = 230
LEAST_SPAN = 0.02
"""Narrowest axis: differences of rounding are not drawn as large ones."""

DRAWN = [
    "scope", "label", "difference", "lower", "upper", "p_adjusted", "n_items", "gained", "lost", "test",
    "interval", "differs", "m",
]  # fmt: skip

Result = Comparison | Against


@dataclass(frozen=True)
class Forest:
    """What a forest plot shows: its rows, and who stands on either side of no difference."""

    rows: pd.DataFrame
    left: str
    right: str


def forest_of(result: Result, rule: str) -> Forest:
    """Return the rows of a comparison but its cells, or those of one eval against all."""
    if isinstance(result, Against):
        rows = result.of(rule)
        others = [int(value) for value in rows["value"]]
        return Forest(
            _drawn(rows, [result.a] * len(rows), others), "the other is better", f"{result.name} is better"
        )
    rows = pd.concat([result.of(scope, rule) for scope in ("overall", "tier", "task")], ignore_index=True)
    a, b = result.names
    drawn = _drawn(rows, [result.a] * len(rows), [result.b] * len(rows))
    return Forest(drawn, f"{b} is better", f"{a} is better")


def _drawn(rows: pd.DataFrame, a: list[int], b: list[int]) -> pd.DataFrame:
    pairs = list(zip(winners(rows), a, b, strict=True))
    names = {"overall": "", "task": "Task: ", "tier": "Tier: ", "eval": ""}
    return rows[DRAWN].assign(
        row=[f"{place}" for place in range(len(rows))],
        name=[f"{names[scope]}{label}" for scope, label in zip(rows["scope"], rows["label"], strict=True)],
        colour=["" if not one else model_colour(left if one > 0 else right) for one, left, right in pairs],
        shape=[
            "circle" if not one else model_shape(left if one > 0 else right) for one, left, right in pairs
        ],
        counts=[
            f"+{gained:,} −{lost:,} of {n:,}" if n else "no common items"
            for gained, lost, n in zip(rows["gained"], rows["lost"], rows["n_items"], strict=True)
        ],
    )


def pages(result: Result, rule: str) -> int:
    """Return how many charts a result takes."""
    return max(1, math.ceil(_rows(result, rule) / PAGE_ROWS))


def screen_height(result: Result, rule: str, page: int = 0) -> int:
    """Return the pixels that a page takes on screen, where title and footer are page text."""
    return ROW_HEIGHT * min(PAGE_ROWS, _rows(result, rule) - page * PAGE_ROWS) + 70


def _rows(result: Result, rule: str) -> int:
    shown = result.rows[result.rows["truncated"] == rule]
    return int((shown["scope"] != "cell").sum())


def forest_chart(
    result: Result, rule: str = "wrong", *, page: int = 0, width: int = charts.WIDTH, dark: bool = False
) -> alt.LayerChart:
    """Return the differences with their intervals, or one page of them, as a finished chart."""
    forest = forest_of(result, rule)
    rows = forest.rows.iloc[page * PAGE_ROWS : (page + 1) * PAGE_ROWS].reset_index(drop=True)
    whole = len(rows) == len(forest.rows)
    end = (
        ""
        if whole
        else f", rows {page * PAGE_ROWS + 1} to {page * PAGE_ROWS + len(rows)} of {len(forest.rows)}"
    )
    if isinstance(result, Against):
        title = f"{result.name} against {len(forest.rows)} other evals{end}"
        description = against_summary(result, rule)
    else:
        title = f"{result.names[0]} (A) minus {result.names[1]} (B){end}"
        description = f"{verdict(result, rule)} {section_sentence(result, 'task', rule)}"
    words = filter_words(result.filters, result.config)
    key = "coloured as the better eval: established at 5% after correction; + items gained, − lost"
    return charts.finish(
        _panel(rows, forest, MEASURE_WORDS[result.measure], dark=dark),
        title=title,
        subtitle=f"{words} · truncated completions {RULE_NAMES[rule]} · {key}",
        footer=_footer(result, rows),
        description=f"{title}. {description}",
        width=width,
        height=_HEAD + ROW_HEIGHT * (len(rows) + 1),
        dark=dark,
    )


def _footer(result: Result, rows: pd.DataFrame) -> str:
    intervals = [one for one in dict.fromkeys(rows["interval"]) if one != "none"]
    tests = [one for one in dict.fromkeys(rows["test"]) if one != "no common items"]
    corrections = [
        f"{CORRECTIONS[str(scope)]} over m = {int(part['m'].iloc[0]):,} {scope}s"
        for scope, part in rows.groupby("scope", sort=False)
        if scope != "overall"
    ]
    return charts.footer_text(
        result.config.name,
        f"{charts.n_text(rows['n_items'].min(), rows['n_items'].max())} common items",
        " or ".join(interval_name(one) for one in intervals),
        "; ".join(tests),
        *corrections,
        version=__version__,
    )


def _panel(rows: pd.DataFrame, forest: Forest, measure: str, *, dark: bool) -> alt.LayerChart:
    colours = theme(dark)
    low, high, ticks = _axis(rows)
    rows = rows.assign(
        colour=rows["colour"].replace("", colours.muted),
        fill=[
            colour if differs else colours.background
            for colour, differs in zip(rows["colour"], rows["differs"], strict=True)
        ],
    )
    y = alt.Y("row:N", sort=list(rows["row"]), scale=alt.Scale(paddingInner=0.2), axis=None)
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    axis = alt.Axis(values=ticks, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+.3~f')")

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=f"difference in {measure}, A minus B", scale=scale, axis=axis)

    stroke = alt.Color("colour:N", scale=None)
    tooltip = [
        alt.Tooltip("name:N", title="what"),
        alt.Tooltip("difference:Q", format="+.3f"),
        alt.Tooltip("lower:Q", title="95% from", format="+.3f"),
        alt.Tooltip("upper:Q", title="95% to", format="+.3f"),
        alt.Tooltip("p_adjusted:Q", title="p, corrected", format=".2g"),
        alt.Tooltip("n_items:Q", title="common items", format=","),
        alt.Tooltip("gained:Q", format=","),
        alt.Tooltip("lost:Q", format=","),
        alt.Tooltip("test:N"),
    ]
    # Channels as objects and rows as plain values: Altair's checks of anything else take most of the time.
    base = alt.Chart().encode(y=y, tooltip=tooltip)
    left, right = alt.XValue(0), alt.XValue("width")  # type: ignore[no-untyped-call]
    layers = [
        alt.Chart(_values([{"zero": 0.0}])).mark_rule(strokeWidth=2).encode(x=x("zero")),
        base.mark_text(
            align="left", dx=5, yOffset=-9, fontSize=14, color=colours.text, limit=alt.expr("width * 0.55")
        ).encode(x=left, text=alt.Text("name:N")),
        base.mark_text(
            align="right", dx=-5, yOffset=-9, fontSize=13, color=colours.muted, limit=alt.expr("width * 0.43")
        ).encode(x=right, text=alt.Text("counts:N")),
        base.mark_rule(strokeWidth=4, opacity=0.6, yOffset=9).encode(
            x=x("lower"), x2=alt.X2("upper:Q"), color=stroke
        ),
        base.mark_point(size=100, yOffset=9, strokeWidth=2.5, filled=False, opacity=1).encode(
            x=x("difference"),
            stroke=alt.Stroke("colour:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
        ),
        _side(f"← {forest.left}", "left", colours.muted),
        _side(f"{forest.right} →", "right", colours.muted),
    ]
    chart: alt.LayerChart = alt.LayerChart(data=_values(plain(rows)), layer=layers)
    return chart


def _values(rows: list[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=rows)


def _side(text: str, align: Literal["left", "right"], colour: str) -> alt.Chart:
    """Return who is better on one side of no difference, above the plot."""
    x = alt.XValue(0 if align == "left" else "width")  # type: ignore[no-untyped-call]
    y = alt.YValue(0)  # type: ignore[no-untyped-call]
    chart: alt.Chart = (
        alt.Chart(_values([{"text": text}]))
        .mark_text(align=align, dy=-12, fontSize=13, color=colour, limit=alt.expr("width * 0.48"))
        .encode(x=x, y=y, text=alt.Text("text:N"))
    )
    return chart


def _axis(rows: pd.DataFrame) -> tuple[float, float, list[float]]:
    """Return the ends of the axis and its ticks, on round numbers around the intervals, 0 among them."""
    bounds = [*rows["lower"].dropna(), *rows["upper"].dropna(), *rows["difference"].dropna(), 0.0]
    lowest, highest = min(bounds), max(bounds)
    wanted = max(highest - lowest, LEAST_SPAN)
    step = next((one for one in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if wanted / one <= 6), 1.0)
    low = math.floor(lowest / step + 1e-9) * step
    high = math.ceil(highest / step - 1e-9) * step
    if low == high:
        low, high = low - step, high + step
    return low, high, [round(low + step * place, 4) for place in range(round((high - low) / step) + 1)]
