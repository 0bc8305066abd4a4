"""Pages of a list: how many completions there are, and the rows of one page."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from core.errors import FilterError
from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.completions.query import filters_of, listing, names_of, outcome_at
from core.tiers.completions.wanted import OUTCOMES, SEARCHED, SORTS, Wanted
from core.tiers.counted import points_at
from core.tiers.loops import LoopRule, suspected_loop
from core.tiers.selection import selected_points

PAGE_ROWS = 50
MOST_LISTED = 10_000
"""Rows that can be paged to: further ones are found by narrowing the list, not by turning pages."""

EXCERPT = 200
"""Characters of an answer that a row shows."""

COLUMNS = (
    "completion_id", "eval_id", "base_task", "params", "item_id", "item_key", "repeat", "outcome", "score",
    "answer", "reference", "completion_tokens", "ratio", "loop", "flag",
)  # fmt: skip
"""Of a row.

answer and reference: cut after EXCERPT + 1 characters; ratio: compressed bytes per byte of the response;
loop: whether it is suspected; flag: the note of a flagged completion, which may be empty; missing where it is
not flagged.
"""


def count_completions(dataset: Dataset, filters: Filters, wanted: Wanted) -> int:
    """Return how many completions a list has.

    Raises
    ------
    FilterError
        The filters or the list name what the dataset does not have.
    """
    filters = filters.resolved(dataset.catalog)
    wanted = replace(wanted.checked(dataset.catalog), sort=SORTS[0], descending=False)
    of_points = replace(wanted, outcomes=(), ranges=(), searched=SEARCHED[0], match_case=False) == Wanted()
    if of_points and filters.threshold == STORED_THRESHOLD:
        # Points know how many completions they have of each outcome.
        found = listing(dataset, filters, replace(wanted, outcomes=()))
        sums = " + ".join(wanted.outcomes or OUTCOMES)
        points = points_at(STORED_THRESHOLD, filters.flagged)
        query = f"""
            WITH {found.ctes}
            SELECT coalesce(sum({sums}), 0)::BIGINT AS n FROM {points} c WHERE {found.where}"""
    else:
        found = listing(dataset, filters, wanted)
        query = found.count()
    return int(dataset.rows(query, **found.parameters)[0]["n"])


def pages_of(total: int) -> int:
    """Return how many pages a list of so many completions has, at least one."""
    return max(1, -(-min(total, MOST_LISTED) // PAGE_ROWS))


def read_page(
    dataset: Dataset, filters: Filters, wanted: Wanted, page: int, rows: int = PAGE_ROWS
) -> pd.DataFrame:
    """Return a page of a list as rows with COLUMNS; pages count from 1, one beyond the last is empty.

    Raises
    ------
    FilterError
        The filters or the list name what the dataset does not have, or the page is not above 0.
    """
    if page < 1 or rows < 1:
        raise FilterError(f"Pages count from 1 and have at least one row; given: page {page}, {rows} rows")
    filters = filters.resolved(dataset.catalog)
    found = listing(dataset, filters, wanted.checked(dataset.catalog))
    ids = dataset.sql(
        f"{found.ids()}\nLIMIT $page_rows OFFSET $page_offset",
        page_rows=rows,
        page_offset=(page - 1) * rows,
        **found.parameters,
    )["completion_id"].to_pylist()
    return read_rows(dataset, filters_of(filters, wanted), ids, wanted.loops or LoopRule())


def read_rows(dataset: Dataset, filters: Filters, ids: Sequence[int], rule: LoopRule) -> pd.DataFrame:
    """Return completions as rows with COLUMNS, in the order of the ids.

    A completion whose point belongs to several selected evals stands under the first of them.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    ids : sequence of int
        Completion ids of the selection.
    rule : LoopRule
        What a suspected loop is.
    """
    names, bound = names_of("id", ids)
    loop, loop_bound = suspected_loop(rule, dataset.config)
    selected, parameters = selected_points(dataset, filters)
    threshold = filters.threshold or STORED_THRESHOLD
    if threshold != STORED_THRESHOLD:
        parameters = {**parameters, "threshold": threshold}
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), here AS (
            SELECT * FROM data.completions WHERE completion_id IN ({names})
        ), homes AS (
            SELECT point_id, min(eval_id) AS eval_id
            FROM selected WHERE point_id IN (SELECT point_id FROM here) GROUP BY point_id
        )
        SELECT c.completion_id, h.eval_id, p.base_task, p.params, c.item_id, i.key AS item_key, c.repeat,
            {outcome_at(threshold)} AS outcome, c.score, substr(c.answer, 1, {EXCERPT + 1}) AS answer,
            substr(i.reference, 1, {EXCERPT + 1}) AS reference, c.completion_tokens,
            c.compressed_bytes / nullif(c.response_bytes, 0) AS ratio, {loop} AS loop, f.note AS flag
        FROM here c
        JOIN homes h USING (point_id)
        JOIN data.points p USING (point_id)
        JOIN data.items i USING (item_id)
        LEFT JOIN flagged f ON f.completion_id = c.completion_id""",
        **{**parameters, **bound, **loop_bound},
    ).to_pandas()
    return frame.set_index("completion_id").reindex(list(ids)).reset_index()
