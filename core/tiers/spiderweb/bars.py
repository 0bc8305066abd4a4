"""The bars: the radar's numbers, exact, with error bars, and mean tokens as a second measure."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from core import charts
from core.palette import OUTCOME_COLOURS, model_colour, theme
from core.tiers.notes import TRUNCATION_TOLD
from core.tiers.spiderweb.table import Spiders
from core.tiers.spiderweb.words import eval_sentence, footer, subtitle
from core.tiers.tokens import token_text

ROW_HEIGHT = 24
_HEAD = 230

# Places on the x axis, in units of accuracy: tier names, bars from 0 to 1, values, then tokens.
_LEFT, _VALUES, _TOKENS, _TOKEN_ROOM = -0.26, 1.03, 1.4, 0.6


def bar_chart(
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
    """Return the bars of one eval: under each task one per tier (or one for the pool).

    Parameters
    ----------
    small : bool
        One panel of several: no subtitle and footer, which the page has once.

    Raises
    ------
    FilterError
        The eval has no cells.
    """
    cells = spiders.of(eval_id)
    rows = _rows(spiders, cells, rings, tasks)
    return charts.finish(
        _layers(spiders, rows, eval_id, dark),
        title=spiders.name(eval_id) if small else f"{spiders.name(eval_id)}: accuracy and tokens per task",
        subtitle="" if small else subtitle(spiders, [eval_id], radar=False),
        footer="" if small else footer(spiders, cells),
        description=eval_sentence(spiders, eval_id),
        width=width,
        height=max(height, _HEAD + ROW_HEIGHT * len(rows)),
        dark=dark,
    )


def screen_height(spiders: Spiders, *, rings: str, tasks: Sequence[str] = ()) -> int:
    """Return the pixels that the bars take on screen, where title and footer are page text."""
    shown = len(tasks) if tasks else len(spiders.tasks)
    return ROW_HEIGHT * shown * (1 + len(spiders.rings(rings)))


def _rows(spiders: Spiders, cells: pd.DataFrame, rings: str, tasks: Sequence[str]) -> pd.DataFrame:
    """Return a row for each task's name and one for each of its bars, with its place from the top."""
    fields = (
        "accuracy", "lower", "upper", "n", "n_items", "truncated_ratio", "mean_tokens", "tokens_lower",
        "tokens_upper",
    )  # fmt: skip
    known: dict[Any, dict[str, Any]] = {
        (row["task"], row["tier"]): {str(name): value for name, value in row.items()}
        for row in cells.to_dict(orient="records")
    }
    drawn = spiders.rings(rings)
    rows: list[dict[str, Any]] = []
    for task in spiders.tasks:
        if tasks and task not in tasks:
            continue
        label = spiders.config.task_label(task)
        pool = known.get((task, None))
        cut = pool is not None and pool["truncated_ratio"] > TRUNCATION_TOLD
        rows.append(
            {"place": len(rows), "task": label, "head": label,
             "told": f"{pool['truncated_ratio']:.0%} truncated" if pool is not None and cut else ""}
        )  # fmt: skip
        for tier in drawn:
            cell = known.get((task, tier), {})
            row: dict[str, Any] = {field: cell.get(field, float("nan")) for field in fields}
            row |= {
                "place": len(rows),
                "task": label,
                "tier": spiders.tier_label(tier) if len(drawn) > 1 else "",
                "value": _value(cell),
                "tokens": token_text(row["mean_tokens"]) if cell else "",
            }
            rows.append(row)
    frame = pd.DataFrame(rows, columns=["place", "task", "head", "told", "tier", "value", "tokens", *fields])
    ends = frame["tokens_upper"].fillna(frame["mean_tokens"])
    # Responses of no tokens at all have bars of no length.
    per_token = _TOKEN_ROOM / ends.max() if ends.max() > 0 else 0.0
    frame["tokens_from"] = _TOKENS
    frame["tokens_to"] = _TOKENS + per_token * frame["mean_tokens"]
    frame["tokens_low"] = _TOKENS + per_token * frame["tokens_lower"]
    frame["tokens_end"] = _TOKENS + per_token * ends
    for text in ("head", "told", "tier", "value", "tokens"):
        frame[text] = frame[text].astype(object).where(frame[text].notna(), "")
    frame["marked"] = frame["truncated_ratio"] > TRUNCATION_TOLD
    return frame


def _value(cell: dict[str, Any]) -> str:
    if not cell:
        return "no points"
    return "none counted" if pd.isna(cell["accuracy"]) else f"{cell['accuracy']:.3f}"


def _layers(spiders: Spiders, rows: pd.DataFrame, eval_id: int, dark: bool) -> alt.LayerChart:
    colours = theme(dark)
    with_tokens = bool(rows["mean_tokens"].notna().any())
    right = _TOKENS + _TOKEN_ROOM + 0.22 if with_tokens else _VALUES + 0.25
    left = _LEFT if (rows["tier"] != "").any() else 0.0
    scale = alt.Scale(domain=[left, right], nice=False, zero=False)
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], titleAnchor="start", format=".2~f")

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title="accuracy, guess-corrected", scale=scale, axis=axis)

    y = alt.Y("place:O", axis=None, scale=alt.Scale(padding=0.12))
    tooltip = [
        alt.Tooltip("task:N"),
        alt.Tooltip("tier:N"),
        alt.Tooltip("accuracy:Q", format=".3f"),
        alt.Tooltip("lower:Q", title="95% from", format=".3f"),
        alt.Tooltip("upper:Q", title="95% to", format=".3f"),
        alt.Tooltip("n:Q", format=","),
        alt.Tooltip("n_items:Q", title="items", format=","),
        alt.Tooltip("truncated_ratio:Q", title="truncated", format=".1%"),
        alt.Tooltip("mean_tokens:Q", title="mean tokens", format=",.1f"),
        alt.Tooltip("tokens_lower:Q", title="tokens 95% from", format=",.1f"),
        alt.Tooltip("tokens_upper:Q", title="tokens 95% to", format=",.1f"),
    ]
    base = alt.Chart(rows.assign(zero=0.0, values_at=_VALUES, name_at=-0.03)).encode(y=y)
    size = 13
    layers = [
        base.mark_bar(color=model_colour(eval_id), opacity=0.75).encode(
            x=x("zero"), x2="accuracy:Q", tooltip=tooltip
        ),
        base.mark_rule(color=colours.text, strokeWidth=2).encode(x=x("lower"), x2="upper:Q", tooltip=tooltip),
        base.transform_filter("datum.marked && isValid(datum.accuracy)")
        .mark_point(size=150, filled=False, strokeWidth=2, color=OUTCOME_COLOURS["truncated"])
        .encode(x=x("accuracy"), tooltip=tooltip),
        base.mark_text(align="left", fontSize=size + 1, fontWeight="bold", yOffset=3).encode(
            x=alt.value(0), text="head:N"
        ),
        base.mark_text(align="left", fontSize=size, yOffset=3, color=colours.muted).encode(
            x=x("values_at"), text="told:N"
        ),
        base.mark_text(align="right", fontSize=size, color=colours.text).encode(
            x=x("name_at"), text="tier:N"
        ),
        base.mark_text(align="left", fontSize=size, color=colours.text).encode(
            x=x("values_at"), text="value:N"
        ),
    ]
    if with_tokens:
        heading = pd.DataFrame({"at": [_TOKENS], "text": [_token_title(spiders)]})
        layers += [
            base.mark_bar(color=colours.muted, opacity=0.6).encode(
                x=x("tokens_from"), x2="tokens_to:Q", tooltip=tooltip
            ),
            base.mark_rule(color=colours.text, strokeWidth=2).encode(
                x=x("tokens_low"), x2="tokens_end:Q", tooltip=tooltip
            ),
            base.mark_text(align="left", dx=4, fontSize=size, color=colours.text).encode(
                x=x("tokens_end"), text="tokens:N"
            ),
            alt.Chart(heading)
            .mark_text(align="left", dy=-8, fontSize=size, color=colours.muted)
            .encode(x=x("at"), y=alt.value(0), text="text:N"),
        ]
    chart: alt.LayerChart = alt.LayerChart(layer=layers)
    return chart


def _token_title(spiders: Spiders) -> str:
    return "mean visible tokens" if spiders.visible_tokens else "mean tokens"
