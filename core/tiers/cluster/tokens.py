"""What completions cost in tokens, per eval of a section and per clique, with item-clustered intervals."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.filters import Filters
from core.stats.arrays import IntArray
from core.stats.clustered_mean import ClusteredMean, clustered_mean
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.cluster.stack import section_params, section_points
from core.tiers.points import item_results_at
from core.tiers.tokens import SUMS, read_token_sums


def member_tokens(
    dataset: Dataset, filters: Filters, stack: str, cells: pd.DataFrame, points: pd.DataFrame
) -> ClusteredMean:
    """Return mean tokens per completion of each cell, in the order of the cells.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    cells : DataFrame
        Rows of core.tiers.cluster.stack.read_section_cells.
    points : DataFrame
        Rows of core.tiers.points.read_points that the cells were made of.
    """
    sums = read_token_sums(dataset, filters, points)
    members = section_params(dataset, filters, stack, sums)[["section", "params_id"]]
    table = sums.merge(members, on="params_id").groupby(["section", "eval_id"])[list(SUMS)].sum()
    table = table.reindex(pd.MultiIndex.from_frame(cells[["section", "eval_id"]])).fillna(0)
    return clustered_mean(*(table[name] for name in SUMS))


_BY_ITEM = """
    WITH selected AS ({selected})
    SELECT s.eval_id, r.item_id, r.token_n, r.tokens
    FROM {results} r
    JOIN selected s USING (point_id)
    WHERE r.token_n > 0"""


def clique_tokens(
    dataset: Dataset, filters: Filters, stack: str, value: str, cliques: Sequence[Sequence[int]]
) -> ClusteredMean:
    """Return mean tokens per completion of groups of evals; an item that members share is one cluster.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    cliques
        Groups of eval ids.
    """
    selected, parameters = section_points(dataset, filters, stack, value)
    # Tokens do not depend on the threshold.
    results = item_results_at(STORED_THRESHOLD, filters.flagged)
    table = dataset.sql(_BY_ITEM.format(selected=selected, results=results), **parameters)
    evals, row = np.unique(table["eval_id"].to_numpy(), return_inverse=True)
    column, items = _places(table["item_id"].to_numpy())
    # An eval of several identities has several rows of an item.
    cell = row * items + column
    t, c = (
        np.bincount(cell, table[name].to_numpy(), evals.size * items).reshape(evals.size, items)
        for name in ("tokens", "token_n")
    )
    # Sums over items of products of members' sums, for any group, from the products of every two evals.
    tt, tc, cc = t @ t.T, t @ c.T, c @ c.T
    total, count = t.sum(axis=1), c.sum(axis=1)
    place = {int(one): number for number, one in enumerate(evals)}

    def sums(clique: Sequence[int]) -> tuple[float, ...]:
        rows = [place[one] for one in clique if one in place]
        square = np.ix_(rows, rows)
        shared = np.any(c[rows] > 0, axis=0)
        return (
            float(shared.sum()), float(total[rows].sum()), float(count[rows].sum()), float(tt[square].sum()),
            float(tc[square].sum()), float(cc[square].sum()),
        )  # fmt: skip

    columns = np.array([sums(one) for one in cliques], dtype=np.float64).reshape(-1, 6).T
    return clustered_mean(*columns)


def _places(ids: IntArray) -> tuple[IntArray, int]:
    """Return the place of each id among the distinct ones, and their number; ids are not negative."""
    there = np.zeros(int(ids.max(initial=-1)) + 1, dtype=bool)
    there[ids] = True
    return (np.cumsum(there) - 1)[ids], int(there.sum())
