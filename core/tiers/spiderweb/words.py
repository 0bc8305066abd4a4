"""Spiderwebs in words: where an eval is strong and weak, where evals part, what to know before quoting."""

from collections.abc import Sequence

import pandas as pd

from core import __version__, charts
from core.tiers.notes import TRUNCATION_TOLD
from core.tiers.spiderweb.table import Spiders
from core.tiers.words import listed

SMALL_N = 30


def eval_sentence(spiders: Spiders, eval_id: int) -> str:
    """Return what one eval's shape says: strongest and weakest task, and truncation."""
    pooled = _pooled(spiders, [eval_id])
    known = pooled.dropna(subset=["accuracy"])
    name = spiders.name(eval_id)
    if known.empty:
        return f"{name} has no counted completion in this selection."
    best = known.iloc[int(known["accuracy"].argmax())]
    if len(known) == 1:
        text = f"{name} reaches {_cell(best)} on {_task(spiders, best)}"
    else:
        worst = known.iloc[int(known["accuracy"].argmin())]
        text = (
            f"{name} is strongest at {_task(spiders, best)}, {_cell(best)}, and weakest at"
            f" {_task(spiders, worst)}, {_cell(worst)}"
        )
    cut = pooled[pooled["truncated_ratio"] > TRUNCATION_TOLD]
    if len(cut):
        most = cut.iloc[int(cut["truncated_ratio"].argmax())]
        text += (
            f"; more than {TRUNCATION_TOLD:.0%} truncated in {len(cut)} of {len(pooled)} tasks, most in"
            f" {_task(spiders, most)} ({most['truncated_ratio']:.0%})"
        )
    return f"{text}."


def overlay_sentence(spiders: Spiders, evals: Sequence[int]) -> str:
    """Return where some evals are farthest apart, and how often each is highest."""
    if len(evals) == 1:
        return f"{eval_sentence(spiders, evals[0]).removesuffix('.')}{_n_words(spiders, evals)}."
    table = _pooled(spiders, evals).pivot(index="task", columns="eval_id", values="accuracy")
    table = table[table.notna().sum(axis=1) > 1]
    if table.empty:
        return "These evals have no task in common."
    spread = table.max(axis=1) - table.min(axis=1)
    task = str(table.index[int(spread.to_numpy().argmax())])
    row = table.loc[task].dropna()
    high, low = (
        int(row.index[place]) for place in (int(row.to_numpy().argmax()), int(row.to_numpy().argmin()))
    )
    wins = {int(one): int((table[one] == table.max(axis=1)).sum()) for one in evals if one in table}
    first = max(wins, key=lambda one: wins[one])
    return (
        f"These {len(evals)} evals are farthest apart at {spiders.config.task_label(task)}:"
        f" {spiders.name(high)} {row[high]:.2f}, {spiders.name(low)} {row[low]:.2f};"
        f" {spiders.name(first)} is highest in {wins[first]} of {len(table)} tasks{_n_words(spiders, evals)}."
    )


def _n_words(spiders: Spiders, evals: Sequence[int]) -> str:
    counted = _pooled(spiders, evals)["n"]
    return f"; {charts.n_text(counted.min(), counted.max())} an eval and task" if len(counted) else ""


def notes(spiders: Spiders, evals: Sequence[int]) -> tuple[str, ...]:
    """Return what a reader must know before quoting these evals' numbers, one sentence each."""
    pooled = _pooled(spiders, evals)
    told = []
    missing = {
        one: [task for task in spiders.tasks if task not in set(pooled.loc[pooled["eval_id"] == one, "task"])]
        for one in evals
    }
    for one, tasks in missing.items():
        if tasks:
            told.append(f"{spiders.name(one)} has no points in {_tasks(spiders, tasks)}: a gap, not a zero.")
    if spiders.tiers:
        untiered = [
            task for task in spiders.tasks
            if spiders.cells.loc[spiders.cells["task"] == task, "tier"].isna().all()
        ]  # fmt: skip
        if untiered:
            told.append(f"In no tier, so only in the pooled numbers: {_tasks(spiders, untiered)}.")
    shown = spiders.cells[spiders.cells["eval_id"].isin(evals)]
    small = shown[shown["n"] < SMALL_N]
    if len(small):
        told.append(
            f"{len(small)} of {len(shown)} cells have fewer than {SMALL_N} counted completions: read their"
            " intervals, not their places."
        )
    below = pooled[pooled["below_chance"]]
    if len(below):
        tasks = list(dict.fromkeys(below["task"]))
        told.append(f"Below chance somewhere, shown as 0: {_tasks(spiders, tasks)}.")
    if (shown["truncated_ratio"] > TRUNCATION_TOLD).any():
        told.append("Truncated completions are left out of the accuracies shown.")
    if spiders.visible_tokens:
        told.append("Tokens are visible tokens of the response text; hidden reasoning is not included.")
    return (*told, f"{spiders.methods.sentence()}; token intervals: 95%, items as the sample.")


def subtitle(spiders: Spiders, evals: Sequence[int], *, radar: bool = True) -> str:
    """Return what is selected, and how to read a radar or bars of these evals."""
    how = "center 0, rim 1; shaded: 95% interval" if radar else "lines: 95% interval"
    text = f"{spiders.filters.sentence(spiders.config)} · accuracy is guess-corrected; {how}"
    shown = spiders.cells[spiders.cells["eval_id"].isin(evals)]
    if (shown["truncated_ratio"] > TRUNCATION_TOLD).any():
        text += f"; ringed in amber: more than {TRUNCATION_TOLD:.0%} truncated (left out of the accuracy)"
    return text


def footer(spiders: Spiders, cells: pd.DataFrame) -> str:
    """Return dataset, n, interval method and version."""
    pooled = cells[cells["tier"].isna()]
    return charts.footer_text(
        spiders.config.name,
        f"{charts.n_text(pooled['n'].min(), pooled['n'].max())} a task",
        spiders.methods.sentence(),
        version=__version__,
    )


def _pooled(spiders: Spiders, evals: Sequence[int]) -> pd.DataFrame:
    return spiders.cells[spiders.cells["tier"].isna() & spiders.cells["eval_id"].isin(evals)]


def _tasks(spiders: Spiders, tasks: Sequence[str]) -> str:
    return listed([spiders.config.task_label(task) for task in tasks], 5)


def _task(spiders: Spiders, cell: pd.Series) -> str:
    return spiders.config.task_label(str(cell["task"]))


def _cell(cell: pd.Series) -> str:
    return f"{cell['accuracy']:.2f} [{cell['lower']:.2f}, {cell['upper']:.2f}]"
