"""Completion tokens per completion of an eval on a task: means with item-clustered intervals."""

import math

import pandas as pd

from core.filters import Filters
from core.stats.clustered_mean import clustered_mean
from core.store.dataset import Dataset
from core.tiers.points import read_points, read_tiers
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
    names = ("token_items", "token_sum", "token_n", "token_tt", "token_tc", "token_cc")
    values = {name: points[stored].astype(float) for name, stored in zip(SUMS, names, strict=True)}
    sums = points[["eval_id", "task", "params_id"]].assign(**values)
    return sums[sums["count"] > 0].reset_index(drop=True)


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
