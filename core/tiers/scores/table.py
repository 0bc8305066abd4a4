"""The leaderboard's numbers: one row per eval, one cell per task and tier."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.config import DatasetConfig
from core.errors import NothingFoundError
from core.filters import Filters
from core.stats.ranking import fair_sort, plain_score, reasonscore
from core.store.dataset import Dataset
from core.tiers.cells import in_display_order, read_cells
from core.tiers.methods import Methods
from core.tiers.notes import TRUNCATION_TOLD
from core.tiers.scores.notes import leaderboard_notes
from core.tiers.words import EM_DASH


@dataclass(frozen=True)
class Leaderboard:
    """The leaderboard of a selection.

    Attributes
    ----------
    rows
        One row per eval, best first: eval_id, name, label, model, template, sampler, groups, rank (missing
        where not ranked), plain_score with plain_lower and plain_upper, reasonscore, score_per_token,
        mean_tokens, complete, n, n_items, the outcome counts, all_in_accuracy with its open bounds,
        visible_tokens (whether tokens were counted from the visible text).
    cells
        One row per (eval_id, task, tier), tier None pooled: see core.tiers.cells.
    tasks, tiers
        What the cells are of, in display order; tiers are ids.
    notes
        What a reader must know before quoting the numbers, one sentence each.
    """

    rows: pd.DataFrame
    cells: pd.DataFrame
    tasks: tuple[str, ...]
    tiers: tuple[str, ...]
    config: DatasetConfig
    filters: Filters
    methods: Methods
    notes: tuple[str, ...]

    @property
    def score_cells(self) -> pd.DataFrame:
        """The cells that scores are means of: task x tier where tiers exist, else tasks."""
        tiered = self.cells["tier"].notna()
        return self.cells[tiered if self.tiers else ~tiered]

    def first_two(self) -> tuple[int, ...]:
        """Return the eval_ids of the first two that are ranked, or of fewer."""
        ranked = self.rows[self.rows["rank"].notna()]
        return tuple(int(one) for one in ranked["eval_id"].iloc[:2])

    def summary(self) -> str:
        """Return the result in one sentence."""
        ranked = self.rows[self.rows["rank"].notna()]
        if ranked.empty:
            return "No eval has points in every cell, so none is ranked."
        leader = ranked.iloc[0]
        ties = int((ranked["rank"] == 1).sum())
        total = len(ranked)
        if ties == total:
            score = f"plain score {leader['plain_score']:.0f}, on {int(leader['n_items']):,} items."
            if total == 1:
                return f"{leader['name']} is the only eval: {score}"
            return f"All {total} evals share rank 1, {leader['name']} first: {score}"
        runner_up = ranked[ranked["rank"] > 1].iloc[0]
        margin = leader["plain_score"] - runner_up["plain_score"]
        first = (
            f"{leader['name']} is alone at rank 1 of {total}"
            if ties == 1
            else f"{ties} of {total} evals share rank 1, {leader['name']} first"
        )
        return (
            f"{first}; its plain score {leader['plain_score']:.0f} is {margin:.0f} above"
            f" {runner_up['name']} at rank {int(runner_up['rank'])}, on {int(leader['n_items']):,} items."
        )


def cell_text(cell: Mapping[Any, Any]) -> str:
    """Return `.XX - .YY [-.ZZ]`: center, upper, and the truncation penalty where it is above 2%."""
    if pd.isna(cell["center"]):
        text = EM_DASH
    else:
        text = f"{_hundredths(cell['center'])} - {_hundredths(cell['upper'])}"
    if cell["truncated_ratio"] > TRUNCATION_TOLD:
        text += f" [-{_hundredths(cell['truncated_ratio'])}]"
    return text


def _hundredths(value: float) -> str:
    text = f"{value:.2f}"
    return text.removeprefix("0") if text.startswith("0.") else text


def read_scores(
    dataset: Dataset, filters: Filters, methods: Methods, *, rank_incomplete: bool = False
) -> Leaderboard:
    """Compute the leaderboard of a selection.

    Parameters
    ----------
    filters : Filters
        As the user gave them.
    rank_incomplete : bool
        Rank evals that lack a cell on the cells they have.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have.
    NothingFoundError
        Nothing matches.
    """
    filters = filters.resolved(dataset.catalog)
    config = dataset.config
    cells = read_cells(dataset, filters, methods)
    if cells.empty:
        raise NothingFoundError("No results found matching filters")
    ordered = in_display_order(dataset, cells)
    cells, tasks, tiers = ordered.cells, ordered.tasks, ordered.tiers
    score_cells = cells[cells["tier"].notna() if tiers else cells["tier"].isna()]
    rows = _eval_rows(cells, config)
    rows = rows.join(_scores(score_cells, rows.index)).reset_index()
    rows["score_per_token"] = rows["reasonscore"] / rows["mean_tokens"].where(rows["mean_tokens"] > 0)
    eligible = rows["complete"] | rank_incomplete
    order = fair_sort(*(rows[c].where(eligible) for c in ("plain_score", "plain_lower", "plain_upper")))
    rows["rank"] = pd.array(np.where(order.rank > 0, order.rank, -1), dtype="Int64")
    rows["rank"] = rows["rank"].mask(rows["rank"] < 0)
    ranked, unranked = rows.iloc[order.order], rows["rank"].isna()
    rows = pd.concat(
        [ranked[ranked["rank"].notna()], rows[unranked].sort_values("plain_score", ascending=False)]
    ).reset_index(drop=True)
    notes = leaderboard_notes(rows, cells, score_cells, config, rank_incomplete=rank_incomplete)
    return Leaderboard(rows, cells, tasks, tiers, config, filters, methods, notes)


def _eval_rows(cells: pd.DataFrame, config: DatasetConfig) -> pd.DataFrame:
    pooled = cells[cells["tier"].isna()].groupby("eval_id")
    counts = ["n", "n_items", "correct", "incorrect", "invalid", "truncated", "error", "empty"]
    rows = pooled[counts].sum()
    tokens = pooled[["token_n", "token_sum", "tokenized_n"]].sum()
    rows["mean_tokens"] = tokens["token_sum"] / tokens["token_n"].where(tokens["token_n"] > 0)
    rows["visible_tokens"] = tokens["tokenized_n"] > 0
    tried = (rows["n"] + rows["truncated"]).where(lambda total: total > 0)
    rows["all_in_accuracy"] = rows["all_in_lower"] = rows["correct"] / tried
    rows["all_in_upper"] = (rows["correct"] + rows["truncated"]) / tried
    entries = [config.evals[eval_id] for eval_id in rows.index]
    names = config.eval_names
    rows.insert(0, "groups", [list(entry.groups) for entry in entries])
    for field in ("sampler", "template", "model"):
        wanted = [entry.filters.get(field) for entry in entries]
        rows.insert(0, field, [", ".join(w) if isinstance(w, list) else w for w in wanted])
    rows.insert(0, "label", [entry.label for entry in entries])
    rows.insert(0, "name", [names[eval_id] for eval_id in rows.index])
    return rows


def _scores(score_cells: pd.DataFrame, evals: pd.Index) -> pd.DataFrame:
    """Return the scores of each eval and whether it has every cell that any eval has."""
    keyed = score_cells.assign(cell=score_cells.groupby(["task", "tier"], dropna=False).ngroup())

    def matrix(column: str) -> np.ndarray:
        table = keyed.pivot(index="eval_id", columns="cell", values=column).reindex(evals)
        return table.to_numpy(float)

    plain = plain_score(*(matrix(f"plain_{part}") for part in ("accuracy", "lower", "upper")))
    present = ~np.isnan(matrix("plain_accuracy"))
    # Where the source does not tell what was cut off, completions count as they were graded.
    ratio = np.nan_to_num(matrix("truncated_ratio"))
    return pd.DataFrame(
        {
            "plain_score": plain.score,
            "plain_lower": plain.lower,
            "plain_upper": plain.upper,
            "reasonscore": reasonscore(matrix("rs_center"), matrix("rs_margin"), ratio),
            # A cell in which no eval has a number is no cell that anyone lacks.
            "complete": present[:, present.any(axis=0)].all(axis=1) & present.any(axis=1),
        },
        index=evals,
    )
