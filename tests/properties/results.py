"""What every result has to be, of whichever tier: valid JSON, a CSV that reads back, n beside numbers."""

import csv
import io
import json
import math
from typing import Any

import numpy as np
import pandas as pd

from core.export import FORMULA_STARTS, csv_bytes, plain, to_json

COUNTS = frozenset({"n", "n_items", "at_risk", "common_items", "cells", "fifths"})
"""Keys that say of how many a number is; a score is of its cells, a gap of its fifths, and they have it."""

ESTIMATES = (
    "accuracy",
    "center",
    "plain_score",
    "difference",
    "mean_tokens",
    "hazard_correct",
    "cif_correct",
)


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def check_json(document: Any) -> Any:
    """Return a document as a strict reader sees it, after no estimate in it was found to stand alone."""
    text = document if isinstance(document, str) else to_json(document)
    # A surrogate or NUL would stop other readers.
    text.encode("utf-8")
    found = json.loads(text, parse_constant=refuse)
    estimates_have_n(found, said=False)
    return found


def estimates_have_n(value: Any, *, said: bool, where: str = "") -> None:
    """Find of every estimate that its object, or one around it, says of how many it is."""
    if isinstance(value, list):
        for place, one in enumerate(value):
            estimates_have_n(one, said=said, where=f"{where}.{place}")
    elif isinstance(value, dict):
        said = said or bool(COUNTS & set(value))
        for name in ESTIMATES:
            if isinstance(value.get(name), int | float | list):
                assert said, f"{where}.{name} has no n: {value}"
        if value.get("n") == 0:
            assert value.get("accuracy") is None, f"{where}: an accuracy of nothing: {value}"
        for name, one in value.items():
            estimates_have_n(one, said=said, where=f"{where}.{name}")


def check_csv(frame: pd.DataFrame) -> None:
    """Find that a frame's CSV reads back: the same numbers to the last digit, and the same texts."""
    content = csv_bytes(frame)
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert [restored(name) for name in rows[0]] == [str(name) for name in frame.columns]
    assert len(rows) == len(frame) + 1 or (not frame.columns.size and len(rows) >= 1)
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place].tolist()
        for row, value in zip(rows[1:], column, strict=True):
            cell = row[place]
            assert not cell.startswith(FORMULA_STARTS) or is_number(cell), f"{name}: {cell!r} is a formula"
            assert same(cell, value), f"{name}: {value!r} became {cell!r}"
    numbers_survive_pandas(frame, content)


def numbers_survive_pandas(frame: pd.DataFrame, content: bytes) -> None:
    """What a reader of pandas gets, with the precision it has to be asked for."""
    if not len(frame) or not frame.columns.size:
        return
    back = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")
    assert len(back) == len(frame)
    for place, kind in enumerate(frame.dtypes):
        if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind):
            mine = pd.to_numeric(frame.iloc[:, place], errors="coerce").to_numpy(float, na_value=np.nan)
            theirs = back.iloc[:, place].to_numpy(float, na_value=np.nan)
            np.testing.assert_array_equal(mine, theirs, err_msg=str(frame.columns[place]))


def restored(cell: str) -> str:
    """Take back the apostrophe in front of what a spreadsheet would run as a formula."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA_STARTS) else cell


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def same(cell: str, value: Any) -> bool:
    """Whether a cell is a value, written."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return cell == ""
    if isinstance(value, bool):
        return cell == str(value)
    if isinstance(value, int):
        return int(cell) == value
    if isinstance(value, float):
        return float(cell) == value
    if isinstance(value, str):
        return restored(cell) == value
    return bool(json.loads(restored(cell)) == json.loads(json.dumps(plain(value))))
