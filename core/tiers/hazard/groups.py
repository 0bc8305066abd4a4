"""The groups that a selection falls into when it is split by several dimensions at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from core.config import Scalar
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.store.dataset import Dataset, stored_value
from core.tiers.selection import selected_points
from core.tiers.split import IDENTITY, dimensions, read_splits

DEFAULT_SPLIT = ("base_task", "model")

_MEMBERSHIP = {"tier": "tier_params", "surface": "surface_params"}


@dataclass(frozen=True)
class Group:
    """One group: a value of each dimension.

    Attributes
    ----------
    number
        Its number in the SQL of its grouping.
    values, labels
        One for each dimension of the grouping.
    evals
        Eval ids that have a point in it.
    repeated
        Whether it may hold several completions of one item.
    """

    number: int
    values: tuple[Scalar, ...]
    labels: tuple[str, ...]
    evals: tuple[int, ...]
    repeated: bool

    @property
    def title(self) -> str:
        """What it is called."""
        return " · ".join(self.labels) or "All completions"


@dataclass(frozen=True)
class Grouping:
    """A selection split into groups.

    Attributes
    ----------
    groups
        In the order of the dimensions' values.
    sql
        CTEs of which the last is `numbered`: a row (number, point_id) for each point of each group.
    parameters
        Of the SQL.
    """

    dimensions: tuple[str, ...]
    groups: tuple[Group, ...]
    sql: str
    parameters: dict[str, Any]


def split_dimensions(text: str) -> tuple[str, ...]:
    """Return the dimensions of the command line's form: names with commas, `none` for no split."""
    return () if text == "none" else tuple(name.strip() for name in text.split(",") if name.strip())


def read_groups(dataset: Dataset, filters: Filters, split: Sequence[str]) -> Grouping:
    """Return the groups of a selection; points without a param of the split are in none.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have, or it has no such dimension.
    NothingFoundError
        Nothing matches the filters.
    """
    filters = filters.resolved(dataset.catalog)
    wanted = tuple(dict.fromkeys(split))
    valid = dimensions(dataset)
    for name in wanted:
        if name not in valid:
            raise FilterError(f"No dimension {name!r} to split by; valid: {', '.join(valid)}")
    sql, parameters = _numbered(dataset, filters, wanted)
    columns = [name for place in range(len(wanted)) for name in (f"value_{place}", f"text_{place}")]
    rows = dataset.rows(
        f"""
        WITH {sql}
        SELECT {", ".join(["number", *columns])}, max(p.most_tries) AS most_tries,
            count(*) - count(DISTINCT p.params_id) AS shared
        FROM members JOIN data.points p USING (point_id)
        GROUP BY ALL
        ORDER BY number""",
        **parameters,
    )
    if not rows:
        raise NothingFoundError("No results found matching filters")
    evals: pd.DataFrame = dataset.sql(
        f"""
        WITH {sql}
        SELECT DISTINCT m.number, s.eval_id
        FROM members m JOIN selected s USING (point_id)
        ORDER BY ALL""",
        **parameters,
    ).to_pandas()
    evals_of = evals.groupby("number")["eval_id"].agg(tuple).to_dict()
    labels = [
        {one.value: (place, one.label) for place, one in enumerate(read_splits(dataset, filters, name))}
        for name in wanted
    ]
    groups = []
    for row in rows:
        values = tuple(
            row[f"text_{place}"] if row[f"value_{place}"] is None else _number(row[f"value_{place}"])
            for place in range(len(wanted))
        )
        found = [known[value] for known, value in zip(labels, values, strict=True)]
        group = Group(
            row["number"],
            values,
            tuple(label for _, label in found),
            tuple(int(one) for one in evals_of[row["number"]]),
            row["shared"] > 0 or (row["most_tries"] or 0) > 1,
        )
        groups.append(([place for place, _ in found], group))
    groups.sort(key=lambda pair: pair[0])
    return Grouping(wanted, tuple(group for _, group in groups), sql, parameters)


def group_filters(filters: Filters, split: Sequence[str], group: Group) -> Filters:
    """Return resolved filters that leave a group: of a model, template or sampler, the evals that have it."""
    own = replace(filters, eval_id=group.evals, groups=())
    params = dict(own.params)
    for name, value in zip(split, group.values, strict=True):
        if name == "base_task":
            own = replace(own, base_task=(str(value),))
        elif name == "tier":
            own = replace(own, tiers=(str(value),))
        elif name == "surface":
            own = replace(own, surfaces=(str(value),))
        elif name not in (*IDENTITY, "eval_id"):
            params[name] = (value,)
    return replace(own, params=tuple(sorted(params.items())))


def _number(value: float) -> Scalar:
    return stored_value(value, "")


def _numbered(dataset: Dataset, filters: Filters, split: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """Return CTEs `selected`, `members` and `numbered`, and their parameters."""
    selected, parameters = selected_points(dataset, filters)
    columns, joins, conditions = [], [], []
    for place, name in enumerate(split):
        number, text = "NULL::DOUBLE", "NULL::VARCHAR"
        if name in (*IDENTITY, "base_task"):
            text = f"p.{name}"
        elif name == "eval_id":
            number = "s.eval_id::DOUBLE"
        elif name in _MEMBERSHIP:
            joins.append(f"JOIN {_MEMBERSHIP[name]} m{place} ON m{place}.params_id = p.params_id")
            text = f"m{place}.facet"
            facets = filters.tiers if name == "tier" else filters.surfaces
            if facets:
                listed = ", ".join(f"$facet_{place}_{one}" for one in range(len(facets)))
                conditions.append(f"m{place}.facet IN ({listed})")
                parameters |= {f"facet_{place}_{one}": facet for one, facet in enumerate(facets)}
        else:
            joins.append(
                f"JOIN data.param_values m{place}"
                f" ON m{place}.params_id = p.params_id AND m{place}.name = $param_of_{place}"
            )
            number = f"m{place}.number"
            text = f"CASE WHEN m{place}.number IS NULL THEN m{place}.text END"
            parameters[f"param_of_{place}"] = name
        columns += [f"{number} AS value_{place}", f"{text} AS text_{place}"]
    names = [column.rpartition(" ")[2] for column in columns]
    lines = "\n            ".join(joins)
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    # Several evals may take one point: it is there once.
    sql = f"""\
selected AS ({selected}), placed AS (
            SELECT DISTINCT {", ".join([*columns, "s.point_id"])}
            FROM selected s JOIN data.points p USING (point_id)
            {lines}
            {where}
        ), members AS (
            SELECT *, {f"dense_rank() OVER (ORDER BY {', '.join(names)})" if names else "1::BIGINT"} AS number
            FROM placed
        ), numbered AS (
            SELECT number, point_id FROM members
        )"""
    return sql, parameters
