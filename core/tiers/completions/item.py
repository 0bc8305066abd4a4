"""One item across evals: every completion of it, which answers differ, and how they are distributed."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.completions.query import outcome_at
from core.tiers.counted import completions_of
from core.tiers.selection import selected_points

NO_ANSWER = ""
"""Stands for an answer that could not be read."""


@dataclass(frozen=True)
class ItemAnswers:
    """What the evals made of an item.

    Attributes
    ----------
    reference
        The right answer, None where the source does not say.
    completions
        One row per completion by eval and repeat: completion_id, eval_id, repeat, outcome, score, answer,
        completion_tokens, group (the place of its answer among `answers`, from 1).
    answers
        One row per different answer, the most common first: group, answer (NO_ANSWER where none could be
        read), n, share, evals, correct (how many count as correct), reference (whether it is the same text).
    """

    reference: str | None
    completions: pd.DataFrame
    answers: pd.DataFrame


def read_item(dataset: Dataset, filters: Filters, item_id: int) -> ItemAnswers:
    """Return every completion of an item by the selected evals, whatever else the filters say.

    Answers are the same where their texts are, spaces at the ends aside.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have.
    """
    filters = filters.resolved(dataset.catalog)
    config = dataset.config
    # An item has one param set: filters of tasks and params can only leave out all of its points or none.
    wide = Filters(eval_id=filters.evals(config), threshold=filters.threshold, flagged=filters.flagged)
    selected, parameters = selected_points(dataset, wide)
    threshold = filters.threshold or STORED_THRESHOLD
    if threshold != STORED_THRESHOLD:
        parameters = {**parameters, "threshold": threshold}
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), homes AS (
            SELECT s.point_id, min(s.eval_id) AS eval_id
            FROM selected s
            JOIN data.points p USING (point_id)
            WHERE p.params_id = (SELECT params_id FROM data.items WHERE item_id = $item)
            GROUP BY s.point_id
        )
        SELECT c.completion_id, h.eval_id, c.repeat, {outcome_at(threshold)} AS outcome, c.score,
            coalesce(trim(c.answer, chr(9) || chr(10) || chr(13) || ' '), '') AS answer, c.completion_tokens
        FROM {completions_of(filters)} c
        JOIN homes h USING (point_id)
        WHERE c.item_id = $item
        ORDER BY h.eval_id, c.completion_id""",
        item=item_id,
        **parameters,
    ).to_pandas()
    references = dataset.rows("SELECT reference FROM data.items WHERE item_id = $item", item=item_id)
    reference = references[0]["reference"] if references else None
    answers = _distribution(frame, reference)
    places = answers.set_index("answer")["group"]
    return ItemAnswers(reference, frame.assign(group=frame["answer"].map(places)), answers)


def _distribution(frame: pd.DataFrame, reference: str | None) -> pd.DataFrame:
    counts = (
        frame.assign(correct=frame["outcome"] == "correct")
        .groupby("answer", sort=False)
        .agg(n=("repeat", "size"), evals=("eval_id", "nunique"), correct=("correct", "sum"))
        .sort_values("n", ascending=False, kind="stable")
        .reset_index()
    )
    counts.insert(0, "group", np.arange(1, len(counts) + 1))
    counts["share"] = counts["n"] / max(len(frame), 1)
    same = None if reference is None else reference.strip()
    counts["reference"] = [same is not None and answer == same for answer in counts["answer"]]
    return counts
