"""The completions of some groups, counted in the database by tokens and by how they ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from core.filters import Filters
from core.stats.arrays import IntArray
from core.stats.influence import ItemRows, item_rows
from core.stats.survival import LifeTable, life_table
from core.store.aggregate import EFFECTIVE_OUTCOME, STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.hazard.groups import Group, Grouping
from core.tiers.points import completions_of

CAUSES = ("correct", "incorrect")
"""How a completion ends, in the order of every array; invalid ones are with incorrect."""

MOST_ROWS = 100_000
"""From twice as many completions on, a sample of a group's items with about so many gives its variances."""

# Spreads item ids, which stand in the order of import, over 2^16 numbers.
_SPREAD = "(c.item_id::BIGINT * 2654435761) % 4294967296 // 65536"

_CAUSE = f"""\
CASE {EFFECTIVE_OUTCOME}
    WHEN 'correct' THEN 0
    WHEN 'truncated' THEN {len(CAUSES)}
    ELSE 1
END"""


@dataclass(frozen=True)
class Facts:
    """What is known of a group's completions besides when they ended.

    Attributes
    ----------
    budget
        The largest token limit, else the largest number of completion tokens; None without either.
    without_tokens
        Completions without a token count: in no curve.
    errors
        Failed completions: in no curve.
    truncation_unknown
        Counted completions of which the source does not say whether they were cut off.
    visible_tokens
        Counted completions whose tokens were counted in the visible text.
    """

    budget: int | None
    without_tokens: int
    errors: int
    truncation_unknown: int
    visible_tokens: int


@dataclass(frozen=True)
class Observed:
    """The completions of a group.

    Attributes
    ----------
    table
        Their life table.
    rows
        The completions by item, where they were asked for.
    """

    group: Group
    table: LifeTable
    rows: ItemRows | None
    facts: Facts

    @cached_property
    def repeated(self) -> ItemRows | None:
        """The completions by item where items have several, None where each is of an item of its own."""
        return None if self.rows is None or self.rows.repeats == 1 else self.rows


def largest_tokens(dataset: Dataset, filters: Filters) -> int:
    """Return the largest token count of any completion of the points' tasks, 0 without any.

    Of the whole dataset, not of the selection: a bucket that is set by it stays the same under any filter,
    and the database knows it without a scan.
    """
    row = dataset.rows(f"SELECT max(completion_tokens) AS most FROM {completions_of(filters)}")[0]
    return int(row["most"] or 0)


def read_observed(
    dataset: Dataset, filters: Filters, grouping: Grouping, groups: Sequence[Group], *, by_item: bool = False
) -> list[Observed]:
    """Read some groups of a grouping, in the order given.

    Parameters
    ----------
    filters : Filters
        Resolved, the ones the grouping was read with.
    by_item : bool
        Read the item of every completion; else only where items repeat, and of a sample where they are many.
    """
    counts = _counts(dataset, filters, grouping, [group.number for group in groups])
    tables, facts, every = {}, {}, {}
    for group in groups:
        rows = counts[counts["number"] == group.number]
        known = rows[rows["counted"] & rows["tokens"].notna()]
        tables[group.number] = life_table(known["tokens"].astype(np.int64), known["cause"], known["n"])
        facts[group.number] = _facts(rows, known)
        if group.repeated or by_item:
            # A comparison pairs items, and needs all of them.
            every[group.number] = 1 if by_item else max(tables[group.number].n // MOST_ROWS, 1)
    items = _items(dataset, filters, grouping, every)
    return [
        Observed(
            group,
            tables[group.number],
            item_rows(tables[group.number], *items[group.number]) if group.number in items else None,
            facts[group.number],
        )
        for group in groups
    ]


def _facts(rows: pd.DataFrame, known: pd.DataFrame) -> Facts:
    counted = rows[rows["counted"]]
    limit, most = counted["token_limit"].max(), known["tokens"].max()
    budget = limit if pd.notna(limit) else most
    return Facts(
        budget=None if pd.isna(budget) else int(budget),
        without_tokens=int(counted["n"].sum() - known["n"].sum()),
        errors=int(rows["n"].sum() - counted["n"].sum()),
        truncation_unknown=int(known["unknown"].sum()),
        visible_tokens=int(known["visible"].sum()),
    )


def _chosen(grouping: Grouping, numbers: Sequence[int]) -> tuple[str, dict[str, object]]:
    names = ", ".join(f"$group_{place}" for place in range(len(numbers)))
    sql = f"WITH {grouping.sql}, chosen AS (SELECT number, point_id FROM numbered WHERE number IN ({names}))"
    return sql, {**grouping.parameters, **{f"group_{place}": one for place, one in enumerate(numbers)}}


def _counts(dataset: Dataset, filters: Filters, grouping: Grouping, numbers: Sequence[int]) -> pd.DataFrame:
    chosen, parameters = _chosen(grouping, numbers)
    frame: pd.DataFrame = dataset.sql(
        f"""
        {chosen}
        SELECT g.number, c.completion_tokens AS tokens, {_CAUSE}::TINYINT AS cause,
            c.outcome <> 'error' AS counted, count(*) AS n, max(c.token_limit) AS token_limit,
            count(*) FILTER (WHERE c.truncation = 'unknown') AS unknown,
            count(*) FILTER (WHERE starts_with(c.token_source, 'tokenized')) AS visible
        FROM {completions_of(filters)} c
        JOIN chosen g USING (point_id)
        GROUP BY ALL""",
        threshold=filters.threshold or STORED_THRESHOLD,
        **parameters,
    ).to_pandas()
    return frame


def _items(
    dataset: Dataset, filters: Filters, grouping: Grouping, every: Mapping[int, int]
) -> dict[int, tuple[IntArray, IntArray, IntArray]]:
    """Return (item, tokens, cause) of counted completions of groups, of one in `every` items, as arrays."""
    if not every:
        return {}
    pairs = ", ".join(f"($group_{place}::BIGINT, $every_{place}::BIGINT)" for place in range(len(every)))
    bound = {f"group_{place}": number for place, number in enumerate(every)}
    bound |= {f"every_{place}": one for place, one in enumerate(every.values())}
    table = dataset.sql(
        f"""
        WITH {grouping.sql}, wanted (number, every) AS (VALUES {pairs}), chosen AS (
            SELECT number, point_id, every
            FROM numbered JOIN wanted USING (number)
        )
        SELECT g.number::INTEGER AS number, c.item_id, c.completion_tokens AS tokens,
            {_CAUSE}::TINYINT AS cause
        FROM {completions_of(filters)} c
        JOIN chosen g USING (point_id)
        WHERE c.completion_tokens IS NOT NULL AND c.outcome <> 'error' AND {_SPREAD} % g.every = 0""",
        threshold=filters.threshold or STORED_THRESHOLD,
        **grouping.parameters,
        **bound,
    )
    number, item, tokens, cause = (
        table.column(name).to_numpy() for name in ("number", "item_id", "tokens", "cause")
    )
    of = {}
    for one in every:
        mine = number == one
        if mine.any():
            of[one] = (item[mine], tokens[mine], cause[mine])
    return of
