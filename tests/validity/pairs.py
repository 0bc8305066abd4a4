"""Two evals and many: intervals of paired differences, error rates of their tests and of the corrections."""

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.stats.moments import mean_interval
from core.stats.multiplicity import benjamini_hochberg, holm
from core.stats.paired import compare
from core.stats.pairwise import compare_all
from tests.validity.items import mean_chance, related_chances
from tests.validity.study import Condition, Intervals, Limits, Rng, Study

NOMINAL = Limits(mean=0.05, worst=0.05)
CHANCES = ((0.5, 0.5), (0.9, 0.9), (0.97, 0.9), (0.7, 0.55), (0.3, 0.1), (0.05, 0.05))
ITEMS = (30, 60, 200)
SHARED = (0.0, 0.8)
"""Correlation of two evals' chances over items."""


def answers(
    rng: Rng, shape: tuple[int, ...], p: tuple[float, ...], correlation: float, shared: float, repeats: int
) -> NDArray[np.int64]:
    """Return how often each eval is right on each item; shape (evals, *shape)."""
    return rng.binomial(repeats, related_chances(rng, shape, p, correlation, shared))


def _difference(
    items: int, p: tuple[float, float], shared: float, repeats: int, correlation: float
) -> Condition:
    truth = mean_chance(p[0], correlation) - mean_chance(p[1], correlation)

    def simulate(rng: Rng, replications: int) -> Intervals:
        a, b = answers(rng, (replications, items), p, correlation, shared, repeats)
        k = np.full(items, repeats)
        found = [compare(one, k, other, k, draws=1) for one, other in zip(a, b, strict=True)]
        return Intervals(np.array([r.lower for r in found]), np.array([r.upper for r in found]), truth)

    return Condition(_label(items, p, shared, repeats, correlation), simulate, {"items": items})


def _label(items: int, p: tuple[float, ...], shared: float, repeats: int, correlation: float) -> str:
    chances = " and ".join(f"{one:g}" for one in p)
    times = "once each" if repeats == 1 else f"{repeats} times each, correlation {correlation:g}"
    return f"{items} items, p = {chances}, {times}, evals related {shared:g}"


def _strata(items: int, repeats: int, correlation: float) -> Condition:
    """Return a condition of a pooled cell: points whose differences differ, each with its own items."""
    points = ((0.9, 0.9), (0.8, 0.6), (0.5, 0.6), (0.3, 0.1))
    truth = float(np.mean([mean_chance(a, correlation) - mean_chance(b, correlation) for a, b in points]))

    def simulate(rng: Rng, replications: int) -> Intervals:
        parts = [answers(rng, (replications, items), p, correlation, 0.5, repeats) for p in points]
        a, b = np.concatenate(parts, axis=2)
        k = np.full(a.shape[1], repeats)
        found = [compare(one, k, other, k, draws=1) for one, other in zip(a, b, strict=True)]
        return Intervals(np.array([r.lower for r in found]), np.array([r.upper for r in found]), truth)

    times = "once each" if repeats == 1 else f"{repeats} times each, correlation {correlation:g}"
    return Condition(f"4 points of {items} items, differences 0 to .2, {times}", simulate)


def _scores(items: int, shape_a: tuple[float, float], shape_b: tuple[float, float]) -> Condition:
    truth = shape_a[0] / sum(shape_a) - shape_b[0] / sum(shape_b)

    def simulate(rng: Rng, replications: int) -> Intervals:
        a, b = (rng.beta(*shape, size=(replications, items)) for shape in (shape_a, shape_b))
        k = np.ones(items)
        found = [compare(one, k, other, k, draws=1) for one, other in zip(a, b, strict=True)]
        return Intervals(np.array([r.lower for r in found]), np.array([r.upper for r in found]), truth)

    return Condition(f"{items} items, scores beta{shape_a} and beta{shape_b}", simulate)


def _tokens(items: int, sigma: float, shared: float, ratio: float) -> Condition:
    truth = 500 * np.exp(sigma**2 / 2) * (ratio - 1)

    def simulate(rng: Rng, replications: int) -> Intervals:
        common, one, other = rng.standard_normal((3, replications, items))
        a, b = (
            500 * factor * np.exp(sigma * (np.sqrt(shared) * common + np.sqrt(1 - shared) * own))
            for own, factor in ((one, ratio), (other, 1.0))
        )
        d = a - b
        return Intervals(*mean_interval(d.mean(axis=1), d.std(axis=1, ddof=1), items), truth)

    return Condition(
        f"{items} items, tokens log-normal sigma {sigma:g}, related {shared:g}, {ratio:g} times", simulate
    )


def _test(items: int, p: float, shared: float, repeats: int, correlation: float) -> Condition:
    def simulate(rng: Rng, replications: int) -> NDArray[np.bool_]:
        a, b = answers(rng, (replications, items), (p, p), correlation, shared, repeats)
        k = np.full(items, repeats)
        return np.array(
            [
                compare(one, k, other, k, seed=seed).p <= 0.05
                for seed, (one, other) in enumerate(zip(a, b, strict=True))
            ]
        )

    return Condition(_label(items, (p,), shared, repeats, correlation), simulate)


def _unlike(items: int) -> Condition:
    """Return a condition without a difference in which the evals' scores are of different shape."""

    def simulate(rng: Rng, replications: int) -> NDArray[np.bool_]:
        a, b = rng.beta(4, 1, size=(replications, items)), rng.binomial(1, 0.8, size=(replications, items))
        k = np.ones(items)
        return np.array([compare(one, k, other, k).p <= 0.05 for one, other in zip(a, b, strict=True)])

    return Condition(f"{items} items, scores beta(4, 1) against 0/1 with the same mean", simulate)


def _holm_tasks(tasks: int, items: int, repeats: int, real: int) -> Condition:
    """Return a condition of a section of tasks, some of them with a real difference of .3."""
    correlation = 0.3

    def simulate(rng: Rng, replications: int) -> NDArray[np.bool_]:
        k = np.full(items, repeats)
        wrong = np.zeros(replications, dtype=np.bool_)
        for replication in range(replications):
            p = []
            for task in range(tasks):
                second = 0.4 if task < real else 0.7
                a, b = answers(rng, (items,), (0.7, second), correlation, 0.5, repeats)
                p.append(compare(a, k, b, k, tests=tasks, seed=task).p)
            wrong[replication] = bool((holm(p)[real:] <= 0.05).any())
        return wrong

    times = "once each" if repeats == 1 else f"{repeats} times each, correlation {correlation:g}"
    return Condition(f"{tasks} tasks of {items} items, {real} differ, {times}", simulate)


def _holm_pairs(models: int, items: int, repeats: int, groups: tuple[float, ...]) -> Condition:
    """Return a condition of all pairs of models; those with the same p do not differ."""
    p = tuple(np.resize(np.repeat(groups, -(-models // len(groups))), models).tolist())
    equal = np.equal.outer(p, p)[np.triu_indices(models, 1)]

    def simulate(rng: Rng, replications: int) -> NDArray[np.bool_]:
        k = np.full((models, items), repeats)
        wrong = np.zeros(replications, dtype=np.bool_)
        for replication in range(replications):
            y = answers(rng, (items,), p, 0.3, 0.6, repeats)
            found = compare_all(y, k, seed=replication)
            wrong[replication] = bool((found.p_adjusted[equal] < 0.05).any())
        return wrong

    times = "once each" if repeats == 1 else f"{repeats} times each, correlation .3"
    kinds = "all equal" if len(groups) == 1 else f"p of {' or '.join(f'{one:g}' for one in groups)}"
    return Condition(f"{models} evals, {items} items, {kinds}, {times}", simulate)


def _false_discoveries(cells: int, items: int, real: int, difference: float) -> Condition:
    """Return a condition of a surface: which share of the outlined cells is outlined wrongly, as draws."""

    def simulate(rng: Rng, replications: int) -> NDArray[np.bool_]:
        k = np.ones(items)
        share = np.zeros(replications)
        for replication in range(replications):
            p = np.empty(cells)
            for cell in range(cells):
                second = 0.75 - difference if cell < real else 0.75
                a, b = answers(rng, (items,), (0.75, second), 0.3, 0.5, 1)
                p[cell] = compare(a, k, b, k, tests=cells).p
            found = benjamini_hochberg(p) <= 0.05
            share[replication] = found[real:].sum() / max(found.sum(), 1)
        # A share of false discoveries is the chance that one of them, drawn at random, is false.
        return rng.random(replications) < share

    return Condition(f"{cells} cells of {items} items, {real} differ by {difference:g}", simulate)


def _grid(make: Callable[..., Condition], *factors: tuple[object, ...]) -> tuple[Condition, ...]:
    return tuple(make(*some) for some in product(*factors))


DIFFERENCE = Study(
    "difference",
    "Paired difference, one completion each (Bonett-Price)",
    "Compare, Cluster, Surface, FFT, Scores against a baseline",
    "Two evals on the same items, their chances joined by a normal copula.",
    tuple(_difference(n, p, shared, 1, 0.5) for n, p, shared in product((*ITEMS, 600), CHANCES, SHARED)),
)
REPEATED = Study(
    "difference_repeats",
    "Paired difference with repeats (t over items)",
    "Compare, Cluster, Surface, FFT, Scores against a baseline",
    "The same with 2 to 8 completions of an item.",
    tuple(
        _difference(n, p, shared, k, rho)
        for n, p, shared, (k, rho) in product(ITEMS, CHANCES, SHARED, ((2, 0.5), (4, 0.3), (8, 0.7)))
    ),
)
STRATIFIED = Study(
    "difference_pooled",
    "Paired difference pooled over points",
    "Compare, Cluster",
    "Four points, their true differences 0, .2, -.1 and .2.",
    _grid(lambda n, times: _strata(n, *times), (10, 30, 100), ((1, 0.5), (4, 0.3))),
)
MEAN_SCORE = Study(
    "difference_scores",
    "Paired difference of mean scores (t over items)",
    "Compare",
    "Scores in [0, 1] of beta distributions, symmetric and skewed.",
    _grid(_scores, (30, 100), ((2, 2), (8, 1), (0.5, 0.5)), ((2, 2), (9, 1))),
)
TOKEN_DIFFERENCE = Study(
    "difference_tokens",
    "Paired difference of mean tokens (t over items)",
    "Compare",
    "Log-normal tokens of two evals on the same items.",
    _grid(_tokens, (30, 100, 400), (0.4, 0.8), (0.0, 0.7), (1.0, 1.5, 3.0)),
    share=4,
)
MCNEMAR = Study(
    "mcnemar",
    "Exact McNemar test",
    "Compare, Cluster, Surface, FFT",
    "Two evals without a difference, one completion each.",
    _grid(lambda n, p, shared: _test(n, p, shared, 1, 0.5), (30, 100, 400), (0.1, 0.5, 0.9), SHARED),
    NOMINAL,
    errors=True,
)
SIGN_FLIP = Study(
    "sign_flip",
    "Sign-flip test",
    "Compare, Cluster, Surface, FFT with repeats or scores",
    "Two evals without a difference, 2 to 8 completions of an item; and scores of unlike shape.",
    (
        *_grid(
            lambda n, p, shared, times: _test(n, p, shared, *times),
            (30, 100), (0.1, 0.5, 0.9), SHARED, ((2, 0.5), (8, 0.7)),
        ),
        _unlike(30),
        _unlike(100),
    ),
    NOMINAL,
    errors=True,
    share=0.25,
)  # fmt: skip
HOLM_TASKS = Study(
    "holm_tasks",
    "Holm over tasks: any false difference",
    "Compare, FFT",
    "Sections of tasks of which some differ by .3.",
    (
        _holm_tasks(6, 50, 1, 0), _holm_tasks(6, 50, 1, 3), _holm_tasks(20, 30, 1, 5),
        _holm_tasks(6, 50, 4, 0), _holm_tasks(12, 30, 4, 4),
    ),
    NOMINAL,
    errors=True,
    share=0.5,
)  # fmt: skip
HOLM_PAIRS = Study(
    "holm_pairs",
    "Holm over pairs of evals, which the paired cliques come from: any false separation",
    "Cluster",
    "Evals on the same items, all equal or of two kinds.",
    (
        _holm_pairs(4, 50, 1, (0.7,)), _holm_pairs(10, 100, 1, (0.7,)), _holm_pairs(10, 100, 1, (0.8, 0.5)),
        _holm_pairs(4, 50, 4, (0.7,)), _holm_pairs(6, 50, 4, (0.8, 0.5)),
    ),
    NOMINAL,
    errors=True,
    share=0.5,
)  # fmt: skip
DISCOVERIES = Study(
    "discoveries",
    "Benjamini-Hochberg over cells: share of false discoveries",
    "Surface, Compare",
    "Cells of a surface, of which none, some or most differ.",
    (
        _false_discoveries(25, 30, 0, 0.0), _false_discoveries(25, 30, 5, 0.4),
        _false_discoveries(25, 60, 12, 0.3), _false_discoveries(60, 40, 20, 0.4),
    ),
    NOMINAL,
    errors=True,
    share=0.5,
)  # fmt: skip

STUDIES = (
    DIFFERENCE, REPEATED, STRATIFIED, MEAN_SCORE, TOKEN_DIFFERENCE, MCNEMAR, SIGN_FLIP, HOLM_TASKS,
    HOLM_PAIRS, DISCOVERIES,
)  # fmt: skip
