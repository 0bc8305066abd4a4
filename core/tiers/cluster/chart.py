"""Clusters as charts: evals as horizontal intervals, maximal cliques as bands that may share members."""

import math
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from core import __version__, charts
from core.palette import model_colour, theme
from core.tiers.cluster.table import RULE_NAMES, Clusters, Section
from core.tiers.cluster.words import section_sentence

PAGE_ROWS = 25
"""Evals per chart: more go on further pages, so that rows never shrink."""
MOST_LANES = 12
"""Bands per chart; the table has all cliques."""
ROW_HEIGHT = 44
"""Room for a name over its interval: beside it, long names would leave a narrow screen no plot."""
_HEAD = 190
_LANE, _GAP, _TOKENS = 0.055, 0.05, 0.17
"""Widths of a band, of the gap before the bands and of the token column, as shares of the accuracy axis."""


def pages(section: Section) -> int:
    """Return how many charts a section takes."""
    return max(1, math.ceil(len(section.members) / PAGE_ROWS))


def screen_height(section: Section, page: int = 0) -> int:
    """Return the pixels that a page of a section takes on screen, where title and footer are page text."""
    rows = len(section.members.iloc[page * PAGE_ROWS : (page + 1) * PAGE_ROWS])
    return ROW_HEIGHT * rows + 110


def section_chart(
    clusters: Clusters, section: Section, *, page: int = 0, width: int = charts.WIDTH, dark: bool = False
) -> alt.LayerChart:
    """Return one section, or one page of its evals, as a finished chart."""
    plan = plan_of(section, page)
    subtitle = [clusters.filters.sentence(clusters.config), _key(clusters, section, plan)]
    return charts.finish(
        panel(plan, clusters, dark=dark),
        title=f"{_title(clusters, section)}{page_words(section, page)}",
        subtitle=" · ".join(subtitle),
        footer=footer(clusters, [section]),
        description=f"{_title(clusters, section)}. {section_sentence(section)}",
        width=width,
        height=_HEAD + 60 + ROW_HEIGHT * (len(plan.rows) + 1),
        dark=dark,
    )


@dataclass(frozen=True)
class Plan:
    """What a chart shows: rows of evals, bands of cliques, and where they stand on the x axis.

    `rows` has one row per eval, `bands` one per band and member, `links` one per band with a gap.
    """

    rows: pd.DataFrame
    bands: pd.DataFrame
    links: pd.DataFrame
    ticks: list[float]
    low: float
    high: float
    right: float
    lanes_hidden: int


def plan_of(section: Section, page: int) -> Plan:
    """Return what a page of a section shows."""
    rows = section.members.iloc[page * PAGE_ROWS : (page + 1) * PAGE_ROWS].reset_index(drop=True)
    low, high, ticks = _axis(rows)
    span = high - low
    shown = {int(eval_id): str(name) for eval_id, name in zip(rows["eval_id"], rows["name"], strict=True)}
    bands: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    lane = hidden = 0
    for letter, clique in zip(section.groups["clique"], section.cliques, strict=True):
        members = [shown[eval_id] for eval_id in clique if eval_id in shown]
        if len(clique) < 2 or not members:
            continue
        if lane == MOST_LANES:
            hidden += 1
            continue
        x0 = high + span * (_GAP + lane * _LANE)
        x1 = x0 + span * _LANE * 0.78
        words = f"{len(clique)} evals"
        bands += [
            {"name": name, "x0": x0, "x1": x1, "middle": (x0 + x1) / 2, "clique": letter, "size": words}
            for name in members
        ]
        links.append({"first": members[0], "last": members[-1], "middle": (x0 + x1) / 2})
        lane += 1
    right = high + span * (_GAP + lane * _LANE + (_TOKENS if rows["mean_tokens"].notna().any() else 0))
    return Plan(
        rows=rows,
        bands=pd.DataFrame(bands, columns=["name", "x0", "x1", "middle", "clique", "size"]),
        links=pd.DataFrame(links, columns=["first", "last", "middle"]),
        ticks=ticks,
        low=low,
        high=high,
        right=right,
        lanes_hidden=hidden,
    )


def _axis(rows: pd.DataFrame) -> tuple[float, float, list[float]]:
    """Return the ends of the accuracy axis and its ticks, on round numbers around the intervals."""
    known = rows.dropna(subset=["lower"])
    lowest, highest = (known["lower"].min(), known["upper"].max()) if len(known) else (0.0, 1.0)
    step = next(one for one in (0.01, 0.02, 0.05, 0.1, 0.2) if (highest - lowest) / one <= 6)
    low = max(0.0, math.floor(lowest / step + 1e-9) * step)
    high = min(1.0, math.ceil(highest / step - 1e-9) * step)
    high = max(high, low + step)
    count = round((high - low) / step)
    return low, high, [round(low + step * number, 4) for number in range(count + 1)]


def panel(plan: Plan, clusters: Clusters, *, dark: bool) -> alt.LayerChart:
    """Return the chart of a plan, without title and size."""
    colours = theme(dark)
    rows = plan.rows.assign(
        tokens_text=["" if pd.isna(mean) else f"{mean:,.0f}" for mean in plan.rows["mean_tokens"]]
    )
    names = list(rows["name"])
    y = alt.Y("name:N", sort=names, scale=alt.Scale(domain=names, paddingInner=0.2), axis=None)
    x_scale = alt.Scale(domain=[plan.low, plan.right], nice=False, zero=False)
    x_axis = alt.Axis(values=plan.ticks, titleAnchor="start", format=".2~f")

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title="accuracy, guess-corrected", scale=x_scale, axis=x_axis)

    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=names, range=[model_colour(int(one)) for one in rows["eval_id"]]),
        legend=None,
    )
    tooltip = [
        alt.Tooltip("name:N", title="eval"),
        alt.Tooltip("center:Q", format=".3f"),
        alt.Tooltip("lower:Q", title="95% from", format=".3f"),
        alt.Tooltip("upper:Q", title="95% to", format=".3f"),
        alt.Tooltip("cliques:N"),
        alt.Tooltip("n:Q", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
        alt.Tooltip("mean_tokens:Q", title="mean tokens", format=",.0f"),
    ]
    base = alt.Chart(rows).encode(y=y)
    bands = alt.Chart(plan.bands)
    words = ["clique:N", alt.Tooltip("size:N"), alt.Tooltip("name:N", title="eval")]
    layers = [
        # Band-wide bars touch, so that neighbours in a clique make one band.
        bands.mark_bar(color=colours.muted, height=alt.RelativeBandSize(1.26)).encode(
            x=x("x0"), x2="x1:Q", y=y, tooltip=words
        ),
        bands.mark_text(color=colours.background, fontSize=13, fontWeight="bold").encode(
            x=x("middle"), y=y, text="clique:N", tooltip=words
        ),
        base.mark_text(
            align="left",
            dx=4,
            yOffset=-9,
            fontSize=14,
            color=colours.text,
            limit=alt.expr(f"width * {(plan.high - plan.low) / (plan.right - plan.low):.3f}"),
        ).encode(x=alt.value(0), text="name:N", tooltip=tooltip),
        base.mark_rule(strokeWidth=5, opacity=0.55, yOffset=9).encode(
            x=x("lower"), x2="upper:Q", color=colour, tooltip=tooltip
        ),
        base.mark_point(size=110, yOffset=9).encode(x=x("center"), color=colour, tooltip=tooltip),
    ]
    if len(plan.links):
        links = alt.Chart(plan.links).mark_rule(color=colours.muted, strokeWidth=2)
        layers.insert(0, links.encode(x=x("middle"), y=alt.Y("first:N", sort=names, axis=None), y2="last:N"))
    if rows["mean_tokens"].notna().any():
        heading = "visible tokens" if clusters.visible_tokens else "mean tokens"
        layers += [
            base.mark_text(align="right", color=colours.text, fontSize=13).encode(
                x=alt.value("width"), text="tokens_text:N"
            ),
            alt.Chart(pd.DataFrame({"text": [heading]}))
            .mark_text(align="right", color=colours.muted, fontSize=13, dy=-9)
            .encode(x=alt.value("width"), y=alt.value(0), text="text:N"),
        ]
    chart: alt.LayerChart = alt.LayerChart(layer=layers)
    return chart


def _title(clusters: Clusters, section: Section) -> str:
    return f"{section.label}: evals that are not separated ({RULE_NAMES[clusters.rule]})"


def page_words(section: Section, page: int) -> str:
    """Return which evals a page has, in words, where there are several pages."""
    total = len(section.members)
    if total <= PAGE_ROWS:
        return ""
    return f", evals {page * PAGE_ROWS + 1} to {min(total, (page + 1) * PAGE_ROWS)} of {total}"


def legend(clusters: Clusters) -> str:
    """Return how to read the bands."""
    linked = (
        "whose intervals all overlap"
        if clusters.rule == "overlap"
        else "of which no two differ significantly on common items (5%, Holm)"
    )
    return f"a lettered band is a largest group of evals {linked}; an eval without a band stands alone"


def _key(clusters: Clusters, section: Section, plan: Plan) -> str:
    text = legend(clusters)
    if plan.lanes_hidden:
        text += f"; {plan.lanes_hidden:,} more cliques are in the table"
    if not section.complete:
        text += "; the search for cliques stopped at its cap"
    return text


def footer(clusters: Clusters, sections: list[Section]) -> str:
    """Return dataset, n, rule with its m, interval method and version."""
    n = pd.concat([section.members["n"] for section in sections])
    m = [section.m for section in sections]
    return charts.footer_text(
        clusters.config.name,
        f"{charts.n_text(n.min(), n.max())} an eval",
        f"{RULE_NAMES[clusters.rule]}, m = {charts.span_text(min(m), max(m))} pairs",
        clusters.methods.sentence(),
        version=__version__,
    )
