"""The chart of a comparison: what each eval has answered correctly by how many tokens."""

import altair as alt
import pandas as pd

from core import __version__, charts
from core.palette import model_colour, theme
from core.tiers.hazard.axis import tick_size, token_axis
from core.tiers.hazard.compare import Comparison
from core.tiers.hazard.lines import read_lines
from core.tiers.hazard.plot_data import line_columns
from core.tiers.hazard.words import method_sentence


def compare_chart(
    comparison: Comparison,
    wanted: int | None,
    *,
    width: int = charts.WIDTH,
    height: int = charts.HEIGHT,
    dark: bool = False,
) -> alt.LayerChart:
    """Return the share answered correctly over the tokens, a line with its interval for each eval.

    Parameters
    ----------
    wanted : int, optional
        Tokens at which the evals are compared, a dashed line; the largest that all reach where absent.
    """
    budget = comparison.budget(wanted)
    hazard = comparison.hazard
    names_of = hazard.config.eval_names
    names = [names_of[one] for one in comparison.evals]
    reach = max(curves.reach for curves in hazard.curves)
    frame = _frame(comparison, names, reach)
    colour = alt.Color(
        "name:N",
        title=None,
        scale=alt.Scale(domain=names, range=[model_colour(one) for one in comparison.evals]),
        legend=alt.Legend(
            orient="bottom", columns=1, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1
        ),
    )
    step = tick_size(reach, hazard.bucket_size)
    base = alt.Chart(frame).encode(x=token_axis(hazard.curves, reach, step), color=colour)
    top = float(frame["cif_correct_upper"].max())
    y = alt.Y(
        "cif_correct:Q",
        title="answered correctly by then",
        scale=alt.Scale(domain=[0, min(1, max(top * 1.05, 0.05))], nice=False),
        axis=alt.Axis(format="%", tickCount=5),
    )
    tooltip = [
        alt.Tooltip("name:N", title="eval"),
        alt.Tooltip("end:Q", title="by tokens", format=","),
        alt.Tooltip("cif_correct:Q", title="correct", format=".1%"),
        alt.Tooltip("cif_correct_lower:Q", title="95% from", format=".1%"),
        alt.Tooltip("cif_correct_upper:Q", title="95% to", format=".1%"),
        alt.Tooltip("n:Q", title="n", format=","),
    ]
    text = theme(dark).text
    at = alt.Chart(pd.DataFrame({"end": [min(budget, reach)]})).encode(x="end:Q")
    layers = [
        base.mark_area(opacity=0.16).encode(y="cif_correct_lower:Q", y2="cif_correct_upper:Q"),
        base.mark_line().encode(y=y),
        # Invisible, and large enough to be met by the mouse.
        base.mark_point(size=120, filled=True, opacity=0.001).encode(y=y, tooltip=tooltip),
        at.mark_rule(color=text, strokeDash=[5, 4], strokeWidth=1.5),
    ]
    n = [curves.n for curves in hazard.curves]
    clustered = any(curves.items is not None for curves in hazard.curves)
    return charts.finish(
        alt.LayerChart(layer=layers),
        title=f"{comparison.title}: correct answers by tokens spent",
        subtitle=hazard.filters.sentence(hazard.config),
        footer=charts.footer_text(
            hazard.config.name,
            f"{charts.n_text(min(n), max(n))} completions an eval",
            f"dashed: {budget:,} tokens",
            method_sentence(hazard.methods, repeated=clustered),
            version=__version__,
        ),
        description=compare_words(comparison, names),
        width=width,
        height=height + 40 * len(names),
        dark=dark,
    )


def compare_words(comparison: Comparison, names: list[str]) -> str:
    """Return the chart in words."""
    parts = [
        f"{name} reaches {curves.incidence['correct'].value[-1]:.0%} by {curves.reach:,} tokens"
        for name, curves in zip(names, comparison.hazard.curves, strict=True)
    ]
    return f"{comparison.title}, share answered correctly by tokens spent: {'; '.join(parts)}."


def _frame(comparison: Comparison, names: list[str], reach: int) -> pd.DataFrame:
    shown = ["end", "cif_correct", "cif_correct_lower", "cif_correct_upper"]
    parts = []
    for name, curves in zip(names, comparison.hazard.curves, strict=True):
        rows = pd.DataFrame(line_columns(read_lines(curves, comparison.hazard.methods)))[shown]
        start = pd.DataFrame([dict.fromkeys(shown, 0.0)])
        # Where all have answered, nothing changes any more.
        more = [rows.tail(1).assign(end=reach)] if curves.ended and curves.reach < reach else []
        parts.append(pd.concat([start, rows, *more], ignore_index=True).assign(name=name, n=curves.n))
    return pd.concat(parts, ignore_index=True)
