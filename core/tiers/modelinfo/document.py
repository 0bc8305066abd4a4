"""Results against architecture as a JSON document, as rows for CSV, and as text cells for a terminal."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.config import DatasetConfig
from core.export import plain
from core.hub.index import entry_document
from core.tiers.modelinfo.facts import model_facts
from core.tiers.modelinfo.metadata import STATUS_WORDS, Metadata
from core.tiers.modelinfo.scales import short_number
from core.tiers.modelinfo.table import TOKENS, ModelInfo
from core.tiers.words import EM_DASH, number


def to_document(info: ModelInfo, summary: Sequence[str]) -> dict[str, Any]:
    """Return results and models as plain values, full precision, missing as None.

    Parameters
    ----------
    summary
        Sentences of core.tiers.modelinfo.summary.
    """
    return {
        "dataset": info.config.name,
        "filters": info.filters.to_dict(),
        "methods": {
            "interval": info.methods.interval,
            "repeats": info.methods.repeats,
            "level": 0.95,
            "threshold": info.filters.threshold,
            "notes": list(info.notes),
        },
        "summary": list(summary),
        "models": models_document(info.model_ids, info.metadata),
        "rows": plain(export_frame(info)),
    }


def models_document(models: Sequence[str], metadata: Metadata) -> list[dict[str, Any]]:
    """Return the entries of index.json of some models; of those without, the reason."""
    return [
        {
            **(entry_document(metadata.entries[model]) if model in metadata.entries else {"model_id": model}),
            "status": metadata.status(model),
            "explanation": metadata.explain(model) or None,
        }
        for model in models
    ]


def export_frame(info: ModelInfo) -> pd.DataFrame:
    """Return one row per eval with everything that is known, full precision."""
    return info.rows.drop(columns="name").assign(groups=[", ".join(groups) for groups in info.rows["groups"]])


def models_frame(models: Sequence[str], config: DatasetConfig, metadata: Metadata) -> pd.DataFrame:
    """Return one row per model for a table or CSV, with its status in words."""
    frame = model_facts(config, models, metadata)
    return frame.assign(status=frame["status"].map(STATUS_WORDS))


def models_text(models: Sequence[str], config: DatasetConfig, metadata: Metadata) -> pd.DataFrame:
    """Return one row per model as text cells: what a terminal and a Markdown table show."""
    frame = models_frame(models, config, metadata)
    counts = ("num_layers", "hidden_size", "num_heads", "num_kv_heads", "vocab_size", "context_length")
    experts = [
        EM_DASH if pd.isna(all_) else f"{used if pd.notna(used) else EM_DASH} of {all_}"
        for all_, used in zip(frame["num_experts"], frame["experts_per_token"], strict=True)
    ]
    return pd.DataFrame(
        {
            "model": frame["model_id"],
            "metadata": frame["status"],
            "architecture": _words(frame["architecture"]),
            "parameters": _parameters(frame),
            **{name.replace("num_", "").replace("_", " "): _wholes(frame[name]) for name in counts},
            "experts": experts,
            **{name: _words(frame[name]) for name in ("dtype", "quantisation", "license")},
        }
    )


def _words(values: pd.Series) -> list[str]:
    return [EM_DASH if pd.isna(value) else str(value) for value in values]


def _wholes(values: pd.Series) -> list[str]:
    return [EM_DASH if pd.isna(value) else f"{value:,}" for value in values]


def _parameters(frame: pd.DataFrame) -> list[str]:
    """Return counts of parameters, with a tilde where they are an estimate."""
    return [
        ("~" if source == "estimated" else "") + short_number(value if pd.notna(value) else float("nan"))
        for value, source in zip(frame["parameters"], frame["parameters_source"], strict=True)
    ]


def text_frame(info: ModelInfo) -> pd.DataFrame:
    """Return results against architecture as text cells: what a terminal and a Markdown table show."""
    rows = info.rows
    tokens = "visible tokens" if rows["visible_tokens"].any() else "tokens"
    columns = {
        "eval": list(rows["name"]),
        "parameters": _parameters(rows),
        "plain score [95%]": _intervals(rows, "plain_score", "plain_lower", "plain_upper", 0),
        f"mean {tokens}": [number(value, 0) for value in rows["mean_tokens"]],
        f"plain score per {TOKENS:,} {tokens} [95%]": _intervals(
            rows, "plain_per_tokens", "plain_per_tokens_lower", "plain_per_tokens_upper", 0
        ),
        "architecture": _words(rows["architecture"]),
        "quantisation": _words(rows["quantisation"]),
        "n": [f"{n:,}" for n in rows["n"]],
    }
    if info.priced:
        columns["cost of 1,000"] = [
            EM_DASH if pd.isna(cost) else f"{cost:,.3g} {currency}"
            for cost, currency in zip(rows["cost"], rows["currency"], strict=True)
        ]
        columns["plain score per cost [95%]"] = _intervals(
            rows, "plain_per_cost", "plain_per_cost_lower", "plain_per_cost_upper", 0
        )
    return pd.DataFrame(columns)


def _intervals(rows: pd.DataFrame, value: str, lower: str, upper: str, digits: int) -> list[str]:
    return [
        EM_DASH if pd.isna(v) else f"{number(v, digits)} [{number(a, digits)}, {number(b, digits)}]"
        for v, a, b in zip(rows[value], rows[lower], rows[upper], strict=True)
    ]
