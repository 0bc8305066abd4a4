"""Whether two quantities rise together: Spearman's rank correlation with its interval."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

LEAST = 5
"""Pairs below which no interval is worth giving."""


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rho with its 95% interval and number of pairs; NaN where there is no number."""

    rho: float
    lower: float
    upper: float
    n: int


def spearman(x: ArrayLike, y: ArrayLike) -> RankCorrelation:
    """Rank correlation of pairs; ties share their mean rank, pairs with a missing number are left out.

    Returns
    -------
    RankCorrelation
        ``tanh(atanh(rho) +- 1.96 * sqrt((1 + rho^2/2) / (n - 3)))``; no number with fewer than LEAST pairs or
        where one side has a single value.

    Notes
    -----
    Bonett and Wright 2000, Psychometrika 65:23, for the standard error.
    """
    pairs = np.column_stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)])
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    n = len(pairs)
    if n < LEAST or (pairs == pairs[0]).all(axis=0).any():
        return RankCorrelation(math.nan, math.nan, math.nan, n)
    from scipy.stats import spearmanr  # here, since it takes as long to load as the rest of the app

    rho = float(np.clip(spearmanr(pairs[:, 0], pairs[:, 1]).statistic, -1, 1))
    if abs(rho) > 1 - 1e-12:
        return RankCorrelation(rho, math.nan, math.nan, n)
    half = 1.96 * math.sqrt((1 + rho**2 / 2) / (n - 3))
    return RankCorrelation(rho, math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half), n)
