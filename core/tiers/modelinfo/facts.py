"""What is known of the model of each eval: from the config where it is typed there, else from the hub."""

from collections.abc import Sequence
from dataclasses import asdict, fields

import pandas as pd

from core.config import DatasetConfig, EvalEntry, parameter_count
from core.hub.architecture import Architecture
from core.hub.index import ModelEntry, Parameters
from core.tiers.modelinfo.metadata import Metadata

ARCHITECTURE = tuple(field.name for field in fields(Architecture))
_COUNTS = (
    "parameters", "active_parameters", "num_layers", "hidden_size", "vocab_size", "num_heads", "num_kv_heads",
    "context_length", "num_experts", "experts_per_token",
)  # fmt: skip

_PARAMETERS = ("parameters", "parameters_source", "active_parameters")

TYPED = "config"
"""Source of a parameter count that someone typed."""

SOURCE_WORDS = {
    TYPED: "as typed in the config",
    "safetensors": "as the hub counts them",
    "gguf": "as the hub counts them",
    "estimated": "estimated from config.json",
}


def eval_facts(config: DatasetConfig, evals: Sequence[int], metadata: Metadata) -> pd.DataFrame:
    """Return one row per eval.

    Returns
    -------
    DataFrame
        eval_id, hf_id, status (a key of STATUS_WORDS, None without hf_id), parameters, parameters_source (a
        key of SOURCE_WORDS), active_parameters, license and the fields of Architecture; missing where nobody
        says.
    """
    rows = []
    for eval_id in evals:
        entry = config.evals[eval_id]
        known = metadata.entries.get(entry.hf_id) if entry.hf_id else None
        rows.append(
            {
                "eval_id": eval_id,
                "hf_id": entry.hf_id,
                "status": metadata.status(entry.hf_id) if entry.hf_id else None,
                **_parameters(entry, known),
                "license": known.license if known else None,
                **asdict(known.architecture if known else Architecture()),
            }
        )
    columns = ["eval_id", "hf_id", "status", *_PARAMETERS, "license", *ARCHITECTURE]
    return _typed(pd.DataFrame(rows, columns=columns))


def model_facts(config: DatasetConfig, models: Sequence[str], metadata: Metadata) -> pd.DataFrame:
    """Return one row per hf_id: model_id and what `eval_facts` has, as of the model's first eval."""
    first = {
        model: next(e for e, entry in enumerate(config.evals) if entry.hf_id == model) for model in models
    }
    frame = eval_facts(config, list(first.values()), metadata)
    entries = [metadata.entries.get(model) for model in models]
    # Not by assign: a column of nothing but None would become one of numbers.
    frame["gated"] = pd.Series([None if one is None else one.gated for one in entries], dtype=object)
    frame["cached_at"] = pd.Series([None if one is None else one.cached_at for one in entries], dtype=object)
    return frame.drop(columns="eval_id").rename(columns={"hf_id": "model_id"})


def _parameters(entry: EvalEntry, known: ModelEntry | None) -> dict[str, object]:
    counted = known.parameters if known else Parameters()
    total, active, source = counted.total, counted.active, str(counted.source or "") or None
    if entry.parameters is not None:
        typed = parameter_count(entry.parameters)
        # A dense model uses all of them, and how many they are has just been said.
        active = typed if active is not None and active == total else active
        total, source = typed, TYPED
    if entry.active_parameters is not None:
        active = parameter_count(entry.active_parameters)
    return {"parameters": total, "parameters_source": source, "active_parameters": active}


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**{name: frame[name].astype("Int64") for name in _COUNTS})
