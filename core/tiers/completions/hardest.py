"""The hardest items: how many evals ever get an item right, and what those that fail have in common."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from core.errors import FilterError
from core.filters import Filters
from core.store.aggregate import EFFECTIVE_OUTCOME, STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.completions.query import names_of, outcome_at
from core.tiers.counted import completions_of, item_results_at
from core.tiers.points import selected_at
from core.tiers.selection import selected_points

KINDS = ("all", "everyone", "one")
KIND_NAMES = {"all": "All items", "everyone": "Everyone fails", "one": "One eval fails"}

FEWEST_EVALS = 2
"""Evals that must have answered an item before "everyone" and "only one" mean something."""

_CONDITIONS = {"all": "true", "everyone": "failing = evals", "one": "failing = 1 AND evals > 1"}


@dataclass(frozen=True)
class HardestItems:
    """A page of items, the lowest pass rate first; of those that everyone fails, the most agreed on first.

    Attributes
    ----------
    rows
        item_id, base_task, params, item_key, reference, evals (that answered), failing (of which no
        completion is correct), pass_rate (mean over evals of their share of correct completions),
        failing_eval (the eval that fails alone, else missing), wrong_answer, wrong_n, wrong_evals (the most
        common answer that is not correct, how often and by how many evals it was given; missing where none
        could be read).
    items, everyone, one
        How many items enough evals answered, and of these how many everyone fails, and one eval alone.
    """

    rows: pd.DataFrame
    items: int
    everyone: int
    one: int

    def total(self, kind: str) -> int:
        """Return how many items there are of a kind."""
        return {"all": self.items, "everyone": self.everyone, "one": self.one}[kind]


def read_hardest(
    dataset: Dataset,
    filters: Filters,
    *,
    kind: str = KINDS[0],
    fewest: int = FEWEST_EVALS,
    page: int = 1,
    rows: int = 50,
) -> HardestItems:
    """Return items by the share of evals that get them right.

    Truncated and failed completions say nothing of an item and are left out; an eval that has no others of
    an item has not answered it.

    Parameters
    ----------
    kind : str
        One of KINDS: all items, those that every eval fails (suspects for a wrong reference), those that one
        eval alone fails.
    fewest : int
        Items that fewer evals answered are left out.

    Raises
    ------
    FilterError
        The filters or the choices name what there is not.
    """
    if kind not in KINDS:
        raise FilterError(f"No kind of items {kind!r}; valid: {', '.join(KINDS)}")
    if fewest < 1 or page < 1 or rows < 1:
        raise FilterError(f"Evals, pages and rows count from 1; given: {fewest}, {page}, {rows}")
    filters = filters.resolved(dataset.catalog)
    selected, threshold, parameters = selected_at(dataset, filters)
    # Where everyone fails, an answer that many agree on speaks against the reference. Only there are the
    # completions read for the order.
    agreement, agreed, source = "", "0", "judged j"
    if kind == "everyone":
        agreement = f", agreement AS ({_agreement(filters)})"
        agreed = "coalesce(a.agreeing, 0) / j.evals"
        source = "judged j LEFT JOIN agreement a USING (item_id)"
        parameters["threshold"] = threshold
    frame = dataset.sql(
        f"""
        WITH selected AS ({selected}), results AS (
            {_shares(dataset, filters)}
        ), judged AS (
            SELECT item_id, count(*) AS evals, count(*) FILTER (WHERE share = 0) AS failing,
                avg(share) AS pass_rate, min(eval_id) FILTER (WHERE share = 0) AS failing_eval
            FROM results
            GROUP BY item_id
            HAVING count(*) >= $fewest
        ), totals AS (
            SELECT count(*) AS items, count(*) FILTER (WHERE {_CONDITIONS["everyone"]}) AS everyone,
                count(*) FILTER (WHERE {_CONDITIONS["one"]}) AS one
            FROM judged
        ){agreement}, page AS (
            SELECT j.*, {agreed} AS agreed
            FROM {source}
            WHERE {_CONDITIONS[kind]}
            ORDER BY pass_rate, agreed DESC, evals DESC, item_id
            LIMIT $rows OFFSET $skipped
        )
        SELECT t.*, g.*, i.base_task, i.params, i.key AS item_key, i.reference
        FROM totals t
        LEFT JOIN page g ON true
        LEFT JOIN data.items i ON i.item_id = g.item_id
        ORDER BY g.pass_rate, g.agreed DESC, g.evals DESC, g.item_id""",
        fewest=fewest,
        rows=rows,
        skipped=(page - 1) * rows,
        **parameters,
    ).to_pandas()
    counts = frame.iloc[0]
    found = frame.drop(columns=["items", "everyone", "one", "agreed"]).dropna(subset="item_id")
    found = found.astype({"item_id": "int64", "evals": "int64", "failing": "int64"}).reset_index(drop=True)
    alone = (found["failing"] == 1) & (found["evals"] > 1)
    found["failing_eval"] = found["failing_eval"].where(alone).astype("Int64")
    wrong = _wrong_answers(dataset, filters, found["item_id"].tolist())
    return HardestItems(
        found.merge(wrong, on="item_id", how="left"),
        int(counts["items"]),
        int(counts["everyone"]),
        int(counts["one"]),
    )


def _shares(dataset: Dataset, filters: Filters) -> str:
    """Return SQL of (eval_id, item_id, share correct) over points of `selected`.

    Only an eval of several identities has several rows of an item: to sum millions of rows that are one
    each takes ten times as long as to read them.
    """
    selected, parameters = selected_points(dataset, filters)
    shared = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT count(*) > count(DISTINCT (s.eval_id, p.params_id)) AS shared
        FROM selected s JOIN data.points p USING (point_id)""",
        **parameters,
    )[0]["shared"]
    results = item_results_at(filters.threshold or STORED_THRESHOLD, filters.flagged)
    if not shared:
        return f"""SELECT s.eval_id, r.item_id, r.y / r.k AS share
            FROM {results} r JOIN selected s USING (point_id)
            WHERE r.k > 0"""
    return f"""SELECT s.eval_id, r.item_id, sum(r.y) / sum(r.k) AS share
            FROM {results} r JOIN selected s USING (point_id)
            WHERE r.k > 0
            GROUP BY s.eval_id, r.item_id"""


def _agreement(filters: Filters) -> str:
    """Return SQL of (item_id, agreeing): how many evals give the most common wrong answer to an item."""
    return f"""
            SELECT item_id, max(evals) AS agreeing
            FROM (
                SELECT c.item_id, trim(c.answer) AS answer, count(DISTINCT s.eval_id) AS evals
                FROM {completions_of(filters)} c
                JOIN selected s USING (point_id)
                WHERE c.item_id IN (SELECT item_id FROM judged WHERE {_CONDITIONS["everyone"]})
                    AND trim(c.answer) <> '' AND {EFFECTIVE_OUTCOME} IN ('incorrect', 'invalid')
                GROUP BY ALL
            )
            GROUP BY item_id
        """


def _wrong_answers(dataset: Dataset, filters: Filters, items: Sequence[int]) -> pd.DataFrame:
    """Return of each item the most common answer that is not correct."""
    selected, _, parameters = selected_at(dataset, filters)
    threshold = filters.threshold or STORED_THRESHOLD
    names, bound = names_of("item", items)
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), given AS (
            SELECT c.item_id, trim(c.answer) AS answer, count(DISTINCT c.completion_id) AS n,
                count(DISTINCT s.eval_id) AS evals
            FROM {completions_of(filters)} c
            JOIN selected s USING (point_id)
            WHERE c.item_id IN ({names}) AND trim(c.answer) <> ''
                AND {outcome_at(threshold)} IN ('incorrect', 'invalid')
            GROUP BY ALL
        )
        SELECT item_id, answer AS wrong_answer, n AS wrong_n, evals AS wrong_evals
        FROM given
        QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY n DESC, evals DESC, answer) = 1""",
        **{**parameters, **bound},
    ).to_pandas()
    return frame.astype({"item_id": "int64", "wrong_n": "Int64", "wrong_evals": "Int64"})
