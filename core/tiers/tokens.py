"""Completion tokens per completion of an eval on a task: means with item-clustered intervals."""

import math

import pandas as pd

from core.filters import Filters
from core.stats.clustered_mean import clustered_mean
from core.store.dataset import Dataset
from core.tiers.selection import selected_points
from core.tiers.words import EM_DASH


def read_token_means(dataset: Dataset, filters: Filters) -> pd.DataFrame:
    """Return one row per (eval_id, task, tier), tier None pooled: mean_tokens, tokens_lower, tokens_upper.

    All completions with a token count are in the mean, truncated ones too; cells without any have no row.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    selected, parameters = selected_points(dataset, filters)
    tiers = filters.tiers or tuple(tier.id for tier in dataset.config.tiers)
    names = ", ".join(f"$tier_{number}" for number in range(len(tiers))) or "NULL"
    parameters = {**parameters, **{f"tier_{number}": tier for number, tier in enumerate(tiers)}}
    sums: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), items AS (
            SELECT s.eval_id, p.base_task AS task, p.params_id, c.item_id,
                sum(c.completion_tokens)::DOUBLE AS t, count(*)::DOUBLE AS c
            FROM data.completions c
            JOIN selected s USING (point_id)
            JOIN data.points p USING (point_id)
            WHERE c.completion_tokens IS NOT NULL
            GROUP BY ALL
        ), cells AS (
            SELECT eval_id, task, NULL AS tier, t, c FROM items
            UNION ALL
            SELECT i.eval_id, i.task, m.facet AS tier, i.t, i.c
            FROM items i JOIN tier_params m USING (params_id)
            WHERE m.facet IN ({names})
        )
        SELECT eval_id, task, tier, count(*)::DOUBLE AS items, sum(t) AS total, sum(c) AS count,
            sum(t * t) AS tt, sum(t * c) AS tc, sum(c * c) AS cc
        FROM cells
        GROUP BY ALL
        ORDER BY ALL""",
        **parameters,
    ).to_pandas()
    means = clustered_mean(*(sums[name] for name in ("items", "total", "count", "tt", "tc", "cc")))
    frame = sums[["eval_id", "task"]].assign(
        tier=sums["tier"].astype(object).where(sums["tier"].notna(), None),
        mean_tokens=means.mean,
        tokens_lower=means.lower,
        tokens_upper=means.upper,
    )
    return frame


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
