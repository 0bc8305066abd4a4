"""Scores over cells: plain score, quotients of it, rank sets, gaps between cells, drops along a surface."""

from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.stats.cells import estimate
from core.stats.clustered_mean import clustered_mean
from core.stats.draws import PairedDraws
from core.stats.gradient import surface_drops
from core.stats.quotient import quotient_interval
from core.stats.ranking import fair_sort, plain_score
from core.stats.ranksets import rank_sets
from core.tiers.compare.lengths import PARTS, _gaps
from tests.validity.accuracy import estimated
from tests.validity.items import related_chances
from tests.validity.study import Condition, Intervals, Limits, Rng, Study
from tests.validity.tokens import noise

PROFILES = {
    "mixed": (0.3, 0.9),
    "hard": (0.05, 0.4),
    "easy": (0.85, 0.99),
}
"""Chances of being right from the hardest cell to the easiest, in even steps."""


def _chances(profile: str, cells: int) -> list[float]:
    return np.linspace(*PROFILES[profile], cells).tolist()


def _score(
    profile: str, cells: int, items: int, repeats: int, correlation: float, truncated: float, choices: float
) -> Condition:
    gamma = 1 / choices if choices else 0.0

    def simulate(rng: Rng, replications: int) -> Intervals:
        parts, skills = [], []
        for skill in _chances(profile, cells):
            found, raw = estimated(
                rng, replications, ((items, gamma + (1 - gamma) * skill),), repeats=repeats,
                correlation=correlation, truncated=truncated, choices=(choices,) if choices else (),
            )  # fmt: skip
            parts.append((found.plain_accuracy, found.plain_lower, found.plain_upper))
            skills.append(max((raw * (1 - truncated) - gamma) / (1 - gamma), 0.01))
        accuracy, lower, upper = (np.stack(some, axis=1) for some in zip(*parts, strict=True))
        score = plain_score(accuracy, lower, upper)
        return Intervals(score.lower, score.upper, 1000 * np.exp(np.mean(np.log(skills))))

    times = "once each" if repeats == 1 else f"{repeats} times each, correlation {correlation:g}"
    more = (f", {truncated:.0%} truncated" if truncated else "") + (
        f", {choices:g} choices" if choices else ""
    )
    return Condition(f"{cells} {profile} cells of {items} items{more}, {times}", simulate)


def _per_token(cells: int, items: int, longer_when_wrong: float) -> Condition:
    """Return a condition of plain score over mean tokens, both of the same completions."""
    skills = _chances("mixed", cells)
    sigma = 0.6
    truth_tokens = (
        float(np.mean([np.exp(sigma**2 / 2) * (p + (1 - p) * longer_when_wrong) for p in skills])) * 500
    )
    truth = 1000 * float(np.exp(np.mean(np.log(skills)))) / truth_tokens

    def simulate(rng: Rng, replications: int) -> Intervals:
        y = (rng.random((replications, cells, items)) < np.asarray(skills)[:, None]).astype(float)
        tokens = (
            500
            * np.where(y == 1, 1.0, longer_when_wrong)
            * np.exp(sigma * noise(rng, (*y.shape, 1), 0))[..., 0]
        )
        found = estimate(y.sum(axis=2), items - y.sum(axis=2), 0)
        score = plain_score(found.plain_accuracy, found.plain_lower, found.plain_upper)
        n = cells * items
        total, squares = tokens.sum(axis=(1, 2)), (tokens**2).sum(axis=(1, 2))
        mean = clustered_mean(n, total, n, squares, total, n)
        return Intervals(*quotient_interval(score.lower, score.upper, mean.lower, mean.upper), truth)

    return Condition(
        f"{cells} cells of {items} items, wrong answers {longer_when_wrong:g} times as long", simulate
    )


def _rank_draws(rng: Rng, p: tuple[float, ...], cells: int, items: int, repeats: int, shared: float):
    """Return point estimates and draws of evals on the same items; every cell has two points."""
    draws = PairedDraws(len(p), cells * items, seed=int(rng.integers(2**31)))
    for cell in range(cells):
        shift = 0.2 * (cell / max(cells - 1, 1) - 0.5)
        chances = related_chances(rng, (items,), tuple(one + shift for one in p), 0.4, shared)
        y = rng.binomial(repeats, chances)
        draws.add(y, np.full(y.shape, repeats), np.arange(items) % 2, np.zeros(len(p)))
    return draws.result()


def _ranks(p: tuple[float, ...], cells: int, items: int, repeats: int, shared: float) -> Condition:
    """Return a condition of rank sets: wrong where any eval's set lacks a rank that its true score allows."""
    values = np.asarray(p)
    best = 1 + (values[:, None] < values - 1e-12).sum(axis=1)
    least = values.size - (values[:, None] > values + 1e-12).sum(axis=1)

    def simulate(rng: Rng, replications: int) -> NDArray[np.bool_]:
        wrong = np.zeros(replications, dtype=np.bool_)
        for replication in range(replications):
            result = _rank_draws(rng, p, cells, items, repeats, shared)
            sets = rank_sets(result.point, result.draws)
            wrong[replication] = bool(((sets.lowest > best) | (sets.highest < least)).any())
        return wrong

    times = "once each" if repeats == 1 else f"{repeats} times each"
    kinds = "all equal" if np.ptp(values) == 0 else f"p {min(p):g} to {max(p):g}"
    return Condition(
        f"{len(p)} evals, {kinds}, {cells} cells of {items} items, {times}, evals related {shared:g}",
        simulate,
    )


def _first(evals: int, cells: int, items: int, shared: float) -> Condition:
    """Return a condition of the fair sort of equal evals: an error is that not all share rank 1."""

    def simulate(rng: Rng, replications: int) -> NDArray[np.bool_]:
        chances = np.stack(
            [related_chances(rng, (replications, items), (0.7,) * evals, 0.4, shared) for _ in range(cells)]
        )
        correct = rng.binomial(1, chances).sum(axis=3).transpose(2, 1, 0)
        found = estimate(correct, items - correct, 0)
        wrong = np.zeros(replications, dtype=np.bool_)
        for replication in range(replications):
            score = plain_score(
                found.plain_accuracy[replication],
                found.plain_lower[replication],
                found.plain_upper[replication],
            )
            wrong[replication] = bool((fair_sort(score.score, score.lower, score.upper).rank > 1).any())
        return wrong

    return Condition(
        f"{evals} equal evals, {cells} cells of {items} items, evals related {shared:g}", simulate
    )


def _gap(items: int, p: tuple[float, float], repeats: int, correlation: float) -> Condition:
    """Return a condition of the longest fifth of responses against the shortest, as on the Compare page."""

    def simulate(rng: Rng, replications: int) -> Intervals:
        frames, truths = [], []
        for part, chance in zip((1, PARTS), p, strict=True):
            found, truth = estimated(
                rng, replications, ((items, chance),), repeats=repeats, correlation=correlation
            )
            truths.append(truth)
            frames.append(
                pd.DataFrame(
                    {
                        "eval_id": np.arange(replications), "part": part, "accuracy": found.accuracy,
                        "lower": found.lower, "upper": found.upper,
                    }
                )
            )  # fmt: skip
        gaps = _gaps(pd.concat(frames)).sort_values("eval_id")
        return Intervals(gaps["lower"].to_numpy(), gaps["upper"].to_numpy(), truths[1] - truths[0])

    times = "once each" if repeats == 1 else f"{repeats} times each, correlation {correlation:g}"
    return Condition(f"fifths of {items} items, p = {p[0]:g} and {p[1]:g}, {times}", simulate)


def _drop(size: int, items: int, slope: float, along: str, repeats: int, correlation: float) -> Condition:
    """Return a condition of a square surface on which accuracy falls along x, and half as fast along y."""
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(size), np.arange(size)))
    p = 0.95 - slope * x - slope / 2 * y

    def simulate(rng: Rng, replications: int) -> Intervals:
        cells = [
            estimated(rng, replications, ((items, one),), repeats=repeats, correlation=correlation)
            for one in p.tolist()
        ]
        truths = np.array([truth for _, truth in cells])
        accuracy, lower, upper = (
            np.stack([getattr(found, name) for found, _ in cells], axis=1)
            for name in ("accuracy", "lower", "upper")
        )
        n = np.full(x.size, items * repeats)
        exact = surface_drops(x, y, truths, truths, truths, n)
        found = [
            getattr(surface_drops(x, y, accuracy[i], lower[i], upper[i], n), along)
            for i in range(replications)
        ]
        return Intervals(
            np.array([one.lower for one in found]),
            np.array([one.upper for one in found]),
            getattr(exact, along).drop,
        )

    times = "once each" if repeats == 1 else f"{repeats} times each, correlation {correlation:g}"
    return Condition(
        f"{along}: {size} x {size} cells of {items} items, {slope:g} per step, {times}", simulate
    )


PLAIN = Study(
    "plain_score",
    "Plain score",
    "Scores, Model info, report",
    "Cells from hard to easy, free-form and with 4 choices, some truncated.",
    tuple(
        _score(profile, cells, items, k, rho, cut, choices)
        for profile, cells, items, (k, rho), (cut, choices) in product(
            PROFILES, (1, 2, 4, 16, 32), (30, 100), ((1, 0.0), (4, 0.3)), ((0.0, 0.0), (0.1, 4.0))
        )
    ),
)
PER_TOKEN = Study(
    "per_token",
    "Plain score per token (and per cost, its multiple)",
    "Model info",
    "Score and tokens of the same completions, wrong answers as long, longer or shorter.",
    tuple(
        _per_token(cells, items, times) for cells, items, times in product((2, 8), (30, 100), (0.5, 1.0, 3.0))
    ),
    share=4,
)
RANK_SETS = Study(
    "rank_sets",
    "Rank sets: any eval's set lacks its true rank",
    "Scores",
    "Evals on the same items, 1,000 paired draws, Holm over the pairs.",
    (
        _ranks((0.7,) * 4, 4, 50, 1, 0.5), _ranks((0.7,) * 8, 8, 30, 1, 0.5),
        _ranks((0.7,) * 8, 4, 100, 1, 0.0),
        _ranks((0.5, 0.5, 0.7, 0.7, 0.8, 0.8), 6, 50, 1, 0.5), _ranks((0.7,) * 5, 4, 30, 4, 0.8),
        _ranks((0.85,) * 6, 2, 30, 1, 0.5),
    ),
    Limits(0.05, 0.05),
    errors=True,
    share=0.2,
)  # fmt: skip
FAIR = Study(
    "fair_sort",
    "For information: fair sort separates equal evals",
    "Scores",
    "Equal evals; an error is that not all share rank 1. The rule is for reading and claims no rate.",
    tuple(_first(evals, 6, 50, shared) for evals, shared in product((2, 5, 10, 20), (0.0, 0.8))),
    Limits(None, None),
    errors=True,
    share=0.5,
)
GAPS = Study(
    "length_gap",
    "Accuracy in the longest fifth minus the shortest (MOVER)",
    "Compare",
    "Two cells of 30 items and more.",
    tuple(
        _gap(items, p, k, rho)
        for items, p, (k, rho) in product(
            (30, 100), ((0.5, 0.5), (0.9, 0.6), (0.98, 0.9)), ((1, 0.0), (4, 0.3))
        )
    ),
)
DROPS = Study(
    "surface_drop",
    "Drop in accuracy per step along a surface (MOVER)",
    "Surface",
    "Square surfaces; cells of 10 items are few, their drop is of 160 and more.",
    tuple(
        _drop(size, items, slope, along, k, rho)
        for (size, items, slope), along, (k, rho) in product(
            ((4, 10, 0.1), (4, 30, 0.15), (3, 30, 0.0)), ("x", "y", "difference"), ((1, 0.0), (4, 0.3))
        )
    ),
    share=0.5,
)

STUDIES = (PLAIN, PER_TOKEN, RANK_SETS, FAIR, GAPS, DROPS)
