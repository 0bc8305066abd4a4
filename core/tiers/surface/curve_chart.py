"""Accuracy along one axis as lines with intervals, one colour an eval."""

import altair as alt
import pandas as pd

from core import __version__, charts
from core.config import DatasetConfig
from core.filters import Filters
from core.palette import model_colour, model_shape
from core.tiers.methods import Methods
from core.tiers.surface.curves import Curve
from core.tiers.surface.table import FEW_ITEMS


def curve_chart(
    curve: Curve,
    config: DatasetConfig,
    filters: Filters,
    methods: Methods,
    *,
    width: int = 960,
    height: int = 440,
    dark: bool = False,
) -> alt.LayerChart:
    """Return a curve as a chart.

    Parameters
    ----------
    filters : Filters
        Resolved; their sentence is the subtitle.
    """
    frame = curve.frame.dropna(subset=["accuracy"]).assign(few=lambda rows: rows["n_items"] < FEW_ITEMS)
    ids = sorted({int(one) for one in frame["eval_id"]})
    names_of = config.eval_names
    names = [names_of[one] for one in ids]
    legend = alt.Legend(orient="bottom", columns=2) if len(ids) > 1 else None
    colour = alt.Color(
        "name:N",
        title=None,
        scale=alt.Scale(domain=names, range=[model_colour(one) for one in ids]),
        legend=legend,
    )
    shape = alt.Shape(
        "name:N",
        title=None,
        scale=alt.Scale(domain=names, range=[model_shape(one) for one in ids]),
        legend=legend,
    )
    tooltip = [
        alt.Tooltip("name:N", title="eval"),
        alt.Tooltip("value:N", title=curve.axis),
        alt.Tooltip("accuracy:Q", title="accuracy", format=".3f"),
        alt.Tooltip("center:Q", title="center", format=".3f"),
        alt.Tooltip("lower:Q", title="95% from", format=".3f"),
        alt.Tooltip("upper:Q", title="95% to", format=".3f"),
        alt.Tooltip("n:Q", title="n", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
    ]
    angle = 0 if sum(map(len, curve.steps)) <= 60 else -35
    base = alt.Chart(frame).encode(
        x=alt.X(
            "value:O",
            title=curve.axis,
            scale=alt.Scale(domain=list(curve.steps), paddingInner=0.5, paddingOuter=0.25),
            axis=alt.Axis(labelAngle=angle, labelOverlap=False),
        ),
        # Intervals of several evals stand beside each other instead of on each other.
        xOffset=alt.XOffset("name:N", scale=alt.Scale(domain=names, paddingOuter=1)),
        color=colour,
        tooltip=tooltip,
    )
    y = alt.Y("accuracy:Q", title="accuracy", scale=alt.Scale(domain=[0, 1]))
    layers = [
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(
            y=alt.Y("lower:Q", title="accuracy", scale=alt.Scale(domain=[0, 1])), y2="upper:Q"
        ),
        base.mark_line(strokeWidth=2, opacity=0.8).encode(y=y),
        base.mark_point(size=70).encode(
            y=y, shape=shape, opacity=alt.condition("datum.few", alt.value(0.4), alt.value(1))
        ),
    ]
    rows = (len(ids) + 1) // 2
    return charts.finish(
        alt.LayerChart(layer=layers),
        title=f"Accuracy by {curve.axis}: {curve.title}",
        subtitle=filters.sentence(config),
        footer=charts.footer_text(config.name, n_text(frame), methods.sentence(), version=__version__),
        description=f"Accuracy by {curve.axis} with 95% intervals, {curve.title}: {curve_words(curve)}",
        width=width,
        height=height + (24 * rows if len(ids) > 1 else 0),
        dark=dark,
    )


def n_text(frame: pd.DataFrame) -> str:
    """Return how many completions a point of a curve has."""
    if frame.empty:
        return "n = 0"
    return f"{charts.n_text(frame['n'].min(), frame['n'].max())} completions a point"


def curve_words(curve: Curve) -> str:
    """Return a curve in words: where each eval begins and ends, for the first few."""
    parts = []
    for name, rows in curve.frame.dropna(subset=["accuracy"]).groupby("name", sort=False):
        first, last = rows.iloc[0], rows.iloc[-1]
        parts.append(
            f"{name} {first['accuracy']:.2f} at {first['value']} to {last['accuracy']:.2f} at {last['value']}"
        )
    more = f"; and {len(parts) - 6} more" if len(parts) > 6 else ""
    return "; ".join(parts[:6]) + more if parts else "no counted completions"
