"""A record of any values is a row of the staging schema or has a reason for being skipped; CSV keeps it."""

import csv
import io
import json
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.importers.fields import Unusable
from core.importers.record import FIELDS, OUTCOMES, complete
from core.importers.staging import SCHEMA
from tests.properties.profiles import new_every_time, same_every_time
from tests.properties.results import check_csv, check_json

ODD = [
    None, "", " ", "NaN", "nan", "inf", float("nan"), float("inf"), -1, 0, 1, 2**31, 2**63, 10**400, 1.5,
    True, False, "true", "0x10", "1_000", "１", "1e5", "=1+1", "\x00", "\ud800", "a\nb", [], {}, [1],
    {"a": 1}, ["a", None], {"": 1}, {"a": float("nan")}, {"a": [1]}, b"\xff", "[1, 2]", '{"a": 1}', "correct",
    "truncated", "error", "stop", "length", 0.1 + 0.2, -0.0,
]  # fmt: skip
VALUES = st.sampled_from(ODD) | st.text(max_size=5) | st.integers() | st.floats() | st.binary(max_size=3)
GOOD = {"model": "m", "base_task": "t", "outcome": "correct"}
NAMES = st.sampled_from(
    [*sorted(FIELDS), "params.", "params.x", "params.\x00", "unknown", "", "\u2028", "import_no"]
)
RECORDS = st.dictionaries(NAMES, VALUES, max_size=8)


def ignore(what: str, detail: str) -> None:
    assert what and isinstance(detail, str)


def checked(values: dict[str, Any]) -> dict[str, Any] | None:
    """The row of a record, None where it is skipped for a reason."""
    try:
        row = complete(values, "line 1", "key", ignore)
    except Unusable as reason:
        # Reasons are counted under their words: no value of a record may stand in one.
        assert str(reason) and "\n" not in str(reason) and len(str(reason)) < 120
        return None
    own = {"import_no": 0, "chunk": 0, "row": 0, **row}
    table = pa.table({name: [own[name]] for name in SCHEMA.names}, schema=SCHEMA)
    assert table.to_pylist() == [own]
    assert row["outcome"] in OUTCOMES
    assert row["score"] is None or 0 <= row["score"] <= 1
    assert row["completion_tokens"] is None or 0 <= row["completion_tokens"] < 2**31
    assert all(isinstance(one, bool | int | float | str) for one in json.loads(row["params"]).values())
    return row


@same_every_time(300)
@given(RECORDS)
def test_any_record_is_kept_or_skipped_for_a_reason(values: dict[str, Any]) -> None:
    checked(values)
    checked(GOOD | values)


@same_every_time(150)
@given(RECORDS)
def test_a_kept_record_is_kept_again_and_leaves_as_it_came(values: dict[str, Any]) -> None:
    row = checked(GOOD | values)
    if row is None:
        return
    again = checked(
        {name: row[name] for name in FIELDS & set(row)} | {"truncated": row["outcome"] == "truncated"}
    )
    assert again is not None
    # What the first time made of the texts stands.
    for name in (
        "model",
        "base_task",
        "params",
        "item_key",
        "score",
        "response",
        "answer",
        "groups",
        "outcome",
    ):
        assert again[name] == row[name], name
    check_json(row)
    check_csv(pd.DataFrame([row]))


CELLS = st.text(max_size=8) | st.sampled_from(
    ["=1+1", "'=1", "''=1", "\t", "\r\n", "\n", '"', ",", "NaN", "", "-1", "+1"]
)
NUMBERS = st.floats() | st.integers(-(2**53), 2**53) | st.none()


@same_every_time(150)
@given(st.lists(st.tuples(CELLS, NUMBERS, st.booleans() | st.none()), max_size=5), CELLS)
def test_any_table_reads_back_from_csv(rows: list[tuple[Any, ...]], name: str) -> None:
    frame = pd.DataFrame(rows, columns=[name, "number", "flag"], dtype=object)
    # A surrogate is no text: readers replace them before anything is stored.
    if all(cell.isprintable() or cell.encode("utf-8", "replace").decode() == cell for cell, *_ in rows):
        finite = frame.assign(number=[None if v is None or v != v else v for v in frame["number"]])
        check_csv(finite)


@same_every_time(100)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), min_size=1, max_size=6
    )
)
def test_no_cell_of_any_text_begins_a_formula(texts: list[str]) -> None:
    from core.export import FORMULA_STARTS, csv_bytes

    content = csv_bytes(pd.DataFrame({"x": texts})).decode("utf-8-sig")
    for (cell,) in list(csv.reader(io.StringIO(content, newline="")))[1:]:
        assert not cell.lstrip("\ufeff").startswith(FORMULA_STARTS)


@pytest.mark.slow
@new_every_time(5000)
@given(RECORDS)
def test_very_many_records_are_kept_or_skipped_for_a_reason(values: dict[str, Any]) -> None:
    checked(values)
    checked(GOOD | values)
