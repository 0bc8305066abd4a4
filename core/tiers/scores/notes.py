"""What a reader must know before quoting a leaderboard, one sentence each, from the data."""

import pandas as pd

from core.config import DatasetConfig
from core.tiers.notes import (
    ERROR_WARNING,
    mixed_choices,
    mixed_choices_note,
    mixed_repeats,
    mixed_repeats_note,
    unknown_truncation,
)
from core.tiers.words import listed

UNEVEN_N = 1.5
SMALL_N = 100


def leaderboard_notes(
    rows: pd.DataFrame,
    cells: pd.DataFrame,
    score_cells: pd.DataFrame,
    config: DatasetConfig,
    *,
    rank_incomplete: bool,
) -> tuple[str, ...]:
    """Return the notes of a leaderboard; see core.tiers.scores.table for the frames."""
    pooled = cells[cells["tier"].isna()]
    notes = [
        _incomplete(rows, rank_incomplete),
        _errors(rows),
        _truncated(rows),
        _uneven(pooled, config),
        _mixed_repeats(pooled, config),
        _mixed_choices(score_cells, config),
        _outside_tiers(pooled, score_cells, config),
        _overlapping_tiers(pooled, score_cells, config),
        _empty(rows),
        _tokens(rows),
        unknown_truncation(pooled),
    ]
    return tuple(note for note in notes if note)


def _names(frame: pd.DataFrame) -> str:
    return listed(list(frame["name"]))


def _tasks(frame: pd.DataFrame, config: DatasetConfig) -> str:
    return listed([config.task_label(task) for task in dict.fromkeys(frame["task"])])


def _incomplete(rows: pd.DataFrame, rank_incomplete: bool) -> str:
    lacking = rows[~rows["complete"]]
    if lacking.empty:
        return ""
    they = "it has" if len(lacking) == 1 else "they have"
    verb = f"ranked on the cells {they}" if rank_incomplete else "not ranked"
    lack, are = ("lacks", "is") if len(lacking) == 1 else ("lack", "are")
    return f"Marked *: {_names(lacking)} {lack} a cell that another eval has, and {are} {verb}."


def _errors(rows: pd.DataFrame) -> str:
    total = rows["n"] + rows["truncated"] + rows["error"]
    share = rows["error"] / total.where(total > 0)
    some = rows[share > ERROR_WARNING]
    if some.empty:
        return ""
    told = [f"{name} {part:.1%}" for name, part in zip(some["name"], share[some.index], strict=True)]
    return f"Completions that failed for other reasons than the model (left out everywhere): {listed(told)}."


def _truncated(rows: pd.DataFrame) -> str:
    """Say why a source's own mean can be lower than the accuracy here."""
    cut = rows[(rows["truncated"] > 0) & (rows["n"] > 0)]
    if cut.empty:
        return ""
    shares = (cut["truncated"] / (cut["n"] + cut["truncated"])).to_numpy()
    most = cut.iloc[int(shares.argmax())]
    return (
        "Truncated completions are left out of n and accuracy, so that a tool which counts them as wrong"
        f" reports less. Most at {most['name']}: {most['correct'] / most['n']:.3f} of {most['n']:,} here,"
        f" {most['all_in_accuracy']:.3f} of all {most['n'] + most['truncated']:,} (all-in accuracy)."
    )


def _uneven(pooled: pd.DataFrame, config: DatasetConfig) -> str:
    n = pooled.groupby("task", sort=False)["n"]
    uneven = n.max() > UNEVEN_N * n.min().clip(lower=1)
    small = n.min() < SMALL_N
    if not uneven.any() and not small.any():
        return ""
    reasons = []
    if uneven.any():
        labels = [config.task_label(task) for task in uneven[uneven].index]
        reasons.append(f"n differs by more than {UNEVEN_N} times between evals in {listed(labels)}")
    if small.any():
        reasons.append(
            f"{int(small.sum())} of {len(small)} tasks have an eval with fewer than {SMALL_N} counted"
        )
    return f"ReasonScore is an upper bound and rewards small samples; here {' and '.join(reasons)}."


def _mixed_repeats(pooled: pd.DataFrame, config: DatasetConfig) -> str:
    mixed = mixed_repeats(pooled)
    return "" if mixed.empty else mixed_repeats_note(mixed, f"Pooled cells of {_tasks(mixed, config)}")


def _mixed_choices(score_cells: pd.DataFrame, config: DatasetConfig) -> str:
    mixed = mixed_choices(score_cells)
    return "" if mixed.empty else mixed_choices_note(f"Cells of {_tasks(mixed, config)}")


def _outside_tiers(pooled: pd.DataFrame, score_cells: pd.DataFrame, config: DatasetConfig) -> str:
    if score_cells["tier"].isna().all():
        return ""
    left = pooled[~pooled["task"].isin(score_cells["task"])]
    notes = [f"Not in any tier, so not in the scores: {_tasks(left, config)}."] if len(left) else []
    keys = ["eval_id", "task"]
    counted = (pooled.set_index(keys)["n"] - score_cells.groupby(keys)["n"].sum()).dropna()
    outside = counted[counted > 0].reset_index()
    if len(outside):
        of = int(pooled.loc[pooled["task"].isin(outside["task"]), "n"].sum())
        notes.append(
            f"At least {int(outside['n'].sum()):,} of {of:,} counted completions of {_tasks(outside, config)}"
            " are in no tier and do not enter the scores."
        )
    return " ".join(notes)


def _overlapping_tiers(pooled: pd.DataFrame, score_cells: pd.DataFrame, config: DatasetConfig) -> str:
    keys = ["eval_id", "task"]
    tiered = score_cells[score_cells["tier"].notna()].groupby(keys)["n"].sum()
    total = pooled.set_index(keys)["n"].reindex(tiered.index)
    shared = (tiered > total).reset_index(name="shared")
    some = shared[shared["shared"]]
    if some.empty:
        return ""
    return (
        f"Tiers of {_tasks(some, config)} share points; scores take cells as independent, so their intervals"
        " are somewhat too narrow."
    )


def _empty(rows: pd.DataFrame) -> str:
    some = rows[rows["empty"] > 0]
    if some.empty:
        return ""
    told = [f"{name} {int(count):,}" for name, count in zip(some["name"], some["empty"], strict=True)]
    return f"Empty responses, counted by their score like any other: {listed(told)}."


def _tokens(rows: pd.DataFrame) -> str:
    if not rows["visible_tokens"].any():
        return ""
    return (
        "Tokens are visible tokens, counted by tokenising the response text; hidden reasoning is not"
        " included, so tokens and score/token of reasoning models are not comparable."
    )
