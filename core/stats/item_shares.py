"""Effective numbers of observations for shares of them, where observations share items."""

import numpy as np

from core.stats.arrays import BoolArray, FloatArray, IntArray
from core.stats.clustering import effective_n
from core.stats.influence import ItemRows


def effective_share(rows: ItemRows, counted: BoolArray, hit: BoolArray) -> float:
    """Return the effective number of the counted observations for the share of them that is hit.

    Parameters
    ----------
    counted, hit
        Shape (rows,); a row that is hit is counted.
    """
    k = np.bincount(rows.item[counted], minlength=rows.items).astype(np.float64)
    y = np.bincount(rows.item[hit], minlength=rows.items).astype(np.float64)
    n = effective_n(
        [0], [(k > 0).sum()], [y.sum()], [k.sum()], [(y * y).sum()], [(y * k).sum()], [(k * k).sum()], 1
    )
    return float(n.n_eff[0]) / rows.share


def effective_at_risk(rows: ItemRows, buckets: IntArray, count: int, causes: int) -> FloatArray:
    """Effective number at risk in each bucket for the share that a cause ends, items taken as the sample.

    Parameters
    ----------
    buckets
        Bucket of each row, shape (rows,), from 0 to ``count - 1``, ascending like the rows.
    count
        Number of buckets.
    causes
        Number of causes.

    Returns
    -------
    ndarray
        Shape (causes, buckets); see core.stats.clustering.effective_n.
    """
    waiting = np.bincount(rows.item, minlength=rows.items).astype(np.float64)
    sums = np.zeros((6, causes, count))
    edges = np.searchsorted(buckets, np.arange(count + 1))
    for bucket in range(count):
        some = slice(int(edges[bucket]), int(edges[bucket + 1]))
        item, cause = rows.item[some], rows.cause[some]
        for j in range(causes):
            y = np.bincount(item[cause == j], minlength=rows.items).astype(np.float64)
            sums[:, j, bucket] = (
                (waiting > 0).sum(), y.sum(), waiting.sum(), (y * y).sum(), (y * waiting).sum(),
                (waiting * waiting).sum(),
            )  # fmt: skip
        waiting -= np.bincount(item, minlength=rows.items)
    items, y, k, yy, yk, kk = sums.reshape(6, causes * count)
    result = effective_n(np.arange(causes * count), items, y, k, yy, yk, kk, causes * count)
    return result.n_eff.reshape(causes, count) / rows.share
