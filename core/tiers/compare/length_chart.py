"""Accuracy by length of response as a chart and in words."""

import altair as alt
import pandas as pd

from core import __version__, charts
from core.export import plain
from core.palette import model_colour, model_shape
from core.tiers.compare.items import RULE_NAMES
from core.tiers.compare.lengths import PARTS, Lengths
from core.tiers.compare.words import filter_words, span

HEIGHT = 320
PART_NAMES = ("shortest", *map(str, range(2, PARTS)), "longest")


def length_sentence(lengths: Lengths) -> str:
    """Return whether each eval is more often right where it writes more."""
    names = lengths.config.eval_names
    told = []
    for gap in lengths.gaps.to_dict(orient="records"):
        name = names[int(gap["eval_id"])]
        if pd.isna(gap["difference"]):
            told.append(f"{name} has too few different lengths to tell")
            continue
        interval = f"95% interval {span(gap['lower'], gap['upper'], 'accuracy')}"
        points = f"{abs(100 * gap['difference']):.1f} percentage points"
        if gap["lower"] <= 0 <= gap["upper"]:
            told.append(f"no difference is established for {name} ({interval})")
        else:
            way = "higher" if gap["difference"] > 0 else "lower"
            told.append(f"{name} is {points} {way} ({interval})")
    if not told:
        return "No completion on the common items has a token count, so lengths cannot be compared."
    return f"Accuracy in the longest fifth of responses against the shortest: {'; '.join(told)}."


def length_chart(lengths: Lengths, *, width: int = charts.WIDTH, dark: bool = False) -> alt.LayerChart:
    """Return accuracy by fifth of response length, a line per eval, as a finished chart."""
    names = lengths.config.eval_names
    evals = list(dict.fromkeys(lengths.cells["eval_id"]))
    rows = lengths.cells.assign(
        eval=[names[int(one)] for one in lengths.cells["eval_id"]],
        fifth=[PART_NAMES[int(part) - 1] for part in lengths.cells["part"]],
    )
    shown = [names[int(one)] for one in evals]
    legend = alt.Legend(title=None, orient="bottom", columns=1, labelLimit=600, symbolOpacity=1)
    colour = alt.Color(
        "eval:N",
        scale=alt.Scale(domain=shown, range=[model_colour(int(one)) for one in evals]),
        legend=legend,
    )
    shape = alt.Shape(
        "eval:N", scale=alt.Scale(domain=shown, range=[model_shape(int(one)) for one in evals]), legend=legend
    )
    x = alt.X(
        "fifth:N", sort=list(PART_NAMES), title="fifth of responses by tokens", axis=alt.Axis(labelAngle=0)
    )
    side = alt.XOffset("eval:N", sort=shown, scale=alt.Scale(paddingOuter=0.6))
    tooltip = [
        alt.Tooltip("eval:N"),
        alt.Tooltip("fifth:N", title="fifth"),
        alt.Tooltip("accuracy:Q", format=".3f"),
        alt.Tooltip("lower:Q", title="95% from", format=".3f"),
        alt.Tooltip("upper:Q", title="95% to", format=".3f"),
        alt.Tooltip("n:Q", title="n", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
        alt.Tooltip("tokens:Q", title="mean tokens", format=",.0f"),
        alt.Tooltip("tokens_from:Q", title="tokens from", format=","),
        alt.Tooltip("tokens_to:Q", title="tokens to", format=","),
    ]
    base = alt.Chart().encode(x=x, xOffset=side, color=colour, tooltip=tooltip)
    y_scale = alt.Scale(zero=False, nice=True)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", title="raw accuracy", scale=y_scale)

    layers = [
        base.mark_rule(strokeWidth=4, opacity=0.5).encode(y=y("lower"), y2=alt.Y2("upper:Q")),
        base.mark_line(strokeWidth=1.5, opacity=0.7).encode(y=y("accuracy")),
        base.mark_point(size=110).encode(y=y("accuracy"), shape=shape),
    ]
    within = "task and tier" if lengths.by_tier else "task"
    words = filter_words(lengths.filters, lengths.config)
    n = lengths.cells["n"].round()
    chart: alt.LayerChart = charts.finish(
        alt.LayerChart(data=alt.InlineData(values=plain(rows)), layer=layers),
        title=f"Accuracy by length of response, fifths within {within}",
        subtitle=f"{words} · truncated completions {RULE_NAMES[lengths.rule]}",
        footer=charts.footer_text(
            lengths.config.name,
            charts.n_text(n.min(), n.max()) + " a point" if len(n) else "",
            lengths.methods.sentence(),
            version=__version__,
        ),
        description=f"{length_sentence(lengths)} A line per eval: {', '.join(shown)}.",
        width=width,
        height=HEIGHT + 220,
        dark=dark,
    )
    return chart
