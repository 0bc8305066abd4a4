"""Tokenizers from the Hub: a small hub on this machine stands for it, so that no test reaches another."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest
from tokenizers import Tokenizer

from core.spectra import BYTES
from core.spectra.hub import HubUnreachableError, Tokenizers, TokenizerUnavailableError
from tests.spectra.conftest import SOURCES_OF_TOKENS, Place, records
from tests.spectra.tokenizer_hub import TokenizerHub, tokenizer_file


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TokenizerHub]:
    server = TokenizerHub()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", "/nonexistent/token")
    server.files["org/good"] = tokenizer_file()
    huggingface_hub.close_session()
    yield server
    huggingface_hub.close_session()
    server.shutdown()
    server.server_close()


def reason(hf_id: str, *, online: bool = True) -> str:
    with pytest.raises(TokenizerUnavailableError) as caught:
        Tokenizers(online=online).get(hf_id)
    return str(caught.value)


@pytest.mark.parametrize(
    ("hf_id", "words"),
    [
        ("org/gated", "org/gated is gated: accept its terms on the Hub, log in with `hf auth login`"),
        ("org/private", "the Hub has no repository org/private, or it is private"),
        ("org/nowhere", "the Hub has no repository org/nowhere"),
        ("org/without", "org/without has no tokenizer.json"),
        ("org/faulty", "the Hub did not give the tokenizer of org/faulty: Server error '500"),
        ("../../etc/passwd", "'../../etc/passwd' is no repository id: correct hf_id in the config"),
        ("a b", "'a b' is no repository id"),
    ],
)
def test_each_trouble_is_told_with_what_to_do(hub: TokenizerHub, hf_id: str, words: str) -> None:
    assert words in reason(hf_id)


def test_a_file_that_is_no_tokenizer(hub: TokenizerHub) -> None:
    hub.files["org/nonsense"] = b'{"model": 3}'
    assert "its tokenizer.json cannot be read" in reason("org/nonsense")


def test_a_file_too_large_is_not_fetched(hub: TokenizerHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.spectra.hub.MOST_BYTES", 100)
    assert "too many to be read" in reason("org/good")
    assert hub.asked == ["org/good"]


def test_nothing_is_asked_without_leave(hub: TokenizerHub) -> None:
    assert "is not on this machine: fetch it" in reason("org/good", online=False)
    assert hub.asked == []


def test_what_was_fetched_needs_no_network(hub: TokenizerHub) -> None:
    first = Tokenizers(online=True).get("org/good")
    asked = len(hub.asked)
    for online in (True, False):
        again = Tokenizers(online=online).get("org/good")
        assert again.encode("Wha").ids == first.encode("Wha").ids
    assert len(hub.asked) == asked


def test_a_hub_out_of_reach_is_asked_once(hub: TokenizerHub, monkeypatch: pytest.MonkeyPatch) -> None:
    Tokenizers(online=True).get("org/good")
    asked = len(hub.asked)
    tokenizers = Tokenizers(online=True)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubUnreachableError, match=r"cannot be reached \(.*refused.*fetch again"):
        tokenizers.get("org/other")
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    with pytest.raises(TokenizerUnavailableError, match="cannot be reached"):
        tokenizers.get("org/private")
    assert len(hub.asked) == asked
    assert tokenizers.get("org/good")


def test_prompts_are_read_as_they_are(hub: TokenizerHub, place: Place) -> None:
    place.take("a", records("m", ids=False, hf_id="org/good"))
    report = place.compute(fetch=True)
    assert "m: org/good, its own tokenizer, on the text of the prompt alone, 6 prompts." in report.to_text()
    rows = place.ask(
        "SELECT text, ids FROM prompt_tokens JOIN prompts USING (prompt_id) WHERE tokenizer = 'org/good'"
    )
    assert len(rows) == 6
    plain = Tokenizer.from_str(tokenizer_file().decode())
    plain.no_truncation()
    plain.no_padding()
    for text, ids in rows:
        # Neither cut, nor padded, nor begun with a special token.
        assert ids == plain.encode(text, add_special_tokens=False).ids
        assert len(ids) == len(text)
    assert len(place.spectra()) == 12


def test_one_model_without_a_tokenizer_does_not_stop_the_others(hub: TokenizerHub, place: Place) -> None:
    place.take(
        "a",
        [
            *records("fetched", ids=False, hf_id="org/good"),
            *records("gated", ids=False, hf_id="org/gated"),
            *records("unnamed", ids=False),
            *records("known", hf_id="org/known"),
        ],
    )
    report = place.compute(fetch=True)
    assert place.ask(SOURCES_OF_TOKENS) == [
        ("fetched", "org/good", "hub"),
        ("gated", BYTES, "bytes"),
        ("known", "org/known", "source"),
        ("unnamed", BYTES, "bytes"),
    ]
    assert "org/known" not in hub.asked
    told = {one.models: one.reason for one in report.sources}
    assert "is gated" in told["gated",]
    assert "add one to its eval in the config" in told["unnamed",]
    assert told["fetched",] == told["known",] == ""


def test_a_tokenizer_that_can_be_had_later_replaces_the_bytes(hub: TokenizerHub, place: Place) -> None:
    place.take("a", records("m", ids=False, hf_id="org/good"))
    place.compute()
    assert {key[1] for key in place.spectra()} == {BYTES}
    assert hub.asked == []
    place.compute(fetch=True)
    assert {key[1] for key in place.spectra()} == {"org/good"}
    assert place.ask("SELECT DISTINCT tokenizer FROM prompt_tokens") == [("org/good",)]


def test_the_hf_id_of_the_config_is_the_one_that_counts(hub: TokenizerHub, place: Place) -> None:
    place.take("a", records("m", ids=False, hf_id="org/private"))
    document = json.loads(place.config.read_text())
    document["evals"][0]["hf_id"] = "org/good"
    place.config.write_text(json.dumps(document))
    place.compute(fetch=True)
    assert place.ask(SOURCES_OF_TOKENS) == [("m", "org/good", "hub")]


def test_prompts_that_come_later_are_read_from_the_cache(
    hub: TokenizerHub, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.take("a", records("m", 4, ids=False, hf_id="org/good"))
    place.compute(fetch=True)
    place.take("b", records("m", 3, ids=False, start=4, hf_id="org/good"))
    assert len(place.spectra()) == 8
    report = place.compute()
    assert report.computed == 3
    # Without the cache what is there stays, and the reason is told.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", "/nonexistent")
    report = place.compute()
    assert "is not on this machine" in report.sources[0].reason
    assert report.sources[0].prompts == 7
    assert {key[1] for key in place.spectra()} == {"org/good"}


def test_another_sampler_of_a_fetched_model_has_its_tokenizer(hub: TokenizerHub, place: Place) -> None:
    place.take("a", records("m", ids=False, hf_id="org/good"))
    place.compute(fetch=True)
    place.take("b", records("m", ids=False, hf_id="org/good", sampler="hot"))
    assert place.ask("SELECT sampler, tokenizer, origin FROM identity_tokenizers ORDER BY ALL") == [
        ("default", "org/good", "hub"),
        ("hot", "org/good", "hub"),
    ]
