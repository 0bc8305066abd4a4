"""Cells computed in plain Python from completions, by the written definitions."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from scipy import stats

from core.config import DatasetConfig, Tier, matches, tier_filter
from core.store.membership import eval_matches
from tests.store import recount
from tests.store.staging import Row

Z = 1.96
Items = list[tuple[str, int, int]]
"""(stratum, correct, counted) of each item."""


def of_eval(rows: Iterable[Row], config: DatasetConfig, eval_id: int) -> list[Row]:
    """Completions that an eval of the config takes."""
    entry = config.evals[eval_id]
    return [r for r in rows if eval_matches(entry, r["model"], r["template"], r["sampler"])]


def in_tier(row: Row, tier: Tier) -> bool:
    """Whether a completion's point is in a tier."""
    wanted = tier_filter(tier, row["base_task"])
    return wanted is not None and matches(wanted, json.loads(row["params"]))


def items_of(rows: Iterable[Row], threshold: float = 1.0, *, truncated_as_wrong: bool = False) -> Items:
    """Correct and counted completions of each item of one eval; strata are params."""
    items: Items = []
    for (_, params, _), outcomes in recount.item_counts(rows, threshold).items():
        k = recount.counted(outcomes) + (outcomes["truncated"] if truncated_as_wrong else 0)
        if k:
            items.append((params, outcomes["correct"], k))
    return items


def effective_n(items: Items) -> list[float]:
    """Effective number of trials: one answer for each stratum that a lonely item may join."""
    if len(items) == 1:
        return [1.0]
    strata: dict[str, Items] = defaultdict(list)
    for item in items:
        strata[item[0]].append(item)
    several = [one for one in strata.values() if len(one) > 1]
    lonely = [one[0] for one in strata.values() if len(one) == 1]
    if len(lonely) == 1 and several:
        smallest = min(map(len, several))
        return [
            _stratified(items, [s + lonely if place == n else s for place, s in enumerate(several)])
            for n, stratum in enumerate(several)
            if len(stratum) == smallest
        ]
    return [_stratified(items, [*several, lonely] if lonely else several)]


def _stratified(items: Items, strata: list[Items]) -> float:
    n = sum(k for _, _, k in items)
    p = sum(y for _, y, _ in items) / n
    squares = sum(k * k for _, _, k in items)
    if squares == n:
        return float(n)
    weighted, clusters = squares / n, n * n / squares
    nu = max(1.0, clusters - len(strata))
    raw = weighted
    if 0 < p < 1:
        raw = sum(map(_spread, strata)) / n**2 / (p * (1 - p) / n)
    w = nu / (nu + 10)
    deff = min(max(w * raw + (1 - w) * (1 + (weighted - 1) / 2), 1.0), weighted)
    return min(n, max(clusters, n / deff * (Z / float(stats.t.ppf(0.975, nu))) ** 2))


def _spread(stratum: Items) -> float:
    p = sum(y for _, y, _ in stratum) / sum(k for _, _, k in stratum)
    return len(stratum) / (len(stratum) - 1) * sum((y - p * k) ** 2 for _, y, k in stratum)


def wilson(p: float, n: float) -> tuple[float, float]:
    """Wilson's interval at z = 1.96."""
    middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * math.sqrt(max(p * (1 - p), 0) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return middle - half, middle + half


def cell(rows: list[Row], threshold: float = 1.0) -> dict[str, Any]:
    """Counts of one eval on one task, and the guess mass."""
    counts = Counter(recount.effective_outcome(row, threshold) for row in rows)
    n = recount.counted(counts)
    choices = recount.choices_of(rows, threshold)
    tokens = [row["completion_tokens"] for row in rows if row["completion_tokens"] is not None]
    return {
        **{name: counts[name] for name in recount.OUTCOMES},
        "n": n,
        "n_items": len(items_of(rows, threshold)),
        "all_items": len(items_of(rows, threshold, truncated_as_wrong=True)),
        "empty": sum(row["response_bytes"] == 0 for row in rows),
        "guess_mass": sum(number / options for options, number in choices.items()),
        "choices_n": sum(choices.values()),
        "choices_kinds": len(choices),
        "token_n": len(tokens),
        "token_sum": sum(tokens),
    }


def skill(raw: float, gamma: float) -> float:
    """Accuracy with the guesses taken out."""
    return min(max((raw - gamma) / (1 - gamma), 0.0), 1.0)


def naive_fair_sort(rows: list[tuple[float, float, float]]) -> list[int]:
    """Ranks of (score, lower, upper), best first: shared while the interval overlaps the leader's."""
    ranks: list[int] = []
    leader = (math.nan, math.nan, math.nan)
    for before, row in enumerate(rows):
        if ranks and row[2] >= leader[1] and row[1] <= leader[2]:
            ranks.append(ranks[-1])
        else:
            ranks.append(before + 1)
            leader = row
    return ranks
