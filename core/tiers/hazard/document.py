"""Hazards as a JSON document and as rows for CSV."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.export import plain, to_json
from core.tiers.hazard.aids import SHARE, Bounded, budget_cost, correct_by, wrong_past
from core.tiers.hazard.compare import WARNING, Comparison, differences, logranks
from core.tiers.hazard.curves import Curves, Estimate
from core.tiers.hazard.table import Hazard
from core.tiers.hazard.words import group_notes, notes
from core.tiers.methods import Methods

Document = dict[str, Any]

_TAKEN = {
    "n", "budget", "at_risk", "correct", "incorrect", "censored", "reading_aids", "task", "evals", "baseline",
    "label", "common_items", "log_rank",
}  # fmt: skip


def to_document(hazard: Hazard, *, budget: int | None = None) -> Document:
    """Return hazards as plain values, full precision, missing as None.

    `groups` has one object per group: the values of the split, n, budget, and parallel arrays over buckets.
    `bucket_start` is exclusive and `bucket_end` inclusive, but 0 tokens are in the first bucket; `cif_*` and
    `survival` are of the bucket's end.

    Parameters
    ----------
    budget : int, optional
        Tokens of a smaller budget, of which each group then says what it would cost.
    """
    return {
        **_head(hazard),
        "groups": [
            {
                **group_values(hazard, curves),
                "n": curves.n,
                "budget": curves.budget,
                **arrays(curves),
                "reading_aids": _aids(curves, hazard.methods, budget),
            }
            for curves in hazard.curves
        ],
    }


def json_text(hazard: Hazard, *, budget: int | None = None) -> str:
    """Return the document as the text of a JSON file."""
    return to_json(to_document(hazard, budget=budget)) + "\n"


def _head(hazard: Hazard) -> Document:
    methods = hazard.methods
    return {
        "dataset": hazard.config.name,
        "filters": hazard.filters.to_dict(),
        "methods": {
            "interval": methods.interval,
            "repeats": methods.repeats,
            "level": 0.95,
            "threshold": hazard.filters.threshold,
            "notes": [*notes(hazard), *group_notes(hazard)],
        },
        "split": list(hazard.split),
        "bucket_size": hazard.bucket_size,
    }


def group_values(hazard: Hazard, curves: Curves) -> Document:
    """Return the values of the split by its dimensions; a param named like another key is `params.NAME`."""
    return dict(zip(map(_key, hazard.split), curves.group.values, strict=True))


def _key(dimension: str) -> str:
    if dimension == "base_task":
        return "task"
    taken = dimension in _TAKEN or dimension.startswith(("hazard_", "cif_", "survival", "bucket_"))
    return f"params.{dimension}" if taken else dimension


def arrays(curves: Curves) -> dict[str, list[Any]]:
    """Return the parallel arrays over the buckets of a group."""
    buckets = curves.buckets
    found: dict[str, list[Any]] = {
        "bucket_start": buckets.start.tolist(),
        "bucket_end": buckets.end.tolist(),
        "at_risk": buckets.at_risk.tolist(),
        "correct": buckets.events[0].tolist(),
        "incorrect": buckets.events[1].tolist(),
        "censored": buckets.censored.tolist(),
    }
    for kind, estimates in (("hazard", curves.hazard), ("cif", curves.incidence)):
        for name, estimate in estimates.items():
            found |= _bounded(f"{kind}_{name}", estimate)
    return found | _bounded("survival", curves.survival)


def _bounded(name: str, estimate: Estimate) -> dict[str, list[Any]]:
    return {
        name: plain(estimate.value),
        f"{name}_lower": plain(estimate.lower),
        f"{name}_upper": plain(estimate.upper),
    }


def _aids(curves: Curves, methods: Methods, budget: int | None) -> Document:
    arrival, turn = correct_by(curves, methods), wrong_past(curves, methods)
    found: Document = {
        "share": SHARE,
        "correct_by": plain(arrival),
        "wrong_past": None
        if turn is None
        else {"tokens": turn.tokens, "clear": turn.told, **_flat(turn.correct)},
    }
    if budget is not None:
        found["with_budget"] = plain(budget_cost(curves, methods, budget))
    return found


def _flat(found: Bounded) -> Document:
    return {
        "correct": found.value, "correct_lower": found.lower, "correct_upper": found.upper, "n": found.n
    }  # fmt: skip


def export_frame(hazard: Hazard) -> pd.DataFrame:
    """Return a row per group and bucket for CSV, in the words of the JSON document."""
    parts = []
    for curves in hazard.curves:
        frame = pd.DataFrame(arrays(curves))
        head: Document = {**group_values(hazard, curves), "n": curves.n, "budget": curves.budget}
        for place, (name, value) in enumerate(head.items()):
            frame.insert(place, name, value)
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def comparison_document(comparisons: Sequence[Comparison], *, budget: int | None, log_rank: bool) -> Document:
    """Return comparisons as plain values: per value of the rest of the split, a row per eval.

    Parameters
    ----------
    budget : int, optional
        Tokens at which the evals are compared; the largest that all reach where absent.
    log_rank : bool
        Add the log-rank tests against the first eval.
    """
    hazard = comparisons[0].hazard
    document: Document = _head(hazard)
    document["methods"]["notes"] += [
        f"{hazard.config.eval_names[row.eval_id]} was not followed as far as {one.budget(budget):,} tokens."
        for one in comparisons
        for row in differences(one, budget)
        if row.accuracy is None
    ]
    document["comparisons"] = [
        {
            **group_part(one),
            "budget": one.budget(budget),
            "baseline": one.evals[0],
            "evals": [
                {
                    "eval_id": row.eval_id,
                    "label": one.hazard.config.evals[row.eval_id].label,
                    "accuracy": plain(row.accuracy),
                    "difference": plain(row.difference),
                    "common_items": row.common_items,
                }
                for row in differences(one, budget)
            ],
            **({"log_rank": _log_rank(one)} if log_rank else {}),
        }
        for one in comparisons
    ]
    return document


def group_part(comparison: Comparison) -> Document:
    """Return the values of the rest of the split by its dimensions."""
    return dict(zip(map(_key, comparison.hazard.split), comparison.part, strict=True))


def _log_rank(comparison: Comparison) -> Document:
    tests = logranks(comparison)
    return {"m": len(tests), "warning": WARNING, "tests": [plain(test) for test in tests]}


def comparison_frame(
    comparisons: Sequence[Comparison], *, budget: int | None, log_rank: bool
) -> pd.DataFrame:
    """Return a row per comparison and eval for CSV."""
    rows = []
    for one in comparisons:
        tests = {(test.eval_id, test.cause): test for test in logranks(one)} if log_rank else {}
        for row in differences(one, budget):
            line: Document = {
                **group_part(one),
                "eval_id": row.eval_id,
                "label": one.hazard.config.evals[row.eval_id].label,
                "budget": one.budget(budget),
                **_columns("accuracy", row.accuracy),
                "n": None if row.accuracy is None else row.accuracy.n,
                **_columns("difference", row.difference),
                "common_items": row.common_items,
            }
            for cause in ("correct", "incorrect") if log_rank else ():
                test = tests.get((row.eval_id, cause))
                line |= {
                    f"chi2_{cause}": None if test is None else test.chi2,
                    f"p_{cause}": None if test is None else test.p,
                    f"p_holm_{cause}": None if test is None else test.p_holm,
                }
            rows.append(line)
    return pd.DataFrame(rows)


def _columns(name: str, found: Bounded | None) -> Document:
    if found is None:
        return {name: None, f"{name}_lower": None, f"{name}_upper": None}
    return {name: found.value, f"{name}_lower": found.lower, f"{name}_upper": found.upper}
