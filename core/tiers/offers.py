"""What a dataset offers to filter by beyond its catalog: the params of each task, and partial scores."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.config import Scalar
from core.store.dataset import Dataset, stored_value


@dataclass(frozen=True)
class Offers:
    """What there is to choose from.

    Attributes
    ----------
    params
        For each param, for each task that has it, its values in the points, in order.
    partial_scores
        Whether any completion has a score between 0 and 1, so that a threshold changes something.
    flagged
        How many completions are flagged.
    """

    params: Mapping[str, Mapping[str, tuple[Scalar, ...]]]
    partial_scores: bool
    flagged: int = 0


def read_offers(dataset: Dataset) -> Offers:
    """Return what a dataset offers to filter by."""
    params: dict[str, dict[str, list[Scalar]]] = {}
    for row in dataset.rows(
        """
        SELECT DISTINCT v.name, s.base_task, v.number, v.text
        FROM data.param_values v
        JOIN data.param_sets s USING (params_id)
        JOIN data.points p USING (params_id)
        ORDER BY v.name, s.base_task, v.number, v.text"""
    ):
        values = params.setdefault(row["name"], {}).setdefault(row["base_task"], [])
        values.append(stored_value(row["number"], row["text"]))
    partial = dataset.rows("SELECT EXISTS (FROM data.completions WHERE score > 0 AND score < 1) AS partial")
    flagged = dataset.rows("SELECT count(*) AS n FROM flagged")
    return Offers(
        {name: {task: tuple(values) for task, values in tasks.items()} for name, tasks in params.items()},
        bool(partial[0]["partial"]),
        int(flagged[0]["n"]),
    )
