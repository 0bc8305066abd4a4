"""The chart for a slide: models with intervals, best first, grouped by rank."""

import altair as alt
import pandas as pd

from core import __version__, charts
from core.palette import model_colour, theme
from core.tiers.scores.table import Leaderboard
from core.tiers.words import EM_DASH

ROW_HEIGHT, LOW_ROW_HEIGHT = 46, 30
MOST_HIGH_ROWS = 20
"""More evals than this have lower rows: the chart of 75 would be four screens long otherwise."""


def footer(leaderboard: Leaderboard) -> str:
    """Return dataset, n, interval method and version, as every image of the leaderboard has them."""
    rows = leaderboard.rows
    return charts.footer_text(
        leaderboard.config.name,
        f"{charts.n_text(rows['n'].min(), rows['n'].max())} completions of up to"
        f" {int(rows['n_items'].max()):,} items an eval",
        leaderboard.methods.sentence(),
        version=__version__,
    )


def interval_chart(leaderboard: Leaderboard, *, width: int = 960, dark: bool = False) -> alt.LayerChart:
    """Return the chart for a slide: plain scores with intervals, best first, banded by shared rank."""
    rows = leaderboard.rows
    crowded = len(rows) > MOST_HIGH_ROWS
    colours = theme(dark)
    shown = rows.assign(
        place=range(len(rows)),
        rank_text=[EM_DASH if pd.isna(rank) else f"{rank}" for rank in rows["rank"]],
        score_text=[f"{score:.0f}" for score in rows["plain_score"]],
    ).drop(columns=["groups"])
    names = list(shown["name"])
    y = alt.Y("name:N", sort=names, title=None, scale=alt.Scale(paddingInner=0.25))
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=names, range=[model_colour(e) for e in shown["eval_id"]]),
        legend=None,
    )
    tooltip = [
        alt.Tooltip("name:N", title="eval"),
        alt.Tooltip("rank_text:N", title="rank"),
        alt.Tooltip("plain_score:Q", title="plain score", format=".1f"),
        alt.Tooltip("plain_lower:Q", title="95% from", format=".1f"),
        alt.Tooltip("plain_upper:Q", title="95% to", format=".1f"),
        alt.Tooltip("n:Q", title="n", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
    ]
    shown["band"] = _bands(shown["rank_text"])
    shown["rank_label"] = [f"rank {rank}" if rank != EM_DASH else "not ranked" for rank in shown["rank_text"]]
    base = alt.Chart(shown).encode(y=y)
    low, high = shown["plain_lower"].min(), shown["plain_upper"].max()
    if pd.isna(low):
        low, high = 0.0, 1000.0
    room = 0.04 * (high - low)
    x = alt.X(
        "plain_lower:Q",
        title="plain score (0 to 1000)",
        scale=alt.Scale(domain=[max(0.0, low - room), high + room], nice=False, zero=False),
    )
    bands = (
        base.transform_filter("datum.band == 1")
        .mark_bar(color=colours.line, opacity=0.35, height=alt.RelativeBandSize(1.34))
        .encode(x=alt.value(0), x2=alt.value("width"))
    )
    intervals = base.mark_rule(strokeWidth=4, opacity=0.6).encode(
        x=x, x2="plain_upper:Q", color=colour, tooltip=tooltip
    )
    points = base.mark_point(size=80 if crowded else 150, filled=True).encode(
        x="plain_score:Q", color=colour, tooltip=tooltip
    )
    labels = base.mark_text(
        dy=-11 if crowded else -13, fontWeight="bold", color=colours.text, fontSize=13
    ).encode(x="plain_score:Q", text="score_text:N")
    # Beside the plot: inside, they would lie on the intervals of the best.
    ranks = base.mark_text(align="left", color=colours.muted, dx=6, fontSize=13).encode(
        x=alt.value("width"), text="rank_label:N"
    )
    return charts.finish(
        alt.LayerChart(layer=[bands, intervals, points, labels, ranks]),
        title="Plain score with 95% interval, grouped by shared rank",
        subtitle=leaderboard.filters.sentence(leaderboard.config),
        footer=footer(leaderboard),
        description=leaderboard.summary(),
        width=width,
        height=max(300, 190 + (LOW_ROW_HEIGHT if crowded else ROW_HEIGHT) * len(rows)),
        dark=dark,
    )


def _bands(ranks: pd.Series) -> list[int]:
    """Return 0 and 1 in turn, changing with the rank."""
    bands: list[int] = []
    for number, rank in enumerate(ranks):
        same = number > 0 and rank == ranks.iloc[number - 1]
        bands.append(0 if not number else bands[-1] if same else 1 - bands[-1])
    return bands
