"""From kinds of items to the rows of a comparison: counts, difference, test, and what was left out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.stats.arrays import BoolArray, FloatArray
from core.stats.multiplicity import benjamini_hochberg, holm
from core.stats.paired import NO_VARIANCE, PairedResult, compare, compare_binary
from core.stats.sample_size import items_needed
from core.tiers.compare.items import RULES, Kinds

ALPHA = 0.05

CORRECTIONS = {
    "overall": "none",
    "task": "Holm",
    "tier": "Holm",
    "cell": "Benjamini-Hochberg",
    "eval": "Holm",
}
"""How the p-values of a section are corrected for their number."""

COLUMNS = [
    "scope", "value", "label", "n_items", "both_right", "both_wrong", "gained", "lost", "accuracy_a",
    "accuracy_b", "difference", "lower", "upper", "interval", "test", "p_value", "p_adjusted", "m", "mde",
    "items_needed", "items_least", "left_out", "only_a", "only_b", "unpaired", "all_truncated", "gamma",
    "truncated", "differs",
]  # fmt: skip
"""Columns of a comparison's rows.

scope, value, label: what is compared; label is what a page calls it.
n_items: common items. gained and lost: those on which A does better, and on which B does; both_right and
both_wrong: those on which they do equally well, at least half right or less.
accuracy_a, accuracy_b: means over the common items, not guess-corrected. difference, lower, upper, mde: A
minus B in the measure, its 95% interval, and the minimum detectable difference at about 80% power.
p_adjusted: over the m tests of the scope (CORRECTIONS). differs: whether it is below 5%.
items_needed: common items at which a true difference as large as the one seen would be found with about 80%
power, infinite for none; items_least: the same for one as large as the far end of the interval.
left_out: items of A or B that are not compared, as only_a, only_b, unpaired and all_truncated (every
completion of A or of B was truncated, where truncated ones are left out). gamma: mean chance of guessing
right. truncated: the rule, wrong or left_out.
"""


def section_rows(
    scope: str, parts: Sequence[tuple[Any, str, Kinds]], measure: str, rules: Sequence[str] = RULES
) -> pd.DataFrame:
    """Return the rows of one scope, one per part and truncation rule, corrected for the number of parts.

    Parameters
    ----------
    scope
        A key of CORRECTIONS.
    parts
        Value, label and kinds of each part.
    measure
        One of core.tiers.compare.items.MEASURES.
    rules
        Truncation rules.
    """
    everything = Kinds.joined([kinds for _, _, kinds in parts])
    part = np.repeat(np.arange(len(parts)), [len(kinds.n) for _, _, kinds in parts])
    frames = []
    for rule in rules:
        columns = _columns(everything, part, len(parts), rule, measure)
        frame = pd.DataFrame(
            {
                "scope": scope,
                "value": [value for value, _, _ in parts],
                "label": [label for _, label, _ in parts],
                "truncated": rule,
                **columns,
            }
        )
        p = frame["p_value"].to_numpy(dtype=np.float64)
        frame["p_adjusted"] = benjamini_hochberg(p) if scope == "cell" else holm(p)
        frame["differs"] = frame["p_adjusted"] < ALPHA
        frames.append(frame[COLUMNS])
    rows_of_both = pd.concat(frames, ignore_index=True)
    # The two results of one part stand beside each other.
    order = np.arange(len(rows_of_both)).reshape(len(rules), -1).T.ravel()
    return rows_of_both.iloc[order].reset_index(drop=True)


def _columns(kinds: Kinds, part: np.ndarray, parts: int, rule: str, measure: str) -> dict[str, Any]:
    """Return the columns of a row per part; part tells which one each kind is of.

    All parts at once: a page has hundreds of cells, and numpy takes as long for one as for all of them.
    """
    common = kinds.common(rule)
    met, of = kinds.some(common), part[common]
    tries_a, tries_b = met.tries(rule)
    mean_a, mean_b = met.y_a / tries_a, met.y_b / tries_b
    equal = np.abs(mean_a - mean_b) < NO_VARIANCE

    def items(where: BoolArray | None = None) -> FloatArray:
        weights = met.n if where is None else met.n * where
        return np.bincount(of, weights, parts).astype(np.float64)

    n = items()

    def mean(values: FloatArray) -> FloatArray:
        return np.bincount(of, values * met.n, parts) / np.where(n > 0, n, np.nan)

    gained, lost = items(~equal & (mean_a > mean_b)), items(~equal & (mean_a < mean_b))
    tests = max(1, int((n > 0).sum()))
    once = (tries_a == 1) & (tries_b == 1) & np.isin(mean_a, (0, 1)) & np.isin(mean_b, (0, 1))
    binary = (n > 0) & (np.bincount(of, ~once, parts) == 0)
    quick = iter(compare_binary(gained[binary], lost[binary], n[binary], tests=tests, alpha=ALPHA))
    results = [next(quick) if binary[one] else _compare(met, of == one, rule, tests) for one in range(parts)]
    gamma = mean(np.nan_to_num(1 / met.choices))
    # What turns a raw difference into one of skill; there is none where all is guessing.
    scale = 1 / np.where(gamma < 1, 1 - gamma, np.nan) if measure == "skill" else np.ones(parts)
    return {
        "n_items": n.astype(np.int64),
        "both_right": items(equal & (mean_a >= 0.5)).astype(np.int64),
        "both_wrong": items(equal & (mean_a < 0.5)).astype(np.int64),
        "gained": gained.astype(np.int64),
        "lost": lost.astype(np.int64),
        "accuracy_a": mean(mean_a),
        "accuracy_b": mean(mean_b),
        "difference": np.array([one.d for one in results]) * scale,
        "lower": np.array([one.lower for one in results]) * scale,
        "upper": np.array([one.upper for one in results]) * scale,
        "interval": [one.interval for one in results],
        "test": [one.test for one in results],
        "p_value": [one.p for one in results],
        "m": tests,
        "mde": np.array([one.minimum_detectable for one in results]) * scale,
        "items_needed": [items_needed(one, alpha=ALPHA) for one in results],
        "items_least": [
            items_needed(one, max(abs(one.lower), abs(one.upper)), alpha=ALPHA) for one in results
        ],
        "gamma": gamma,
        **_left_out(kinds, part, parts, common),
    }


def _compare(met: Kinds, where: np.ndarray, rule: str, tests: int) -> PairedResult:
    some = met.some(where)
    tries_a, tries_b = some.tries(rule)
    return compare(some.y_a, tries_a, some.y_b, tries_b, times=some.n, tests=tests, alpha=ALPHA)


def _left_out(kinds: Kinds, part: np.ndarray, parts: int, common: BoolArray) -> dict[str, np.ndarray]:
    has_a, has_b = kinds.k_a + kinds.t_a > 0, kinds.k_b + kinds.t_b > 0
    reasons = {
        "only_a": kinds.paired & has_a & ~has_b,
        "only_b": kinds.paired & has_b & ~has_a,
        "unpaired": ~kinds.paired & (has_a | has_b),
        "all_truncated": kinds.paired & has_a & has_b & ~common,
    }
    counts = {
        reason: np.bincount(part, kinds.n * where, parts).astype(np.int64)
        for reason, where in reasons.items()
    }
    return {"left_out": np.sum(list(counts.values()), axis=0), **counts}
