"""One record: what is required, what is refused and why, what is derived."""

import json
import math
import zlib
from collections import Counter
from typing import Any

import pytest
from bpe_openai import get_encoding
from hypothesis import given
from hypothesis import strategies as st

from core.importers import fields
from core.importers.derive import count_tokens
from core.importers.fields import Unusable
from core.importers.record import (
    CONTRADICTION,
    LIMIT_WINS,
    STOP_CONTRADICTION,
    UNKNOWN_FINISH,
    UNUSED,
    complete,
)
from core.importers.staging import SCHEMA
from tests.importers.staged import record


def completed(**values: Any) -> dict[str, Any]:
    return complete(record(**values), "line 1", "the file", lambda what, detail: None)


def remarks(**values: Any) -> Counter[tuple[str, str]]:
    noted: Counter[tuple[str, str]] = Counter()
    complete(record(**values), "line 1", "the file", lambda what, detail: noted.update([(what, detail)]))
    return noted


def test_a_minimal_record_has_every_column() -> None:
    row = completed()
    assert list(row) == SCHEMA.names[3:]
    assert (row["template"], row["sampler"], row["params"]) == ("default", "default", "{}")
    assert (row["truncation"], row["token_source"]) == ("unknown", "unknown")
    absent = (
        "score",
        "choices",
        "completion_tokens",
        "response_bytes",
        "compressed_bytes",
        "prompt",
        "repeat",
    )
    assert all(row[name] is None for name in absent)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"model": None}, "no model"),
        ({"model": " "}, "no model"),
        ({"model": 1.5}, "model is not a text"),
        ({"model": "x" * 201}, "model is longer than 200 characters"),
        ({"model": "two\nlines"}, "model holds line breaks or control characters"),
        ({"model": "half \ud800"}, "model holds line breaks or control characters"),
        ({"base_task": ""}, "no base_task"),
        ({"template": "\x00"}, "template holds line breaks or control characters"),
        ({"outcome": None}, "neither outcome nor score"),
        ({"outcome": "right"}, "outcome is none of correct, incorrect, invalid, truncated, error"),
        ({"outcome": 1}, "outcome is none of correct, incorrect, invalid, truncated, error"),
        ({"score": 1.0001}, "score outside [0, 1]"),
        ({"score": -0.1}, "score outside [0, 1]"),
        ({"score": math.nan}, "score is not a number"),
        ({"score": math.inf}, "score is not a number"),
        ({"score": "high"}, "score is not a number"),
        ({"score": [1]}, "score is not a number"),
        ({"choices": 0}, "choices is below 1"),
        ({"choices": 2.5}, "choices is not a whole number"),
        ({"choices": True}, "choices is not a whole number"),
        ({"completion_tokens": -1}, "completion_tokens is negative"),
        ({"completion_tokens": math.nan}, "completion_tokens is not a number"),
        ({"completion_tokens": 2**31}, "completion_tokens is too large"),
        ({"prompt_tokens": -1.0}, "prompt_tokens is negative"),
        ({"reasoning_tokens": "many"}, "reasoning_tokens is not a number"),
        ({"token_limit": -1}, "token_limit is negative"),
        ({"repeat": -1}, "repeat is negative"),
        ({"truncated": "perhaps"}, "truncated is neither true nor false"),
        ({"params": [1]}, "params is not an object"),
        ({"params": "no JSON"}, "params is not an object"),
        ({"groups": 7}, "groups is not a list of texts"),
    ],
)
def test_refused_with_the_reason(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unusable) as error:
        completed(**values)
    assert str(error.value) == reason


@pytest.mark.parametrize(
    ("values", "stored", "truncation"),
    [
        ({"outcome": "correct"}, "correct", "unknown"),
        ({"outcome": " Incorrect "}, "incorrect", "unknown"),
        ({"outcome": None, "score": 1}, "correct", "unknown"),
        ({"outcome": None, "score": "0.5"}, "incorrect", "unknown"),
        ({"outcome": None, "score": " Yes"}, "correct", "unknown"),
        ({"outcome": None, "score": "no"}, "incorrect", "unknown"),
        ({"outcome": None, "score": 0, "answer": ""}, "invalid", "unknown"),
        ({"outcome": None, "score": 1, "answer": ""}, "correct", "unknown"),
        ({"outcome": "correct", "score": 0.5}, "incorrect", "unknown"),
        ({"outcome": "invalid", "score": 0.5}, "invalid", "unknown"),
        ({"outcome": "invalid", "score": 1.0}, "correct", "unknown"),
        ({"outcome": "error", "score": 1.0}, "error", "unknown"),
        ({"outcome": "error", "finish_reason": "length"}, "error", "reported"),
        ({"outcome": "truncated"}, "truncated", "reported"),
        ({"outcome": "correct", "finish_reason": "MAX_TOKENS"}, "truncated", "reported"),
        ({"outcome": "correct", "truncated": True}, "truncated", "reported"),
        ({"outcome": None, "truncated": 1}, "truncated", "reported"),
        ({"outcome": "correct", "finish_reason": "stop"}, "correct", "reported"),
        ({"outcome": "correct", "truncated": "false"}, "correct", "reported"),
        ({"outcome": "correct", "finish_reason": "abort"}, "correct", "unknown"),
        ({"outcome": "truncated", "score": 1.0}, "truncated", "reported"),
    ],
)
def test_stored_outcome(values: dict[str, Any], stored: str, truncation: str) -> None:
    row = completed(**values)
    assert (row["outcome"], row["truncation"]) == (stored, truncation)


def test_contradictions_are_remarked() -> None:
    assert remarks(outcome="correct", score=0.5) == {(CONTRADICTION, ""): 1}
    assert remarks(outcome="incorrect", score=1) == {(CONTRADICTION, ""): 1}
    assert remarks(outcome="correct", finish_reason="length") == {(LIMIT_WINS, ""): 1}
    assert remarks(outcome="truncated", finish_reason="stop") == {(STOP_CONTRADICTION, ""): 1}
    assert remarks(finish_reason="abort") == {(UNKNOWN_FINISH, "abort"): 1}
    assert remarks(colour="blue") == {(UNUSED, "colour"): 1}
    assert not remarks(outcome="error", score=1.0)
    assert not remarks(outcome="correct", score=1.0)


def test_response_is_measured() -> None:
    text = "The answer is <|endoftext|> 42 \N{GRINNING FACE}\n" * 30
    row = completed(response=text)
    assert row["response_bytes"] == len(text.encode())
    assert row["compressed_bytes"] == len(zlib.compress(text.encode(), 6))
    assert row["completion_tokens"] == len(get_encoding("o200k_base").encode_ordinary(text))
    assert row["token_source"] == "tokenized:o200k_base"


def test_reported_tokens_are_kept() -> None:
    row = completed(response="a b c", completion_tokens=77)
    assert (row["completion_tokens"], row["token_source"]) == (77, "reported")


def test_empty_response_has_no_tokens_and_is_not_absent() -> None:
    row = completed(response="")
    assert (row["response_bytes"], row["completion_tokens"]) == (0, 0)


@pytest.mark.parametrize("text", ["a", " ", "\n", "!", "1", "é", "ab ", "<|endoftext|>"])
def test_five_megabytes_are_tokenised(text: str) -> None:
    assert 0 < count_tokens(text * (5_000_000 // len(text.encode()))) <= 5_000_000


def test_text_that_cannot_be_stored() -> None:
    row = completed(response="a\x00b\ud800c", prompt="fine")
    assert row["response"] == "a\ufffdb\ufffdc"
    assert remarks(response="a\x00b") == {(fields.REPLACED, ""): 1}


def test_item_keys() -> None:
    assert completed(item_key=7)["item_key"] == completed(item_key=7.0)["item_key"] == "7"
    assert completed(item_key="7", prompt="x")["paired"] is True
    by_prompt = completed(prompt="x")
    assert by_prompt["item_key"] == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    assert by_prompt["paired"] is True
    lone = complete(record(), "line 2", "the file", lambda what, detail: None)
    assert lone["paired"] is False
    assert lone["item_key"] != completed()["item_key"]


def test_params_are_canonical() -> None:
    row = completed(**{"params": {"z": 2.0, "a": "x", "b": True, "c": 0.5}, "params.d": 3})
    assert row["params"] == '{"a":"x","b":true,"c":0.5,"d":3,"z":2}'
    noted = remarks(params={"a": 1, "list": [1], "nan": math.nan, "long": "x" * 501, "none": None})
    assert {detail for what, detail in noted if what == fields.DROPPED_PARAM} == {"list", "nan", "long"}
    assert {detail for what, detail in noted if what == fields.NULL_PARAM} == {"none"}


SCALARS = (
    st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20)


@given(st.dictionaries(NAMES, SCALARS, max_size=5))
def test_params_keep_their_values(params: dict[str, Any]) -> None:
    text = completed(params=params)["params"]
    back = json.loads(text)
    assert back == params
    assert list(back) == sorted(params, key=lambda name: name.encode())
    assert {key: isinstance(value, bool) for key, value in back.items()} == {
        key: isinstance(value, bool) for key, value in params.items()
    }
    assert completed(params=text)["params"] == text


def test_groups() -> None:
    assert completed(groups=["a:b", "c:d", "a:b"])["groups"] == ["a:b", "c:d"]
    assert completed(groups="a:b, c:d")["groups"] == ["a:b", "c:d"]
    assert completed(groups='["a,b"]')["groups"] == ["a,b"]
    assert completed(groups=[])["groups"] is None


def test_token_ids() -> None:
    assert completed(prompt_token_ids=[1, 2])["prompt_token_ids"] == [1, 2]
    assert completed(prompt_token_ids="[1, 2]")["prompt_token_ids"] == [1, 2]
    for odd in ([1, -2], [1.5], ["x"], "x", {"a": 1}):
        assert completed(prompt_token_ids=odd)["prompt_token_ids"] is None


def test_other_values_become_text() -> None:
    row = completed(reference=42, answer=[1, 2], prompt=[{"role": "user", "content": "hi"}])
    assert (row["reference"], row["answer"]) == ("42", "[1,2]")
    assert row["prompt"] == '[{"role":"user","content":"hi"}]'
