"""Lists as files: every field, in order, and back again through the import."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.flags import flags_path, read_flags
from core.store import Dataset, open_dataset
from core.tiers.completions import (
    FIELDS,
    Wanted,
    flag_completion,
    joined,
    lines,
    read_completion,
    read_page,
    records,
    unflag_completion,
)
from core.tiers.completions.export import BATCH
from tests.command import import_, scores
from tests.store.staging import completion


def test_records_are_the_list_in_its_order_and_no_longer_than_asked(mixed: Dataset) -> None:
    wanted = Wanted(outcomes=("incorrect", "correct"), sort="tokens", descending=True)
    frame = read_page(mixed, Filters(threshold=0.5), wanted, 1, 10_000)
    assert len(frame) > BATCH / 4
    found = list(records(mixed, Filters(threshold=0.5), wanted))
    assert [row["completion_id"] for row in found] == frame["completion_id"].tolist()
    assert [row["outcome"] for row in found] == frame["outcome"].tolist()
    assert [row["eval_id"] for row in found] == frame["eval_id"].tolist()
    assert [tuple(row) for row in found[:3]] == [FIELDS] * 3
    assert list(records(mixed, Filters(threshold=0.5), wanted, 7)) == found[:7]
    with pytest.raises(FilterError, match="at least 1 completion; given: 0"):
        list(records(mixed, Filters(), wanted, 0))


def test_a_record_says_where_it_comes_from_and_whether_it_was_cut_off(made: Callable[..., Dataset]) -> None:
    rows = [
        completion(item_key="0", outcome="truncated", token_limit=8),
        completion(item_key="1", truncation="unknown", response="text"),
        completion(item_key="2"),
    ]
    config = {"evals": [{"label": "M", "hf_id": "org/m", "filters": {"model": "m"}, "groups": ["a:b"]}],
              "basetasks": {"add": {"label": "Add", "category": "sums"}}}  # fmt: skip
    found = {row["item_key"]: row for row in records(made(rows, **config), Filters(), Wanted())}
    assert [found[key]["truncated"] for key in "012"] == [True, None, False]
    one = found["1"]
    assert (one["label"], one["hf_id"], one["groups"], one["category"]) == ("M", "org/m", ["a:b"], "sums")
    assert (one["source"], one["place"], one["response"], one["flag"]) == (
        "file-0.jsonl",
        "line 2",
        "text",
        None,
    )
    assert one["compressed_bytes"] > 0 and one["token_source"] == "unknown"


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_was_exported_can_be_imported_again(repeats_dataset: Path, tmp_path: Path, form: str) -> None:
    dataset = open_dataset(repeats_dataset)
    parts = lines(records(dataset, Filters(), Wanted()), form)
    if form == "csv":
        # An apostrophe in front of a formula is for spreadsheets; here no text begins like one.
        text = b"".join(parts).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == sum(1 for _ in records(dataset, Filters(), Wanted()))
        source = tmp_path / "again.csv"
        source.write_text(text, encoding="utf-8", newline="")
    else:
        source = tmp_path / "again.jsonl"
        source.write_bytes(b"".join(parts))
    assert import_(tmp_path, "again", source).status == 0
    # The same identities, seen through the same config.
    document = json.loads(repeats_dataset.read_text(encoding="utf-8"))
    (tmp_path / "again.json").write_text(json.dumps({**document, "db": "again.duckdb"}), encoding="utf-8")
    again, before = scores(tmp_path / "again.json"), scores(repeats_dataset)
    assert again["rows"] == before["rows"]


def test_csv_is_one_table_with_a_mark_and_no_formula(made: Callable[..., Dataset]) -> None:
    rows = [completion(item_key=f"{n}", response='=1+1\n"x"', answer="@a") for n in range(BATCH + 3)]
    parts = list(lines(records(made(rows), Filters(), Wanted()), "csv"))
    text = b"".join(parts).decode("utf-8-sig")
    table = list(csv.DictReader(io.StringIO(text)))
    assert (len(table), b"".join(parts).count(b"\xef\xbb\xbf")) == (BATCH + 3, 1)
    assert list(table[0]) == list(FIELDS)
    assert {(row["response"], row["answer"]) for row in table} == {('\'=1+1\n"x"', "'@a")}
    with pytest.raises(FilterError, match="No format 'xml'; valid: csv, jsonl"):
        lines([], "xml")


def test_a_file_ends_before_it_grows_too_large() -> None:
    parts = [b"12345", b"67", b"890"]
    assert [joined(parts, most) for most in (100, 10, 9, 5, 4)] == [
        b"1234567890", b"1234567890", b"1234567", b"12345", b"",
    ]  # fmt: skip


def test_a_flag_is_written_read_and_taken_away(made: Callable[..., Dataset]) -> None:
    dataset = made([completion(item_key="k", params={"b": 1, "a": True}, template="cot")])
    path = flags_path(dataset.config_path)
    flag_completion(dataset.config_path, read_completion(dataset, Filters(), 0), "  look again ")
    (flag,) = read_flags(path)
    assert (flag.template, flag.params, flag.item_key, flag.note) == (
        "cot",
        '{"a":true,"b":1}',
        "k",
        "look again",
    )
    assert flag.flagged_at.startswith("20")
    reopened = open_dataset(dataset.config_path)
    one = read_completion(reopened, Filters(), 0)
    assert one.flag == "look again"
    assert read_page(reopened, Filters(), Wanted(flagged=True), 1)["flag"].tolist() == ["look again"]
    assert next(records(reopened, Filters(), Wanted()))["flag"] == "look again"
    assert len(read_page(reopened, Filters(flagged="exclude"), Wanted(), 1)) == 0
    unflag_completion(reopened.config_path, one)
    assert read_flags(path) == ()


def test_a_record_has_the_prompt_tokens_of_its_own_eval(made: Callable[..., Dataset]) -> None:
    rows = [
        completion(model=model, item_key="0", prompt="p", prompt_token_ids=ids, tokenizer=f"{model}-tokens")
        for model, ids in (("a", [1, 2]), ("b", [3]))
    ]
    found = {row["model"]: row for row in records(made(rows), Filters(), Wanted())}
    assert (found["a"]["prompt_token_ids"], found["a"]["tokenizer"]) == ([1, 2], "a-tokens")
    assert (found["b"]["prompt_token_ids"], found["b"]["tokenizer"]) == ([3], "b-tokens")
