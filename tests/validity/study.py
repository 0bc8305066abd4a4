"""A study: one interval or test, the conditions it is simulated under, and what is asked of it."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rng = np.random.Generator

SEED = 20_260_117
MONTE_CARLO = 3
"""A limit is missed where a share is worse than it by more than so many of its own standard errors."""

ROUNDING = 1e-9


@dataclass(frozen=True)
class Intervals:
    """Intervals of all replications, each array of shape (replications,), NaN where none was given."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    truth: ArrayLike

    def narrowed(self) -> "Intervals":
        """Return intervals of half the width: what a study must catch."""
        middle, quarter = (self.lower + self.upper) / 2, (self.upper - self.lower) / 4
        return replace(self, lower=middle - quarter, upper=middle + quarter)

    def hits(self) -> NDArray[np.bool_]:
        """Return which of the intervals that were given hold the truth."""
        given = ~(np.isnan(self.lower) | np.isnan(self.upper))
        truth = np.broadcast_to(np.asarray(self.truth, dtype=np.float64), self.lower.shape)[given]
        return (self.lower[given] <= truth + ROUNDING) & (truth <= self.upper[given] + ROUNDING)


@dataclass(frozen=True)
class Condition:
    """One cell of the grid.

    Attributes
    ----------
    label
        What is set, in words.
    simulate
        From a generator and a number of replications: `Intervals`, or which replications were in error.
    at
        The same as numbers, for figures.
    """

    label: str
    simulate: Callable[[Rng, int], Intervals | NDArray[np.bool_]]
    at: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """What is asked of the mean over the cells and of the worst cell; None where nothing is."""

    mean: float | None = 0.94
    worst: float | None = 0.90


@dataclass(frozen=True)
class Study:
    """An interval, asked to cover, or a test, asked to be wrong at most so often.

    Attributes
    ----------
    key, title
        Its name on the command line, and in words.
    where
        The pages that show it.
    text
        What is simulated.
    conditions
        The grid.
    errors
        Whether shares are of errors (lower is better) instead of coverage.
    share
        Of the replications asked for: below 1 where one takes long, above where it takes no time.
    """

    key: str
    title: str
    where: str
    text: str
    conditions: tuple[Condition, ...]
    limits: Limits = Limits()
    errors: bool = False
    share: float = 1.0


@dataclass(frozen=True)
class Cell:
    """One condition's outcome: `share` of the replications hit (or err); `missing` of all gave no number."""

    label: str
    at: Mapping[str, float]
    share: float
    replications: int
    missing: float

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the share; never below that of one miss."""
        n = max(self.replications, 1)
        inside = (self.share * n + 1) / (n + 2)
        return float(np.sqrt(inside * (1 - inside) / n))


@dataclass(frozen=True)
class Outcome:
    """A study's cells, and whether they hold its limits."""

    study: Study
    cells: tuple[Cell, ...]

    @property
    def mean(self) -> float:
        """Mean share over the cells."""
        return float(np.mean([cell.share for cell in self.cells]))

    @property
    def mean_error(self) -> float:
        """Monte Carlo standard error of the mean."""
        return float(np.sqrt(np.sum([cell.error**2 for cell in self.cells]))) / len(self.cells)

    @property
    def worst(self) -> Cell:
        """The cell with the lowest coverage, or the most errors."""
        choose = max if self.study.errors else min
        return choose(self.cells, key=lambda cell: cell.share)

    def misses(self, cell: Cell, *, errors: float = MONTE_CARLO) -> bool:
        """Whether a cell misses the limit of the worst by more than so many Monte Carlo standard errors."""
        return _worse(self.study, cell.share, self.study.limits.worst, errors * cell.error)

    def mean_misses(self, *, errors: float = MONTE_CARLO) -> bool:
        """Whether the mean misses its limit by more than so many Monte Carlo standard errors."""
        return _worse(self.study, self.mean, self.study.limits.mean, errors * self.mean_error)

    def failures(self, *, errors: float = MONTE_CARLO) -> list[str]:
        """Return what misses its limit, one sentence each."""
        kind = "error rate" if self.study.errors else "coverage"
        found = [
            f"{self.study.key}: {kind} {cell.share:.4f} at {cell.label} (limit {self.study.limits.worst})"
            for cell in self.cells
            if self.misses(cell, errors=errors)
        ]
        if self.mean_misses(errors=errors):
            found.append(
                f"{self.study.key}: mean {kind} {self.mean:.4f} over {len(self.cells)} cells"
                f" (limit {self.study.limits.mean})"
            )
        return found


def _worse(study: Study, share: float, limit: float | None, slack: float) -> bool:
    if limit is None:
        return False
    return share > limit + slack if study.errors else share < limit - slack


def run(study: Study, replications: int, seed: int = SEED, *, narrowed: bool = False) -> Outcome:
    """Simulate all conditions of a study; a condition's numbers depend on the seed and its label only.

    Parameters
    ----------
    narrowed : bool
        Halve the width of every interval first.
    """
    cells = []
    n = max(round(replications * study.share), 1)
    for condition in study.conditions:
        rng = np.random.default_rng([seed, zlib.crc32(f"{study.key}: {condition.label}".encode())])
        found = condition.simulate(rng, n)
        if isinstance(found, Intervals):
            hits = (found.narrowed() if narrowed else found).hits()
        else:
            hits = np.asarray(found, dtype=np.bool_)
        share = float(hits.mean()) if hits.size else float("nan")
        cells.append(Cell(condition.label, condition.at, share, hits.size, 1 - hits.size / n))
    return Outcome(study, tuple(cells))
