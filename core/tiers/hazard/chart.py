"""The picture of one group: who has answered how by when, and how fast those still thinking answer."""

from dataclasses import replace
from functools import cache
from typing import Any

import altair as alt

from core import __version__, charts
from core.tiers.hazard.curves import Curves
from core.tiers.hazard.plot_data import plot_data
from core.tiers.hazard.plots import hazard_plot, incidence_plot
from core.tiers.hazard.table import Hazard
from core.tiers.hazard.words import aids_sentence, method_sentence, n_words

Spec = dict[str, Any]

INCIDENCE_HEIGHT, HAZARD_HEIGHT = 215, 110
"""Of the plots of an image in pixels."""

_AXES = 150
"""Pixels of an image's width that labels take on both sides."""


def group_chart(
    hazard: Hazard, curves: Curves, *, width: int = charts.WIDTH, dark: bool = False
) -> alt.VConcatChart:
    """Return the image of a group: incidences above, hazards below, on one axis of tokens."""
    room = width - 2 * charts.MARGIN - _AXES
    upper = incidence_plot(dark=dark).properties(width=room, height=INCIDENCE_HEIGHT)
    lower = hazard_plot(hazard.bucket_size, dark=dark).properties(width=room, height=HAZARD_HEIGHT)
    finished = charts.finish(
        alt.vconcat(upper, lower, spacing=14),
        title=title(curves),
        subtitle=hazard.filters.sentence(hazard.config),
        footer=footer(replace(hazard, curves=(curves,))),
        description=description(hazard, curves),
        width=width,
        dark=dark,
    )
    data = plot_data(curves, hazard.methods)
    finished["datasets"] = data.datasets
    finished["params"] = [
        alt.VariableParameter(name=name, value=value) for name, value in data.params.items()
    ]
    return finished


def screen_specs(hazard: Hazard, *, dark: bool = False) -> list[tuple[Spec, Spec]]:
    """Return both plots of each group as the screen shows them: one specification, and the data of each."""
    plots = _plots(hazard.bucket_size, dark)
    specs = []
    for curves in hazard.curves:
        data = plot_data(curves, hazard.methods)
        upper, lower = plots
        upper = {**upper, "description": description(hazard, curves)}
        lower = {**lower, "description": _hazard_description(hazard, curves)}
        specs.append((data.into(upper, "lines", "aids", "ends"), data.into(lower, "hazards")))
    return specs


@cache
def _plots(bucket_size: int, dark: bool) -> tuple[Spec, Spec]:
    # Altair takes a third of a second for them, and every group of every page has the same.
    plots = incidence_plot(dark=dark), hazard_plot(bucket_size, dark=dark)
    upper, lower = (charts.to_spec(charts.finish(plot, title="", dark=dark)) for plot in plots)
    return upper, lower


def _hazard_description(hazard: Hazard, curves: Curves) -> str:
    return (
        f"Hazards of {curves.group.title}: of those still thinking at the start of each bucket of"
        f" {hazard.bucket_size} tokens, the shares that answer correctly and incorrectly in it."
    )


def title(curves: Curves) -> str:
    """Return what an image shows."""
    return f"{curves.group.title}: when it answers, and whether rightly"


def footer(hazard: Hazard) -> str:
    """Return dataset, n, bucket, method and version."""
    n = [curves.n for curves in hazard.curves]
    facts = [curves.facts for curves in hazard.curves]
    repeated = any(curves.items is not None for curves in hazard.curves)
    return charts.footer_text(
        hazard.config.name,
        n_words(hazard.curves[0]) if len(n) == 1 else f"{charts.n_text(min(n), max(n))} completions a group",
        f"buckets of {hazard.bucket_size:,} tokens",
        method_sentence(hazard.methods, repeated=repeated),
        "visible tokens" if any(one.visible_tokens for one in facts) else "",
        "truncation unknown" if any(one.truncation_unknown for one in facts) else "",
        version=__version__,
    )


def description(hazard: Hazard, curves: Curves) -> str:
    """Return the alternative text."""
    last = {name: float(one.value[-1]) for name, one in curves.incidence.items()}
    return (
        f"{curves.group.title}. By {curves.reach:,} tokens {last['correct']:.0%} have answered correctly,"
        f" {last['incorrect']:.0%} incorrectly and {curves.survival.value[-1]:.0%} have not answered."
        f" {aids_sentence(curves, hazard.methods)}"
    )
