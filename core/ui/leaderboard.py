"""The leaderboard on screen: numbers that sort, cells shaded by accuracy, and what was selected in it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from core.palette import accuracy_colour, text_on
from core.tiers.scores import DrawsTable, Leaderboard, cell_text
from core.tiers.scores.document import cell_columns
from core.ui import linked_table
from core.ui.wording import escape

Cell = tuple[str, str | None]
"""A task and a tier, None for the pool over tiers."""


@dataclass(frozen=True)
class ScreenTable:
    """The leaderboard as st.dataframe takes it.

    Attributes
    ----------
    frame
        One row per eval; a column of texts per cell, named by its place so that two labels stay apart.
    styler
        The frame, its cells shaded.
    columns
        Column configuration by column name.
    cells
        What each cell column is of, by column name.
    """

    frame: pd.DataFrame
    styler: Styler
    columns: dict[str, Any]
    cells: Mapping[str, Cell]

    @property
    def height(self) -> int:
        """Pixels that show every row, up to a limit."""
        return linked_table.height(len(self.frame))


def screen_table(
    leaderboard: Leaderboard,
    *,
    by_tier: bool,
    differences: pd.DataFrame | None,
    baseline: int | None,
    dark: bool,
) -> ScreenTable:
    """Return the leaderboard for the screen: scores, then a column per cell, then tokens and sizes.

    Parameters
    ----------
    by_tier : bool
        A column per task and tier instead of one per task.
    differences : DataFrame, optional
        Rows of core.tiers.scores.read_differences against the baseline.
    dark : bool
        Shades of the dark page.
    """
    rows = leaderboard.rows
    # Dictionaries, not row Series: a board of 200 evals has ten thousand cells.
    records: list[Any] = leaderboard.cells.to_dict("records")
    known = {(cell["eval_id"], cell["task"], cell["tier"]): cell for cell in records}
    texts, fills, cells = {}, {}, {}
    columns = _score_columns(leaderboard, baseline)
    for place, (heading, of) in enumerate(cell_columns(leaderboard, by_tier=by_tier)):
        name = f"cell {place}"
        row_cells = [known.get((eval_id, *of)) for eval_id in rows["eval_id"]]
        texts[name] = ["*" if cell is None else cell_text(cell) for cell in row_cells]
        fills[name] = [_shade(cell, dark) for cell in row_cells]
        cells[name] = of
        help_ = f"{escape(heading)}: center - upper [-truncated]"
        columns[name] = st.column_config.TextColumn(heading, help=help_)
    frame = pd.concat(
        [_scores(leaderboard, differences, baseline), pd.DataFrame(texts, index=rows.index), _sizes(rows)],
        axis=1,
    )
    css = pd.DataFrame(fills, index=rows.index).reindex(columns=frame.columns, fill_value="")
    return ScreenTable(frame, frame.style.apply(lambda _: css, axis=None), columns, cells)


def chart_height(evals: int) -> int:
    """Return the height in pixels of a chart with a row per eval: closer together where they are many."""
    return max(150, (42 if evals <= 12 else 28) * evals)


def _scores(leaderboard: Leaderboard, differences: pd.DataFrame | None, baseline: int | None) -> pd.DataFrame:
    rows = leaderboard.rows
    complete = zip(rows["name"], rows["complete"], strict=True)
    spans = zip(rows["plain_lower"], rows["plain_upper"], strict=True)
    frame = pd.DataFrame(
        {
            "rank": rows["rank"],
            "eval": [name if whole else f"{name} *" for name, whole in complete],
            "plain_score": rows["plain_score"],
            "interval": [_span(low, high) for low, high in spans],
        }
    )
    if differences is not None and baseline is not None:
        frame["difference"] = _difference_texts(rows["eval_id"], differences, baseline)
    frame["reasonscore"] = rows["reasonscore"]
    frame["all_in"] = rows["all_in_accuracy"]
    return frame


def _sizes(rows: pd.DataFrame) -> pd.DataFrame:
    tokens = ["mean_tokens", "score_per_token"] if rows["mean_tokens"].notna().any() else []
    return rows[[*tokens, "n", "n_items"]]


def _score_columns(leaderboard: Leaderboard, baseline: int | None) -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    tokens = "Visible tokens" if leaderboard.rows["visible_tokens"].any() else "Mean tokens"
    against = "" if baseline is None else leaderboard.config.eval_names[baseline]
    return {
        "rank": number("Rank", pinned=True, width=52, help="Shared by evals not separated from its leader."),
        "eval": text("Eval", pinned=True, width=min(230, 30 + 8 * max(map(len, leaderboard.rows["name"])))),
        "plain_score": number(
            "Plain score", format="%.0f", help="1000 × geometric mean of accuracy, truncated as wrong."
        ),
        "interval": text("95% interval"),
        "difference": text(
            f"Accuracy vs {against}",
            help="Percentage points, paired on common items, with 95% interval; truncated as wrong, not"
            " guess-corrected. Every item counts alike, however many completions it has.",
        ),
        "reasonscore": number("ReasonScore", format="%.0f", help="An upper bound; rewards small samples."),
        "all_in": number("All-in", format="%.3f", help="All-in accuracy: correct of all but errors."),
        "mean_tokens": number(tokens, format="%.0f", help="Per completion."),
        "score_per_token": number("Score/token", format="%.2f", help="ReasonScore per mean token."),
        "n": number("n", format="localized", help="Completions that count: correct, incorrect and invalid."),
        "n_items": number("Items", format="localized"),
    }


def _difference_texts(evals: pd.Series, differences: pd.DataFrame, baseline: int) -> list[str]:
    known = {row["eval_id"]: row for row in differences.to_dict("records")}
    texts = []
    for eval_id in evals:
        row = known.get(eval_id)
        if row is None:
            texts.append("baseline" if eval_id == baseline else "")
        elif pd.isna(row["difference"]):
            texts.append("no common items")
        else:
            texts.append(f"{row['difference']:+.1%} [{row['lower']:+.1%}, {row['upper']:+.1%}]")
    return texts


def _span(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{low:.0f} to {high:.0f}"


def _shade(cell: Mapping[str, Any] | None, dark: bool) -> str:
    if cell is None or pd.isna(cell["accuracy"]):
        return ""
    fill = accuracy_colour(float(cell["accuracy"]), dark)
    return f"background-color: {fill}; color: {text_on(fill)}"


def selected(event: Any, table: ScreenTable, leaderboard: Leaderboard) -> tuple[int, Cell | None] | None:
    """Return the eval and the cell that a selection names, the cell None in a column of scores."""
    if not event.selection.cells:
        return None
    row, column = event.selection.cells[0]
    if not 0 <= row < len(leaderboard.rows):
        return None
    return int(leaderboard.rows["eval_id"].iloc[row]), table.cells.get(column)


def draws_frame(drawn: DrawsTable, names: list[str]) -> pd.DataFrame:
    """Return rank sets and chances of being first for the screen."""
    frame = drawn.frame
    columns = {
        "Eval": [names[eval_id] for eval_id in frame["eval_id"]],
        "Rank set": _ranges(frame, "rank"),
        "P(first)": frame["p_first"],
        "Ranks in 95% of draws": _ranges(frame, "draw"),
    }
    if frame["not_estimable"].any():
        columns["Left out, all or none right"] = frame["not_estimable"]
    return pd.DataFrame(columns)


def _ranges(frame: pd.DataFrame, kind: str) -> list[str]:
    pairs = zip(
        frame[f"{kind}_low"].round().astype(int), frame[f"{kind}_high"].round().astype(int), strict=True
    )
    return [f"{low}" if low == high else f"{low} to {high}" for low, high in pairs]
