"""What a config may say of a model: counts as typed, prices, and both kept through a load and a save."""

from pathlib import Path
from typing import Any

import pytest

from core.config import Price, dump_config, load_config, parameter_count
from core.errors import ConfigError
from tests.store.staging import write_config


@pytest.mark.parametrize(
    ("typed", "count"),
    [
        (135_000_000, 135_000_000), (7e9, 7_000_000_000), ("135M", 135_000_000), ("7b", 7_000_000_000),
        (" 1.5 B ", 1_500_000_000), ("1T", 10**12), ("512", 512), ("20k", 20_000),
    ],
)  # fmt: skip
def test_counts_as_typed(typed: Any, count: int) -> None:
    assert parameter_count(typed) == count


@pytest.mark.parametrize(
    "typed", ["", "many", "8x7B", "-7B", "7 billion", 0, -1, True, None, [7], "1e9", 1e30]
)
def test_what_is_no_count_is_refused(typed: Any) -> None:
    with pytest.raises(ValueError, match="a number of parameters is such as"):
        parameter_count(typed)


def test_a_config_is_saved_as_it_was_typed(tmp_path: Path) -> None:
    entry = {
        "label": "a", "parameters": "7B", "active_parameters": 1e9,
        "price": {"input": 0.15, "note": "list price"},
    }  # fmt: skip
    config = load_config(write_config(tmp_path, evals=[entry]))
    assert config.evals[0].price == Price.model_validate({"input": 0.15, "note": "list price"})
    assert config.evals[0].price.currency == "USD"
    text = dump_config(config)
    assert '"parameters": "7B"' in text
    assert '"note": "list price"' in text
    assert "currency" not in text


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"parameters": "8x7B"}, "evals.0.parameters: a number of parameters is such as"),
        ({"price": {}}, "evals.0.price: a price is such as"),
        ({"price": {"output": -1}}, "evals.0.price.output"),
        ({"price": 3}, "evals.0.price"),
    ],
)
def test_mistakes_name_their_place(tmp_path: Path, entry: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words.replace(".", r"\.")):
        load_config(write_config(tmp_path, evals=[{"label": "a", **entry}]))
