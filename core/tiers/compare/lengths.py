"""Accuracy by length of response: whether an eval does better where it writes more, at equal task and tier.

Longer responses go with harder items too, so that this is an association, not an effect of length.
"""

import math
from dataclasses import dataclass

import pandas as pd

from core.config import DatasetConfig
from core.filters import Filters
from core.stats.cells import estimate
from core.stats.clustering import effective_n
from core.store.aggregate import EFFECTIVE_OUTCOME
from core.store.dataset import Dataset
from core.tiers.compare.items import check_pair, check_rule, filters_of
from core.tiers.compare.repeats import read_repeats
from core.tiers.methods import Methods
from core.tiers.points import completions_of
from core.tiers.selection import selected_points

PARTS = 5
"""Responses are cut into fifths."""

COLUMNS = [
    "eval_id", "part", "n", "n_items", "correct", "accuracy", "lower", "upper", "tokens",
    "tokens_from", "tokens_to",
]  # fmt: skip


@dataclass(frozen=True)
class Lengths:
    """Accuracy by fifth of response length.

    Attributes
    ----------
    cells
        One row per eval and fifth (part 1: the shortest), COLUMNS: n completions and the correct ones of
        them (not whole where equal lengths are shared out), n_items common items, accuracy (raw) with its
        interval, mean tokens and their range.
    gaps
        One row per eval: accuracy in the longest fifth minus that in the shortest as difference, lower,
        upper; missing where either is.
    rule
        What truncated completions count as: wrong or left_out.
    without_tokens
        Completions on common items without a token count, which are in no fifth.
    by_tier
        Whether fifths are cut within task and tier, or, without tiers, within the task.
    """

    cells: pd.DataFrame
    gaps: pd.DataFrame
    rule: str
    without_tokens: int
    by_tier: bool
    config: DatasetConfig
    filters: Filters
    methods: Methods


def read_lengths(
    dataset: Dataset, filters: Filters, methods: Methods, a: int, b: int, *, rule: str = "wrong"
) -> Lengths:
    """Read the accuracy of A and B by fifth of response length, on their common items.

    Completions of one eval are cut into fifths by tokens within task and tier (the first tier that a param
    set is in), so that every fifth has the same mix of them. Completions of equal length are shared out:
    where a fifth ends among them, each counts in both in proportion. Failed completions are left out;
    truncated ones count as wrong, or are left out.

    Parameters
    ----------
    filters : Filters
        As the user gave them; what they say of evals and groups is of no use here.
    rule : str
        wrong or left_out.

    Raises
    ------
    FilterError
        An eval or rule that is not there, twice the same eval, or filters that name what the dataset does
        not have.
    """
    check_pair(dataset.config, a, b)
    check_rule(rule)
    filters = filters_of(filters.resolved(dataset.catalog), (a, b))
    sums = _sums(dataset, filters, a, b, rule)
    cells = _estimates(sums, methods)
    return Lengths(
        cells=cells,
        gaps=_gaps(cells),
        rule=rule,
        without_tokens=int(sums.loc[sums["part"] == 0, "k"].sum()),
        by_tier=bool(dataset.config.tiers),
        config=dataset.config,
        filters=filters,
        methods=methods,
    )


def _sums(dataset: Dataset, filters: Filters, a: int, b: int, rule: str) -> pd.DataFrame:
    """Return sums over items per eval, fifth and stratum; fifth 0 holds completions without tokens."""
    selected, parameters = selected_points(dataset, filters)
    uncounted = "('error')" if rule == "wrong" else "('error', 'truncated')"
    single = read_repeats(dataset, filters).single
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), first_tier AS (
            SELECT params_id, min(position) AS tier FROM tier_params GROUP BY params_id
        ), strata AS (
            SELECT s.eval_id, s.point_id, dense_rank() OVER (ORDER BY p.base_task, t.tier)::INTEGER AS stratum
            FROM selected s
            JOIN data.points p USING (point_id)
            LEFT JOIN first_tier t USING (params_id)
        ), tried AS (
            SELECT s.eval_id, s.stratum, c.item_id, c.completion_tokens AS tokens,
                {EFFECTIVE_OUTCOME} = 'correct' AS correct
            FROM {completions_of(filters)} c
            JOIN strata s USING (point_id)
            WHERE c.outcome NOT IN {uncounted}
        ), common AS (
            SELECT item_id
            FROM (SELECT item_id FROM tried WHERE eval_id = $a)
            SEMI JOIN (SELECT item_id FROM tried WHERE eval_id = $b) USING (item_id)
        ), counted AS (
            SELECT t.*
            FROM tried t
            SEMI JOIN common USING (item_id)
            JOIN data.items i USING (item_id)
            WHERE i.paired
        ), lengths AS (
            SELECT eval_id, stratum, tokens, count(*) AS n, count(*) FILTER (WHERE correct) AS right_ones
            FROM counted
            GROUP BY eval_id, stratum, tokens
        ), places AS (
            -- Where completions of a length begin and end among the fifths, from 0 to $parts.
            SELECT *, $parts * (upto - n) / total AS first, $parts * upto / total AS last
            FROM (
                SELECT *, sum(n) OVER (PARTITION BY eval_id, stratum ORDER BY tokens) AS upto,
                    sum(n) OVER (PARTITION BY eval_id, stratum) AS total
                FROM lengths
                WHERE tokens IS NOT NULL
            )
        ), shares AS (
            SELECT eval_id, stratum, tokens, n, right_ones, part,
                (least(last, part) - greatest(first, part - 1)) / (last - first) AS share
            FROM places CROSS JOIN (VALUES (1), (2), (3), (4), (5)) AS v(part)
            WHERE least(last, part) - greatest(first, part - 1) > 1e-9
            UNION ALL
            SELECT eval_id, stratum, tokens, n, right_ones, 0 AS part, 1 AS share
            FROM lengths
            WHERE tokens IS NULL
        ), {_SINGLE if single else _REPEATED}
        -- Fractions are added in any order: rounded, the same question has the same answer to the last digit.
        SELECT eval_id, part, stratum, sum(items)::DOUBLE AS items, round(sum(y), 7) AS y,
            round(sum(k), 7) AS k, round(sum(yy), 7) AS yy, round(sum(yk), 7) AS yk, round(sum(kk), 7) AS kk,
            round(sum(tokens), 5) AS tokens, min(low) AS low, max(high) AS high
        FROM summed
        GROUP BY eval_id, part, stratum
        ORDER BY eval_id, part, stratum""",
        a=a,
        b=b,
        parts=PARTS,
        threshold=filters.threshold,
        **parameters,
    ).to_pandas()
    return frame


_SINGLE = """summed AS (
            SELECT eval_id, stratum, part, n AS items, right_ones * share AS y, n * share AS k,
                right_ones * share * share AS yy, right_ones * share * share AS yk, n * share * share AS kk,
                n * share * tokens AS tokens, tokens AS low, tokens AS high
            FROM shares
        )"""
"""Sums over items that have one completion each: those of a length are alike."""

_REPEATED = """items AS (
            SELECT c.eval_id, c.stratum, c.item_id, h.part,
                coalesce(sum(h.share) FILTER (WHERE c.correct), 0) AS y, sum(h.share) AS k,
                sum(h.share * c.tokens) AS tokens, min(c.tokens) AS low, max(c.tokens) AS high
            FROM counted c
            JOIN shares h
                ON h.eval_id = c.eval_id AND h.stratum = c.stratum
                    AND h.tokens IS NOT DISTINCT FROM c.tokens
            GROUP BY c.eval_id, c.stratum, c.item_id, h.part
        ), summed AS (
            SELECT eval_id, stratum, part, 1 AS items, y, k, y * y AS yy, y * k AS yk, k * k AS kk, tokens,
                low, high
            FROM items
        )"""
"""The same where an item may have several."""


def _estimates(strata: pd.DataFrame, methods: Methods) -> pd.DataFrame:
    strata = strata[strata["part"] > 0]
    groups = strata.groupby(["eval_id", "part"], sort=True)
    cells = groups.agg(
        n=("k", "sum"), n_items=("items", "sum"), correct=("y", "sum"), tokens=("tokens", "sum"),
        tokens_from=("low", "min"), tokens_to=("high", "max"),
    ).reset_index()  # fmt: skip
    n_eff = None
    if methods.repeats == "cluster" and methods.interval != "reasonscape":
        items, y, k, yy, yk, kk = (strata[name] for name in ("items", "y", "k", "yy", "yk", "kk"))
        n_eff = effective_n(groups.ngroup().to_numpy(), items, y, k, yy, yk, kk, len(cells)).n_eff
    found = estimate(cells["correct"], cells["n"] - cells["correct"], 0, n_eff=n_eff, method=methods.interval)
    table: pd.DataFrame = cells.assign(
        accuracy=found.accuracy,
        lower=found.lower,
        upper=found.upper,
        tokens=cells["tokens"] / cells["n"],
        n_items=cells["n_items"].astype(int),
    )[COLUMNS]
    return table


def _gaps(cells: pd.DataFrame) -> pd.DataFrame:
    """Return accuracy in the longest fifth minus the shortest, with the interval that both have.

    The bounds combine those of the two accuracies: Newcombe 1998, Statistics in Medicine 17:873, method 10.
    """
    rows = []
    for eval_id, part in cells.groupby("eval_id", sort=True):
        by_part = part.set_index("part")
        gap = lower = upper = float("nan")
        if {1, PARTS} <= set(by_part.index):
            (short, low, high), (long, long_low, long_high) = (
                map(float, by_part.loc[part, ["accuracy", "lower", "upper"]]) for part in (1, PARTS)
            )
            gap = long - short
            lower = gap - math.hypot(long - long_low, high - short)
            upper = gap + math.hypot(long_high - long, short - low)
        rows.append({"eval_id": eval_id, "difference": gap, "lower": lower, "upper": upper})
    return pd.DataFrame(rows, columns=["eval_id", "difference", "lower", "upper"])
