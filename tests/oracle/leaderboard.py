"""The leaderboard of a dataset, recomputed from completions with plain Python and the written definitions.

scipy gives quantiles of Student's t and of the beta distribution; everything else is arithmetic.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.oracle.sources import Completion

Z = 1.96
FLOOR = 0.01
Interval = tuple[float, float]
Number = float | None
Task = str
Tier = str | None
Items = list[tuple[str, float, float]]
"""(stratum, completions k >= 1, correct ones y) of each item."""


@dataclass(frozen=True)
class Rules:
    """What may be chosen when a leaderboard is made.

    `tie`: which n_eff to take, min or max, where it is open which stratum a lonely item joins.
    `tells_truncation`: whether the source says which completions were cut off; no share is known else.
    """

    interval: str = "wilson"
    repeats: str = "cluster"
    threshold: float = 1.0
    tie: Callable[[list[float]], float] = min
    tells_truncation: bool = True


def matches(filters: Any, params: dict[str, Any]) -> bool:
    """A config filter: every key equal, a list one of, a list of objects any of."""
    if isinstance(filters, list):
        return any(matches(one, params) for one in filters)
    return all(
        name in params and params[name] in (wanted if isinstance(wanted, list) else [wanted])
        for name, wanted in filters.items()
    )


def belongs(entry: dict[str, Any], one: Completion) -> bool:
    """Whether a completion is of an eval; an identity key that the eval does not name matches any value."""
    return all(
        getattr(one, field) in (wanted if isinstance(wanted, list) else [wanted])
        for field, wanted in entry.get("filters", {}).items()
    )


def in_tier(tier: dict[str, Any], one: Completion) -> bool:
    """Whether a completion's point is in a tier; a task that the tier's filters do not list is not."""
    if "filters" in tier:
        return one.base_task in tier["filters"] and matches(tier["filters"][one.base_task], one.params)
    return matches(tier.get("filter", {}), one.params)


# ---- intervals ----------------------------------------------------------------------------------------


def wilson(p: float, n: float) -> Interval:
    """Wilson's score interval (1927) at z = 1.96; n need not be whole."""
    middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return middle - half, middle + half


@cache
def _beta_quantile(a: float, b: float, upper: bool) -> float:
    from scipy import stats

    tail = float(stats.norm.sf(Z))
    return float(stats.beta.isf(tail, a, b) if upper else stats.beta.ppf(tail, a, b))


def jeffreys(p: float, n: float) -> Interval:
    """Equal-tailed interval of Beta(k + 1/2, n - k + 1/2)."""
    return tuple(_beta_quantile(p * n + 0.5, n - p * n + 0.5, side) for side in (False, True))  # type: ignore


def clopper_pearson(p: float, n: float) -> Interval:
    """The exact interval, by beta quantiles."""
    k = p * n
    lower = _beta_quantile(k, n - k + 1, False) if k > 0 else 0.0
    upper = _beta_quantile(k + 1, n - k, True) if k < n else 1.0
    return lower, upper


METHODS: dict[str, Callable[[float, float], Interval]] = {
    "wilson": wilson,
    "jeffreys": jeffreys,
    "clopper-pearson": clopper_pearson,
}


@cache
def _t_quantile(nu: float) -> float:
    from scipy import stats

    return float(stats.t.ppf(0.975, nu))


def effective_n(items: Items, tie: Callable[[list[float]], float] = min) -> float:
    """How many independent completions the completions of these items are worth, points as fixed strata."""
    if len(items) == 1:
        return 1.0
    return tie([_stratified_n(items, strata) for strata in joined_strata(items)])


def _stratified_n(items: Items, strata: list[Items]) -> float:
    n = math.fsum(k for _, k, _ in items)
    p = math.fsum(y for _, _, y in items) / n
    squares = math.fsum(k * k for _, k, _ in items)
    k_w, c_e = squares / n, n * n / squares
    nu = max(1.0, c_e - len(strata))
    if p in (0.0, 1.0):
        raw = k_w
    else:
        v = math.fsum(_stratum_spread(stratum) for stratum in strata) / n**2
        raw = v / (p * (1 - p) / n)
    w = nu / (nu + 10)
    deff = min(max(w * raw + (1 - w) * (1 + (k_w - 1) / 2), 1.0), k_w)
    return min(n, max(c_e, n / deff * (Z / _t_quantile(nu)) ** 2))


def joined_strata(items: Items) -> list[list[Items]]:
    """The strata: points, those of one item pooled; a pooled stratum of one item joins the smallest other.

    More than one answer where several others are the smallest.
    """
    points: dict[str, Items] = defaultdict(list)
    for item in items:
        points[item[0]].append(item)
    strata = [points[name] for name in sorted(points) if len(points[name]) > 1]
    pooled = [points[name][0] for name in sorted(points) if len(points[name]) == 1]
    if len(pooled) != 1 or not strata:
        return [[*strata, pooled] if pooled else strata]
    smallest = min(map(len, strata))
    return [
        [stratum + pooled if place == joined else stratum for place, stratum in enumerate(strata)]
        for joined in range(len(strata))
        if len(strata[joined]) == smallest
    ]


def _stratum_spread(stratum: Items) -> float:
    p = math.fsum(y for _, _, y in stratum) / math.fsum(k for _, k, _ in stratum)
    size = len(stratum)
    return size / (size - 1) * math.fsum((y - p * k) ** 2 for _, k, y in stratum)


# ---- one cell -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """The counts of one eval in one task (and tier), and what follows from them."""

    counts: Counter[str]
    guesses: float
    items: Items
    items_all_in: Items
    rules: Rules

    @property
    def n(self) -> int:
        return self.counts["correct"] + self.counts["incorrect"] + self.counts["invalid"]

    @property
    def tried(self) -> int:
        return self.n + self.counts["truncated"]

    @property
    def gamma(self) -> float:
        return self.guesses / self.n if self.n else 0.0

    @property
    def adjusted(self) -> Interval:
        """ReasonScape's adjusted successes and trials."""
        return max(0.0, self.counts["correct"] - self.guesses), self.n - self.guesses

    @property
    def reasonscape(self) -> Interval | None:
        """ReasonScape's center and margin."""
        successes, trials = self.adjusted
        if trials <= 0:
            return None
        lower, upper = wilson(successes / trials, trials)
        return (lower + upper) / 2, (upper - lower) / 2

    def skill(self, raw: float) -> float:
        """Raw accuracy with the guesses taken out, in [0, 1]."""
        return min(max((raw - self.gamma) / (1 - self.gamma), 0.0), 1.0)

    def bounds(self, of: int, items: Items) -> Interval:
        """The interval of the skill, from raw accuracy correct/of through the guess correction."""
        n_eff = effective_n(items, self.rules.tie) if self.rules.repeats == "cluster" else float(of)
        raw = max(self.counts["correct"] / of, self.gamma)
        lower, upper = METHODS[self.rules.interval](raw, n_eff)
        return self.skill(lower), self.skill(upper)

    def report(self) -> dict[str, Number]:
        """Every field of a cell in the scores document."""
        result: dict[str, Number] = {name: self.counts[name] for name in OUTCOMES}
        result |= {"n": self.n, "n_items": len(self.items)}
        result["adjusted_successes"], result["adjusted_trials"] = self.adjusted
        result |= dict.fromkeys(("accuracy", "center", "margin", "lower", "upper"))
        if self.n and self.gamma < 1:
            if self.rules.interval == "reasonscape":
                assert self.reasonscape is not None
                center, margin = self.reasonscape
                lower, upper = center - margin, center + margin
            else:
                lower, upper = self.bounds(self.n, self.items)
                center, margin = (lower + upper) / 2, (upper - lower) / 2
            result["accuracy"] = self.skill(self.counts["correct"] / self.n)
            result |= {"center": center, "margin": margin, "lower": lower, "upper": upper}
        result["all_in_accuracy"] = self.counts["correct"] / self.tried if self.tried else None
        told = self.tried and self.rules.tells_truncation
        result["truncated_ratio"] = self.counts["truncated"] / self.tried if told else None
        return result

    def plain_bounds(self) -> Interval:
        """The clamped bounds of the skill with truncated as wrong."""
        lower, upper = self.bounds(self.tried, self.items_all_in)
        return clamp(lower), clamp(upper)

    def reasonscore(self) -> float:
        """The factor of this cell in ReasonScore."""
        if self.reasonscape is None:
            return FLOOR
        return clamp(sum(self.reasonscape) - self.counts["truncated"] / self.tried)


OUTCOMES = ("correct", "incorrect", "invalid", "truncated", "error")
COUNTED = ("correct", "incorrect", "invalid")


def clamp(value: float) -> float:
    """Into [0.01, 1]."""
    return min(max(value, FLOOR), 1.0)


def cell_of(completions: Sequence[Completion], rules: Rules) -> Cell:
    """Count the completions of one eval in one task."""
    counts: Counter[str] = Counter()
    options: Counter[int] = Counter()
    counted: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    tried: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in completions:
        outcome = one.outcome(rules.threshold)
        counts[outcome] += 1
        for table in (counted,) * (outcome in COUNTED) + (tried,) * (outcome != "error"):
            table[one.point, one.item][0] += 1
            table[one.point, one.item][1] += outcome == "correct"
        if outcome in COUNTED and one.choices is not None:
            options[one.choices] += 1
    guesses = math.fsum(number / choices for choices, number in options.items())
    return Cell(counts, guesses, _items(counted), _items(tried), rules)


def _items(table: dict[tuple[str, str], list[int]]) -> Items:
    return [(point, k, y) for (point, _), (k, y) in table.items()]


# ---- the leaderboard ----------------------------------------------------------------------------------


def leaderboard(
    completions: Iterable[Completion], config: dict[str, Any], rules: Rules
) -> dict[int, dict[str, Any]]:
    """Rows by eval_id, each with the fields of the scores document and `cells` by (task, tier)."""
    everything = list(completions)
    rows: dict[int, dict[str, Any]] = {}
    for number, entry in enumerate(config["evals"]):
        mine = [one for one in everything if belongs(entry, one)]
        if mine and not entry.get("hidden", False):
            rows[number] = {"of": mine, "label": entry["label"]}
    tiers = config.get("tiers", [])
    for row in rows.values():
        groups: dict[tuple[Task, Tier], list[Completion]] = defaultdict(list)
        for one in row["of"]:
            groups[one.base_task, None].append(one)
            for tier in tiers:
                if in_tier(tier, one):
                    groups[one.base_task, tier["id"]].append(one)
        row["raw"] = {key: cell_of(group, rules) for key, group in groups.items()}
        row["cells"] = {key: cell.report() for key, cell in row["raw"].items()}
    wanted = {key for row in rows.values() for key in row["raw"] if (key[1] is None) != bool(tiers)}
    for row in rows.values():
        row |= scores(row["raw"], wanted)
        known = [one.tokens for one in row.pop("of") if one.tokens is not None]
        row["mean_tokens"] = math.fsum(known) / len(known) if known else None
        if row["complete"]:
            row["score_per_token"] = row["reasonscore"] / row["mean_tokens"] if row["mean_tokens"] else None
    bounded = {number: row for number, row in rows.items() if "plain_lower" in row}
    for number, rank in fair_sort(bounded).items():
        rows[number]["rank"] = rank
    return rows


def scores(cells: dict[tuple[Task, Tier], Cell], wanted: set[tuple[Task, Tier]]) -> dict[str, Any]:
    """Plain score with its bounds and ReasonScore over the wanted cells; nothing for who lacks one.

    With ReasonScape's interval the plain score has no bounds here: they are defined on raw accuracy only.
    """
    have = [cells[key] for key in sorted(wanted, key=str) if key in cells and cells[key].tried]
    if len(have) < len(wanted) or not have:
        return {"complete": False}
    raws = [clamp(cell.skill(cell.counts["correct"] / cell.tried)) for cell in have]
    result: dict[str, Any] = {
        "complete": True,
        "plain_score": 1000 * geometric_mean(raws),
        "reasonscore": 1000 * geometric_mean([cell.reasonscore() for cell in have]),
    }
    if have[0].rules.interval == "reasonscape":
        return result
    bounds = [cell.plain_bounds() for cell in have]
    down = [math.log(raw) - math.log(low) for raw, (low, _) in zip(raws, bounds, strict=True)]
    result["plain_lower"] = result["plain_score"] * math.exp(-math.hypot(*down) / len(have))
    centres = [unbiased(raw, *bound) for raw, bound in zip(raws, bounds, strict=True)]
    halves = [math.log(high / low) / 2 for low, high in bounds]
    apart = [centre - math.log(high * low) / 2 for centre, (low, high) in zip(centres, bounds, strict=True)]
    skewness = sum(t * s * s for t, s in zip(apart, halves, strict=True)) / (sum(s * s for s in halves) or 1)
    top = (math.fsum(centres) + math.hypot(*halves) - skewness) / len(have)
    result["plain_upper"] = max(1000 * math.exp(top), result["plain_score"])
    return result


def unbiased(value: float, lower: float, upper: float) -> float:
    """The logarithm of an accuracy, with what it is too low by on average, from the width of its interval."""
    variance = ((upper - lower) / 3.92) ** 2
    return min(math.log(value) + variance / (2 * max(value * value, variance)), math.log(upper))


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of positive values."""
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def fair_sort(rows: dict[int, dict[str, Any]]) -> dict[int, int]:
    """Ranks: a model shares its group leader's rank while its interval overlaps the leader's."""
    ranks: dict[int, int] = {}
    leader: int | None = None
    for before, number in enumerate(sorted(rows, key=lambda i: -rows[i]["plain_score"])):
        if leader is None or rows[number]["plain_upper"] < rows[leader]["plain_lower"]:
            leader = number
            ranks[number] = before + 1
        else:
            ranks[number] = ranks[leader]
    return ranks
