"""How many parameters a decoder-only transformer has, from its config: an estimate, and labelled as one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.hub.architecture import (
    CONTEXT,
    EXPERTS,
    EXPERTS_USED,
    HEADS,
    HIDDEN,
    KV_HEADS,
    LAYERS,
    VOCABULARY,
    count,
    language_config,
    tied,
)

TWO_MATRICES = frozenset({
    "bloom", "codegen", "falcon", "gpt2", "gpt_bigcode", "gpt_neo", "gpt_neox", "gptj", "mpt", "nemotron",
    "opt", "phi", "starcoder2",
})  # fmt: skip
"""Model types whose feed-forward part has no gate: two matrices, not three."""

LEARNED_POSITIONS = frozenset({"gpt2", "gpt_bigcode", "gpt_neo", "opt"})

OTHERWISE_BUILT = (
    "ssm_cfg", "state_size", "d_state", "mamba_d_state", "mamba_num_heads", "ssm_state_size", "conv_L_cache",
    "attn_layer_period", "hybrid_override_pattern", "linear_num_value_heads", "lru_width", "num_mem_blocks",
    "block_configs", "attention_hidden_size",
)  # fmt: skip
"""Keys of models that are not (only) attention and feed-forward layers, which this cannot count."""


@dataclass(frozen=True)
class ParameterEstimate:
    """Parameters in all, and those that a token passes through (all of them without experts)."""

    total: int
    active: int


@dataclass(frozen=True)
class _Experts:
    layers: int
    routed: int
    used: int
    size: int
    shared: int


def estimate_parameters(config: Mapping[str, Any]) -> ParameterEstimate | None:
    """Count the parameters of the language model that a config describes.

    Parameters
    ----------
    config
        The config.json. In a model of several parts only the language model is counted.

    Returns
    -------
    ParameterEstimate or None
        None where the config lacks what is needed, or is of a model that is built otherwise.

    Notes
    -----
    ``V*H`` of embeddings (twice where they are not tied; without a word on it they are, as in transformers),
    and per layer attention ``H*d*(2*heads + 2*kv_heads)``, feed-forward ``3*H*I`` (``2*H*I`` without a gate)
    and norms. Experts: ``E`` times their matrices plus a router ``H*E``. Multi-head latent attention as in
    DeepSeek-V2 (arXiv 2405.04434, section 2.1). Biases of linear layers are left out. Within 1% of published
    counts for the models in tests/hub/test_estimate.py.
    """
    text, _ = language_config(config)
    layers, hidden, vocabulary, heads = (count(text, names) for names in (LAYERS, HIDDEN, VOCABULARY, HEADS))
    if layers is None or hidden is None or vocabulary is None or heads is None or _built_otherwise(text):
        return None
    model = str(text.get("model_type") or config.get("model_type") or "")
    matrices = 2 if model in TWO_MATRICES else 3
    feed = count(text, ("intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size", "d_ff"))
    if feed is None:
        if matrices == 3:
            return None
        feed = 4 * hidden
    experts = _experts(text, layers, feed)
    if experts is not None and experts.layers < layers:
        feed = count(text, ("intermediate_size_mlp",)) or feed
    outside = vocabulary * hidden * (2 if tied(config) is False else 1) + hidden
    if model in LEARNED_POSITIONS:
        outside += (count(text, CONTEXT) or 0) * hidden
    total = outside + layers * (_attention(text, hidden, heads) + 2 * hidden)
    if experts is None:
        total += layers * matrices * hidden * feed
        return ParameterEstimate(total, total)
    one = matrices * hidden * experts.size
    common = total + (layers - experts.layers) * matrices * hidden * feed
    common += experts.layers * (matrices * hidden * experts.shared + hidden * experts.routed)
    return ParameterEstimate(
        common + experts.layers * experts.routed * one, common + experts.layers * experts.used * one
    )


def _built_otherwise(text: Mapping[str, Any]) -> bool:
    kinds = text.get("layer_types")
    unusual = isinstance(kinds, list) and any(
        "attention" not in str(kind) or "linear" in str(kind) for kind in kinds
    )
    per_layer = any(
        isinstance(text.get(name), list) for name in (*HEADS, *KV_HEADS, *HIDDEN, "intermediate_size")
    )
    return (
        unusual
        or per_layer
        or text.get("is_encoder_decoder") is True
        or any(text.get(name) is not None for name in OTHERWISE_BUILT)
    )


def _attention(text: Mapping[str, Any], hidden: int, heads: int) -> int:
    latent = count(text, ("kv_lora_rank",))
    if latent is not None:
        rope, nope = count(text, ("qk_rope_head_dim",)) or 0, count(text, ("qk_nope_head_dim",)) or 0
        value = count(text, ("v_head_dim",)) or nope
        narrow = count(text, ("q_lora_rank",))
        width = heads * (rope + nope)
        query = hidden * width if narrow is None else hidden * narrow + narrow * width + narrow
        return (
            query
            + hidden * (latent + rope)
            + latent
            + latent * heads * (nope + value)
            + heads * value * hidden
        )
    size = count(text, ("head_dim", "attention_head_size")) or hidden // heads
    groups = 1 if text.get("multi_query") is True else count(text, KV_HEADS) or heads
    return hidden * size * (2 * heads + 2 * groups)


def _experts(text: Mapping[str, Any], layers: int, feed: int) -> _Experts | None:
    routed, used = count(text, EXPERTS), count(text, EXPERTS_USED)
    if routed is None or routed == 1:
        return None
    size = count(text, ("moe_intermediate_size", "expert_ffn_hidden_size")) or feed
    shared = count(text, ("shared_expert_intermediate_size", "shared_intermediate_size"))
    if shared is None:
        several = count(text, ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts"))
        # Llama 4 has one shared expert and does not say so.
        llama4 = str(text.get("model_type", "")).startswith("llama4")
        shared = size * (several or (1 if llama4 else 0))
    dense = count(text, ("first_k_dense_replace",)) or 0
    step = count(text, ("decoder_sparse_step", "moe_layer_freq", "interleave_moe_layer_step")) or 1
    only = text.get("mlp_only_layers")
    dense += len(only) if isinstance(only, list) else 0
    return _Experts(max(0, (layers - dense) // step), routed, used or 1, size, shared)
