"""How often evals answered an item, so that queries sum only where there is something to sum.

To group hundreds of thousands of rows by item takes several times as long as to read them.
"""

from dataclasses import dataclass

from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.points import points_at
from core.tiers.selection import selected_points


@dataclass(frozen=True)
class Repeats:
    """What is known of a selection from its points.

    Attributes
    ----------
    shared
        Whether an eval has several points of one param set, which then have items in common.
    single
        Whether every item has exactly one completion of each eval that has it.
    """

    shared: bool
    single: bool


def read_repeats(dataset: Dataset, filters: Filters) -> Repeats:
    """Return how often the selected evals answered an item.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    selected, parameters = selected_points(dataset, filters)
    row = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT count(*) > count(DISTINCT (s.eval_id, p.params_id)) AS shared,
            sum(p.correct + p.incorrect + p.invalid + p.truncated + p.error) = sum(p.all_items) AS single
        FROM selected s
        JOIN {points_at(STORED_THRESHOLD, filters.flagged)} p USING (point_id)""",
        **parameters,
    )[0]
    return Repeats(bool(row["shared"]), bool(row["single"]) and not row["shared"])
