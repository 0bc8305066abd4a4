"""Accuracy of one cell: plain, guess-corrected, with truncated as wrong, pooled over points, with repeats."""

from itertools import product

import numpy as np

from core.stats.cells import CellEstimates, estimate
from core.stats.clustering import effective_n
from tests.validity.items import ItemSums, item_chances, mean_chance, repeats_of
from tests.validity.study import Condition, Intervals, Limits, Rng, Study

SHARES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98)
ITEMS = (30, 50, 100, 300)
REPEATS = ((1, 0.0), (2, 0.1), (2, 0.5), (4, 0.1), (4, 0.3), (4, 0.7), (8, 0.3), (8, 0.7))
"""Completions of an item, and the correlation between them."""


def estimated(
    rng: Rng,
    replications: int,
    points: tuple[tuple[int, float], ...],
    *,
    repeats: int = 1,
    correlation: float = 0.0,
    unequal: bool = False,
    truncated: float = 0.0,
    choices: tuple[float, ...] = (),
    clustered: bool = True,
    method: str = "wilson",
) -> tuple[CellEstimates, float]:
    """Return the estimates of cells, one per replication, and the mean chance of an answer being right.

    Parameters
    ----------
    points
        Items and chance of being right (when not truncated) of each point of the cell.
    truncated
        Chance that a completion is truncated, whatever its item.
    choices
        Options to guess from, the same number of items each; none: free-form.
    """
    rows, all_rows, cut = [], [], np.zeros(replications)
    expected, total = 0.0, 0
    mass = np.zeros(replications)
    for items, p in points:
        k = repeats_of(rng, (replications, items), repeats, unequal=unequal)
        lost = rng.binomial(k, truncated) if truncated else np.zeros_like(k)
        y = rng.binomial(k - lost, item_chances(rng, k.shape, p, correlation))
        rows.append(ItemSums.of(y, k - lost))
        all_rows.append(ItemSums.of(y, k))
        cut += lost.sum(axis=1)
        if choices:
            guess = np.resize(1 / np.asarray(choices), items)
            mass += ((k - lost) * guess).sum(axis=1)
        expected += items * mean_chance(p, correlation)
        total += items
    cell = np.tile(np.arange(replications), len(points))

    def trials(parts: list[ItemSums]) -> np.ndarray:
        stacked = (np.concatenate(some) for some in zip(*(part.columns() for part in parts), strict=True))
        return effective_n(cell, *stacked, replications).n_eff

    correct, n = (sum(getattr(part, name) for part in rows) for name in ("y", "k"))
    found = estimate(
        correct, n - correct, 0, cut, 0, mass,
        trials(rows) if clustered else None,
        trials(all_rows) if clustered else None,
        method=method,
    )  # fmt: skip
    return found, expected / total


def _single(items: int, p: float, repeats: int, correlation: float, *, clustered: bool = True) -> Condition:
    def simulate(rng: Rng, replications: int) -> Intervals:
        found, truth = estimated(
            rng, replications, ((items, p),), repeats=repeats, correlation=correlation, clustered=clustered
        )
        return Intervals(found.lower, found.upper, truth)

    label = f"{items} items, p = {p:g}, {_repeats(repeats, correlation)}"
    return Condition(
        label, simulate, {"items": items, "p": p, "repeats": repeats, "correlation": correlation}
    )


def _repeats(repeats: int, correlation: float) -> str:
    return "once each" if repeats == 1 else f"{repeats} times each, correlation {correlation:g}"


def _pooled(
    points: tuple[tuple[int, float], ...], label: str, repeats: int, correlation: float, unequal: bool
) -> Condition:
    def simulate(rng: Rng, replications: int) -> Intervals:
        found, truth = estimated(
            rng, replications, points, repeats=repeats, correlation=correlation, unequal=unequal
        )
        return Intervals(found.lower, found.upper, truth)

    times = (
        f"1 to {2 * repeats - 1} times each, correlation {correlation:g}"
        if unequal
        else _repeats(repeats, correlation)
    )
    return Condition(f"{label}, {times}", simulate)


def _guessed(
    items: int, skill: float, choices: tuple[float, ...], repeats: int, correlation: float
) -> Condition:
    gamma = float(np.mean(np.resize(1 / np.asarray(choices), items)))

    def simulate(rng: Rng, replications: int) -> Intervals:
        p = gamma + (1 - gamma) * skill
        found, raw = estimated(
            rng, replications, ((items, p),), repeats=repeats, correlation=correlation, choices=choices
        )
        return Intervals(found.lower, found.upper, (raw - gamma) / (1 - gamma))

    options = " and ".join(f"{one:g}" for one in choices)
    return Condition(
        f"{items} items, skill {skill:g}, {options} choices, {_repeats(repeats, correlation)}", simulate,
        {"items": items, "skill": skill},
    )  # fmt: skip


def _truncated(
    items: int, p: float, truncated: float, choices: float, repeats: int, correlation: float
) -> Condition:
    def simulate(rng: Rng, replications: int) -> Intervals:
        found, raw = estimated(
            rng, replications, ((items, p),), repeats=repeats, correlation=correlation,
            truncated=truncated, choices=(choices,) if choices else (),
        )  # fmt: skip
        gamma = 1 / choices if choices else 0.0
        truth = max(0.0, (raw * (1 - truncated) - gamma) / (1 - gamma))
        return Intervals(found.plain_lower, found.plain_upper, truth)

    guess = f", {choices:g} choices" if choices else ""
    label = f"{items} items, p = {p:g}, {truncated:.0%} truncated{guess}, {_repeats(repeats, correlation)}"
    return Condition(label, simulate)


EVEN = tuple((10, p) for p in (0.9, 0.7, 0.5, 0.3, 0.1))
STEEP = ((40, 0.98), (20, 0.8), (20, 0.3), (10, 0.05))
LONE = tuple((1, p) for p in np.linspace(0.1, 0.9, 40).tolist())
MANY = tuple((6, p) for p in np.linspace(0.2, 0.95, 16).tolist())

CELL = Study(
    "cell",
    "Accuracy of a cell (Wilson, effective n)",
    "every table, heatmap, projection and radar",
    "Items with a beta-distributed chance of being right, each answered k times (beta-binomial).",
    tuple(_single(n, p, k, rho) for n, p, (k, rho) in product(ITEMS, SHARES, REPEATS)),
    share=4,
)

POOLED = Study(
    "pooled",
    "Accuracy of a cell pooled over points",
    "every pooled cell",
    "Points of fixed difficulty as strata: five of 10 items, four of 10 to 40 from 98% to 5%, sixteen of 6,"
    " and 40 of one item; repeats equal and unequal.",
    tuple(
        _pooled(points, label, k, rho, unequal)
        for (points, label), (k, rho, unequal) in product(
            ((EVEN, "5 points of 10 items"), (STEEP, "4 points, 90 items"), (MANY, "16 points of 6 items"),
             (LONE, "40 points of 1 item")),
            ((1, 0.0, False), (2, 0.3, False), (4, 0.1, False), (4, 0.5, False), (8, 0.7, False),
             (3, 0.3, True)),
        )
    ),
    share=4,
)  # fmt: skip

GUESSED = Study(
    "guessed",
    "Guess-corrected accuracy (Wilson on raw accuracy, then mapped)",
    "every table of a task with choices",
    "As for a cell, raw chance g + (1 - g) x skill with 1/g choices.",
    tuple(
        _guessed(n, skill, choices, k, rho)
        for n, skill, choices, (k, rho) in product(
            ITEMS,
            (0.0, 0.05, 0.2, 0.5, 0.8, 0.95),
            ((2,), (4,), (12,), (2, 10)),
            ((1, 0.0), (4, 0.3), (8, 0.7)),
        )
    ),
    Limits(worst=0.85),
    share=4,
)

TRUNCATED = Study(
    "all_in",
    "Accuracy with truncated counted as wrong",
    "Scores (plain score), Surface, Cluster",
    "As for a cell; a share of the completions is truncated; free-form and with 4 choices.",
    tuple(
        _truncated(n, p, cut, choices, k, rho)
        for n, p, cut, choices, (k, rho) in product(
            (30, 100), (0.3, 0.6, 0.9), (0.05, 0.3), (0.0, 4.0), ((1, 0.0), (4, 0.3))
        )
    ),
    Limits(worst=0.90),
    share=4,
)

INDEPENDENT = Study(
    "independent",
    "For contrast, not the default: repeats taken as independent",
    "`--repeats independent`",
    "The cells with repeats of the first study.",
    tuple(
        _single(n, p, k, rho, clustered=False)
        for n, p, (k, rho) in product((30, 100), (0.1, 0.5, 0.9), REPEATS[1:])
    ),
    Limits(None, None),
    share=4,
)

STUDIES = (CELL, POOLED, GUESSED, TRUNCATED, INDEPENDENT)
