"""Point statistics of a selection, per (eval, param set): what every first table is made of."""

import pandas as pd

from core.filters import Filters
from core.store.aggregate import POINT_STATISTICS, STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.counted import completions_of, item_results_at, point_choices_of, points_at
from core.tiers.selection import selected_points

__all__ = [
    "completions_of",
    "item_results_at",
    "points_at",
    "read_choices",
    "read_points",
    "read_tiers",
    "selected_at",
]

_LEAST_MOST = {"least_tries": "min", "most_tries": "max"}
_BY_ITEM = [
    "items", "yy", "yk", "kk", "all_items", "all_yk", "all_kk", "least_tries", "most_tries",
    "token_items", "token_tt", "token_tc", "token_cc",
]  # fmt: skip


def selected_at(dataset: Dataset, filters: Filters) -> tuple[str, float, dict[str, object]]:
    """Return SQL of the (eval_id, point_id) pairs that count, the threshold, and the parameters of both.

    `$threshold` is among the parameters only where `points_at` and `item_results_at` name it: DuckDB refuses
    a parameter that a query does not have.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog, so that the threshold is known.
    """
    selected, parameters = selected_points(dataset, filters)
    threshold = filters.threshold or STORED_THRESHOLD
    if threshold != STORED_THRESHOLD:
        parameters = {**parameters, "threshold": threshold}
    return selected, threshold, parameters


def read_points(dataset: Dataset, filters: Filters) -> pd.DataFrame:
    """Return one row per (eval_id, task, params_id) with POINT_STATISTICS and tells_truncation.

    tells_truncation says whether the source knows of any completion of the model, here or elsewhere, if it
    was cut off.

    An eval that takes several identities shares items between its points: there the statistics by item
    are computed over all its completions of the item.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog, so that the threshold is known.
    """
    selected, threshold, parameters = selected_at(dataset, filters)
    names = ", ".join(f"p.{name}" for name in POINT_STATISTICS)
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), sources AS (
            SELECT model, bool_or(truncated > 0 OR truncation_unknown
                < correct + incorrect + invalid + truncated + error) AS tells_truncation
            FROM data.points
            GROUP BY model
        )
        SELECT s.eval_id, p.base_task AS task, p.params_id, {names}, tells_truncation
        FROM {points_at(threshold, filters.flagged)} p
        JOIN selected s USING (point_id)
        JOIN sources USING (model)
        ORDER BY s.eval_id, p.base_task, p.params_id""",
        **parameters,
    ).to_pandas()
    shared = frame.duplicated(["eval_id", "params_id"])
    if not shared.any():
        return frame
    results = item_results_at(threshold, filters.flagged)
    return _merge_identities(dataset, frame, selected, parameters, results)


def _merge_identities(
    dataset: Dataset, frame: pd.DataFrame, selected: str, parameters: dict[str, object], item_results: str
) -> pd.DataFrame:
    keys = ["eval_id", "task", "params_id"]
    how = {name: _LEAST_MOST.get(name, "sum") for name in POINT_STATISTICS} | {"tells_truncation": "max"}
    merged = frame.groupby(keys, sort=True, as_index=False).agg(how).set_index(["eval_id", "params_id"])
    by_item = (
        dataset.sql(
            f"""
        WITH selected AS ({selected}), results AS (
            SELECT s.eval_id, p.params_id, r.item_id, sum(r.y)::DOUBLE AS y, sum(r.k)::DOUBLE AS k,
                sum(r.k + r.truncated)::DOUBLE AS tries, sum(r.tokens)::DOUBLE AS t,
                sum(r.token_n)::DOUBLE AS c
            FROM {item_results} r
            JOIN selected s USING (point_id)
            JOIN data.points p USING (point_id)
            GROUP BY ALL
        )
        SELECT eval_id, params_id,
            count(*) FILTER (WHERE k > 0) AS items, sum(y * y) AS yy, sum(y * k) AS yk, sum(k * k) AS kk,
            count(*) FILTER (WHERE tries > 0) AS all_items, sum(y * tries) AS all_yk,
            sum(tries * tries) AS all_kk, min(tries) FILTER (WHERE tries > 0) AS least_tries,
            max(tries) AS most_tries, count(*) FILTER (WHERE c > 0) AS token_items,
            sum(t * t) AS token_tt, sum(t * c) AS token_tc, sum(c * c) AS token_cc
        FROM results
        GROUP BY eval_id, params_id""",
            **parameters,
        )
        .to_pandas()
        .set_index(["eval_id", "params_id"])
    )
    merged[_BY_ITEM] = by_item[_BY_ITEM].reindex(merged.index)
    return merged.reset_index()


def read_choices(dataset: Dataset, filters: Filters) -> pd.DataFrame:
    """Return counted completions per (eval_id, params_id, choices): what guess mass is summed from."""
    selected, parameters = selected_points(dataset, filters)
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected})
        SELECT s.eval_id, p.params_id, c.choices, sum(c.n)::BIGINT AS n
        FROM {point_choices_of(filters.flagged)} c
        JOIN selected s USING (point_id)
        JOIN data.points p USING (point_id)
        GROUP BY ALL""",
        **parameters,
    ).to_pandas()
    return frame


def read_tiers(dataset: Dataset, filters: Filters) -> pd.DataFrame:
    """Return (tier, params_id) pairs of the tiers that count, in the order of the config."""
    rows: pd.DataFrame = dataset.sql("SELECT facet AS tier, position, params_id FROM tier_params").to_pandas()
    if filters.tiers:
        return rows[rows["tier"].isin(filters.tiers)]
    return rows
