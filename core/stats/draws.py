"""Paired draws of ln plain score: one resampling of items for all evals, fed one cell at a time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.stats.arrays import BoolArray, FloatArray, IntArray
from core.stats.intervals import guess_corrected
from core.stats.ranking import FLOOR

DRAWS = 1_000
BOOTSTRAP_ITEMS = 20_000  # above this many items in all cells, draws are normal
SMALL_STRATUM = 5
CHUNK = 4_000_000  # item counts held at a time


@dataclass(frozen=True)
class ScoreDraws:
    """Point estimates and paired draws of ln plain score.

    Attributes
    ----------
    method
        "bootstrap" or "normal".
    point
        Shape (evals,): mean over the eval's cells of ln clamped accuracy, that is ln(plain score/1000); NaN
        for an eval without a cell.
    draws
        Shape (draws, evals): the same of each draw.
    cells
        Shape (evals,): cells each eval has completions in.
    not_estimable
        Shape (cells, evals): the eval's accuracy there is 0 or 1 after correction, so that draws do not show
        its variance.
    """

    method: str
    point: FloatArray
    draws: FloatArray
    cells: IntArray
    not_estimable: BoolArray


class PairedDraws:
    """Accumulates ln accuracies of draws over cells; cells are taken as independent of each other.

    Parameters
    ----------
    n_evals
        Number of evals.
    n_items
        Items over all cells that will be added; decides between bootstrap and normal draws.
    seed
        Seed of the generator.
    n_draws
        Number of draws.
    method
        "bootstrap" or "normal" to override the choice by n_items.

    Raises
    ------
    ValueError
        If the method is unknown.

    Notes
    -----
    Bootstrap: items are resampled with replacement within strata, the same items for every eval (Efron 1979,
    Ann. Stat. 7:1). Normal: one draw of the evals' accuracies with the covariance
    ``S_ab = sum_i r_ai r_bi/(n_a n_b)``, r the residual from the stratum's accuracy (Taylor linearisation).
    Memory: draws x evals, plus one chunk of draws x items.
    """

    def __init__(
        self, n_evals: int, n_items: int, *, seed: int, n_draws: int = DRAWS, method: str | None = None
    ) -> None:
        self.method = method or ("bootstrap" if n_items <= BOOTSTRAP_ITEMS else "normal")
        if self.method not in ("bootstrap", "normal"):
            raise ValueError(f"unknown method of draws {method!r}; valid: bootstrap, normal")
        self._rng = np.random.default_rng(seed)
        self._point = np.zeros(n_evals)
        self._draws = np.zeros((n_draws, n_evals))
        self._cells = np.zeros(n_evals, dtype=np.int64)
        self._not_estimable: list[BoolArray] = []

    def add(self, y: ArrayLike, k: ArrayLike, stratum: ArrayLike, gamma: ArrayLike) -> None:
        """Add one cell.

        Parameters
        ----------
        y, k
            Shape (evals, items): correct completions, and completions with truncated counted as wrong; k = 0
            where the eval has none of the item.
        stratum
            Shape (items,): integer that names the item's point. Strata with fewer than 5 items are pooled.
        gamma
            Shape (evals,): mean chance of guessing right in the cell; 0 where it has none. An eval with gamma
            1 has no number in this cell, and neither has one without completions.

        Raises
        ------
        ValueError
            If the shapes do not fit each other or the number of evals.
        """
        correct, trials = np.asarray(y, dtype=np.float64), np.asarray(k, dtype=np.float64)
        strata, chance = np.asarray(stratum), np.asarray(gamma, dtype=np.float64)
        evals = self._point.size
        if correct.shape != trials.shape or correct.shape != (evals, strata.size) or strata.ndim != 1:
            raise ValueError(f"y and k must have the shape ({evals}, {strata.size}) of evals and items")
        if chance.shape != (evals,):
            raise ValueError(f"gamma must have the shape ({evals},)")
        answered = trials.sum(axis=0) > 0
        order = np.flatnonzero(answered)
        if not order.size:
            self._not_estimable.append(np.zeros(evals, dtype=np.bool_))
            return
        label = _pool_small(strata[order])
        by_stratum = np.argsort(label, kind="stable")
        order, label = order[by_stratum], label[by_stratum]
        correct, trials = correct[:, order], trials[:, order]

        n = trials.sum(axis=1)
        present = (n > 0) & (chance < 1)
        raw = np.divide(correct.sum(axis=1), n, out=np.zeros(evals), where=n > 0)
        chance = np.where(present, chance, 0)
        skill = guess_corrected(raw, chance)
        if self.method == "bootstrap":
            drawn = _bootstrap(correct, trials, label, raw, self._draws.shape[0], self._rng)
        else:
            drawn = _normal(correct, trials, label, raw, self._draws.shape[0], self._rng)
        self._point += np.where(present, np.log(np.clip(skill, FLOOR, 1)), 0)
        self._draws += np.where(present, np.log(np.clip(guess_corrected(drawn, chance), FLOOR, 1)), 0)
        self._cells += present
        self._not_estimable.append(present & ((skill <= 0) | (skill >= 1)))

    def result(self) -> ScoreDraws:
        """Average the added cells.

        Returns
        -------
        ScoreDraws
            Each eval over the cells it has; pass common cells only where the evals are to be compared.
        """
        cells = np.where(self._cells > 0, self._cells, np.nan)
        return ScoreDraws(
            method=self.method,
            point=self._point / cells,
            draws=self._draws / cells,
            cells=self._cells.copy(),
            not_estimable=np.array(self._not_estimable, dtype=np.bool_).reshape(-1, self._point.size),
        )


def _pool_small(stratum: IntArray) -> IntArray:
    """Labels 0..H-1 of the strata, those of fewer than 5 items pooled into one.

    A pool that still has fewer joins the smallest other stratum.
    """
    _, label, size = np.unique(stratum, return_inverse=True, return_counts=True)
    small = size < SMALL_STRATUM
    target = np.arange(size.size)
    if small.any():
        target[small] = np.flatnonzero(small)[0]
        if size[small].sum() < SMALL_STRATUM and not small.all():
            others = np.where(small, np.iinfo(np.int64).max, size)
            target[small] = int(np.argmin(others))
    return np.unique(target[label], return_inverse=True)[1].astype(np.int64)


def _bootstrap(
    y: FloatArray, k: FloatArray, label: IntArray, raw: FloatArray, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Accuracies under resampling of items within strata; shape (draws, evals). Items sorted by stratum."""
    evals, items = y.shape
    size = np.bincount(label)
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    first, room = start[label], size[label]
    # Single precision is exact here: the sums are of whole numbers far below 2^24.
    both = np.concatenate([y, k]).T.astype(np.float32 if k.sum(axis=1).max() < 2**22 else np.float64)
    drawn = np.empty((n_draws, evals))
    step = max(1, CHUNK // items)
    for begin in range(0, n_draws, step):
        rows = min(step, n_draws - begin)
        picks = first + rng.integers(0, room, size=(rows, items))
        picks += np.arange(rows)[:, np.newaxis] * items
        counts = np.bincount(picks.ravel(), minlength=rows * items).reshape(rows, items)
        sums = (counts.astype(both.dtype) @ both).astype(np.float64)
        correct, trials = sums[:, :evals], sums[:, evals:]
        # An eval with few items of its own may miss all of them in a draw; that draw tells nothing.
        drawn[begin : begin + rows] = np.where(trials > 0, correct / np.maximum(trials, 1e-300), raw)
    return drawn


def _normal(
    y: FloatArray, k: FloatArray, label: IntArray, raw: FloatArray, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Accuracies as normal draws around the observed ones, clipped to [0, 1]; shape (draws, evals)."""
    values, vectors = np.linalg.eigh(covariance(y, k, label))
    root = vectors * np.sqrt(np.maximum(values, 0))
    drawn: FloatArray = raw + rng.standard_normal((n_draws, raw.size)) @ root.T
    return np.clip(drawn, 0, 1)


def covariance(y: ArrayLike, k: ArrayLike, stratum: ArrayLike) -> FloatArray:
    """Covariance of the evals' raw accuracies in one cell, items as clusters within fixed strata.

    Parameters
    ----------
    y, k
        Shape (evals, items): correct and counted completions; k = 0 where an eval has none of the item.
    stratum
        Shape (items,): labels 0..H-1.

    Returns
    -------
    ndarray
        Shape (evals, evals). A stratum in which an eval has one item adds nothing.

    Notes
    -----
    ``S_ab = sum_i r_ai r_bi/(n_a n_b)``, ``r_ai = (y_ai - p_ah k_ai) * sqrt(C_ah/(C_ah - 1))``, 0 where
    missing, C_ah the items that eval a has in stratum h. The diagonal is the variance v of `effective_n`.
    """
    correct, trials = np.asarray(y, dtype=np.float64), np.asarray(k, dtype=np.float64)
    label = np.asarray(stratum, dtype=np.int64)
    order = np.argsort(label, kind="stable")
    correct, trials, label = correct[:, order], trials[:, order], label[order]
    starts = np.flatnonzero(np.diff(label, prepend=-1))
    within = np.cumsum(np.diff(label, prepend=-1) != 0) - 1
    successes = np.add.reduceat(correct, starts, axis=1)
    total = np.add.reduceat(trials, starts, axis=1)
    items = np.add.reduceat((trials > 0).astype(np.float64), starts, axis=1)
    p_h = np.divide(successes, total, out=np.zeros_like(total), where=total > 0)
    scale = np.sqrt(np.divide(items, items - 1, out=np.zeros_like(items), where=items > 1))
    n = trials.sum(axis=1, keepdims=True)
    residual = (correct - p_h[:, within] * trials) * scale[:, within] / np.where(n > 0, n, np.inf)
    return np.asarray(residual @ residual.T, dtype=np.float64)
