"""The leaderboard as a JSON document, as rows for CSV, and as text cells for a terminal."""

from typing import Any

import pandas as pd

from core.export import plain
from core.tiers.scores.draws import DrawsTable
from core.tiers.scores.table import Leaderboard, cell_text
from core.tiers.words import EM_DASH, number

CELL_FIELDS = (
    "task", "tier", "n", "n_items", "correct", "incorrect", "invalid", "truncated", "error", "accuracy",
    "center", "margin", "lower", "upper", "all_in_accuracy", "truncated_ratio", "adjusted_successes",
    "adjusted_trials",
)  # fmt: skip
ROW_FIELDS = (
    "eval_id", "label", "model", "template", "sampler", "rank", "plain_score", "plain_lower", "plain_upper",
    "reasonscore", "score_per_token", "mean_tokens", "complete",
)  # fmt: skip
DRAW_FIELDS = ("rank_low", "rank_high", "p_first")


DIFFERENCE_FIELDS = ("difference", "lower", "upper", "n_items", "left_out", "method")


def to_document(
    leaderboard: Leaderboard, draws: DrawsTable | None = None, differences: pd.DataFrame | None = None
) -> dict[str, Any]:
    """Return the leaderboard as plain values, full precision, missing as None."""
    against = {} if differences is None else {row["eval_id"]: row for row in plain(differences)}
    by_eval = {eval_id: cells for eval_id, cells in leaderboard.cells.groupby("eval_id")}
    drawn = {} if draws is None else {row["eval_id"]: row for row in plain(draws.frame)}
    rows = []
    for row in plain(leaderboard.rows):
        entry = {field: row[field] for field in ROW_FIELDS}
        if draws is not None:
            found = drawn.get(row["eval_id"], {})
            entry["rank_set"] = [found["rank_low"], found["rank_high"]] if found else None
            entry["p_first"] = found.get("p_first")
        if differences is not None:
            other = against.get(row["eval_id"])
            entry["difference"] = {field: other[field] for field in DIFFERENCE_FIELDS} if other else None
        cells = plain(by_eval[row["eval_id"]])
        entry["cells"] = [{field: cell[field] for field in CELL_FIELDS} for cell in cells]
        rows.append(entry)
    methods = {
        "interval": leaderboard.methods.interval,
        "repeats": leaderboard.methods.repeats,
        "level": 0.95,
        "threshold": leaderboard.filters.threshold,
        "notes": list(leaderboard.notes),
    }
    if draws is not None:
        methods["draws"] = draws.method
    return {
        "dataset": leaderboard.config.name,
        "filters": leaderboard.filters.to_dict(),
        "methods": methods,
        "rows": rows,
    }


def export_frame(
    leaderboard: Leaderboard, draws: DrawsTable | None = None, differences: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the rows shown, one eval each, with full precision and a column group per task and tier."""
    frame = leaderboard.rows.drop(columns=["name", "groups"]).copy()
    if draws is not None:
        frame = frame.merge(draws.frame[["eval_id", *DRAW_FIELDS]], on="eval_id", how="left")
    if differences is not None:
        names = {name: f"difference {name}" for name in DIFFERENCE_FIELDS[1:]}
        frame = frame.merge(differences.rename(columns=names), on="eval_id", how="left")
    wide = leaderboard.cells.assign(
        cell=[task if tier is None else f"{task}/{tier}" for task, tier in _keys(leaderboard.cells)]
    )
    fields = ("center", "lower", "upper", "accuracy", "n", "truncated_ratio")
    columns = {
        f"{cell} {field}": frame["eval_id"].map(part.set_index("eval_id")[field])
        for cell, part in wide.groupby("cell", sort=False)
        for field in fields
    }
    return pd.concat([frame, pd.DataFrame(columns, index=frame.index)], axis=1)


def _keys(cells: pd.DataFrame) -> list[tuple[str, str | None]]:
    return list(zip(cells["task"], cells["tier"], strict=True))


def cell_columns(leaderboard: Leaderboard, *, by_tier: bool) -> list[tuple[str, tuple[str, str | None]]]:
    """Return the headings of the cell columns and what each is of, in display order."""
    label = leaderboard.config.task_label
    if by_tier and leaderboard.tiers:
        have = set(_keys(leaderboard.cells))
        return [
            (f"{label(task)} · {leaderboard.config.tier_label(tier)}", (task, tier))
            for task in leaderboard.tasks
            for tier in leaderboard.tiers
            if (task, tier) in have
        ]
    return [(label(task), (task, None)) for task in leaderboard.tasks]


def text_frame(
    leaderboard: Leaderboard,
    draws: DrawsTable | None = None,
    differences: pd.DataFrame | None = None,
    *,
    by_tier: bool = False,
) -> pd.DataFrame:
    """Return the leaderboard as text cells: what a terminal, a Markdown table and the screen show."""
    rows = leaderboard.rows
    tokens = "visible tokens" if rows["visible_tokens"].any() else "tokens"
    frame = pd.DataFrame(
        {
            "rank": [EM_DASH if pd.isna(rank) else str(rank) for rank in rows["rank"]],
            "eval": [
                name if complete else f"{name} *"
                for name, complete in zip(rows["name"], rows["complete"], strict=True)
            ],
            "plain score [95%]": [
                f"{number(score, 0)} [{number(low, 0)}, {number(high, 0)}]"
                for score, low, high in zip(
                    rows["plain_score"], rows["plain_lower"], rows["plain_upper"], strict=True
                )
            ],
            "ReasonScore": [number(score, 0) for score in rows["reasonscore"]],
            "all-in accuracy": [number(share, 3) for share in rows["all_in_accuracy"]],
            f"mean {tokens}": [number(mean, 0) for mean in rows["mean_tokens"]],
            f"score/{tokens[:-1]}": [number(ratio, 2) for ratio in rows["score_per_token"]],
            "n": [f"{n:,}" for n in rows["n"]],
            "items": [f"{n:,}" for n in rows["n_items"]],
        }
    )
    if draws is not None:
        drawn = draws.frame.set_index("eval_id").reindex(rows["eval_id"])
        frame.insert(2, "rank set", [
            EM_DASH if pd.isna(low) else f"{int(low)}-{int(high)}"
            for low, high in zip(drawn["rank_low"], drawn["rank_high"], strict=True)
        ])  # fmt: skip
        frame.insert(3, "P(first)", [number(p, 2) for p in drawn["p_first"]])
    if differences is not None:
        frame["difference [95%]"] = _difference_texts(differences, rows["eval_id"])
    texts = {
        (cell["eval_id"], cell["task"], cell["tier"]): cell_text(cell)
        for cell in leaderboard.cells.to_dict(orient="records")
    }
    for heading, (task, tier) in cell_columns(leaderboard, by_tier=by_tier):
        # Labels need not differ from each other, nor from the headings above.
        name = (
            heading if heading not in frame else f"{heading} ({task if tier is None else f'{task}/{tier}'})"
        )
        frame[name] = [texts.get((eval_id, task, tier), "*") for eval_id in rows["eval_id"]]
    return frame


def _difference_texts(differences: pd.DataFrame, evals: pd.Series) -> list[str]:
    """Return differences in percentage points with their intervals; the baseline is named as such."""
    found = differences.set_index("eval_id").reindex(evals)
    return [
        "baseline" if pd.isna(n) else EM_DASH if not n else f"{d:+.1%} [{low:+.1%}, {high:+.1%}]"
        for d, low, high, n in zip(
            found["difference"], found["lower"], found["upper"], found["n_items"], strict=True
        )
    ]
