"""The chart of results against architecture: points with intervals, coloured by group, with their names."""

from dataclasses import replace
from typing import TypeVar

import altair as alt
import numpy as np
import pandas as pd

from core import __version__, charts
from core.palette import MODEL_COLOURS, MODEL_SHAPES, model_colour, model_shape, theme
from core.tiers.modelinfo.axes import (
    BY_EVAL,
    NO_GROUP,
    Axis,
    Score,
    group_values,
    in_order,
)
from core.tiers.modelinfo.facts import SOURCE_WORDS
from core.tiers.modelinfo.labels import WIDEST, apart, dodged, named
from core.tiers.modelinfo.scales import Scale, across, short_number, upward
from core.tiers.modelinfo.table import ModelInfo
from core.tiers.words import capital, number

Channel = TypeVar("Channel", alt.X, alt.Y)


def shown_rows(info: ModelInfo, against: Axis, score: Score) -> pd.DataFrame:
    """Return the rows that have both numbers."""
    rows = info.rows
    return rows[(rows[against.column].astype(float) > 0) & rows[score.column].notna()].reset_index(drop=True)


def scatter_chart(
    info: ModelInfo,
    against: Axis,
    score: Score,
    *,
    colour_by: str = BY_EVAL,
    width: int = 960,
    dark: bool = False,
) -> alt.LayerChart:
    """Return the chart of a score against a quantity of the models.

    Parameters
    ----------
    against, score
        The axes; at least one row must have both (see `shown_rows`).
    colour_by
        One of `colourings`.

    Raises
    ------
    FilterError
        No eval has a group of that kind.
    """
    rows = shown_rows(info, against, score)
    ratio = " per " in score.label
    if rows["visible_tokens"].any():
        score = replace(score, label=score.label.replace("token", "visible token"))
    data = _data(info, rows, against, score, colour_by)
    places = across(data["x"], against.kind)
    heights = upward(data["y"], data["low"], data["high"], ratio=ratio)
    data["x_dodged"] = places.values(dodged(places.shares(data["x"].to_numpy())))
    unit = f" ({_currency(rows)})" if against.kind == "money" else ""
    x_title = f"{against.label}{unit}, logarithmic"
    y_title = f"{score.label}, logarithmic" if heights.log else score.label
    x = alt.X("x_dodged:Q", scale=places.altair(), title=x_title, axis=places.axis())
    y = alt.Y("y:Q", scale=heights.altair(), title=y_title, axis=heights.axis())
    colour, shape = _by_group(data, info, colour_by)
    tooltip = _tooltip(against, score)
    base = alt.Chart(data)
    layers: list[alt.Chart] = []
    if score.lower is not None:
        rules = alt.Chart(data[data["low"].notna()]).mark_rule(strokeWidth=3, opacity=0.55)
        layers.append(rules.encode(x=x, y=_same_axis(y, "low:Q"), y2="high:Q", color=colour, tooltip=tooltip))
    layers.append(
        base.mark_point(size=130, filled=True, opacity=1).encode(
            x=x, y=y, color=colour, shape=shape, tooltip=tooltip
        )
    )
    layers = _names(data, (x, places), (y, heights), dark=dark) + layers
    return charts.finish(
        alt.LayerChart(layer=layers),
        title=f"{capital(score.label.partition(' (')[0])} against {against.label}",
        subtitle=info.filters.sentence(info.config),
        footer=_footer(info, rows, against, score),
        description=(
            f"{capital(score.label)} of {len(rows)} evals against {against.label}, coloured by {colour_by}"
        ),
        width=width,
        height=round(width * 0.62),
        dark=dark,
    )


def _data(info: ModelInfo, rows: pd.DataFrame, against: Axis, score: Score, colour_by: str) -> pd.DataFrame:
    groups = dict(zip(info.rows["eval_id"], group_values(info, colour_by), strict=True))
    missing = pd.Series(np.nan, index=rows.index)
    data = pd.DataFrame(
        {
            "eval_id": rows["eval_id"],
            "name": rows["name"],
            "x": rows[against.column].astype(float),
            "y": rows[score.column].astype(float),
            "low": missing if score.lower is None else rows[score.lower].astype(float),
            "high": missing if score.upper is None else rows[score.upper].astype(float),
            "group": [groups[eval_id] for eval_id in rows["eval_id"]],
            "n": rows["n"],
            "n_items": rows["n_items"],
            "x_text": [short_number(float(v), against.kind) for v in rows[against.column]],
            "source": rows["parameters_source"].map(SOURCE_WORDS).fillna("unknown"),
        }
    )
    interval = zip(data["y"], data["low"], data["high"], strict=True)
    digits = _digits(data["y"])
    data["y_text"] = [
        number(v, digits) if pd.isna(a) else f"{number(v, digits)} [{number(a, digits)}, {number(b, digits)}]"
        for v, a, b in interval
    ]
    return data


def _digits(values: pd.Series) -> int:
    largest = float(values.max())
    return 0 if largest >= 100 else 1 if largest >= 10 else 2


def _by_group(data: pd.DataFrame, info: ModelInfo, colour_by: str) -> tuple[alt.Color, alt.Shape]:
    if colour_by == BY_EVAL:
        names, evals = list(data["name"]), [int(eval_id) for eval_id in data["eval_id"]]
        hues, forms = [model_colour(e) for e in evals], [model_shape(e) for e in evals]
        legend = None
    else:
        # Of all evals, so that a filter changes no colour.
        every = in_order([value for groups in _all_groups(info, colour_by) for value in groups])
        names = [name for name in every if name in set(data["group"])]
        hues = [
            "#8a94a3" if n == NO_GROUP else MODEL_COLOURS[every.index(n) % len(MODEL_COLOURS)] for n in names
        ]
        forms = [MODEL_SHAPES[every.index(name) % len(MODEL_SHAPES)] for name in names]
        legend = alt.Legend(title=colour_by, orient="bottom", symbolOpacity=1, columns=4)
    field = "name:N" if colour_by == BY_EVAL else "group:N"
    return (
        alt.Color(field, scale=alt.Scale(domain=names, range=hues), legend=legend),
        alt.Shape(field, scale=alt.Scale(domain=names, range=forms), legend=legend),
    )


def _all_groups(info: ModelInfo, colour_by: str) -> list[list[str]]:
    """Return the values of every eval of the config, those that the rows combine as they stand there."""
    shown = group_values(info, colour_by)
    values = [
        ", ".join(
            group.partition(":")[2] or group for group in entry.groups if group.partition(":")[0] == colour_by
        )
        for entry in info.config.evals
    ]
    return [[value for value in values if value], shown]


def _tooltip(against: Axis, score: Score) -> list[alt.Tooltip]:
    source = [alt.Tooltip("source:N", title="counted")] if against.kind == "parameters" else []
    return [
        alt.Tooltip("name:N", title="eval"),
        alt.Tooltip("y_text:N", title=score.label + (" [95%]" if score.lower else "")),
        alt.Tooltip("x_text:N", title=against.label),
        *source,
        alt.Tooltip("n:Q", title="n", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
    ]


def _names(
    data: pd.DataFrame, x: tuple[alt.X, Scale], y: tuple[alt.Y, Scale], *, dark: bool
) -> list[alt.Chart]:
    """Return the names of the points, right of them in the left half of the chart and left in the right."""
    chosen = list(named(data["x"].to_numpy(), data["y"].to_numpy()))
    shares, up = x[1].shares(data["x_dodged"].to_numpy())[chosen], y[1].shares(data["y"].to_numpy())[chosen]
    side = np.where(shares < 0.5, 1, -1)
    labels = data.iloc[chosen].assign(
        label_x=x[1].values(shares + 0.022 * side), label_y=y[1].values(apart(shares, up)), right=side > 0
    )
    colours = theme(dark)
    lines = (
        alt.Chart(labels)
        .mark_rule(color=colours.muted, strokeWidth=1, opacity=0.8, aria=False)
        .encode(x=x[0], x2="label_x:Q", y=y[0], y2="label_y:Q")
    )
    layers = [lines]
    for right in (True, False):
        part = labels[labels["right"] == right]
        if len(part):
            text = alt.Chart(part).mark_text(
                align="left" if right else "right",
                dx=3 if right else -3,
                color=colours.text,
                fontSize=13,
                limit=alt.ExprRef(f"max(110, width * {WIDEST - 0.03})"),
                aria=False,
            )
            at = _same_axis(x[0], "label_x:Q"), _same_axis(y[0], "label_y:Q")
            layers.append(text.encode(x=at[0], y=at[1], text="name:N"))
    return layers


def _same_axis(channel: Channel, field: str) -> Channel:
    """Return the channel for another column on the same axis."""
    other = channel.copy(deep=False)
    other["shorthand"] = field
    return other


def _currency(rows: pd.DataFrame) -> str:
    return ", ".join(sorted(rows["currency"].dropna().unique()))


def _footer(info: ModelInfo, rows: pd.DataFrame, against: Axis, score: Score) -> str:
    facts = [
        f"{len(rows)} of {len(info.rows)} evals",
        charts.n_text(rows["n"].min(), rows["n"].max()) + " completions",
    ]
    if score.lower is not None:
        facts.append(info.methods.sentence())
    if against.kind == "parameters":
        kinds = list(dict.fromkeys(rows["parameters_source"].map(SOURCE_WORDS).dropna()))
        facts.append(f"parameters {', '.join(kinds)}")
    if _counts_tokens(against, score) and rows["visible_tokens"].any():
        facts.append("visible tokens: hidden reasoning is not included")
    return charts.footer_text(info.config.name, *facts, version=__version__)


def _counts_tokens(against: Axis, score: Score) -> bool:
    return "token" in score.label or "cost" in score.label or against.kind == "money"
