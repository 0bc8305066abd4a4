"""Spectra kept between runs, keyed as in core.ui.cache: on the fingerprint and on what was asked.

The leading underscore tells Streamlit not to hash a grid: what was asked for it stands for it.
"""

from typing import Any

from core import charts
from core.filters import Filters
from core.store.dataset import Dataset, Fingerprint
from core.tiers import fft as tier
from core.tiers.fft import Comparison, FftGrid, Line
from core.ui.cache import kept

Asked = tuple[Fingerprint, Filters, tuple[str, ...]]
"""What tells one grid from another."""


@kept("Looking for spectra …")
def grid(dataset: Dataset, filters: Filters, shown: tuple[str, ...]) -> FftGrid:
    """Return the rows and columns of a selection that have spectra."""
    return tier.read_grid(dataset, filters, shown=shown)


@kept("Averaging spectra …")
def lines(asked: Asked, dataset: Dataset, _grid: FftGrid, kind: str, page: int) -> tuple[Line, ...]:
    """Return the lines of one page of a grid."""
    shown = tier.pages(_grid)[page]
    return tier.read_lines(dataset, _grid, kind, shown.rows, shown.columns)


@kept("Drawing the spectra …")
def chart(
    asked: Asked, dataset: Dataset, _grid: FftGrid, kind: str, page: int, *, log: bool, dark: bool
) -> dict[str, Any]:
    """Return the specification of one page of a grid."""
    some = lines(asked, dataset, _grid, kind, page)
    shown = tier.pages(_grid)[page]
    made = tier.spectra_chart(_grid, shown, some, kind=kind, log=log, dark=dark, hover=True)
    return charts.to_spec(made)


@kept("Comparing the tokenizers, and the evals item by item …")
def comparison(asked: Asked, dataset: Dataset, _grid: FftGrid, a: int, b: int) -> Comparison:
    """Return two evals compared."""
    return tier.read_comparison(dataset, _grid, a, b)


@kept("Drawing the comparison …")
def comparison_chart(
    asked: Asked, dataset: Dataset, _grid: FftGrid, a: int, b: int, *, dark: bool
) -> dict[str, Any]:
    """Return the specification of the chart of two evals compared."""
    found = comparison(asked, dataset, _grid, a, b)
    return charts.to_spec(tier.comparison_chart(_grid, found, dark=dark))
