"""What is read from config.json: other names, nested parts, quantisation, and nonsense."""

import json
from typing import Any

import pytest

from core.hub.architecture import Architecture, parse_object, read_architecture, weight_bits
from tests.hub.small_hub import CONFIG


def test_every_field_of_a_plain_config() -> None:
    assert read_architecture(CONFIG, {"tokenizer_class": "GPT2Tokenizer"}) == Architecture(
        architecture="LlamaForCausalLM", num_layers=2, hidden_size=64, vocab_size=1000, num_heads=4,
        num_kv_heads=2,
        context_length=2048, tied_embeddings=True, dtype="bfloat16", tokenizer_class="GPT2Tokenizer",
    )  # fmt: skip


@pytest.mark.parametrize("key", ["text_config", "llm_config", "language_config"])
def test_the_language_part_of_a_model_of_several(key: str) -> None:
    config = {
        "architectures": ["Some4ConditionalGeneration"], "torch_dtype": "float16", "hidden_size": 9,
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27},
        key: {k: v for k, v in CONFIG.items() if k not in ("architectures", "torch_dtype")},
    }  # fmt: skip
    found = read_architecture(config)
    assert (found.architecture, found.dtype) == ("Some4ConditionalGeneration", "float16")
    assert (found.hidden_size, found.num_layers, found.num_heads) == (64, 2, 4)


def test_two_levels_of_parts() -> None:
    config = {"thinker_config": {"audio_config": {"hidden_size": 1}, "text_config": CONFIG}}
    assert read_architecture(config).hidden_size == 64


def test_other_names_for_the_same() -> None:
    config = {"n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "model_type": "gpt2"}
    found = read_architecture(config)
    assert (found.architecture, found.hidden_size, found.num_layers) == ("gpt2", 768, 12)
    assert (found.num_heads, found.num_kv_heads, found.context_length) == (12, None, 1024)
    assert read_architecture(config | {"multi_query": True}).num_kv_heads == 1
    experts = read_architecture({"n_routed_experts": 256, "num_experts_per_tok": 8})
    assert (experts.num_experts, experts.experts_per_token) == (256, 8)


@pytest.mark.parametrize(
    ("quantised", "words", "bits"),
    [
        ({"quant_method": "gptq", "bits": 4}, "gptq 4-bit", 4),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "bitsandbytes 8-bit", 8),
        ({"quant_method": "fp8"}, "fp8", 8),
        ({"quant_method": "mxfp4"}, "mxfp4", 4),
        (
            {"quant_method": "compressed-tensors",
            "config_groups": {"group_0": {"weights": {"num_bits": 4}}}},
            "compressed-tensors 4-bit", 4,
        ),
        ({"quant_method": "quark"}, "quark", None),
    ],
)  # fmt: skip
def test_quantisation_in_words(quantised: dict[str, Any], words: str, bits: int | None) -> None:
    for config in ({"quantization_config": quantised}, {"text_config": {"quantization_config": quantised}}):
        assert read_architecture(config).quantisation == words
        assert weight_bits(config) == bits


@pytest.mark.parametrize("value", ["64", True, -1, 0, 1.5, [64], {"a": 1}, None, float("inf"), 1e300])
def test_nonsense_is_missing_and_not_a_number(value: Any) -> None:
    found = read_architecture({"hidden_size": value, "architectures": value, "tie_word_embeddings": value})
    assert found.hidden_size is None
    assert found.tied_embeddings is (True if value is True else None)
    assert not isinstance(found.architecture, list)


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b'"x"', b"\xff\xfe", b"[" * 100_000, b"<html></html>"])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_object(data)


def test_a_byte_order_mark_and_not_a_number_are_taken() -> None:
    assert parse_object(b"\xef\xbb\xbf" + b'{"a": NaN, "b": 1}') == {"a": None, "b": 1}
    assert parse_object(json.dumps(CONFIG).encode()) == CONFIG
