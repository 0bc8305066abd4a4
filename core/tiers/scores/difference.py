"""Every eval against a pinned baseline: paired difference in accuracy on the items both answered."""

from dataclasses import replace

import numpy as np
import pandas as pd

from core.errors import FilterError
from core.filters import Filters
from core.stats.moments import mean_interval
from core.stats.paired import bonett_price
from core.store.dataset import Dataset
from core.tiers.points import item_results_at, selected_at


def read_differences(dataset: Dataset, filters: Filters, baseline: int) -> pd.DataFrame:
    """Return one row per other eval: its accuracy minus the baseline's, on common items.

    Accuracy is raw (not guess-corrected), with truncated counted as wrong; an item with repeats counts
    its mean. Columns: eval_id, difference, lower, upper (95%), n_items, left_out (items of either eval that
    the other lacks or that cannot be paired), method.

    Raises
    ------
    FilterError
        The baseline is not an eval of the dataset.
    """
    config = dataset.config
    if not 0 <= baseline < len(config.evals):
        raise FilterError(f"No eval_id {baseline} in this dataset; valid: 0 to {len(config.evals) - 1}")
    filters = filters.resolved(dataset.catalog)
    # The baseline counts although eval_id, groups or hidden would leave it out.
    evals = {*filters.evals(config), baseline}
    filters = replace(filters.without("groups"), eval_id=tuple(sorted(evals)))
    selected, threshold, parameters = selected_at(dataset, filters)
    rows = dataset.sql(
        f"""
        WITH selected AS ({selected}), results AS (
            SELECT s.eval_id, r.item_id, sum(r.y) AS y, sum(r.k + r.truncated) AS tries
            FROM {item_results_at(threshold, filters.flagged)} r
            JOIN selected s USING (point_id)
            GROUP BY ALL
            HAVING sum(r.k + r.truncated) > 0
        ), baseline AS (
            SELECT r.item_id, r.y, r.tries
            FROM results r JOIN data.items i USING (item_id)
            WHERE r.eval_id = $baseline AND i.paired
        ), paired AS (
            SELECT r.eval_id, r.y / r.tries - b.y / b.tries AS d, greatest(r.tries, b.tries) AS tries
            FROM results r JOIN baseline b USING (item_id)
            WHERE r.eval_id <> $baseline
        ), sizes AS (
            SELECT eval_id, count(*) AS items FROM results GROUP BY eval_id
        )
        SELECT z.eval_id, count(d) AS n_items, avg(d) AS difference, stddev_samp(d) AS sd,
            count(*) FILTER (WHERE d > 0) AS gained, count(*) FILTER (WHERE d < 0) AS lost,
            max(p.tries) AS tries,
            any_value(z.items) + (SELECT items FROM sizes WHERE eval_id = $baseline) - 2 * count(d)
                AS left_out
        FROM sizes z LEFT JOIN paired p USING (eval_id)
        WHERE z.eval_id <> $baseline
        GROUP BY z.eval_id
        ORDER BY z.eval_id""",
        baseline=baseline,
        **parameters,
    ).to_pandas()
    return _with_intervals(rows)


def _with_intervals(rows: pd.DataFrame) -> pd.DataFrame:
    n = rows["n_items"].to_numpy(float)
    # Items that all agree have no spread to take a t interval from, which would then have no width.
    alike = rows["gained"].to_numpy(float) + rows["lost"].to_numpy(float) == 0
    binary = (rows["tries"].to_numpy(float) == 1) | alike
    score = bonett_price(rows["gained"], rows["lost"], n)
    moments = mean_interval(rows["difference"], rows["sd"], n)
    for place, name in enumerate(("lower", "upper")):
        bound = np.where(n > 0, np.where(binary, score[place], moments[place]), np.nan)
        rows[name] = np.clip(bound, -1, 1)
    rows["method"] = np.select(
        [n == 0, binary], ["no common items", "95% Bonett-Price interval"], "95% t interval over items"
    )
    return rows[["eval_id", "difference", "lower", "upper", "n_items", "left_out", "method"]]
