"""The suspected loops of a selection: counted, and listed with the beginning and the end of their text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.errors import FilterError
from core.filters import Filters
from core.store.aggregate import EFFECTIVE_OUTCOME, STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.loops import LoopRule, suspected_loop
from core.tiers.points import completions_of, points_at
from core.tiers.selection import selected_points

SORTS = {
    "largest": "c.response_bytes DESC",
    "most repetitive": "c.compressed_bytes / c.response_bytes",
    "most tokens": "c.completion_tokens DESC NULLS LAST",
}
"""Orders of the list, each with its SQL; equal ones stand in the order of import."""

EXCERPT = 160
"""Characters of the beginning and of the end of a response that the list shows."""

COLUMNS = [
    "completion_id", "eval_id", "eval", "task", "outcome", "tokens", "bytes", "compressed", "ratio",
    "item", "repeat", "finish_reason", "place", "source", "begins", "ends", "characters",
]  # fmt: skip


@dataclass(frozen=True)
class LoopCounts:
    """How many completions are suspected loops.

    Attributes
    ----------
    frame
        One row per task and outcome: task, outcome, loops.
    completions
        Completions of the selection, failed ones too.
    sized
        Whether any of them has sizes to judge by.
    """

    frame: pd.DataFrame
    completions: int
    sized: bool

    @property
    def loops(self) -> int:
        """Suspected loops in all."""
        return int(self.frame["loops"].sum())

    def of(self, outcome: str) -> int:
        """Return the suspected loops of an outcome."""
        return int(self.frame.loc[self.frame["outcome"] == outcome, "loops"].sum())


def count_loops(dataset: Dataset, filters: Filters, rule: LoopRule) -> LoopCounts:
    """Count suspected loops by task and outcome.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    selected, parameters = _selected(dataset, filters)
    predicate, bound = suspected_loop(rule.checked(dataset.catalog.base_tasks), dataset.config)
    frame: pd.DataFrame = dataset.sql(
        f"""
        {selected}
        SELECT p.base_task AS task, {EFFECTIVE_OUTCOME} AS outcome, count(*) AS loops
        FROM {completions_of(filters)} c
        JOIN chosen p USING (point_id)
        WHERE {predicate}
        GROUP BY ALL
        ORDER BY ALL""",
        threshold=filters.threshold or STORED_THRESHOLD,
        **parameters,
        **bound,
    ).to_pandas()
    judged = dataset.rows(
        f"""
        {selected}
        SELECT (SELECT coalesce(sum(q.correct + q.incorrect + q.invalid + q.truncated + q.error), 0)::BIGINT
                FROM {points_at(STORED_THRESHOLD, filters.flagged)} q
                SEMI JOIN chosen USING (point_id)) AS completions,
            EXISTS (
                FROM {completions_of(filters)} c SEMI JOIN chosen USING (point_id)
                WHERE c.compressed_bytes IS NOT NULL
            ) AS sized""",
        **parameters,
    )[0]
    return LoopCounts(frame, judged["completions"], judged["sized"])


def list_loops(
    dataset: Dataset,
    filters: Filters,
    rule: LoopRule,
    *,
    sort: str = "largest",
    first: int = 0,
    most: int = 10,
) -> pd.DataFrame:
    """Return some of the suspected loops with COLUMNS, sorted and cut by the database.

    A completion whose point several evals take is listed once, under the first of them.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    sort : str
        One of SORTS.
    first, most : int
        Rows to skip, and rows to return at most.

    Raises
    ------
    FilterError
        There is no such order.
    """
    if sort not in SORTS:
        raise FilterError(f"No order {sort!r} of loops; valid: {', '.join(SORTS)}")
    selected, parameters = _selected(dataset, filters)
    predicate, bound = suspected_loop(rule.checked(dataset.catalog.base_tasks), dataset.config)
    # Only what the order needs is read of all of them, the rest of those that are listed.
    ids = [
        row["completion_id"]
        for row in dataset.rows(
            f"""
            {selected}
            SELECT c.completion_id
            FROM {completions_of(filters)} c
            JOIN chosen p USING (point_id)
            WHERE {predicate}
            ORDER BY {SORTS[sort]}, c.completion_id
            LIMIT $most OFFSET $first""",
            most=most,
            first=first,
            **parameters,
            **bound,
        )
    ]
    rows = _described(dataset, filters, ids, selected, parameters)
    names = dataset.config.eval_names
    texts = _excerpts(dataset, ids)
    items = _named(dataset, "items", "item_id", "key", [row["item_id"] for row in rows])
    sources = _named(dataset, "imports", "import_id", "path", [row["import_id"] for row in rows])
    told = [
        {
            **row,
            "eval": names[row["eval_id"]],
            "item": items.get(row["item_id"]),
            "source": sources.get(row["import_id"]),
            **texts.get(row["completion_id"], {}),
        }
        for row in rows
    ]
    return pd.DataFrame(told, columns=COLUMNS, dtype=object)


def read_response(dataset: Dataset, completion_id: int) -> str | None:
    """Return the text of a response, None where the dataset does not have it."""
    rows = dataset.rows(
        "SELECT text FROM data.responses WHERE completion_id = $completion_id", completion_id=completion_id
    )
    return rows[0]["text"] if rows else None


def has_texts(dataset: Dataset) -> bool:
    """Return whether the dataset has texts of responses at all."""
    return bool(
        dataset.rows("SELECT EXISTS (FROM data.responses WHERE text IS NOT NULL) AS there")[0]["there"]
    )


def _selected(dataset: Dataset, filters: Filters) -> tuple[str, dict[str, object]]:
    selected, parameters = selected_points(dataset, filters)
    return (
        f"""WITH selected AS ({selected}), chosen AS (
            SELECT s.point_id, min(s.eval_id) AS eval_id, any_value(q.base_task) AS base_task
            FROM selected s
            JOIN data.points q USING (point_id)
            GROUP BY s.point_id
        )""",
        parameters,
    )


def _described(
    dataset: Dataset, filters: Filters, ids: Sequence[int], selected: str, parameters: dict[str, object]
) -> list[dict[str, Any]]:
    """Return what is known of completions but their texts, in the order of their ids given."""
    if not ids:
        return []
    names, bound = _names(ids)
    rows = dataset.rows(
        f"""
        {selected}
        SELECT c.completion_id, p.eval_id, p.base_task AS task, {EFFECTIVE_OUTCOME} AS outcome,
            c.completion_tokens AS tokens, c.response_bytes AS bytes, c.compressed_bytes AS compressed,
            c.compressed_bytes / c.response_bytes AS ratio, c.item_id, c.repeat, c.finish_reason, c.place,
            c.import_id
        FROM {completions_of(filters)} c
        JOIN chosen p USING (point_id)
        WHERE c.completion_id IN ({names})""",
        threshold=filters.threshold or STORED_THRESHOLD,
        **parameters,
        **bound,
    )
    by_id = {row["completion_id"]: row for row in rows}
    return [by_id[one] for one in ids]


def _excerpts(dataset: Dataset, ids: Sequence[int]) -> dict[int, dict[str, object]]:
    if not ids:
        return {}
    names, bound = _names(ids)
    rows = dataset.rows(
        f"""
        SELECT completion_id, left(text, {EXCERPT}) AS begins, right(text, {EXCERPT}) AS ends,
            length(text) AS characters
        FROM data.responses
        WHERE completion_id IN ({names})""",
        **bound,
    )
    return {
        row["completion_id"]: {
            **row,
            "begins": _one_line(row["begins"]),
            # A text that the beginning shows whole has no other end.
            "ends": _one_line(row["ends"]) if (row["characters"] or 0) > EXCERPT else None,
        }
        for row in rows
    }


def _one_line(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())


def _named(dataset: Dataset, table: str, key: str, column: str, ids: Sequence[int]) -> dict[int, str]:
    if not ids:
        return {}
    names, bound = _names(list(dict.fromkeys(ids)))
    rows = dataset.rows(f"SELECT {key}, {column} AS name FROM data.{table} WHERE {key} IN ({names})", **bound)
    return {row[key]: row["name"] for row in rows}


def _names(ids: Sequence[int]) -> tuple[str, dict[str, int]]:
    bound = {f"id_{place}": one for place, one in enumerate(ids)}
    return ", ".join(f"${name}" for name in bound), bound
