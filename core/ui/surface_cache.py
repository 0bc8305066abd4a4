"""Surfaces kept between runs, keyed as in core.ui.cache: on the fingerprint and on what was asked."""

from typing import Any

import streamlit as st

from core.filters import Filters
from core.store.dataset import Dataset, Fingerprint
from core.tiers import surface as tier
from core.tiers.methods import Methods
from core.tiers.surface import Curve, Page, Pair, SurfaceDifference, SurfaceGrid
from core.ui.cache import ENTRIES


def grid(
    dataset: Dataset, filters: Filters, methods: Methods, shown: tuple[str, ...], built: tuple[Pair, ...]
) -> SurfaceGrid:
    """Return the surfaces of a selection."""
    return _grid(dataset.fingerprint, filters, methods, shown, built, dataset)


@st.cache_data(show_spinner="Computing the surfaces …", max_entries=ENTRIES)
def _grid(
    mark: Fingerprint,
    filters: Filters,
    methods: Methods,
    shown: tuple[str, ...],
    built: tuple[Pair, ...],
    _dataset: Dataset,
) -> SurfaceGrid:
    return tier.read_surfaces(_dataset, filters, methods, shown=shown, built=built)


Asked = tuple[Fingerprint, Filters, Methods, tuple[str, ...], tuple[Pair, ...]]
"""What tells one grid from another."""


def heatmaps(asked: Asked, grid: SurfaceGrid, page: int, *, dark: bool) -> dict[str, Any]:
    """Return the specification of one page of the grid of heatmaps."""
    return _heatmaps(asked, page, dark, grid)


@st.cache_data(show_spinner="Drawing the surfaces …", max_entries=ENTRIES)
def _heatmaps(asked: Asked, page: int, dark: bool, _grid: SurfaceGrid) -> dict[str, Any]:
    some: Page = tier.pages(_grid)[page]
    spec: dict[str, Any] = tier.surface_heatmaps(_grid, some, dark=dark).to_dict()
    return spec


def difference(asked: Asked, dataset: Dataset, grid: SurfaceGrid, a: int, b: int) -> SurfaceDifference:
    """Return eval a minus eval b in every cell of a grid."""
    return _difference(asked, a, b, dataset, grid)


@st.cache_data(show_spinner="Pairing the two evals, item by item …", max_entries=ENTRIES)
def _difference(asked: Asked, a: int, b: int, _dataset: Dataset, _grid: SurfaceGrid) -> SurfaceDifference:
    return tier.read_surface_difference(_dataset, _grid, a, b)


def projections(
    dataset: Dataset, filters: Filters, methods: Methods, shown: tuple[str, ...]
) -> tuple[Curve, ...]:
    """Return accuracy along projections."""
    return _projections(dataset.fingerprint, filters, methods, shown, dataset)


@st.cache_data(show_spinner="Computing the projections …", max_entries=ENTRIES)
def _projections(
    mark: Fingerprint, filters: Filters, methods: Methods, shown: tuple[str, ...], _dataset: Dataset
) -> tuple[Curve, ...]:
    return tier.read_projections(_dataset, filters, methods, shown)


def axis_params(dataset: Dataset) -> dict[str, list[str]]:
    """Return, for each task that has two, the params that can be an axis."""
    return _axis_params(dataset.fingerprint, dataset)


@st.cache_data(show_spinner=False, max_entries=ENTRIES)
def _axis_params(mark: Fingerprint, _dataset: Dataset) -> dict[str, list[str]]:
    found = {task: tier.read_axis_params(_dataset, task) for task in _dataset.catalog.base_tasks}
    return {task: params for task, params in found.items() if len(params) > 1}
