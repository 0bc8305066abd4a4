"""Tokens and bytes: means, medians, slopes, which outcome is longer, quotients, rank correlation."""

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from core.stats.auc import stratified_auc
from core.stats.clustered_mean import clustered_mean
from core.stats.clustered_median import clustered_median
from core.stats.loglog import loglog_slope
from core.stats.spearman import spearman
from core.stats.stratified_mean import stratified_mean
from tests.validity.study import Condition, Intervals, Rng, Study

TIMES = ((1, 0.0), (4, 0.3), (8, 0.7))
MEDIAN = 500.0


def _times(repeats: int, correlation: float) -> str:
    return "once each" if repeats == 1 else f"{repeats} times each, correlation {correlation:g}"


def noise(rng: Rng, shape: tuple[int, ...], correlation: float) -> NDArray[np.float64]:
    """Return standard normal deviates; those along the last axis, an item's, are correlated."""
    common = rng.standard_normal((*shape[:-1], 1))
    return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.standard_normal(shape)


def _mean(items: int, sigma: float, repeats: int, correlation: float, uneven: bool) -> Condition:
    truth = MEDIAN * float(np.exp(sigma**2 / 2))

    def simulate(rng: Rng, replications: int) -> Intervals:
        tokens = MEDIAN * np.exp(sigma * noise(rng, (replications, items, repeats), correlation))
        there = np.ones(tokens.shape)
        if uneven:
            there[:, :, 1:] = rng.random((replications, items, repeats - 1)) < 0.6
        t, c = (tokens * there).sum(axis=2), there.sum(axis=2)
        sums = (t.sum(axis=1), c.sum(axis=1), (t * t).sum(axis=1), (t * c).sum(axis=1), (c * c).sum(axis=1))
        found = clustered_mean(items, *sums)
        return Intervals(found.lower, found.upper, truth)

    missing = ", 40% of the repeats missing" if uneven else ""
    return Condition(f"{items} items, sigma {sigma:g}, {_times(repeats, correlation)}{missing}", simulate)


def _ratio(items: int, sigma: float) -> Condition:
    """Return a condition of tokens per byte: a quotient of sums over prompts."""

    def simulate(rng: Rng, replications: int) -> Intervals:
        size = np.exp(6 + sigma * rng.standard_normal((replications, items)))
        tokens = size * 0.25 * np.exp(0.15 * rng.standard_normal(size.shape) - 0.15**2 / 2)
        found = clustered_mean(
            items, tokens.sum(axis=1), size.sum(axis=1), (tokens**2).sum(axis=1), (tokens * size).sum(axis=1),
            (size**2).sum(axis=1),
        )  # fmt: skip
        return Intervals(found.lower, found.upper, 0.25)

    return Condition(f"tokens per byte, {items} prompts, sigma {sigma:g}", simulate)


def _strata(points: int, items: int, sigma: float, repeats: int, correlation: float) -> Condition:
    scale = MEDIAN * np.linspace(0.3, 2, points)
    truth = float(scale.mean()) * float(np.exp(sigma**2 / 2))

    def simulate(rng: Rng, replications: int) -> Intervals:
        draws = np.exp(sigma * noise(rng, (replications, points, items, repeats), correlation))
        tokens = (scale[:, None, None] * draws).reshape(replications * points, -1)
        found = stratified_mean(
            np.repeat(np.arange(replications), points), np.full(len(tokens), items * repeats),
            tokens.sum(axis=1), (tokens**2).sum(axis=1), np.full(len(tokens), repeats), replications,
        )  # fmt: skip
        return Intervals(found.lower, found.upper, truth)

    return Condition(
        f"{points} points of {items} items, sigma {sigma:g}, {_times(repeats, correlation)}", simulate
    )


def _median(items: int, sigma: float, repeats: int, correlation: float) -> Condition:
    def simulate(rng: Rng, replications: int) -> Intervals:
        values = 0.4 * np.exp(sigma * noise(rng, (replications, items, repeats), correlation))
        item = np.repeat(np.arange(items), repeats)
        found = [clustered_median(one.ravel(), cluster=item) for one in values]
        return Intervals(np.array([m.lower for m in found]), np.array([m.upper for m in found]), 0.4)

    return Condition(f"{items} items, {_times(repeats, correlation)}", simulate)


def _slope(items: int, spread: float, uneven: bool, repeats: int, correlation: float) -> Condition:
    """Return a condition of ln bytes = .8 ln tokens + error, its variance growing with length if uneven."""

    def simulate(rng: Rng, replications: int) -> Intervals:
        item = np.repeat(np.arange(items), repeats)
        found = []
        for _ in range(replications):
            x = 6 + spread * noise(rng, (items, repeats), correlation)
            error = 0.2 * noise(rng, (items, repeats), correlation)
            if uneven:
                error = error * np.exp(0.8 * (x - 6))
            y = 0.8 * x + error
            found.append(loglog_slope(np.exp(x.ravel()), np.exp(y.ravel()), cluster=item))
        return Intervals(np.array([s.lower for s in found]), np.array([s.upper for s in found]), 0.8)

    kind = "errors grow with length" if uneven else "errors even"
    return Condition(f"{items} items, spread {spread:g}, {kind}, {_times(repeats, correlation)}", simulate)


def _auc(items: int, p: float, auc: float, strata: int, repeats: int, correlation: float) -> Condition:
    """Return a condition of wrong answers that are longer by as much as makes the AUC."""
    shift = float(np.sqrt(2) * stats.norm.ppf(auc))

    def simulate(rng: Rng, replications: int) -> Intervals:
        item = np.repeat(np.arange(items), repeats)
        found = []
        for _ in range(replications):
            # Whether an answer is wrong goes by item in part, its length by item independently of that.
            wrong = noise(rng, (items, repeats), correlation) > stats.norm.ppf(p)
            value = noise(rng, (items, repeats), correlation) + shift * wrong
            stratum = item % strata
            found.append(stratified_auc(value.ravel() + 2 * stratum, wrong.ravel(), stratum, cluster=item))
        return Intervals(np.array([a.lower for a in found]), np.array([a.upper for a in found]), auc)

    return Condition(
        f"{items} items in {strata} strata, {p:.0%} correct, AUC {auc:g}, {_times(repeats, correlation)}",
        simulate,
    )


def _spearman(n: int, rho: float) -> Condition:
    truth = float(6 / np.pi * np.arcsin(rho / 2))

    def simulate(rng: Rng, replications: int) -> Intervals:
        found = []
        for _ in range(replications):
            x = rng.standard_normal(n)
            y = rho * x + np.sqrt(1 - rho**2) * rng.standard_normal(n)
            found.append(spearman(x, y))
        return Intervals(np.array([r.lower for r in found]), np.array([r.upper for r in found]), truth)

    return Condition(f"{n} evals, correlation {rho:g}", simulate)


MEAN = Study(
    "token_mean",
    "Mean tokens (t over items, log scale)",
    "Cluster, Spiderweb, Tasks",
    "Log-normal tokens of items, sigma .4 to .9; and tokens per byte, a quotient of sums.",
    (
        *(
            _mean(n, sigma, k, rho, uneven)
            for n, sigma, (k, rho, uneven) in product(
                (30, 100, 400), (0.4, 0.6, 0.9), (*((k, rho, False) for k, rho in TIMES), (4, 0.3, True))
            )
        ),
        *(_ratio(n, sigma) for n, sigma in product((30, 100), (0.4, 0.9))),
    ),
    share=4,
)  # fmt: skip
STRATA = Study(
    "token_mean_strata",
    "Mean tokens of an eval over points (points as strata, log scale)",
    "Model info, score per token, score per cost",
    "Points whose mean tokens differ up to seven times, log-normal inside.",
    tuple(
        _strata(points, n, sigma, k, rho)
        for (points, n), sigma, (k, rho) in product(((1, 30), (3, 10), (10, 3), (6, 30)), (0.4, 0.9), TIMES)
    ),
    share=4,
)
MEDIANS = Study(
    "median",
    "Median compression and median per token (order statistics)",
    "Compression",
    "Log-normal values, repeats correlated.",
    tuple(_median(n, 0.4, k, rho) for n, (k, rho) in product((30, 31, 50, 100, 400), (*TIMES, (8, 1.0)))),
)
SLOPE = Study(
    "slope",
    "Slope of ln compressed on ln tokens (jackknife over items)",
    "Compression",
    "Errors even, or growing with length; repeats correlated.",
    tuple(
        _slope(n, spread, uneven, k, rho)
        for n, spread, uneven, (k, rho) in product((30, 60, 200), (0.3, 0.8), (False, True), TIMES)
    ),
    share=0.5,
)
AUC = Study(
    "auc",
    "AUC of wrong against correct answers within strata",
    "Compression",
    "Normal values, the wrong ones longer; outcomes and lengths correlated within items.",
    tuple(
        _auc(n, p, auc, strata, k, rho)
        for (n, strata), p, auc, (k, rho) in product(
            ((30, 1), (60, 3), (200, 5)), (0.5, 0.8), (0.5, 0.7, 0.9), TIMES
        )
    ),
    share=0.5,
)
SPEARMAN = Study(
    "spearman",
    "Spearman's rank correlation",
    "Model info",
    "Normal pairs.",
    tuple(_spearman(n, rho) for n, rho in product((30, 60), (0.0, 0.3, 0.6, 0.9))),
)
SPEARMAN_FEW = Study(
    "spearman_few",
    "Spearman's rank correlation of few evals",
    "Model info",
    "The same with fewer evals than the requirement speaks of: 5 to 20.",
    tuple(_spearman(n, rho) for n, rho in product((5, 8, 12, 20), (0.0, 0.3, 0.6, 0.9))),
)

STUDIES = (MEAN, STRATA, MEDIANS, SLOPE, AUC, SPEARMAN, SPEARMAN_FEW)
