"""The leaderboard as a picture: scores, then a cell per task shaded by accuracy."""

from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from core import charts
from core.palette import accuracy_colour, text_on, theme
from core.tiers.scores.chart import footer
from core.tiers.scores.document import cell_columns
from core.tiers.scores.table import Leaderboard, cell_text
from core.tiers.words import EM_DASH, number

ROW_HEIGHT = 34
HEAD_HEIGHT = 50
BLOCK_GAP = 26
PAD = 8
LINE = 16
LETTER = 7.2
"""Width of a letter in pixels at the size of the cells, on the wide side."""


Placed = dict[str, Any]
"""A text with its place in pixels."""


@dataclass(frozen=True)
class _Column:
    """A column of text cells; fills are "" where a cell is not shaded."""

    heading: str
    texts: list[str]
    fills: list[str]

    @property
    def width(self) -> float:
        words = [len(line) for line in self.heading.split("\n")] + [len(text) for text in self.texts]
        return max(words) * LETTER + 2 * PAD


def leaderboard_image(
    leaderboard: Leaderboard, *, by_tier: bool = False, width: int = 1400, dark: bool = False
) -> alt.LayerChart:
    """Return the leaderboard as a picture: scores, then a cell per task shaded by accuracy.

    Columns that do not fit in the width continue in blocks beneath, the evals repeated.
    """
    heading, body = _placed(leaderboard, by_tier=by_tier, room=width - 2 * charts.MARGIN, dark=dark)
    bottom = max(cell["y1"] for cell in body)
    right = max(width - 2 * charts.MARGIN, *(cell["x1"] for cell in body))

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", axis=None, scale=alt.Scale(domain=[0, right], nice=False))

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", axis=None, scale=alt.Scale(domain=[bottom, 0], nice=False))

    cells = alt.Chart(pd.DataFrame(body))
    shaded = cells.transform_filter("datum.fill != ''").mark_rect(
        stroke=theme(dark).background, strokeWidth=2
    )
    texts = cells.mark_text(align="left", baseline="middle", fontSize=14)
    heads = alt.Chart(pd.DataFrame(heading)).mark_text(
        align="left",
        baseline="bottom",
        fontSize=13,
        fontWeight="bold",
        lineBreak="\n",
        lineHeight=LINE,
        color=theme(dark).text,
    )
    chart: alt.LayerChart = alt.LayerChart(
        layer=[
            shaded.encode(x=x("x0"), x2="x1:Q", y=y("y0"), y2="y1:Q", color=alt.Color("fill:N", scale=None)),
            texts.encode(x=x("text_x"), y=y("middle"), text="text:N", color=alt.Color("ink:N", scale=None)),
            heads.encode(x=x("text_x"), y=y("y1"), text="text:N"),
        ]
    ).resolve_scale(color="independent")
    key = "cells: .center - .upper of the 95% interval, [-.share truncated] above 2%; shaded by accuracy"
    return charts.finish(
        chart,
        title=f"{leaderboard.config.name}: leaderboard",
        subtitle=f"{leaderboard.filters.sentence(leaderboard.config)} · {key}",
        footer=footer(leaderboard),
        description=leaderboard.summary(),
        width=width,
        height=bottom + 170,
        dark=dark,
    )


def _placed(
    leaderboard: Leaderboard, *, by_tier: bool, room: float, dark: bool
) -> tuple[list[Placed], list[Placed]]:
    """Return headings and cells with their places in pixels, in as many blocks as the room makes needed."""
    fixed, scores, cells = _columns(leaderboard, by_tier=by_tier, dark=dark)
    plain = theme(dark).text
    headings: list[Placed] = []
    body: list[Placed] = []
    top = 0.0
    for columns in _blocks(fixed, [*scores, *cells], room):
        left = 0.0
        for column in columns:
            right = left + column.width
            lines = column.heading.count("\n") + 1
            y1 = top + HEAD_HEIGHT - 6 - LINE * (lines - 1)
            headings.append({"text_x": left + PAD, "y1": y1, "text": column.heading})
            for row, (text, fill) in enumerate(zip(column.texts, column.fills, strict=True)):
                y0 = top + HEAD_HEIGHT + row * ROW_HEIGHT
                body.append(
                    {
                        "x0": left, "x1": right, "y0": y0, "y1": y0 + ROW_HEIGHT,
                        "middle": y0 + ROW_HEIGHT / 2, "text_x": left + PAD, "text": text, "fill": fill,
                        "ink": text_on(fill) if fill else plain,
                    }
                )  # fmt: skip
            left = right
        top += HEAD_HEIGHT + len(leaderboard.rows) * ROW_HEIGHT + BLOCK_GAP
    return headings, body


def _blocks(fixed: list[_Column], columns: list[_Column], room: float) -> list[list[_Column]]:
    """Break columns into blocks that fit, each with the fixed columns first and at least one more."""
    taken = sum(column.width for column in fixed)
    blocks: list[list[_Column]] = []
    left = -1.0
    for column in columns:
        if left < column.width:
            blocks.append(list(fixed))
            left = room - taken
        blocks[-1].append(column)
        left -= column.width
    return blocks


def _columns(
    leaderboard: Leaderboard, *, by_tier: bool, dark: bool
) -> tuple[list[_Column], list[_Column], list[_Column]]:
    rows = leaderboard.rows
    tokens = "visible\ntokens" if rows["visible_tokens"].any() else "mean\ntokens"

    def column(heading: str, texts: list[str]) -> _Column:
        return _Column(heading, texts, [""] * len(texts))

    def numbers(name: str, digits: int) -> list[str]:
        return [number(value, digits) for value in rows[name]]

    fixed = [
        column("rank", [EM_DASH if pd.isna(rank) else str(rank) for rank in rows["rank"]]),
        column(
            "eval",
            [
                _short(name) + ("" if whole else " *")
                for name, whole in zip(rows["name"], rows["complete"], strict=True)
            ],
        ),
    ]
    plain = [
        f"{score} [{low}, {high}]"
        for score, low, high in zip(
            numbers("plain_score", 0), numbers("plain_lower", 0), numbers("plain_upper", 0), strict=True
        )
    ]
    scores = [
        column("plain score\n[95%]", plain),
        column("Reason-\nScore", numbers("reasonscore", 0)),
        column("all-in\naccuracy", numbers("all_in_accuracy", 3)),
        column(tokens, numbers("mean_tokens", 0)),
    ]
    found = {
        (cell["eval_id"], cell["task"], cell["tier"]): cell
        for cell in leaderboard.cells.to_dict(orient="records")
    }
    cells = []
    for heading, (task, tier) in cell_columns(leaderboard, by_tier=by_tier):
        some = [found.get((eval_id, task, tier)) for eval_id in rows["eval_id"]]
        texts = ["*" if cell is None else cell_text(cell) for cell in some]
        fills = [
            "" if cell is None or pd.isna(cell["accuracy"]) else accuracy_colour(cell["accuracy"], dark)
            for cell in some
        ]
        cells.append(_Column(_two_lines(heading), texts, fills))
    return fixed, scores, cells


def _short(name: str, most: int = 40) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _two_lines(heading: str) -> str:
    """Break a heading once, near its middle."""
    words = heading.replace("_", " ").split()
    if len(words) < 2:
        return _short(heading, 24)
    lines = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words))]
    return "\n".join(_short(line, 24) for line in min(lines, key=lambda pair: max(map(len, pair))))
