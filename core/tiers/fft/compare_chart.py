"""The comparison as one chart: by task, how far apart tokenizers are beside the difference in accuracy."""

import math
from typing import Any

import altair as alt
import pandas as pd

from core import __version__, charts
from core.palette import theme
from core.tiers.fft.compare import ALL_TASKS, Comparison
from core.tiers.fft.grid import FftGrid
from core.tiers.fft.words import summarise

ROW, PANEL, LABELS, GAP = 34, 340, 170, 24


def comparison_chart(grid: FftGrid, comparison: Comparison, *, dark: bool = False) -> alt.HConcatChart:
    """Return two panels of one row per task: distance of the tokenizers, difference in accuracy."""
    rows = comparison.shown
    a, b = grid.name(comparison.eval_a), grid.name(comparison.eval_b)
    panels = [
        _panel(
            rows, ("difference", "lower", "upper"), "accuracy of A minus B", "n_items", "common items", dark,
            labelled=True, rule=0.0,
        )
    ]  # fmt: skip
    if rows["distance"].notna().any():
        tokens = _panel(
            rows, ("distance", "distance_lower", "distance_upper"), "distance of the tokenizers (0 to 1)",
            "n_prompts", "prompts", dark, labelled=True, tick="noise", rule=comparison.between_tasks,
        )  # fmt: skip
        panels = [
            tokens,
            _panel(
                rows, ("difference", "lower", "upper"), "accuracy of A minus B", "n_items", "common items",
                dark, labelled=False, rule=0.0,
            ),
        ]  # fmt: skip
    n = comparison.rows["n_items"].iloc[1:] if len(comparison.rows) > 1 else comparison.rows["n_items"]
    return charts.finish(
        alt.HConcatChart(hconcat=panels, spacing=GAP),
        title=f"Tokenizer or capability? {a} (A) and {b} (B)",
        subtitle=grid.filters.sentence(grid.config),
        footer=charts.footer_text(
            grid.config.name,
            f"{charts.n_text(n.min(), n.max())} common items a task",
            "95% intervals, over prompts and paired on items",
            "tick: distance from sampling alone" if len(panels) > 1 else "",
            "dashed: two tasks under one tokenizer" if len(panels) > 1 and len(rows) > 1 else "",
            version=__version__,
        ),
        description=summarise(grid, comparison),
        width=LABELS + (PANEL + GAP) * len(panels) + 2 * charts.MARGIN,
        dark=dark,
    )


def _panel(
    rows: pd.DataFrame,
    names: tuple[str, str, str],
    title: str,
    n: str,
    n_title: str,
    dark: bool,
    *,
    labelled: bool,
    tick: str = "",
    rule: float | None = None,
) -> alt.LayerChart:
    """Return points with intervals by task; `tick` names a second value, `rule` is a vertical line."""
    value, lower, upper = names
    colours = theme(dark)
    order = list(rows["label"])
    axis = alt.Axis(labelLimit=LABELS - 20, ticks=False, domain=False) if labelled else None
    tooltip = [
        alt.Tooltip("label:N", title="task"),
        alt.Tooltip(f"{value}:Q", title=title, format=".3f" if tick else "+.3f"),
        alt.Tooltip(f"{lower}:Q", title="95% from", format=".3f"),
        alt.Tooltip(f"{upper}:Q", title="95% to", format=".3f"),
        alt.Tooltip(f"{n}:Q", title=n_title, format=","),
    ]
    data = rows[["label", *names, n, *([tick] if tick else [])]]
    base = alt.Chart(data).encode(y=alt.Y("label:N", title=None, sort=order, axis=axis), tooltip=tooltip)
    width: Any = alt.when(f"datum.label == '{ALL_TASKS}'").then(alt.value(3.5)).otherwise(alt.value(2))
    layers = [
        base.mark_rule(color=colours.text, opacity=0.6).encode(
            x=_x(lower, title), x2=f"{upper}:Q", strokeWidth=width
        ),
        base.mark_point(color=colours.ordered[1], size=90, filled=True).encode(x=_x(value, title)),
    ]
    if tick:
        mark = base.mark_tick(color=colours.muted, thickness=2, size=ROW // 2)
        layers.append(mark.encode(x=_x(tick, title)))
    if rule is not None and not math.isnan(rule):
        line = alt.Chart(pd.DataFrame({"x": [rule]})).mark_rule(color=colours.muted, strokeDash=[4, 3])
        layers.insert(0, line.encode(x="x:Q"))
    layered: alt.LayerChart = alt.LayerChart(layer=layers)
    return layered.properties(width=PANEL, height=ROW * len(order))


def _x(name: str, title: str) -> alt.X:
    return alt.X(f"{name}:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(titleFontSize=14))
