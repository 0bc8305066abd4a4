"""The specification of both plots of a group, without data: it is the same for every group of a page.

The data are those of core.tiers.hazard.plot_data: named datasets, and parameters for what differs.
"""

from typing import Any

import altair as alt

from core import charts
from core.palette import OUTCOME_COLOURS, theme

CORRECT, INCORRECT = OUTCOME_COLOURS["correct"], OUTCOME_COLOURS["incorrect"]
TEXT_SIZE = charts.LABEL_SIZE - 1

_LINES, _HAZARDS = alt.NamedData("lines"), alt.NamedData("hazards")
_ROOM = "\u2002"
"""Ends the words at the right edge, where a browser's own font may be a little wider than measured."""


def _parameter(name: str) -> Any:
    return alt.ExprRef(name)


def _x(field: str, title: str | list[str], label: str) -> alt.X:
    scale = alt.Scale(domainMin=0, domainMax=_parameter("reach"), nice=False, padding=0, zero=False)
    axis = alt.Axis(values=_parameter("edges"), labelExpr=label, grid=False, labelOverlap=True)
    return alt.X(f"{field}:Q", title=title, scale=scale, axis=axis)


def incidence_plot(*, dark: bool) -> alt.LayerChart:
    """Return the shares stacked: correct from below, incorrect from above, in between who is still thinking.

    Since the three sum to 1, what is between the two boundaries needs no line of its own. A band around a
    boundary is its interval; ticks are completions that were cut off.
    """
    colours = theme(dark)
    x = _x(
        "end",
        ["completion tokens", "(below them: still thinking)"],
        "[format(datum.value, ','), waiting[datum.value]]",
    )
    y = alt.Y(
        "cif_correct:Q",
        title="share of completions",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format="%", tickCount=5),
    )
    base = alt.Chart(_LINES).encode(x=x)
    cut = alt.Chart(_LINES).transform_filter("datum.censored > 0").encode(x=x)
    aids = alt.Chart(alt.NamedData("aids")).encode(x=x)
    # Two lines of words above the plot, from the line to the side where there is room.
    lines = [
        aids.transform_filter(f"datum.line == {line} && datum.left == {str(left).lower()}")
        .mark_text(
            align="left" if left else "right", dy=-8 - 18 * line, baseline="bottom",
            color=colours.text, fontSize=TEXT_SIZE,
        )
        .encode(y=alt.datum(1), text="words:N")
        for line in (0, 1)
        for left in (True, False)
    ]  # fmt: skip
    layers = [
        base.mark_area(color=CORRECT, opacity=0.55).encode(y=y, y2=alt.datum(0)),
        base.mark_area(color=colours.line, opacity=0.6).encode(y="cif_correct:Q", y2="top:Q"),
        base.mark_area(color=INCORRECT, opacity=0.55).encode(y="top:Q", y2=alt.datum(1)),
        base.mark_area(color=CORRECT, opacity=0.35).encode(y="cif_correct_lower:Q", y2="cif_correct_upper:Q"),
        base.mark_area(color=INCORRECT, opacity=0.35).encode(y="top_lower:Q", y2="top_upper:Q"),
        base.mark_line(color=CORRECT).encode(y="cif_correct:Q"),
        base.mark_line(color=INCORRECT).encode(y="top:Q"),
        cut.mark_tick(
            color=OUTCOME_COLOURS["truncated"], orient="vertical", thickness=3, size=16, opacity=1
        ).encode(y="middle:Q"),
        aids.mark_rule(color=colours.text, strokeDash=[5, 4], strokeWidth=1.5),
        *lines,
        alt.Chart(alt.NamedData("ends"))
        .mark_text(align="left", dx=8, color=colours.text, fontSize=TEXT_SIZE)
        .encode(x=x, y="spot:Q", text="words:N"),
        # Invisible, and broad enough to be met by the mouse.
        base.mark_bar(opacity=0.001, width=14).encode(
            y=alt.datum(0), y2=alt.datum(1), tooltip=_incidence_tooltip()
        ),
    ]
    return alt.LayerChart(layer=layers)


def hazard_plot(bucket_size: int, *, dark: bool) -> alt.LayerChart:
    """Return the hazards of correct and incorrect per bucket, intervals beside each other.

    The axis ends with the intervals of the buckets that are not faded.
    """
    scale = alt.Scale(domainMin=0, domainMax=_parameter("highest"), nice=False, clamp=True)
    axis = alt.Axis(format="%", tickCount=4, title=["answered, of those", "still thinking"])
    layers: list[alt.Chart] = []
    for place, (name, colour) in enumerate((("correct", CORRECT), ("incorrect", INCORRECT))):
        base = (
            alt.Chart(_HAZARDS)
            .transform_filter("datum.at_risk > 0")
            .encode(
                x=_x(
                    f"at_{name}",
                    f"completion tokens, in buckets of {bucket_size:,}",
                    "format(datum.value, ',')",
                ),
                opacity=alt.condition("datum.few", alt.value(0.25), alt.value(0.9)),
                tooltip=_hazard_tooltip(),
            )
        )
        key = alt.Chart(alt.InlineData(values=[{"name": name}])).encode(
            x=alt.value("width"), y=alt.value(8 + 20 * place)
        )
        layers += [
            base.mark_rule(color=colour, strokeWidth=2).encode(
                y=alt.Y(f"hazard_{name}_lower:Q", scale=scale, axis=axis), y2=f"hazard_{name}_upper:Q"
            ),
            base.mark_point(color=colour, size=28).encode(
                y=alt.Y(f"hazard_{name}:Q", scale=scale, axis=axis)
            ),
            key.mark_point(color=colour, size=60, xOffset=11, aria=False),
            key.mark_text(
                text=f"{name}{_ROOM}", align="left", dx=18, color=theme(dark).text, fontSize=TEXT_SIZE
            ),
        ]
    return alt.LayerChart(layer=layers)


def _bounded(field: str, words: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip(f"{field}:Q", title=words, format=".1%"),
        alt.Tooltip(f"{field}_lower:Q", title="95% from", format=".1%"),
        alt.Tooltip(f"{field}_upper:Q", title="95% to", format=".1%"),
    ]


def _incidence_tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("end:Q", title="by tokens", format=","),
        *_bounded("cif_correct", "correct"),
        *_bounded("cif_incorrect", "incorrect"),
        *_bounded("survival", "still thinking"),
        alt.Tooltip("censored:Q", title="cut off since the point before", format=","),
    ]


def _hazard_tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("start:Q", title="more than tokens", format=","),
        alt.Tooltip("end:Q", title="up to", format=","),
        alt.Tooltip("at_risk:Q", title="at risk", format=","),
        alt.Tooltip("correct_n:Q", title="correct in it", format=","),
        *_bounded("hazard_correct", "hazard of correct"),
        alt.Tooltip("incorrect_n:Q", title="incorrect in it", format=","),
        *_bounded("hazard_incorrect", "hazard of incorrect"),
    ]
