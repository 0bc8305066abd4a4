"""Evals: what the dataset holds of each, which tiers it covers, and what its tokens say."""

from dataclasses import dataclass

import pandas as pd

from core.config import DatasetConfig, Tier, repeated
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.points import read_points, read_tiers
from core.tiers.words import listed

FIELDS = ["eval_id", "name", "label", "model", "template", "sampler", "groups", "hf_id"]


@dataclass(frozen=True)
class EvalsTable:
    """The evals of a selection.

    Attributes
    ----------
    frame
        One row per eval: FIELDS, a column per tier (see tier_column: whether it has points there),
        n (counted), items, completions, truncated, error, empty.
    tokens
        One row per eval: tests (completions with a token count), tokens, average, and per task the average
        of correct and of incorrect completions; missing where there is no token count.
    unmatched
        Identities in the database that no eval takes: model, template, sampler, points, completions.
    tiers
        The tiers of the config.
    problems
        What is wrong or worth knowing, one sentence each.
    visible_tokens
        Whether tokens were counted by tokenising the visible text.
    """

    frame: pd.DataFrame
    tokens: pd.DataFrame
    unmatched: pd.DataFrame
    tiers: tuple[Tier, ...]
    problems: tuple[str, ...]
    visible_tokens: bool


def tier_column(tier: Tier) -> str:
    """Return the column of a tier; its id alone might be the name of another column."""
    return f"tier {tier.id}"


def read_evals(
    dataset: Dataset, filters: Filters, *, search: str = "", groups: tuple[str, ...] = ()
) -> EvalsTable:
    """Read the evals that filters leave.

    Parameters
    ----------
    search : str
        Keeps the evals that have it in label, model, template, sampler, hf_id or a group, case ignored.
    groups : tuple of str
        Keeps the evals that have all of these groups.

    Raises
    ------
    FilterError
        The filters or the groups name what the dataset does not have.
    """
    config = dataset.config
    filters = filters.resolved(dataset.catalog)
    Filters(groups=(groups,) if groups else ()).resolved(dataset.catalog)
    points = read_points(dataset, filters)
    wanted = set(filters.evals(config))
    evals = [
        e
        for e in config.eval_order
        if e in wanted and _found(config, e, search) and _grouped(config, e, groups)
    ]
    points = points[points["eval_id"].isin(evals)]
    tiers = read_tiers(dataset, filters)
    frame = _identity(config, evals)
    for tier in config.tiers:
        covered = points.loc[
            points["params_id"].isin(tiers.loc[tiers["tier"] == tier.id, "params_id"]), "eval_id"
        ]
        frame[tier_column(tier)] = frame["eval_id"].isin(covered)
    sums = points.groupby("eval_id")[
        ["correct", "incorrect", "invalid", "items", "truncated", "error", "empty"]
    ].sum()
    sums["n"] = sums["correct"] + sums["incorrect"] + sums["invalid"]
    sums["completions"] = sums["n"] + sums["truncated"] + sums["error"]
    columns = ["n", "items", "completions", "truncated", "error", "empty"]
    frame = frame.join(sums[columns].reindex(evals).fillna(0).astype(int), on="eval_id")
    unmatched = _unmatched(dataset)
    return EvalsTable(
        frame=frame,
        tokens=_tokens(points, frame, dataset),
        unmatched=unmatched,
        tiers=tuple(config.tiers),
        problems=_problems(config, frame, unmatched),
        visible_tokens=bool(points["tokenized_n"].sum() > 0),
    )


def _found(config: DatasetConfig, eval_id: int, search: str) -> bool:
    entry = config.evals[eval_id]
    identity = [value for value in entry.filters.values() if isinstance(value, str)]
    identity += [one for value in entry.filters.values() if isinstance(value, list) for one in value]
    words = [entry.label, entry.hf_id or "", *identity, *entry.groups]
    return search.strip().casefold() in "\n".join(words).casefold()


def _grouped(config: DatasetConfig, eval_id: int, groups: tuple[str, ...]) -> bool:
    return set(groups) <= set(config.evals[eval_id].groups)


def _identity(config: DatasetConfig, evals: list[int]) -> pd.DataFrame:
    names = config.eval_names
    rows = []
    for eval_id in evals:
        entry = config.evals[eval_id]
        identity = {
            field: ", ".join(value) if isinstance(value, list) else value
            for field, value in entry.filters.items()
        }
        rows.append(
            {
                "eval_id": eval_id, "name": names[eval_id], "label": entry.label,
                "model": identity.get("model"), "template": identity.get("template"),
                "sampler": identity.get("sampler"), "groups": list(entry.groups), "hf_id": entry.hf_id,
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=FIELDS)


def _tokens(points: pd.DataFrame, frame: pd.DataFrame, dataset: Dataset) -> pd.DataFrame:
    by_eval = points.groupby("eval_id")[["token_n", "token_sum"]].sum().reindex(frame["eval_id"])
    counted = by_eval["token_n"].where(by_eval["token_n"] > 0)
    tokens = frame[["eval_id", "name", "label"]].copy()
    tokens["tests"] = by_eval["token_n"].fillna(0).astype(int).to_numpy()
    tokens["tokens"] = by_eval["token_sum"].where(counted.notna()).astype("Int64").to_numpy()
    tokens["average"] = (by_eval["token_sum"] / counted).to_numpy()
    by_task = points.groupby(["eval_id", "task"])[
        ["correct_token_n", "correct_token_sum", "incorrect_token_n", "incorrect_token_sum"]
    ].sum()
    for task in dataset.catalog.base_tasks:
        if task not in by_task.index.get_level_values("task"):
            continue
        rows = by_task.xs(task, level="task").reindex(frame["eval_id"])
        for outcome in ("correct", "incorrect"):
            n = rows[f"{outcome}_token_n"]
            label = f"{dataset.config.task_label(task)} {outcome}"
            if label in tokens:
                label = f"{label} ({task})"
            tokens[label] = (rows[f"{outcome}_token_sum"] / n.where(n > 0)).to_numpy()
    return tokens


def _unmatched(dataset: Dataset) -> pd.DataFrame:
    frame: pd.DataFrame = dataset.sql("""
        SELECT p.model, p.template, p.sampler, count(*) AS points,
            sum(p.correct + p.incorrect + p.invalid + p.truncated + p.error)::BIGINT AS completions
        FROM data.points p
        ANTI JOIN eval_points e USING (point_id)
        GROUP BY ALL
        ORDER BY ALL""").to_pandas()
    return frame


def _problems(config: DatasetConfig, frame: pd.DataFrame, unmatched: pd.DataFrame) -> tuple[str, ...]:
    problems = []
    if len(unmatched):
        named = ", ".join(f"{r.model} · {r.template} · {r.sampler}" for r in unmatched.head(5).itertuples())
        problems.append(
            f"{int(unmatched['points'].sum()):,} points"
            f" ({int(unmatched['completions'].sum()):,} completions) match"
            f" no eval of the config: {named}{' and more' if len(unmatched) > 5 else ''}."
        )
    without = frame.loc[frame["completions"] == 0, "name"]
    if len(without):
        problems.append(f"No points in this selection: {listed(list(without), 8)}.")
    failed = frame[frame["error"] > 0]
    if len(failed):
        told = [f"{name} {count:,}" for name, count in zip(failed["name"], failed["error"], strict=True)]
        problems.append(f"Completions that failed for other reasons than the model: {listed(told, 8)}.")
    empty = frame[frame["empty"] > 0]
    if len(empty):
        told = [f"{name} {count:,}" for name, count in zip(empty["name"], empty["empty"], strict=True)]
        problems.append(f"Empty responses: {listed(told, 8)}.")
    if twins := repeated(entry.label for entry in config.evals):
        problems.append(f"Several evals are labelled {', '.join(twins)}; they are told apart by eval_id.")
    return tuple(problems)
