"""What two evals did on every item, counted by kind: equal items of one param set are one row.

A kind is all that a comparison needs of an item, so that 200,000 items leave the database as a few thousand
rows, and every task, tier and cell is a choice of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.config import DatasetConfig
from core.errors import FilterError
from core.filters import Filters
from core.stats.arrays import BoolArray, FloatArray
from core.store.aggregate import EFFECTIVE_OUTCOME
from core.store.dataset import Dataset
from core.tiers.compare.repeats import read_repeats
from core.tiers.points import completions_of, item_results_at, selected_at

MEASURES = ("accuracy", "skill", "score")
MEASURE_NAMES = {"accuracy": "Accuracy", "skill": "Guess-corrected", "score": "Mean score"}
MEASURE_WORDS = {
    "accuracy": "raw accuracy",
    "skill": "guess-corrected accuracy",
    "score": "mean score",
}

RULES = ("wrong", "left_out")
RULE_NAMES = {"wrong": "counted as wrong", "left_out": "left out"}


@dataclass(frozen=True)
class Kinds:
    """Items of two evals by kind; every array has one entry per kind.

    Attributes
    ----------
    y_a, k_a, t_a, y_b, k_b, t_b
        Correct (or the sum of scores), counted and truncated completions of one item by A and by B.
    choices
        Options to guess from; NaN where the answer is free-form.
    paired
        Whether two evals can share the items at all.
    n
        How many items are of the kind.
    """

    y_a: FloatArray
    k_a: FloatArray
    t_a: FloatArray
    y_b: FloatArray
    k_b: FloatArray
    t_b: FloatArray
    choices: FloatArray
    paired: BoolArray
    n: FloatArray

    @classmethod
    def of(cls, frame: pd.DataFrame) -> "Kinds":
        """Return the kinds of a frame with columns of these names."""
        columns: Mapping[str, FloatArray] = {
            name: frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
            for name in ("y_a", "k_a", "t_a", "y_b", "k_b", "t_b", "choices", "n")
        }
        return cls(**columns, paired=frame["paired"].to_numpy(dtype=np.bool_))

    def some(self, rows: np.ndarray) -> "Kinds":
        """Return the kinds at these places."""
        return Kinds(**{name: getattr(self, name)[rows] for name in Kinds.__dataclass_fields__})

    @classmethod
    def joined(cls, parts: Sequence["Kinds"]) -> "Kinds":
        """Return the kinds of several parts, one after the other."""
        return cls(
            **{
                name: np.concatenate([getattr(part, name) for part in parts])
                for name in cls.__dataclass_fields__
            }
        )

    def tries(self, rule: str) -> tuple[FloatArray, FloatArray]:
        """Return the completions that a truncation rule counts, of A and of B."""
        if rule == "wrong":
            return self.k_a + self.t_a, self.k_b + self.t_b
        return self.k_a, self.k_b

    def common(self, rule: str) -> BoolArray:
        """Return which kinds are compared under a truncation rule."""
        tries_a, tries_b = self.tries(rule)
        return np.asarray(self.paired & (tries_a > 0) & (tries_b > 0), dtype=np.bool_)


def check_pair(config: DatasetConfig, a: int, b: int | None) -> None:
    """Refuse evals that are not there, or twice the same. Raises FilterError."""
    for one in (a, b):
        if one is not None and not 0 <= one < len(config.evals):
            raise FilterError(f"No eval_id {one} in this dataset; valid: 0 to {len(config.evals) - 1}")
    if a == b:
        raise FilterError(
            f"A and B are the same eval ({config.eval_names[a]}): a comparison needs two different ones"
        )


def check_measure(measure: str) -> None:
    """Refuse an unknown measure. Raises FilterError."""
    if measure not in MEASURES:
        raise FilterError(f"No measure {measure!r}; valid: {', '.join(MEASURES)}")


def check_rule(rule: str) -> None:
    """Refuse an unknown truncation rule. Raises FilterError."""
    if rule not in RULES:
        raise FilterError(f"Truncated completions cannot be {rule!r}; valid: {', '.join(RULES)}")


def filters_of(filters: Filters, evals: tuple[int, ...]) -> Filters:
    """Return filters that select these evals, whatever they say of evals and groups.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    return replace(filters.without("groups"), eval_id=tuple(sorted(set(evals))))


def read_kinds(dataset: Dataset, filters: Filters, a: int, b: int, measure: str) -> pd.DataFrame:
    """Return the kinds of items of A and B per params_id, as columns of `Kinds`.

    Parameters
    ----------
    filters : Filters
        As `filters_of` returns them.
    """
    selected, _, parameters = selected_at(dataset, filters)
    results, bound = _results(filters, measure)
    shared = read_repeats(dataset, filters).shared
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), one AS (
            {_by_item(results, "s.eval_id = $a", shared=shared)}
        ), other AS (
            {_by_item(results, "s.eval_id = $b", shared=shared)}
        )
        SELECT i.params_id, i.paired, i.choices,
            coalesce(one.y, 0)::DOUBLE AS y_a, coalesce(one.k, 0)::DOUBLE AS k_a,
            coalesce(one.truncated, 0)::DOUBLE AS t_a, coalesce(other.y, 0)::DOUBLE AS y_b,
            coalesce(other.k, 0)::DOUBLE AS k_b, coalesce(other.truncated, 0)::DOUBLE AS t_b,
            count(*)::DOUBLE AS n
        FROM one
        FULL JOIN other USING (item_id)
        JOIN data.items i USING (item_id)
        GROUP BY ALL
        HAVING k_a + t_a + k_b + t_b > 0
        ORDER BY ALL""",
        a=a,
        b=b,
        **{**parameters, **bound},
    ).to_pandas()
    return frame


def read_kinds_against(dataset: Dataset, filters: Filters, a: int, measure: str) -> pd.DataFrame:
    """Return the kinds of items of A and of every other selected eval, per eval_id (that of B).

    Items that only the other has come with k_a = t_a = 0 and count as paired; those that only A has with
    k_b = t_b = 0.

    Parameters
    ----------
    filters : Filters
        As `filters_of` returns them.
    """
    selected, _, parameters = selected_at(dataset, filters)
    results, bound = _results(filters, measure)
    parameters = {**parameters, **bound, "a": a}
    shared = read_repeats(dataset, filters).shared
    # One small number stands for a kind of A's items: millions of rows are grouped by it.
    coded = f"""
        selected AS ({selected}), own AS (
            SELECT i.item_id, any_value(i.paired) AS paired, any_value(i.choices) AS choices,
                sum(r.y)::DOUBLE AS y_a, sum(r.k)::DOUBLE AS k_a, sum(r.truncated)::DOUBLE AS t_a
            FROM {results} r
            JOIN selected s USING (point_id)
            JOIN data.items i USING (item_id)
            WHERE s.eval_id = $a
            GROUP BY i.item_id
            HAVING sum(r.k + r.truncated) > 0
        ), coded AS (
            SELECT *, dense_rank() OVER (ORDER BY paired, choices, y_a, k_a, t_a)::INTEGER AS kind FROM own
        )"""
    own: pd.DataFrame = dataset.sql(
        f"""
        WITH {coded}
        SELECT kind, paired, choices, y_a, k_a, t_a, count(*)::DOUBLE AS items
        FROM coded
        GROUP BY ALL
        ORDER BY kind""",
        **parameters,
    ).to_pandas()
    met: pd.DataFrame = dataset.sql(
        f"""
        WITH {coded}, others AS (
            {_by_item(results, "s.eval_id <> $a", shared=shared)}
        )
        SELECT o.eval_id, coalesce(c.kind, 0) AS kind, o.y::DOUBLE AS y_b, o.k::DOUBLE AS k_b,
            o.truncated::DOUBLE AS t_b, count(*)::DOUBLE AS n
        FROM others o
        LEFT JOIN coded c USING (item_id)
        WHERE o.k + o.truncated > 0
        GROUP BY ALL
        ORDER BY ALL""",
        **parameters,
    ).to_pandas()
    return _with_lacking(own, met)


def _with_lacking(own: pd.DataFrame, met: pd.DataFrame) -> pd.DataFrame:
    """Join the kinds of A's items to the others' results, and add those that another lacks."""
    evals = pd.DataFrame({"eval_id": met["eval_id"].unique()})
    matched = met.groupby(["eval_id", "kind"], as_index=False)["n"].sum()
    lacking = evals.merge(own[["kind", "items"]], how="cross").merge(
        matched, on=["eval_id", "kind"], how="left"
    )
    lacking["n"] = lacking["items"] - lacking["n"].fillna(0)
    lacking = lacking.loc[lacking["n"] > 0, ["eval_id", "kind", "n"]].assign(y_b=0.0, k_b=0.0, t_b=0.0)
    only_other = pd.DataFrame(
        {"kind": [0], "paired": [True], "choices": [np.nan], "y_a": [0.0], "k_a": [0.0], "t_a": [0.0]}
    )
    kinds = pd.concat([own.drop(columns="items"), only_other], ignore_index=True)
    return pd.concat([met, lacking], ignore_index=True).merge(kinds, on="kind")


def _by_item(results: str, where: str, *, shared: bool) -> str:
    """Return SQL of (eval_id, item_id, y, k, truncated) of some evals, one row per eval and item."""
    source = f"FROM {results} r JOIN selected s USING (point_id) WHERE {where}"
    if not shared:
        return f"SELECT s.eval_id, r.item_id, r.y, r.k, r.truncated {source}"
    sums = "sum(r.y) AS y, sum(r.k) AS k, sum(r.truncated) AS truncated"
    return f"SELECT s.eval_id, r.item_id, {sums} {source} GROUP BY s.eval_id, r.item_id"


def _results(filters: Filters, measure: str) -> tuple[str, dict[str, object]]:
    """Return SQL of (point_id, item_id, y, k, truncated) under a measure, and the parameters it binds."""
    threshold = filters.threshold or 1.0
    if measure != "score":
        return item_results_at(threshold, filters.flagged), {}
    # Without a score the outcome stands; a truncated completion has none that counts.
    scores = f"""(
            SELECT c.point_id, c.item_id,
                round(coalesce(sum(coalesce(c.score, ({EFFECTIVE_OUTCOME} = 'correct')::INTEGER::DOUBLE))
                    FILTER (WHERE c.outcome NOT IN ('error', 'truncated')), 0), 12) AS y,
                count(*) FILTER (WHERE c.outcome NOT IN ('error', 'truncated')) AS k,
                count(*) FILTER (WHERE c.outcome = 'truncated') AS truncated
            FROM {completions_of(filters)} c
            WHERE c.point_id IN (SELECT point_id FROM selected)
            GROUP BY c.point_id, c.item_id
        )"""
    return scores, {"threshold": threshold}
