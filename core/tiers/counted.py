"""What counts, as SQL: points, item results, choices and completions, with or without the flagged ones.

Each function returns what a query may name after FROM: a table, or a select in parentheses.
"""

from core.filters import FLAGGED, Filters
from core.store.aggregate import (
    POINT_STATISTICS,
    STORED_THRESHOLD,
    item_results,
    point_statistics,
)

INCLUDE = FLAGGED[0]

_SELECTED = "c.point_id IN (SELECT point_id FROM selected)"
_UNFLAGGED = "(FROM data.completions ANTI JOIN flagged USING (completion_id))"


def completions_of(filters: Filters) -> str:
    """Return SQL that names the completions that count, over all points.

    Every query that reads completions takes them from here; their `outcome` is the stored one, see
    core.store.aggregate.EFFECTIVE_OUTCOME.
    """
    return _completions(filters.flagged)


def points_at(threshold: float, flagged: str = INCLUDE) -> str:
    """Return SQL of `points` at a threshold: the stored table, or the same columns from completions.

    Any other threshold than the stored one binds `$threshold` and reads the completions of the points
    in a table or CTE named `selected`.

    Parameters
    ----------
    flagged : str
        `Filters.flagged`: whether flagged completions count.
    """
    if threshold == STORED_THRESHOLD:
        return _stored("points", flagged)
    statistics = point_statistics(_completions(flagged), _SELECTED)
    names = ", ".join(f"a.{name}" for name in POINT_STATISTICS)
    return (
        f"(SELECT q.* EXCLUDE ({', '.join(POINT_STATISTICS)}), {names}"
        f" FROM ({statistics}) a JOIN data.points q USING (point_id))"
    )


def item_results_at(threshold: float, flagged: str = INCLUDE) -> str:
    """Return SQL of `item_results` at a threshold, from the points of `selected` where not stored."""
    if threshold == STORED_THRESHOLD:
        return _stored("item_results", flagged)
    return f"({item_results(_completions(flagged), _SELECTED)})"


def point_choices_of(flagged: str) -> str:
    """Return SQL of `point_choices`, which are the same at every threshold."""
    return _stored("point_choices", flagged)


def _completions(flagged: str) -> str:
    return "data.completions" if flagged == INCLUDE else _UNFLAGGED


def _stored(table: str, flagged: str) -> str:
    """Return a stored table; without flagged completions, with the few points that have any recomputed."""
    if flagged == INCLUDE:
        return f"data.{table}"
    return (
        f"(FROM data.{table} WHERE point_id NOT IN (SELECT point_id FROM flagged)"
        f" UNION ALL BY NAME FROM kept_{table})"
    )
