"""Spiderwebs as a JSON document, as rows for CSV, and as a table for the screen."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.export import plain
from core.tiers.spiderweb.table import Spiders
from core.tiers.tokens import mean_text
from core.tiers.words import EM_DASH

CELL_FIELDS = (
    "task", "tier", "n", "n_items", "correct", "incorrect", "invalid", "truncated", "error", "accuracy",
    "center", "margin", "lower", "upper", "truncated_ratio", "mean_tokens", "tokens_lower", "tokens_upper",
)  # fmt: skip


def to_document(spiders: Spiders, evals: Sequence[int] | None = None) -> dict[str, Any]:
    """Return evals (all by default) as plain values, full precision, missing as None.

    A task that an eval has no points in has no cell.
    """
    config = spiders.config
    return {
        "dataset": config.name,
        "filters": spiders.filters.to_dict(),
        "methods": {
            "interval": spiders.methods.interval,
            "repeats": spiders.methods.repeats,
            "level": 0.95,
            "threshold": spiders.filters.threshold,
        },
        "tasks": [{"id": task, "label": config.task_label(task)} for task in spiders.tasks],
        "tiers": [{"id": tier, "label": spiders.tier_label(tier)} for tier in spiders.tiers],
        "evals": [
            {
                "eval_id": eval_id,
                "label": config.evals[eval_id].label,
                "cells": [
                    {field: plain(cell[field]) for field in CELL_FIELDS}
                    for cell in spiders.of(eval_id).to_dict(orient="records")
                ],
            }
            for eval_id in (spiders.evals if evals is None else evals)
        ],
    }


def export_frame(spiders: Spiders, evals: Sequence[int] | None = None) -> pd.DataFrame:
    """Return one row per eval, task and tier (empty where pooled), full precision."""
    wanted = spiders.evals if evals is None else evals
    rows = spiders.cells[spiders.cells["eval_id"].isin(wanted)]
    frame = rows[["eval_id", *CELL_FIELDS]].copy()
    frame.insert(1, "label", [spiders.config.evals[int(one)].label for one in frame["eval_id"]])
    return frame.reset_index(drop=True)


def text_frame(spiders: Spiders, evals: Sequence[int], rings: str) -> pd.DataFrame:
    """Return the numbers behind the charts of some evals as text cells, one row per task and ring."""
    tokens = "visible tokens" if spiders.visible_tokens else "tokens"
    drawn = spiders.rings(rings)
    names = spiders.config.eval_names
    rows = spiders.cells[spiders.cells["eval_id"].isin(evals)].to_dict(orient="records")
    return pd.DataFrame(
        [
            {
                "eval": names[row["eval_id"]],
                "task": spiders.config.task_label(row["task"]),
                "tier": spiders.tier_label(row["tier"]),
                "accuracy": EM_DASH if pd.isna(row["accuracy"]) else f"{row['accuracy']:.3f}",
                "95% interval": EM_DASH
                if pd.isna(row["lower"])
                else f"{row['lower']:.3f} to {row['upper']:.3f}",
                "n": int(row["n"]),
                "items": int(row["n_items"]),
                "truncated": EM_DASH if pd.isna(row["truncated_ratio"]) else f"{row['truncated_ratio']:.1%}",
                f"mean {tokens} [95%]": mean_text(
                    row["mean_tokens"], row["tokens_lower"], row["tokens_upper"]
                ),
            }
            for row in rows
            if row["tier"] in drawn
        ],
        columns=["eval", "task", "tier", "accuracy", "95% interval", "n", "items", "truncated",
                 f"mean {tokens} [95%]"],
    )  # fmt: skip
