"""Splitting a selection by any dimension: its values, and the filters that leave one of them."""

from dataclasses import dataclass, replace

from core.config import DatasetConfig, Scalar
from core.errors import FilterError
from core.filters import Clause, Filters
from core.store.dataset import Dataset, stored_value
from core.tiers.selection import selected_points

IDENTITY = ("model", "template", "sampler")
DIMENSIONS = (*IDENTITY, "eval_id", "base_task", "tier", "surface")
"""What a selection can be split by, besides any param."""

_FIELDS = {"base_task": "base_task", "tier": "tiers", "surface": "surfaces"}
"""Dimensions that are a field of Filters; eval_id and params are of other types."""


@dataclass(frozen=True)
class IdentityFilters(Filters):
    """Filters that also leave only one model, template or sampler of the points.

    An eval may take several identities, so that no eval_id says the same.
    """

    identity: tuple[str, str] | None = None

    def clauses(self, config: DatasetConfig) -> list[Clause]:
        """Return the clauses of the filters and of the identity field."""
        clauses = super().clauses(config)
        if self.identity is not None:
            field, value = self.identity
            sql = f"p.{field} = $split_{field}"
            clauses.append(Clause(field, sql, {f"split_{field}": value}, f"{field} {value}"))
        return clauses


@dataclass(frozen=True)
class Split:
    """One value of a dimension: how it is called, and the filters that leave it."""

    dimension: str
    value: Scalar
    label: str
    filters: Filters


def dimensions(dataset: Dataset) -> list[str]:
    """Return what a dataset can be split by: the dimensions it has, then its params."""
    config = dataset.config
    absent = {
        *([] if config.tiers else ["tier"]),
        *([] if any(task.surfaces for task in config.basetasks.values()) else ["surface"]),
    }
    named = [name for name in DIMENSIONS if name not in absent]
    return named + [name for name in dataset.catalog.params if name not in DIMENSIONS]


def read_splits(dataset: Dataset, filters: Filters, dimension: str) -> list[Split]:
    """Return the values of a dimension in a selection, each with the filters that leave only it.

    Points without a param are in none of its values.

    Raises
    ------
    FilterError
        The dataset has no such dimension; the message names those it has.
    """
    valid = dimensions(dataset)
    if dimension not in valid:
        raise FilterError(f"No dimension {dimension!r} to split by; valid: {', '.join(valid)}")
    filters = filters.resolved(dataset.catalog)
    return [
        Split(
            dimension, value, _label(dataset.config, dimension, value), _narrowed(filters, dimension, value)
        )
        for value in _values(dataset, filters, dimension)
    ]


def _label(config: DatasetConfig, dimension: str, value: Scalar) -> str:
    if dimension == "eval_id":
        return config.eval_names[int(value)]
    if dimension == "base_task":
        return config.task_label(str(value))
    if dimension == "tier":
        return config.tier_label(str(value))
    if dimension == "surface":
        return config.surface_label(str(value))
    return str(value)


def _values(dataset: Dataset, filters: Filters, dimension: str) -> list[Scalar]:
    """Return the values that the selected points have, in display order."""
    selected, parameters = selected_points(dataset, filters)
    config = dataset.config
    if dimension in IDENTITY or dimension in ("eval_id", "base_task"):
        column = "s.eval_id" if dimension == "eval_id" else f"p.{dimension}"
        rows = dataset.rows(
            f"""
            WITH selected AS ({selected})
            SELECT DISTINCT {column} AS value
            FROM selected s JOIN data.points p USING (point_id)
            ORDER BY value""",
            **parameters,
        )
        values = [row["value"] for row in rows]
        if dimension == "base_task":
            return [task for task in dataset.catalog.base_tasks if task in values]
        return values
    if dimension in ("tier", "surface"):
        table = f"{dimension}_params"
        rows = dataset.rows(
            f"""
            WITH selected AS ({selected})
            SELECT DISTINCT m.facet AS value
            FROM selected s JOIN data.points p USING (point_id) JOIN {table} m USING (params_id)""",
            **parameters,
        )
        found = {row["value"] for row in rows}
        order = (
            [tier.id for tier in config.tiers]
            if dimension == "tier"
            else [surface.id for task in config.basetasks.values() for surface in task.surfaces]
        )
        wanted = filters.tiers if dimension == "tier" else filters.surfaces
        return [one for one in order if one in found and (not wanted or one in wanted)]
    rows = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT DISTINCT v.number, v.text
        FROM selected s JOIN data.points p USING (point_id) JOIN data.param_values v USING (params_id)
        WHERE v.name = $dimension
        ORDER BY v.number, v.text""",
        dimension=dimension,
        **parameters,
    )
    return [stored_value(row["number"], row["text"]) for row in rows]


def _narrowed(filters: Filters, dimension: str, value: Scalar) -> Filters:
    if dimension in IDENTITY:
        own = {name: getattr(filters, name) for name in Filters.__dataclass_fields__}
        return IdentityFilters(**own, identity=(dimension, str(value)))
    if dimension == "eval_id":
        return replace(filters, eval_id=(int(value),))
    if dimension in _FIELDS:
        one: dict[str, tuple[str, ...]] = {_FIELDS[dimension]: (str(value),)}
        return replace(filters, **one)  # type: ignore[arg-type]
    others = tuple(pair for pair in filters.params if pair[0] != dimension)
    return replace(filters, params=tuple(sorted((*others, (dimension, (value,))))))
