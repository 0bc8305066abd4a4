"""Effective number of trials where completions share items and a cell pools points.

Sources: Korn and Graubard 1998, Survey Methodology 24:193 (effective sample size with the t factor);
Miller 2024, arXiv 2411.00640; Bowyer, Aitchison, Ivanova 2025, arXiv 2503.01747.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.stats.arrays import BoolArray, FloatArray, IntArray
from core.stats.intervals import Z

# Degrees of freedom at which the estimated and the assumed design effect weigh the same.
SHRINKAGE = 10.0


@dataclass(frozen=True)
class ClusterResult:
    """Clustering of each cell; arrays of shape (n_cells,).

    Attributes
    ----------
    n
        Counted completions.
    n_eff
        Effective number of independent trials, ``<= n``; 0 where n is 0.
    deff
        Design effect after shrinkage, from 1 to the weighted mean repeats per item; NaN where n is 0.
    n_items
        Items with at least one counted completion.
    strata
        Strata after one-item points were pooled.
    """

    n: FloatArray
    n_eff: FloatArray
    deff: FloatArray
    n_items: IntArray
    strata: IntArray


@dataclass(frozen=True)
class _Strata:
    """One row per (cell, stratum): the sums over the stratum's items."""

    cell: IntArray
    items: FloatArray
    y: FloatArray
    k: FloatArray
    yy: FloatArray
    yk: FloatArray
    kk: FloatArray

    def sums(self) -> FloatArray:
        return np.stack([self.items, self.y, self.k, self.yy, self.yk, self.kk])


def effective_n(
    cell: ArrayLike,
    C: ArrayLike,
    y: ArrayLike,
    k: ArrayLike,
    yy: ArrayLike,
    yk: ArrayLike,
    kk: ArrayLike,
    n_cells: int,
) -> ClusterResult:
    """Effective number of trials per cell, points as fixed strata and items as clusters.

    Parameters
    ----------
    cell
        Index of each row's cell, integers from 0 to ``n_cells - 1``; one row per (cell, point).
    C
        Items of the point with at least one counted completion. Rows with 0 are ignored.
    y, k, yy, yk, kk
        Sums over those items of y_i, k_i, y_i^2, y_i*k_i and k_i^2, where y_i of the k_i counted
        completions of item i are correct.
    n_cells
        Number of cells; a cell without rows gets n = 0.

    Returns
    -------
    ClusterResult
        Arrays of shape (n_cells,).

    Raises
    ------
    ValueError
        If the columns differ in length or a cell index is out of range.

    Notes
    -----
    With p_h the accuracy of stratum h, ``v = sum_h C_h/(C_h-1) * sum_i (y_i - p_h k_i)^2 / n^2``,
    ``K_w = sum k^2/n``, ``C_e = n^2/sum k^2``, ``nu = max(1, C_e - H)``, ``w = nu/(nu+10)``:
    ``deff = clip(w*v/(p(1-p)/n) + (1-w)*(1 + (K_w-1)/2), 1, K_w)``, where K_w stands for the ratio when
    p is 0 or 1; ``n_eff = min(n, max(C_e, n/deff * (1.96/t_{.975,nu})^2))``. One item: n_eff = 1.
    Every item with one completion: n_eff = n. One-item points of a cell form one stratum; if that has
    one item it joins the smallest other (the first of equals).
    """
    index = np.asarray(cell, dtype=np.int64)
    columns = [np.asarray(column, dtype=np.float64) for column in (C, y, k, yy, yk, kk)]
    if any(column.shape != index.shape for column in columns) or index.ndim != 1:
        raise ValueError("cell, C, y, k, yy, yk and kk must be one-dimensional and equally long")
    if index.size and (index.min() < 0 or index.max() >= n_cells):
        raise ValueError(f"cell indices must lie in 0..{n_cells - 1}")
    kept = columns[0] > 0
    rows = _Strata(index[kept], *(column[kept] for column in columns))
    strata = _pool_single_items(rows, n_cells)

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(strata.cell, weights=values, minlength=n_cells).astype(np.float64)

    items, n, kk_sum = total(strata.items), total(strata.k), total(strata.kk)
    H = np.bincount(strata.cell, minlength=n_cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_h = strata.y / strata.k
        # Rounding can leave a sum of squares of -1e-16.
        squares = np.maximum(strata.yy - 2 * p_h * strata.yk + p_h**2 * strata.kk, 0)
        correction = np.where(strata.items > 1, strata.items / (strata.items - 1), 0)
        v = total(correction * squares) / n**2
        p = total(strata.y) / n
        K_w, C_e = kk_sum / n, n**2 / kk_sum
        nu = np.maximum(1, C_e - H)
        inner = (p > 0) & (p < 1)
        raw = np.where(inner, v / np.where(inner, p * (1 - p) / n, 1), K_w)
        w = nu / (nu + SHRINKAGE)
        deff = np.clip(w * raw + (1 - w) * (1 + (K_w - 1) / 2), 1, K_w)
        n_eff = np.minimum(n, np.maximum(C_e, n / deff * (Z / special.stdtrit(nu, 0.975)) ** 2))
    # One item and items without repeats need no case of their own: C_e is then exactly 1 and n.
    n_eff = np.where(n > 0, n_eff, 0.0)
    deff = np.where(items == 1, K_w, deff)
    return ClusterResult(n, n_eff, deff, items.astype(np.int64), H.astype(np.int64))


def _pool_single_items(rows: _Strata, n_cells: int) -> _Strata:
    """Pool the one-item points of each cell; no stratum of one item stays beside another stratum."""
    single = rows.items == 1
    sums = rows.sums()
    pooled = np.stack([np.bincount(rows.cell[single], column[single], n_cells) for column in sums])
    strata_cell, strata_sums = rows.cell[~single], sums[:, ~single]

    # The smallest remaining stratum of each cell; lexsort is stable, so the first of equals.
    order = np.lexsort((strata_sums[0], strata_cell))
    cells_with_other, first = np.unique(strata_cell[order], return_index=True)
    smallest = np.full(n_cells, -1)
    smallest[cells_with_other] = order[first]

    joins: BoolArray = (pooled[0] == 1) & (smallest >= 0)
    strata_sums[:, smallest[joins]] += pooled[:, joins]
    alone = np.flatnonzero((pooled[0] > 0) & ~joins)
    return _Strata(
        np.concatenate([strata_cell, alone]),
        *np.concatenate([strata_sums, pooled[:, alone]], axis=1),
    )
