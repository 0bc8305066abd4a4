"""Completion tokens per completion of an eval on a task: means with item-clustered intervals."""

import math

import pandas as pd

from core.filters import Filters
from core.stats.clustered_mean import clustered_mean
from core.store.dataset import Dataset
from core.tiers.points import completions_of, read_points, read_tiers
from core.tiers.selection import selected_points
from core.tiers.words import EM_DASH

SUMS = ("items", "total", "count", "tt", "tc", "cc")
"""Over the items of a cell, each with t tokens in c completions: their number, sums of t, c, t^2, tc, c^2.

They add over cells that share no item, and are the arguments of `clustered_mean`.
"""


def read_token_sums(dataset: Dataset, filters: Filters, points: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return one row per (eval_id, task, params_id) with SUMS; points without token counts have no row.

    All completions with a token count are in the sums, truncated ones too.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    points : DataFrame, optional
        Rows of `read_points` of the same filters, where they are there already.
    """
    points = read_points(dataset, filters) if points is None else points
    if _once_each(dataset, points):
        # Sums over items are the sums over completions then, which points have.
        n, total = points["token_n"].astype(float), points["token_sum"]
        values = (n, total, n, points["token_squares"], total, n)
        sums = points[["eval_id", "task", "params_id"]].assign(**dict(zip(SUMS, values, strict=True)))
        return sums[n > 0].reset_index(drop=True)
    selected, parameters = selected_points(dataset, filters)
    found: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), items AS (
            SELECT s.eval_id, p.base_task AS task, p.params_id, c.item_id,
                sum(c.completion_tokens)::DOUBLE AS t, count(*)::DOUBLE AS c
            FROM {completions_of(filters)} c
            JOIN selected s USING (point_id)
            JOIN data.points p USING (point_id)
            WHERE c.completion_tokens IS NOT NULL
            GROUP BY ALL
        )
        SELECT eval_id, task, params_id, count(*)::DOUBLE AS items, sum(t) AS total, sum(c) AS count,
            sum(t * t) AS tt, sum(t * c) AS tc, sum(c * c) AS cc
        FROM items
        GROUP BY ALL
        ORDER BY ALL""",
        **parameters,
    ).to_pandas()
    return found


def _once_each(dataset: Dataset, points: pd.DataFrame) -> bool:
    """Whether no eval has several completions of an item."""
    if (points["most_tries"] > 1).any():
        return False
    # Completions that failed are no tries, and still cost tokens. Counting the rows of tables reads no data.
    row = dataset.rows(
        "SELECT (SELECT count(*) FROM data.completions) = (SELECT count(*) FROM data.item_results) AS once"
    )
    return bool(row[0]["once"])


def read_token_means(dataset: Dataset, filters: Filters, points: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return one row per (eval_id, task, tier), tier None pooled: mean_tokens, tokens_lower, tokens_upper.

    Cells without any token count have no row.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    points : DataFrame, optional
        Rows of `read_points` of the same filters, where they are there already.
    """
    sums = read_token_sums(dataset, filters, points)
    tiers = sums.merge(read_tiers(dataset, filters)[["tier", "params_id"]], on="params_id")
    cells = [
        part.groupby(["eval_id", "task", "tier"], dropna=False)[list(SUMS)].sum().reset_index()
        for part in (sums.assign(tier=None), tiers)
        if len(part)
    ]
    frame = pd.concat(cells) if cells else sums.assign(tier=None)
    means = clustered_mean(*(frame[name] for name in SUMS))
    table: pd.DataFrame = frame[["eval_id", "task"]].assign(
        tier=frame["tier"].astype(object).where(frame["tier"].notna(), None),
        mean_tokens=means.mean,
        tokens_lower=means.lower,
        tokens_upper=means.upper,
    )
    return table.reset_index(drop=True)


def token_text(mean: float) -> str:
    """Return a mean number of tokens as text, with a decimal where it is small."""
    if math.isnan(mean):
        return EM_DASH
    return f"{mean:,.1f}" if mean < 100 else f"{mean:,.0f}"


def mean_text(mean: float, lower: float, upper: float) -> str:
    """Return a mean number of tokens with its interval, where it has one."""
    if math.isnan(mean) or math.isnan(lower):
        return token_text(mean)
    return f"{token_text(mean)} [{token_text(lower)}, {token_text(upper)}]"
