"""What a config.json says of a model's architecture, whatever its keys are called and how deep they are."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LANGUAGE_PARTS = (
    "text_config", "llm_config", "language_config", "text_model_config", "thinker_config", "decoder",
)  # fmt: skip
"""Keys under which models of several parts keep the language model's config."""

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
HIDDEN = ("hidden_size", "n_embd", "d_model", "dim", "model_dim")
VOCABULARY = ("vocab_size", "padded_vocab_size")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads")
CONTEXT = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "max_sequence_length",
    "seq_length",
    "n_ctx",
)
EXPERTS = ("num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts")
EXPERTS_USED = ("num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_topk", "moe_k")


@dataclass(frozen=True)
class Architecture:
    """What an analyst asks of a model's architecture; None where the config is silent.

    Attributes
    ----------
    architecture
        The model's class, else its type.
    context_length
        Positions that the config allows, in tokens.
    tied_embeddings
        Whether input and output embeddings are one matrix.
    quantisation
        Method and bits of quantised weights; None where they are not quantised.
    num_experts, experts_per_token
        Of a mixture of experts, those that all tokens share left out.
    """

    architecture: str | None = None
    num_layers: int | None = None
    hidden_size: int | None = None
    vocab_size: int | None = None
    num_heads: int | None = None
    num_kv_heads: int | None = None
    context_length: int | None = None
    tied_embeddings: bool | None = None
    dtype: str | None = None
    quantisation: str | None = None
    tokenizer_class: str | None = None
    num_experts: int | None = None
    experts_per_token: int | None = None


def parse_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object of a file. Raises ValueError where it is none."""
    try:
        document = json.loads(data.decode("utf-8-sig"), parse_constant=lambda name: None)
    except (UnicodeDecodeError, RecursionError) as fault:
        raise ValueError(str(fault)) from fault
    if not isinstance(document, dict):
        raise ValueError(f"not an object but {type(document).__name__}")
    return document


def language_config(config: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the language model's keys over those around them, and whether they were inside a part."""
    merged, nested = dict(config), False
    for _ in range(3):
        part = next((merged[key] for key in LANGUAGE_PARTS if isinstance(merged.get(key), dict)), None)
        if part is None:
            break
        rest = {key: value for key, value in merged.items() if key not in LANGUAGE_PARTS}
        merged, nested = {**rest, **{key: one for key, one in part.items() if one is not None}}, True
    return merged, nested


def read_architecture(config: Mapping[str, Any], tokenizer: Mapping[str, Any] | None = None) -> Architecture:
    """Read config.json, and tokenizer_config.json where there is one."""
    text, _ = language_config(config)
    return Architecture(
        architecture=_architecture(config),
        num_layers=count(text, LAYERS),
        hidden_size=count(text, HIDDEN),
        vocab_size=count(text, VOCABULARY),
        num_heads=count(text, HEADS),
        num_kv_heads=1 if text.get("multi_query") is True else count(text, KV_HEADS),
        context_length=count(text, CONTEXT),
        tied_embeddings=tied(config),
        dtype=_word(text.get("torch_dtype")) or _word(text.get("dtype")),
        quantisation=_quantisation(text),
        tokenizer_class=_word((tokenizer or {}).get("tokenizer_class")) or _word(text.get("tokenizer_class")),
        num_experts=count(text, EXPERTS),
        experts_per_token=count(text, EXPERTS_USED),
    )


def count(config: Mapping[str, Any], names: Iterable[str]) -> int | None:
    """Return the first of several keys that holds a positive whole number."""
    return next((found for name in names if (found := whole(config.get(name))) is not None), None)


def whole(value: Any) -> int | None:
    """Return a count from a document, None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e18:
        return None
    return int(value) if value == int(value) else None


def tied(config: Mapping[str, Any]) -> bool | None:
    """Return whether the config says that input and output embeddings are one matrix."""
    text, _ = language_config(config)
    value = text.get("tie_word_embeddings")
    return value if isinstance(value, bool) else None


def weight_bits(config: Mapping[str, Any]) -> int | None:
    """Return the bits of a quantised weight, None where they are not known."""
    quantised = _quantised(language_config(config)[0])
    for name in ("bits", "w_bit", "num_bits", "nbits"):
        if (bits := whole(quantised.get(name))) is not None:
            return bits
    if quantised.get("load_in_4bit") is True or quantised.get("_load_in_4bit") is True:
        return 4
    if quantised.get("load_in_8bit") is True or quantised.get("_load_in_8bit") is True:
        return 8
    groups = quantised.get("config_groups")
    parts = [one for one in groups.values() if isinstance(one, dict)] if isinstance(groups, dict) else []
    weights = [one["weights"] for one in parts if isinstance(one.get("weights"), dict)]
    found = [bits for one in weights if (bits := whole(one.get("num_bits"))) is not None]
    if found:
        return min(found)
    method = str(quantised.get("quant_method", ""))
    return {"fp8": 8, "fbgemm_fp8": 8, "mxfp4": 4}.get(method)


def _quantised(config: Mapping[str, Any]) -> dict[str, Any]:
    for name in ("quantization_config", "compression_config"):
        if isinstance(config.get(name), dict):
            return dict(config[name])
    return {}


def _quantisation(config: Mapping[str, Any]) -> str | None:
    quantised = _quantised(config)
    if not quantised:
        return None
    method = _word(quantised.get("quant_method")) or "quantised"
    bits = weight_bits(config)
    return method if bits is None or method.endswith(str(bits)) else f"{method} {bits}-bit"


def _architecture(config: Mapping[str, Any]) -> str | None:
    classes = config.get("architectures")
    named = [one for one in map(_word, classes) if one] if isinstance(classes, list) else []
    return named[0] if named else _word(config.get("model_type"))


def _word(value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    return value.strip().removeprefix("torch.")[:100]
