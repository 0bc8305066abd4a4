"""How a number of the leaderboard came about: the formula with the values in it, line by line."""

import pandas as pd

from core.errors import FilterError
from core.tiers.methods import INTERVAL_NAMES
from core.tiers.scores.table import Leaderboard

Line = tuple[str, str]
"""What is computed, and how, as plain text."""


def explain_cell(leaderboard: Leaderboard, eval_id: int, task: str, tier: str | None) -> list[Line]:
    """Explain the cell of an eval on a task, pooled (tier None) or in one tier.

    Raises
    ------
    FilterError
        The leaderboard has no such cell.
    """
    cells = leaderboard.cells
    found = cells[
        (cells["eval_id"] == eval_id)
        & (cells["task"] == task)
        & (cells["tier"].isna() if tier is None else cells["tier"] == tier)
    ]
    if found.empty:
        raise FilterError(
            f"Eval {eval_id} has no completions of {task}" + (f" in tier {tier}" if tier else "")
        )
    cell = found.iloc[0]
    return [
        *_counts(cell),
        *_accuracy(cell),
        *_interval(cell, leaderboard),
        *_parity(cell),
        *_truncation(cell),
    ]


def _amount(value: float) -> str:
    """Return a sum of fractions with at most two decimals, and none where it is whole."""
    return f"{round(value, 2):,.15g}"


def _counts(cell: pd.Series) -> list[Line]:
    lines = [
        (
            "Counted completions n",
            f"{cell['correct']:,} correct + {cell['incorrect']:,} incorrect + {cell['invalid']:,} invalid"
            f" = {cell['n']:,}, of {cell['n_items']:,} items",
        ),
        ("Left out of n", f"{cell['truncated']:,} truncated, {cell['error']:,} error"),
    ]
    if cell["empty"]:
        lines.append(("Empty responses", f"{cell['empty']:,}"))
    return lines


def _accuracy(cell: pd.Series) -> list[Line]:
    if not cell["n"]:
        return [("Accuracy", "no number: nothing was counted")]
    raw = cell["correct"] / cell["n"]
    lines = [("Raw accuracy", f"{cell['correct']:,} / {cell['n']:,} = {raw:.4f}")]
    if cell["guess_mass"]:
        gamma = cell["gamma"]
        lines += [
            (
                "Chance level gamma",
                f"sum of 1/choices over the n completions = {_amount(cell['guess_mass'])};"
                f" {_amount(cell['guess_mass'])} / {cell['n']:,} = {gamma:.4f}",
            ),
            (
                "Guess-corrected accuracy",
                f"({raw:.4f} - {gamma:.4f}) / (1 - {gamma:.4f}), clipped to [0, 1] = {cell['accuracy']:.4f}",
            ),
        ]
        if cell["below_chance"]:
            lines.append(("Below chance", "fewer are correct than guessing would give"))
    return lines


def _interval(cell: pd.Series, leaderboard: Leaderboard) -> list[Line]:
    if pd.isna(cell["center"]):
        return []
    method = leaderboard.methods.interval
    name = INTERVAL_NAMES[method]
    if method == "reasonscape":
        how = f"{name} on {_amount(cell['adjusted_successes'])} of {_amount(cell['adjusted_trials'])}"
    else:
        how = f"{name} on max(k/n, gamma) with n_eff = {cell['n_eff']:.1f} of n = {cell['n']:,}"
        if cell["guess_mass"]:
            how += ", then (bound - gamma) / (1 - gamma)"
    return [
        ("95% interval", f"{how}: [{cell['lower']:.4f}, {cell['upper']:.4f}]"),
        (
            "Shown as",
            f"center {cell['center']:.4f} (half sum of the bounds), upper {cell['upper']:.4f}",
        ),
    ]


def _parity(cell: pd.Series) -> list[Line]:
    if pd.isna(cell["rs_center"]):
        return []
    return [
        (
            "ReasonScape's fields",
            f"adjusted {_amount(cell['adjusted_successes'])} of {_amount(cell['adjusted_trials'])},"
            f" center {cell['rs_center']:.4f}, margin {cell['rs_margin']:.4f}",
        )
    ]


def _truncation(cell: pd.Series) -> list[Line]:
    total = cell["n"] + cell["truncated"]
    if not total:
        return []
    return [
        (
            "Truncated ratio",
            "not known: the source does not say which responses were cut off"
            if pd.isna(cell["truncated_ratio"])
            else f"{cell['truncated']:,} / ({cell['n']:,} + {cell['truncated']:,})"
            f" = {cell['truncated_ratio']:.4f}",
        ),
        (
            "All-in accuracy",
            f"{cell['correct']:,} / {total:,} = {cell['all_in_accuracy']:.4f};"
            f" were every truncated one right: {cell['all_in_upper']:.4f}",
        ),
        (
            "In the plain score",
            f"guess-corrected with truncated as wrong = {cell['plain_accuracy']:.4f},"
            f" [{cell['plain_lower']:.4f}, {cell['plain_upper']:.4f}], at least .01",
        ),
    ]


def explain_score(leaderboard: Leaderboard, eval_id: int) -> list[Line]:
    """Explain the scores and the rank of an eval."""
    row = leaderboard.rows[leaderboard.rows["eval_id"] == eval_id].iloc[0]
    cells = leaderboard.score_cells
    count = int((cells["eval_id"] == eval_id).sum())
    of = "task x tier" if leaderboard.tiers else "task"
    lines = [
        (
            "Plain score",
            f"1000 x geometric mean over {count} cells ({of}) of accuracy with truncated as wrong"
            f" = {row['plain_score']:.1f} [{row['plain_lower']:.1f}, {row['plain_upper']:.1f}]",
        ),
        (
            "ReasonScore",
            "1000 x geometric mean of clamp(center + margin - truncated ratio, .01, 1), with ReasonScape's"
            f" center and margin = {row['reasonscore']:.1f}",
        ),
    ]
    if pd.notna(row["score_per_token"]):
        tokens = "visible tokens" if row["visible_tokens"] else "completion tokens"
        lines.append(
            (
                "Score/token",
                f"{row['reasonscore']:.1f} / {row['mean_tokens']:.1f} mean {tokens}"
                f" = {row['score_per_token']:.3f}",
            )
        )
    rank = "not ranked" if pd.isna(row["rank"]) else f"{row['rank']}"
    lines.append(
        (
            "Rank",
            f"{rank}: sharing a rank means not separated from its leader; members may differ from each other",
        )
    )
    return lines
