"""The radar: accuracy per task as rings with interval bands, one eval by tier, or up to five evals."""

from collections.abc import Sequence

import altair as alt

from core import charts
from core.errors import FilterError
from core.palette import OUTCOME_COLOURS, model_colour, model_shape, theme
from core.tiers.spiderweb import geometry
from core.tiers.spiderweb.geometry import Cells, Ring, cells_of
from core.tiers.spiderweb.table import (
    FEWEST_SPOKES,
    MOST_OVERLAID,
    MOST_SPOKES,
    Spiders,
)
from core.tiers.spiderweb.words import eval_sentence, footer, overlay_sentence, subtitle

DASHES = ([1, 0], [7, 4], [2, 3], [10, 3, 2, 3])
"""Line patterns of tiers, in their order: the colour is the eval's."""
RING_SHAPES = ("circle", "square", "diamond", "triangle-up")
_DOMAIN = 1.22
# Beside the rim there must be room for the labels, on a narrow screen too.
_SQUARE = f"min(height, {_DOMAIN} * (width - (width < 480 ? 120 : 160)))"


def check_spokes(spiders: Spiders, tasks: Sequence[str]) -> tuple[str, ...]:
    """Return the tasks that a radar has as spokes, in display order; none given means all.

    Raises
    ------
    FilterError
        A task is not in the selection, or a radar cannot be drawn of so few or so many.
    """
    unknown = [task for task in tasks if task not in spiders.tasks]
    if unknown:
        raise FilterError(f"No task {unknown[0]!r} in this selection; valid: {', '.join(spiders.tasks)}")
    spokes = tuple(task for task in spiders.tasks if not tasks or task in tasks)
    if not FEWEST_SPOKES <= len(spokes) <= MOST_SPOKES:
        raise FilterError(
            f"A radar takes {FEWEST_SPOKES} to {MOST_SPOKES} tasks, not {len(spokes)}; choose tasks, or take"
            " bars (--format barpng)"
        )
    return spokes


def check_overlay(spiders: Spiders, evals: Sequence[int], tasks: Sequence[str]) -> tuple[str, ...]:
    """Return the spokes of an overlay; see `check_spokes`. Raises FilterError for too many evals too."""
    if not 1 <= len(evals) <= MOST_OVERLAID:
        raise FilterError(
            f"An overlay takes 1 to {MOST_OVERLAID} evals, not {len(evals)}; filter by eval_id or groups"
        )
    return check_spokes(spiders, tasks)


def radar_chart(
    spiders: Spiders,
    eval_id: int,
    *,
    rings: str = "tier",
    tasks: Sequence[str] = (),
    width: int = 1000,
    height: int = 700,
    small: bool = False,
    dark: bool = False,
) -> alt.LayerChart:
    """Return the radar of one eval, a ring per tier (or one for the pool).

    Parameters
    ----------
    small : bool
        One panel of several: small type, and no subtitle and footer, which the page has once.

    Raises
    ------
    FilterError
        The eval has no cells, or the tasks do not make a radar.
    """
    spokes = check_spokes(spiders, tasks)
    cells = spiders.of(eval_id)
    drawn = [
        Ring(
            spiders.tier_label(tier),
            cells_of(cells, tier),
            model_colour(eval_id),
            DASHES[place % len(DASHES)],
            RING_SHAPES[place % len(RING_SHAPES)],
        )
        for place, tier in enumerate(spiders.rings(rings))
    ]
    return charts.finish(
        _layers(spiders, drawn, spokes, cells_of(cells, None), legend="tier", small=small, dark=dark),
        title=spiders.name(eval_id) if small else f"{spiders.name(eval_id)}: accuracy per task",
        subtitle="" if small else subtitle(spiders, [eval_id]),
        footer="" if small else footer(spiders, cells),
        description=eval_sentence(spiders, eval_id),
        width=width,
        height=height,
        dark=dark,
    )


def overlay_chart(
    spiders: Spiders,
    evals: Sequence[int],
    *,
    tasks: Sequence[str] = (),
    width: int = 1000,
    height: int = 700,
    dark: bool = False,
) -> alt.LayerChart:
    """Return up to five evals on one radar, each pooled over tiers.

    Raises
    ------
    FilterError
        As `radar_chart`, or there are too many evals.
    """
    spokes = check_overlay(spiders, evals, tasks)
    drawn = [
        Ring(spiders.name(one), cells_of(spiders.of(one), None), model_colour(one), [1, 0], model_shape(one))
        for one in evals
    ]
    cells = spiders.cells[spiders.cells["eval_id"].isin(evals)]
    return charts.finish(
        _layers(spiders, drawn, spokes, None, legend="eval", small=False, dark=dark),
        title=f"{len(evals)} evals: accuracy per task"
        if len(evals) > 1
        else f"{drawn[0].name}: accuracy per task",
        subtitle=subtitle(spiders, evals),
        footer=footer(spiders, cells),
        description=overlay_sentence(spiders, evals),
        width=width,
        height=height,
        dark=dark,
    )


def _layers(
    spiders: Spiders,
    drawn: list[Ring],
    spokes: tuple[str, ...],
    pooled: Cells | None,
    *,
    legend: str,
    small: bool,
    dark: bool,
) -> alt.LayerChart:
    colours = theme(dark)
    x = alt.X("x:Q", axis=None, scale=_scale("width", "+"))
    y = alt.Y("y:Q", axis=None, scale=_scale("height", "-"))
    # Channels, not their shorthand: Altair takes milliseconds to tell what each shorthand is.
    run, order, text = alt.Detail("run:N"), alt.Order("order:Q"), alt.Text("text:N")
    names = [ring.name for ring in drawn]
    several = len(drawn) > 1
    key = alt.Legend(orient="bottom", title=None, columns=2 if legend == "eval" else len(drawn),
                     symbolStrokeWidth=2.5)  # fmt: skip
    colour = alt.Color(
        "ring:N",
        sort=names,
        scale=alt.Scale(domain=names, range=[ring.colour for ring in drawn]),
        legend=key if several else None,
    )
    fill = alt.Fill(
        "ring:N",
        scale=alt.Scale(domain=names, range=[ring.colour for ring in drawn]),
        legend=None,
    )
    shape = alt.Shape(
        "ring:N",
        sort=names,
        scale=alt.Scale(domain=names, range=[ring.shape for ring in drawn]),
        legend=key if several else None,
    )
    tooltip = [
        alt.Tooltip("task:N"),
        alt.Tooltip("ring:N", title=legend),
        alt.Tooltip("accuracy:Q", format=".3f"),
        alt.Tooltip("lower:Q", title="95% from", format=".3f"),
        alt.Tooltip("upper:Q", title="95% to", format=".3f"),
        alt.Tooltip("n:Q", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
        alt.Tooltip("truncated_ratio:Q", title="truncated", format=".1%"),
    ]
    labels = geometry.labels(spiders, spokes, pooled, small)
    points = alt.Chart(geometry.points(spiders, drawn, spokes))
    size = 11 if small else charts.LABEL_SIZE
    narrow = alt.expr(f"width < 480 ? 11 : {size}")
    layers: list[alt.Chart] = [
        alt.Chart(geometry.grid(spokes))
        .mark_line(color=colours.line, strokeWidth=1)
        .encode(x=x, y=y, detail=alt.Detail("line:N"), order=order),
        alt.Chart(geometry.bands(drawn, spokes))
        .mark_line(strokeWidth=0, fillOpacity=0.16)
        .encode(x=x, y=y, detail=run, order=order, fill=fill),
        # As expressions, since a pattern that is a channel would fray the symbols of the legend.
        alt.Chart(geometry.lines(drawn, spokes))
        .mark_line(
            color=alt.expr("datum.colour"),
            strokeDash=alt.expr("datum.dash"),
            strokeWidth=2 if small else 2.5,
        )
        .encode(x=x, y=y, detail=run, order=order),
        points.transform_filter("datum.marked")
        .mark_point(
            size=120 if small else 190, filled=False, strokeWidth=2, color=OUTCOME_COLOURS["truncated"]
        )
        .encode(x=x, y=y, tooltip=tooltip),
        points.mark_point(size=40 if small else 80).encode(
            x=x, y=y, color=colour, shape=shape, tooltip=tooltip
        ),
        alt.Chart(geometry.scale_labels())
        .mark_text(color=colours.muted, fontSize=narrow, align="left", dx=4, dy=-2)
        .encode(x=x, y=y, text=text),
    ]
    words = [alt.Tooltip("task:N"), alt.Tooltip("told:N", title="truncated")]
    layers.append(
        alt.Chart(labels)
        .mark_text(
            align=alt.expr("datum.align"), baseline=alt.expr("datum.baseline"), lineBreak="\n",
            fontSize=narrow, lineHeight=alt.expr(f"width < 480 ? 13 : {size * 1.2}"), color=colours.text,
        )
        .encode(x=x, y=y, text=text, tooltip=words)
    )  # fmt: skip
    chart: alt.LayerChart = alt.LayerChart(layer=layers, resolve=alt.Resolve(scale={"fill": "independent"}))
    return chart


def _scale(side: str, sign: str) -> alt.Scale:
    """Return a scale of one side on which the radar stays round, whatever the shape of the plot."""
    other = "-" if sign == "+" else "+"
    ends = [alt.ExprRef(expr=f"{side} / 2 {one} {_SQUARE} / 2") for one in (other, sign)]
    return alt.Scale(domain=[-_DOMAIN, _DOMAIN], range=ends, nice=False, zero=False)
