"""Which params a cell of a surface stands for, as a filter of params."""

from collections.abc import Mapping

from core.config import Scalar
from core.store.membership import axis_position
from core.tiers.surface.axes import Panel

CELL = ("eval_id", "surface", "x", "y")
"""Fields of a cell in the data of the heatmaps: x and y are places on the axes."""


def cell_params(
    panel: Panel, x: int, y: int, params: Mapping[str, Mapping[str, tuple[Scalar, ...]]]
) -> dict[str, tuple[Scalar, ...]]:
    """Return the values of both axes' params that put a point of the surface into a cell.

    Parameters
    ----------
    x, y : int
        Places on the axes.
    params : mapping
        For each param, for each task that has it, its values in the points (core.tiers.offers).
    """
    surface = panel.surface

    def values(name: str) -> tuple[Scalar, ...]:
        return params.get(name, {}).get(panel.base_task, ())

    wanted: dict[str, tuple[Scalar, ...]] = {}
    for name, place, steps, bins in (
        (surface.x_data, x, surface.x_values, surface.x_bins),
        (surface.y_data, y, surface.y_values, surface.y_bins),
    ):
        stored = None if steps is None else [_stored(one) for one in steps]
        wanted[name] = tuple(v for v in values(name) if axis_position(v, stored, bins) == place)
    return {name: found for name, found in wanted.items() if found}


def _stored(value: Scalar) -> Scalar:
    """Return a param value as the database has it: a boolean as its text."""
    return str(value).lower() if isinstance(value, bool) else value
