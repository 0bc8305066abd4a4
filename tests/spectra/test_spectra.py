"""Spectra in the database: computed by an import, by the command, and what later imports do to them."""

import threading
from pathlib import Path

import duckdb
import filelock
import numpy as np
import pytest

from core.errors import DatasetError, NothingFoundError
from core.spectra import BYTES
from core.spectra.sample import MOST
from core.stats.spectrum import indicator_spectrum, signal_spectrum
from tests.spectra.conftest import SOURCES_OF_TOKENS, Place, records


def test_an_import_computes_them_from_the_token_ids(place: Place) -> None:
    place.take("a", records("m", hf_id="org/m"))
    found = place.spectra()
    assert len(found) == 12
    for record in records("m"):
        ids = record["prompt_token_ids"]
        for kind, estimate in (("indicator", indicator_spectrum), ("raw", signal_spectrum)):
            n, bands = found[record["item_key"], "org/m", kind]
            assert n == len(ids)
            assert bands is None if estimate(ids) is None else bands == pytest.approx(estimate(ids), rel=1e-6)
    assert place.ask(SOURCES_OF_TOKENS) == [("m", "org/m", "source")]


def test_short_and_constant_prompts_are_kept_without(place: Place) -> None:
    short, same, enough = records("m", 3)
    short["prompt_token_ids"] = [1]
    same["prompt_token_ids"] = [5] * 30
    place.take("a", [short, same, enough])
    found = place.spectra()
    assert found["0", "m", "indicator"] == (1, None)
    assert found["1", "m", "raw"] == (30, None)
    assert found["2", "m", "raw"][1] is not None
    report = place.compute()
    assert (report.computed, report.present, report.without) == (0, 3, 2)


def test_no_more_prompts_than_a_line_takes_and_the_same_whatever_came_first(place: Place) -> None:
    many = records("m", MOST + 30, params={})
    place.take("a", many)
    first = place.spectra()
    assert len(first) == 2 * MOST
    place.take("b", many[::-1], rebuild=True)
    assert place.spectra().keys() == first.keys()
    place.take("c", records("other", MOST + 30, params={}))
    sampled = {key[0] for key in place.spectra() if key[1] == "other"}
    assert sampled == {key[0] for key in first}


def test_later_imports_add_what_is_new_and_drop_what_is_gone(place: Place) -> None:
    place.take("a", records("m", 4))
    place.take("b", records("m", 3, start=4))
    place.take("a", records("m", 2))
    kept = {key[0] for key in place.spectra()}
    assert kept == {"0", "1", "4", "5", "6"}
    added = place.spectra()
    place.take("all", [*records("m", 2), *records("m", 3, start=4)], rebuild=True)
    assert place.spectra() == added
    assert place.ask("SELECT count(*) FROM prompt_tokens") == [(5,)]


def test_without_token_ids_an_import_computes_nothing(place: Place) -> None:
    place.take("a", records("m", ids=False))
    assert place.spectra() == {}


def test_bytes_stand_where_there_is_no_tokenizer(place: Place) -> None:
    place.take("a", [*records("with"), *records("without", ids=False)])
    report = place.compute()
    assert [(one.models, one.tokenizer, one.origin) for one in report.sources] == [
        (("with",), "with", "source"),
        (("without",), BYTES, "bytes"),
    ]
    assert "without: UTF-8 bytes in place of tokens, 6 prompts (no hf_id is known" in report.to_text()
    text = records("without")[3]["prompt"]
    n, bands = place.spectra()["3", BYTES, "indicator"]
    assert n == len(text.encode())
    assert bands == pytest.approx(indicator_spectrum(list(text.encode())), rel=1e-6)


def test_computing_again_changes_nothing(place: Place) -> None:
    place.take("a", [*records("with"), *records("without", ids=False)])
    place.compute()
    before = place.spectra(), place.ask(SOURCES_OF_TOKENS)
    report = place.compute()
    assert report.computed == 0
    assert (place.spectra(), place.ask(SOURCES_OF_TOKENS)) == before


def test_token_ids_that_come_later_replace_the_bytes(place: Place) -> None:
    place.take("a", records("m", ids=False))
    place.compute()
    assert {key[1] for key in place.spectra()} == {BYTES}
    place.take("a", records("m"))
    assert {key[1] for key in place.spectra()} == {"m"}
    assert place.ask(SOURCES_OF_TOKENS) == [("m", "m", "source")]
    assert place.ask("SELECT DISTINCT tokenizer FROM prompt_tokens") == [("m",)]


def test_bytes_stay_for_the_evals_that_need_them(place: Place) -> None:
    place.take("a", [*records("m", ids=False), *records("n", ids=False)])
    place.compute()
    place.take("b", records("m", sampler="other"))
    assert place.ask(SOURCES_OF_TOKENS) == [
        ("m", BYTES, "bytes"),
        ("m", "m", "source"),
        ("n", BYTES, "bytes"),
    ]
    assert {key[1] for key in place.spectra()} == {BYTES, "m"}


def test_a_database_from_before_spectra_is_understood(place: Place) -> None:
    place.take("a", [*records("m", hf_id="org/m"), *records("n")])
    place.change("DROP TABLE identity_tokenizers")
    place.change("DELETE FROM spectra")
    report = place.compute()
    assert report.computed == 12
    assert place.ask(SOURCES_OF_TOKENS) == [("m", "org/m", "source"), ("n", "n", "source")]


def test_an_import_into_such_a_database_keeps_its_tokens(place: Place) -> None:
    place.take("a", records("m", tokenizer="shared"))
    place.change("DROP TABLE identity_tokenizers")
    place.take("b", records("n", tokenizer="other"))
    assert {key[1] for key in place.spectra()} == {"shared", "other"}


def test_nothing_to_compute_is_said(place: Place) -> None:
    place.take("a", records("m", prompt=None))
    with pytest.raises(NothingFoundError, match="no prompts"):
        place.compute()
    with pytest.raises(DatasetError, match="Database not found"):
        place.database.unlink()
        place.compute()


def leftovers(data: Path) -> list[str]:
    return [path.name for path in data.iterdir() if path.name not in ("d.json", "d.duckdb", "d.lock")]


def test_a_fault_leaves_the_database_as_it_was(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.take("a", records("m", ids=False))
    before = place.database.read_bytes()

    def broken(connection: duckdb.DuckDBPyConnection, on_step: object) -> int:
        raise duckdb.Error("no room")

    monkeypatch.setattr("core.spectra.command.write_spectra", broken)
    with pytest.raises(DatasetError, match="nothing was changed: no room"):
        place.compute()
    assert place.database.read_bytes() == before
    assert leftovers(place.data) == []


def test_it_waits_for_an_import(place: Place) -> None:
    place.take("a", records("m", ids=False))
    waiting = threading.Event()

    def on_step(text: str) -> None:
        if text.startswith("Waiting for an import into d"):
            waiting.set()

    thread = threading.Thread(target=place.compute, kwargs={"on_step": on_step})
    with filelock.FileLock(place.data / "d.lock"):
        thread.start()
        assert waiting.wait(20)
        assert place.spectra() == {}
    thread.join(20)
    assert len(place.spectra()) == 12


def test_an_open_dataset_reads_on_while_spectra_are_computed(place: Place) -> None:
    place.take("a", records("m", ids=False))
    with duckdb.connect(str(place.database), read_only=True) as reader:
        place.compute()
        assert reader.execute("SELECT count(*) FROM spectra").fetchall() == [(0,)]
    assert len(place.spectra()) == 12


def test_the_sum_of_the_stored_bands_is_one(place: Place) -> None:
    place.take("a", records("m", 20))
    sums = [sum(bands) for _, bands in place.spectra().values() if bands is not None]
    assert np.allclose(sums, 1, atol=1e-6)
