"""Rank sets and the chance of being first, from paired draws over items."""

import json
import zlib
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.filters import Filters
from core.stats.draws import DRAWS, PairedDraws
from core.stats.ranksets import rank_sets
from core.store.dataset import Dataset
from core.tiers.methods import Methods
from core.tiers.points import item_results_at, read_tiers, selected_at
from core.tiers.scores.table import read_scores

SEED = 20_260_117
"""Joined with a hash of the filters: the same selection always gives the same draws."""


@dataclass(frozen=True)
class DrawsTable:
    """What draws say about ranks.

    Attributes
    ----------
    frame
        One row per ranked eval: eval_id, rank_low, rank_high (the rank set), p_first, draw_low, draw_high
        (rank variability, no confidence set), not_estimable (tasks where the eval is at 0 or 1).
    method
        In words: kind and number of draws, the test and its number of pairs.
    """

    frame: pd.DataFrame
    method: str


def read_draws(
    dataset: Dataset, filters: Filters, methods: Methods, *, rank_incomplete: bool = False
) -> DrawsTable:
    """Draw plain scores of all evals on the same resampled items and derive rank sets.

    Raises
    ------
    FilterError, NothingFoundError
        As `read_scores`.
    """
    leaderboard = read_scores(dataset, filters, methods, rank_incomplete=rank_incomplete)
    filters = leaderboard.filters
    evals = leaderboard.rows["eval_id"].to_numpy()
    cells = leaderboard.score_cells
    per_cell = cells.groupby(["task", "tier"], dropna=False)["all_items"].max()
    seed = SEED ^ zlib.crc32(json.dumps(filters.to_dict(), sort_keys=True).encode())
    draws = PairedDraws(evals.size, int(per_cell.sum()), seed=seed)
    added: list[str] = []
    tiers = read_tiers(dataset, filters)
    for task in leaderboard.tasks:
        results = _item_results(dataset, filters, task)
        for tier in leaderboard.tiers or (None,):
            part = results
            if tier is not None:
                part = results[results["params_id"].isin(tiers.loc[tiers["tier"] == tier, "params_id"])]
            if part.empty:
                continue
            same = (cells["task"] == task) & (cells["tier"].isna() if tier is None else cells["tier"] == tier)
            gamma = cells[same].set_index("eval_id")["gamma"].reindex(evals).fillna(0.0)
            _add(draws, part, evals, gamma.to_numpy(float))
            added.append(leaderboard.config.task_label(task))
    result = draws.result()
    ranked = leaderboard.rows["rank"].notna().to_numpy()
    sets = rank_sets(np.where(ranked, result.point, np.nan), result.draws)
    frame = pd.DataFrame(
        {
            "eval_id": evals,
            "rank_low": sets.lowest,
            "rank_high": sets.highest,
            "p_first": sets.p_first,
            "draw_low": sets.draw_low,
            "draw_high": sets.draw_high,
            "not_estimable": [
                ", ".join(dict.fromkeys(label for label, no in zip(added, column, strict=True) if no))
                for column in result.not_estimable.T
            ],
        }
    )
    kind = (
        "bootstrap draws of items within points"
        if result.method == "bootstrap"
        else "normal draws with the covariance over shared items"
    )
    method = (
        f"{DRAWS:,} paired {kind}; rank set from pairwise differences, two-sided normal p, Holm over"
        f" m = {sets.tests} pairs at 5%"
    )
    return DrawsTable(frame[ranked].reset_index(drop=True), method)


def _item_results(dataset: Dataset, filters: Filters, task: str) -> pd.DataFrame:
    selected, threshold, parameters = selected_at(dataset, filters)
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS (
            SELECT s.eval_id, s.point_id
            FROM ({selected}) s
            JOIN data.points q USING (point_id)
            WHERE q.base_task = $task
        )
        SELECT s.eval_id, p.params_id, r.item_id, sum(r.y)::INTEGER AS y,
            sum(r.k + r.truncated)::INTEGER AS tries
        FROM {item_results_at(threshold, filters.flagged)} r
        JOIN selected s USING (point_id)
        JOIN data.points p USING (point_id)
        GROUP BY ALL
        HAVING sum(r.k + r.truncated) > 0
        ORDER BY r.item_id, s.eval_id""",
        task=task,
        **parameters,
    ).to_pandas()
    return frame


def _add(draws: PairedDraws, results: pd.DataFrame, evals: np.ndarray, gamma: np.ndarray) -> None:
    items, column = np.unique(results["item_id"].to_numpy(), return_inverse=True)
    place = {eval_id: number for number, eval_id in enumerate(evals.tolist())}
    row = results["eval_id"].map(place).to_numpy()
    y = np.zeros((evals.size, items.size))
    k = np.zeros((evals.size, items.size))
    y[row, column] = results["y"].to_numpy()
    k[row, column] = results["tries"].to_numpy()
    stratum = np.zeros(items.size, dtype=np.int64)
    stratum[column] = results["params_id"].to_numpy()
    draws.add(y, k, stratum, gamma)
