"""Parameter counts against those that the models' makers publish."""

from typing import Any

import pytest

from core.hub.estimate import estimate_parameters


def llama(
    hidden: int, layers: int, heads: int, kv: int, feed: int, words: int, **more: Any
) -> dict[str, Any]:
    return {
        "model_type": "llama", "hidden_size": hidden, "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv, "intermediate_size": feed, "vocab_size": words,
        "tie_word_embeddings": False,
    } | more  # fmt: skip


DEEPSEEK_V3 = llama(
    7168, 61, 128, 128, 18432, 129280, model_type="deepseek_v3", q_lora_rank=1536, kv_lora_rank=512,
    qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, n_routed_experts=256, n_shared_experts=1,
    num_experts_per_tok=8, moe_intermediate_size=2048, first_k_dense_replace=3, moe_layer_freq=1,
)  # fmt: skip
QWEN3_30B = llama(
    2048, 48, 32, 4, 6144, 151936, model_type="qwen3_moe", head_dim=128, num_experts=128,
    num_experts_per_tok=8,
    moe_intermediate_size=768, decoder_sparse_step=1, mlp_only_layers=[],
)  # fmt: skip
LLAMA4_SCOUT = {
    "model_type": "llama4",
    "text_config": llama(
        5120, 48, 40, 8, 8192, 202048, model_type="llama4_text", head_dim=128, intermediate_size_mlp=16384,
        num_local_experts=16, num_experts_per_tok=1, interleave_moe_layer_step=1,
    ),
}  # fmt: skip
GPT_OSS_20B = llama(
    2880, 24, 64, 8, 2880, 201088, model_type="gpt_oss", head_dim=64, num_local_experts=32,
    num_experts_per_tok=4,
    layer_types=["sliding_attention", "full_attention"] * 12,
)  # fmt: skip

PUBLISHED = {
    "SmolLM2 135M": (llama(576, 30, 9, 3, 1536, 49152, tie_word_embeddings=True), 134_515_008, None),
    "Gemma 3 270M": (
        # Says nothing of tied embeddings, as Gemma's configs do.
        {k: v for k, v in llama(640, 18, 4, 1, 2048, 262144,
        head_dim=256).items() if not k.startswith("tie")},
        268_098_176, None,
    ),
    "Llama 3.1 8B": (llama(4096, 32, 32, 8, 14336, 128256), 8_030_261_248, None),
    "Qwen 2.5 7B": (llama(3584, 28, 28, 4, 18944, 152064), 7_615_616_512, None),
    "GPT-2": (
        {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257,
        "n_positions": 1024},
        124_439_808, None,
    ),
    "Mixtral 8x7B": (
        llama(4096, 32, 32, 8, 14336, 32000, model_type="mixtral", num_local_experts=8,
        num_experts_per_tok=2),
        46_702_792_704, 12.9e9,
    ),
    "Qwen3 30B-A3B": (QWEN3_30B, 30_532_122_624, 3.3e9),
    "DeepSeek V3": (DEEPSEEK_V3, 671_026_419_200, 37e9),
    "Llama 4 Scout": (LLAMA4_SCOUT, 107.8e9, 17e9),
    # Its 3.6 billion active ones leave the input embeddings out.
    "gpt-oss 20b": (GPT_OSS_20B, 20.9e9, 3.6e9 + 201088 * 2880),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_within_a_percent_of_what_is_published(name: str) -> None:
    config, total, active = PUBLISHED[name]
    found = estimate_parameters(config)
    assert found is not None
    assert found.total == pytest.approx(total, rel=0.01)
    if active is None:
        assert found.active == found.total
    else:
        # Published with two digits, and not by one rule for embeddings.
        assert found.active == pytest.approx(active, rel=0.06)


def test_exact_where_no_matrix_has_a_bias() -> None:
    config, total, _ = PUBLISHED["SmolLM2 135M"]
    assert estimate_parameters(config).total == total  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "change",
    [
        {"hidden_size": None}, {"vocab_size": "many"}, {"num_hidden_layers": True},
        {"num_attention_heads": -1},
        {"intermediate_size": None}, {"intermediate_size": [1, 2]}, {"num_key_value_heads": [1, 2]},
        {"mamba_d_state": 16}, {"is_encoder_decoder": True}, {"layer_types": ["linear_attention"] * 30},
        {"layer_types": ["conv"] * 30},
    ],
)  # fmt: skip
def test_no_guess_where_the_config_does_not_say_or_the_model_is_built_otherwise(
    change: dict[str, Any],
) -> None:
    assert estimate_parameters(PUBLISHED["SmolLM2 135M"][0] | change) is None
    assert estimate_parameters({}) is None
