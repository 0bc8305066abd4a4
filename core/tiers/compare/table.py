"""The comparison of two evals on their common items, and of one eval with all others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.config import DatasetConfig
from core.errors import NothingFoundError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.compare.items import (
    Kinds,
    check_measure,
    check_pair,
    filters_of,
    read_kinds,
    read_kinds_against,
)
from core.tiers.compare.rows import section_rows
from core.tiers.compare.scopes import SCOPES, read_scopes
from core.tiers.compare.setup import Setup, read_setup
from core.tiers.compare.spent import read_tokens, spent_rows


@dataclass(frozen=True)
class Comparison:
    """A against B.

    Attributes
    ----------
    rows
        core.tiers.compare.rows.COLUMNS, and for cells surface, x, y: one row per scope, value and truncation
        rule; differences are A minus B.
    spent
        core.tiers.compare.spent.COLUMNS: tokens and truncated completions.
    setup
        Whether both were run alike.
    a, b
        Eval ids.
    measure
        accuracy, skill or score.
    visible_tokens
        Whether any token count is of the visible text only.
    """

    rows: pd.DataFrame
    spent: pd.DataFrame
    setup: Setup
    a: int
    b: int
    measure: str
    config: DatasetConfig
    filters: Filters
    visible_tokens: bool

    @property
    def names(self) -> tuple[str, str]:
        """What A and B are called."""
        return self.config.eval_names[self.a], self.config.eval_names[self.b]

    def of(self, scope: str, rule: str) -> pd.DataFrame:
        """Return the rows of a scope under a truncation rule."""
        rows = self.rows
        return rows[(rows["scope"] == scope) & (rows["truncated"] == rule)].reset_index(drop=True)

    def overall(self, rule: str) -> pd.Series:
        """Return the overall row of a truncation rule."""
        return self.of("overall", rule).iloc[0]


@dataclass(frozen=True)
class Against:
    """A against every other eval.

    Attributes
    ----------
    rows
        core.tiers.compare.rows.COLUMNS with scope "eval", value the other's eval_id and label its name: one
        row per other eval and truncation rule, largest difference first; differences are A minus the other.
    a
        Eval id.
    measure
        accuracy, skill or score.
    """

    rows: pd.DataFrame
    a: int
    measure: str
    config: DatasetConfig
    filters: Filters

    @property
    def name(self) -> str:
        """What A is called."""
        return self.config.eval_names[self.a]

    def of(self, rule: str) -> pd.DataFrame:
        """Return the rows of a truncation rule."""
        return self.rows[self.rows["truncated"] == rule].reset_index(drop=True)


def read_comparison(
    dataset: Dataset, filters: Filters, a: int, b: int, *, measure: str = "accuracy"
) -> Comparison:
    """Compare two evals on their common items: overall, per task, tier and surface cell.

    Parameters
    ----------
    filters : Filters
        As the user gave them; what they say of evals and groups is of no use here.
    a, b : int
        Eval ids; differences are A minus B.
    measure : str
        accuracy (share correct), skill (the same divided by 1 - chance of guessing) or score (mean score).

    Raises
    ------
    FilterError
        An eval or measure that is not there, twice the same eval, or filters that name what the dataset does
        not have.
    NothingFoundError
        Neither eval has an item.
    """
    check_pair(dataset.config, a, b)
    check_measure(measure)
    filters = filters_of(filters.resolved(dataset.catalog), (a, b))
    frame = read_kinds(dataset, filters, a, b, measure)
    if frame.empty:
        raise NothingFoundError("No results found matching filters")
    scopes = read_scopes(dataset, filters, _tasks(dataset, frame))
    kinds = _kinds(scopes, frame)
    tokens = read_tokens(dataset, filters, a, b)
    setup = read_setup(dataset, filters, a, b)
    return Comparison(
        rows=_rows(scopes, kinds, measure),
        spent=spent_rows(scopes, kinds, tokens, truncation_known=setup.truncation_known),
        setup=setup,
        a=a,
        b=b,
        measure=measure,
        config=dataset.config,
        filters=filters,
        visible_tokens=setup.visible_tokens,
    )


def read_against(dataset: Dataset, filters: Filters, a: int, *, measure: str = "accuracy") -> Against:
    """Compare an eval with every other that the filters leave, Holm over them.

    Parameters
    ----------
    filters : Filters
        As the user gave them; A counts although they would leave it out.

    Raises
    ------
    FilterError
        As `read_comparison`.
    NothingFoundError
        No other eval has an item.
    """
    check_pair(dataset.config, a, None)
    check_measure(measure)
    filters = filters.resolved(dataset.catalog)
    others = tuple(one for one in filters.evals(dataset.config) if one != a)
    if not others:
        raise NothingFoundError("No results found matching filters: there is no other eval to compare with")
    filters = filters_of(filters, (a, *others))
    frame = read_kinds_against(dataset, filters, a, measure)
    if frame.empty:
        raise NothingFoundError("No results found matching filters")
    names = dataset.config.eval_names
    kinds, evals = Kinds.of(frame), frame["eval_id"].to_numpy()
    found = sorted(set(evals.tolist()))
    parts = [(one, names[one], kinds.some(np.flatnonzero(evals == one))) for one in found]
    rows = section_rows("eval", parts, measure)
    return Against(_largest_first(rows), a, measure, dataset.config, filters)


def _tasks(dataset: Dataset, frame: pd.DataFrame) -> pd.DataFrame:
    """Return params_id and task of the param sets that have items."""
    tasks: pd.DataFrame = dataset.sql("SELECT params_id, base_task AS task FROM data.param_sets").to_pandas()
    return tasks[tasks["params_id"].isin(frame["params_id"])]


def _kinds(scopes: pd.DataFrame, frame: pd.DataFrame) -> dict[tuple[str, str], Kinds]:
    """Return the kinds of items of each scope and value, in the order of the scopes."""
    everything = Kinds.of(frame)
    placed = scopes[["scope", "value", "params_id"]].merge(
        frame[["params_id"]].assign(place=np.arange(len(frame))), on="params_id"
    )
    places = placed["place"].to_numpy()
    grouped: Mapping[Any, Any] = placed.groupby(["scope", "value"], sort=False).indices
    order = dict.fromkeys(zip(scopes["scope"], scopes["value"], strict=True))
    return {key: everything.some(places[grouped[key]]) for key in order}


def _rows(scopes: pd.DataFrame, kinds: dict[tuple[str, str], Kinds], measure: str) -> pd.DataFrame:
    named = scopes.drop(columns="params_id").drop_duplicates(["scope", "value"])
    keys = zip(named["scope"], named["value"], strict=True)
    labels: dict[tuple[str, str], str] = dict(zip(keys, named["label"], strict=True))
    frames = [
        section_rows(scope, parts, measure)
        for scope in SCOPES
        if (parts := [(key[1], labels[key], some) for key, some in kinds.items() if key[0] == scope])
    ]
    rows = pd.concat(frames, ignore_index=True)
    places = [name for name in ("surface", "x", "y") if name in named]
    return rows.merge(named[["scope", "value", *places]], on=["scope", "value"], how="left")


def _largest_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Sort parts by their difference with truncated as wrong; those without one come last."""
    wrong = rows[rows["truncated"] == "wrong"].sort_values(
        ["difference", "value"], ascending=[False, True], na_position="last"
    )
    order = {value: place for place, value in enumerate(wrong["value"])}
    return rows.sort_values("value", key=lambda values: values.map(order), kind="stable", ignore_index=True)
