"""Surfaces kept between runs, keyed as in core.ui.cache: on the fingerprint and on what was asked.

The leading underscore tells Streamlit not to hash a grid: what was asked for it stands for it.
"""

import pandas as pd

from core import charts
from core.config import DatasetConfig
from core.filters import Filters
from core.store.dataset import Dataset, Fingerprint
from core.tiers import surface as tier
from core.tiers.methods import Methods
from core.tiers.surface import Curve, Pair, SurfaceDifference, SurfaceGrid
from core.ui.cache import Spec, kept

Asked = tuple[Fingerprint, Filters, Methods, tuple[str, ...], tuple[Pair, ...]]
"""What tells one grid from another."""


@kept("Computing the surfaces …")
def grid(
    dataset: Dataset, filters: Filters, methods: Methods, shown: tuple[str, ...], built: tuple[Pair, ...]
) -> SurfaceGrid:
    """Return the surfaces of a selection."""
    return tier.read_surfaces(dataset, filters, methods, shown=shown, built=built)


@kept("Drawing the surfaces …")
def heatmaps(asked: Asked, _grid: SurfaceGrid, page: int, *, dark: bool) -> Spec:
    """Return the specification of one page of the grid of heatmaps."""
    return charts.to_spec(tier.surface_heatmaps(_grid, tier.pages(_grid)[page], dark=dark))


@kept("Pairing the two evals, item by item …")
def difference(asked: Asked, dataset: Dataset, _grid: SurfaceGrid, a: int, b: int) -> SurfaceDifference:
    """Return eval a minus eval b in every cell of a grid."""
    return tier.read_surface_difference(dataset, _grid, a, b)


@kept("Drawing the curves …")
def curve_chart(
    asked: Asked, _curve: Curve, kind: str, key: str, _config: DatasetConfig, *, dark: bool
) -> Spec:
    """Return the specification of a curve's chart; kind and key stand for the curve."""
    _, filters, methods, *_ = asked
    return charts.to_spec(tier.curve_chart(_curve, _config, filters, methods, dark=dark))


@kept("Comparing the axes …")
def drops(asked: Asked, _grid: SurfaceGrid) -> pd.DataFrame:
    """Return which axis of each surface matters more."""
    return tier.read_drops(_grid)


@kept("Computing the projections …")
def projections(
    dataset: Dataset, filters: Filters, methods: Methods, shown: tuple[str, ...]
) -> tuple[Curve, ...]:
    """Return accuracy along projections."""
    return tier.read_projections(dataset, filters, methods, shown)


@kept(False)
def axis_params(dataset: Dataset) -> dict[str, list[str]]:
    """Return, for each task that has two, the params that can be an axis."""
    found = {task: tier.read_axis_params(dataset, task) for task in dataset.catalog.base_tasks}
    return {task: params for task, params in found.items() if len(params) > 1}
