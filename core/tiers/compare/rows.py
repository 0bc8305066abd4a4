"""From kinds of items to the rows of a comparison: counts, difference, test, and what was left out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.stats.arrays import FloatArray
from core.stats.multiplicity import benjamini_hochberg, holm
from core.stats.paired import compare
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
    frames = []
    for rule in rules:
        common = [kinds.common(rule) for _, _, kinds in parts]
        tests = max(1, sum(map(bool, (some.any() for some in common))))
        rows = [
            {
                "scope": scope, "value": value, "label": label, "m": tests, "truncated": rule,
                **_row(kinds, some, rule, measure, tests),
            }
            for (value, label, kinds), some in zip(parts, common, strict=True)
        ]  # fmt: skip
        frame = pd.DataFrame(rows, columns=COLUMNS)
        p = frame["p_value"].to_numpy(dtype=np.float64)
        frame["p_adjusted"] = benjamini_hochberg(p) if scope == "cell" else holm(p)
        frame["differs"] = frame["p_adjusted"] < ALPHA
        frames.append(frame)
    rows_of_both = pd.concat(frames, ignore_index=True)
    # The two results of one part stand beside each other.
    order = np.arange(len(rows_of_both)).reshape(len(rules), -1).T.ravel()
    return rows_of_both.iloc[order].reset_index(drop=True)


def _row(kinds: Kinds, common: np.ndarray, rule: str, measure: str, tests: int) -> dict[str, Any]:
    met = kinds.some(common)
    tries_a, tries_b = met.tries(rule)
    result = compare(met.y_a, tries_a, met.y_b, tries_b, times=met.n, tests=tests, alpha=ALPHA)
    mean_a, mean_b = met.y_a / tries_a, met.y_b / tries_b
    equal = np.abs(mean_a - mean_b) < 1e-12
    gamma = _mean(np.nan_to_num(1 / met.choices), met.n)
    scale = _scale(gamma) if measure == "skill" else 1.0
    return {
        "n_items": result.n_items,
        "both_right": int(met.n[equal & (mean_a >= 0.5)].sum()),
        "both_wrong": int(met.n[equal & (mean_a < 0.5)].sum()),
        "gained": result.b,
        "lost": result.c,
        "accuracy_a": _mean(mean_a, met.n),
        "accuracy_b": _mean(mean_b, met.n),
        "difference": result.d * scale,
        "lower": result.lower * scale,
        "upper": result.upper * scale,
        "interval": result.interval,
        "test": result.test,
        "p_value": result.p,
        "mde": result.minimum_detectable * scale,
        "items_needed": items_needed(result, alpha=ALPHA),
        "items_least": items_needed(result, max(abs(result.lower), abs(result.upper)), alpha=ALPHA),
        "gamma": gamma,
        **_left_out(kinds, common),
    }


def _left_out(kinds: Kinds, common: np.ndarray) -> dict[str, int]:
    has_a, has_b = kinds.k_a + kinds.t_a > 0, kinds.k_b + kinds.t_b > 0
    reasons = {
        "only_a": kinds.paired & has_a & ~has_b,
        "only_b": kinds.paired & has_b & ~has_a,
        "unpaired": ~kinds.paired & (has_a | has_b),
        "all_truncated": kinds.paired & has_a & has_b & ~common,
    }
    counts = {reason: int(kinds.n[where].sum()) for reason, where in reasons.items()}
    return {"left_out": sum(counts.values()), **counts}


def _mean(values: FloatArray, weights: FloatArray) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total else float("nan")


def _scale(gamma: float) -> float:
    """Return what turns a raw difference into one of skill: 1/(1 - gamma); NaN where all is guessing."""
    return 1 / (1 - gamma) if gamma < 1 else float("nan")
