"""What a set of filters selects, and which filter to relax when that is nothing."""

from dataclasses import dataclass

from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.counted import item_results_at, points_at


@dataclass(frozen=True)
class Selection:
    """How much a set of filters leaves."""

    evals: int
    points: int
    items: int
    completions: int

    @property
    def empty(self) -> bool:
        """Whether nothing is left."""
        return self.points == 0


@dataclass(frozen=True)
class Relaxation:
    """A filter key whose removal alone would leave some points."""

    key: str
    words: str
    points: int


def selected_points(dataset: Dataset, filters: Filters) -> tuple[str, dict[str, object]]:
    """Return SQL of (eval_id, point_id) pairs that count, and its parameters.

    A point belongs to every selected eval that takes its identity.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    predicate, parameters = filters.predicate(dataset.config)
    evals = filters.evals(dataset.config)
    names = ", ".join(f"$selected_{number}" for number in range(len(evals))) or "NULL"
    query = f"""\
SELECT e.facet AS eval_id, p.point_id
FROM data.points p
JOIN eval_points e ON e.point_id = p.point_id
WHERE e.facet IN ({names})
  AND {predicate}"""
    return query, {**parameters, **{f"selected_{n}": eval_id for n, eval_id in enumerate(evals)}}


def count_selection(dataset: Dataset, filters: Filters) -> Selection:
    """Count what filters leave. Raises FilterError for what the dataset does not have."""
    filters = filters.resolved(dataset.catalog)
    query, parameters = selected_points(dataset, filters)
    points = points_at(STORED_THRESHOLD, filters.flagged)
    results = item_results_at(STORED_THRESHOLD, filters.flagged)
    row = dataset.rows(
        f"""
        WITH selected AS ({query}), distinct_points AS (SELECT DISTINCT point_id FROM selected),
        -- Where a point has all items of its params, they need not be looked for among millions of results.
        whole AS (
            SELECT params_id, n
            FROM (SELECT params_id, count(*) AS n FROM data.items GROUP BY params_id)
            JOIN (
                SELECT params_id, max(all_items) AS n
                FROM {points} p JOIN distinct_points USING (point_id)
                GROUP BY params_id
            ) USING (params_id, n)
        ), parts AS (
            SELECT point_id
            FROM {points} p JOIN distinct_points USING (point_id)
            WHERE params_id NOT IN (SELECT params_id FROM whole)
        )
        SELECT
            (SELECT count(DISTINCT eval_id) FROM selected) AS evals,
            (SELECT count(*) FROM distinct_points) AS points,
            (SELECT coalesce(sum(n), 0)::BIGINT FROM whole)
                + (SELECT count(DISTINCT item_id) FROM {results} r JOIN parts USING (point_id)) AS items,
            (SELECT coalesce(sum(correct + incorrect + invalid + truncated + error), 0)::BIGINT
                FROM {points} p JOIN distinct_points USING (point_id)) AS completions""",
        **parameters,
    )[0]
    return Selection(**row)


def relax_hints(dataset: Dataset, filters: Filters) -> list[Relaxation]:
    """Return the filters of which lifting one alone would leave points, the most points first."""
    filters = filters.resolved(dataset.catalog)
    words: dict[str, list[str]] = {}
    for clause in filters.clauses(dataset.config):
        words.setdefault(clause.key, []).append(clause.words)
    hints = [
        Relaxation(key, "; ".join(text), count_selection(dataset, filters.without(key)).points)
        for key, text in words.items()
    ]
    return sorted((hint for hint in hints if hint.points), key=lambda hint: -hint.points)
