"""What A and B spend: completion tokens and truncated completions per item, paired, with intervals."""

import numpy as np
import pandas as pd

from core.filters import Filters
from core.stats.moments import mean_interval
from core.stats.paired import compare
from core.store.dataset import Dataset
from core.tiers.compare.items import Kinds
from core.tiers.compare.repeats import read_repeats
from core.tiers.points import completions_of
from core.tiers.selection import selected_points

COLUMNS = [
    "scope", "value", "label", "token_items", "tokens_a", "tokens_b", "tokens_difference", "tokens_lower",
    "tokens_upper", "truncated_items", "truncated_a", "truncated_b", "truncated_difference",
    "truncated_lower", "truncated_upper", "truncated_interval",
]  # fmt: skip
"""Columns of what is spent.

token_items: common items of which both have token counts; tokens_*: means over them of an item's mean tokens,
all completions with a count, truncated ones too; the difference A minus B with its 95% t interval over items.
truncated_items: common items; truncated_*: mean share of an item's completions that were truncated, and its
difference.
"""


def read_tokens(dataset: Dataset, filters: Filters, a: int, b: int) -> pd.DataFrame:
    """Return sums over common items of each params_id: items, a, b, d and dd, of an item's mean tokens.

    Parameters
    ----------
    filters : Filters
        Selecting A and B, resolved.
    """
    selected, parameters = selected_points(dataset, filters)
    single = read_repeats(dataset, filters).single
    tokens = "c.completion_tokens::DOUBLE" if single else "avg(c.completion_tokens)"
    end = "" if single else "GROUP BY c.item_id"
    one, other = (
        f"""SELECT c.item_id, {tokens} AS tokens
            FROM {completions_of(filters)} c
            JOIN selected s USING (point_id)
            WHERE s.eval_id = ${side} AND c.completion_tokens IS NOT NULL
            {end}"""
        for side in ("a", "b")
    )
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), one AS (
            {one}
        ), other AS (
            {other}
        ), met AS (
            SELECT i.params_id, one.tokens AS a, other.tokens AS b
            FROM one
            JOIN other USING (item_id)
            JOIN data.items i USING (item_id)
            WHERE i.paired
        )
        -- Means are added in any order: rounded, the same question has the same answer to the last digit.
        SELECT params_id, count(*)::DOUBLE AS items, round(sum(a), 6) AS a, round(sum(b), 6) AS b,
            round(sum(a - b), 6) AS d, round(sum((a - b) * (a - b)), 4) AS dd
        FROM met
        GROUP BY params_id
        ORDER BY params_id""",
        a=a,
        b=b,
        **parameters,
    ).to_pandas()
    return frame


def spent_rows(
    scopes: pd.DataFrame,
    kinds: dict[tuple[str, str], Kinds],
    tokens: pd.DataFrame,
    *,
    truncation_known: bool,
) -> pd.DataFrame:
    """Return one row per scope and value but cells, with COLUMNS.

    Parameters
    ----------
    scopes
        Of core.tiers.compare.scopes.
    kinds
        The kinds of items of each scope and value.
    tokens
        Of `read_tokens`.
    truncation_known
        Whether the sources say which completions of both were cut off; there are no truncated_* numbers else.
    """
    wide = scopes[scopes["scope"] != "cell"]
    keys = ["scope", "value", "label"]
    sums = wide.merge(tokens, on="params_id", how="left").groupby(keys, sort=False)
    table = sums[["items", "a", "b", "d", "dd"]].sum().reset_index()
    n = table["items"].to_numpy(dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b, d = (np.where(n > 0, table[name] / n, np.nan) for name in ("a", "b", "d"))
        deviation = np.sqrt(np.maximum(table["dd"] - n * d**2, 0) / (n - 1))
    lower, upper = mean_interval(d, deviation, n)
    cut = pd.DataFrame(
        [_truncated(kinds[scope, value]) for scope, value in zip(table["scope"], table["value"], strict=True)]
    )
    if not truncation_known:
        # None is seen to be truncated where nobody says: that is no share of 0.
        cut[["truncated_a", "truncated_b", "truncated_difference", "truncated_lower", "truncated_upper"]] = (
            np.nan
        )
        cut["truncated_interval"] = "none"
    return table[keys].assign(
        token_items=n.astype(np.int64),
        tokens_a=a,
        tokens_b=b,
        tokens_difference=d,
        tokens_lower=lower,
        tokens_upper=upper,
        **{name: cut[name] for name in cut.columns},
    )[COLUMNS]


def _truncated(kinds: Kinds) -> dict[str, float | int | str]:
    met = kinds.some(kinds.common("wrong"))
    tries_a, tries_b = met.tries("wrong")
    result = compare(met.t_a, tries_a, met.t_b, tries_b, times=met.n, draws=1)
    n = met.n.sum()
    return {
        "truncated_items": result.n_items,
        "truncated_a": float((met.t_a / tries_a) @ met.n / n) if n else np.nan,
        "truncated_b": float((met.t_b / tries_b) @ met.n / n) if n else np.nan,
        "truncated_difference": result.d,
        "truncated_lower": result.lower,
        "truncated_upper": result.upper,
        "truncated_interval": result.interval,
    }
