"""The rows of a chart as Altair takes them: its own way is made for any frame, and slow for small ones."""

import math
from typing import Any

import altair as alt
import pandas as pd

_PLAIN = "biufOUT"
"""Kinds of columns that become JSON as they are: booleans, numbers, texts."""


def chart_values(data: Any) -> Any:
    """Return `{"values": rows}` of a frame, a missing or infinite number as null; other data as Altair does.

    Altair calls it for the data of every layer (`alt.data_transformers`).
    """
    if not isinstance(data, pd.DataFrame) or any(kind not in _PLAIN for kind in map(_kind, data.dtypes)):
        return alt.to_values(data)
    columns = [_column(data.iloc[:, place]) for place in range(data.shape[1])]
    names = [str(name) for name in data.columns]
    return {"values": [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]}


def _kind(dtype: Any) -> str:
    return "T" if isinstance(dtype, pd.StringDtype) else str(getattr(dtype, "kind", ""))


def _column(column: "pd.Series[Any]") -> list[Any]:
    values = column.tolist()
    if _kind(column.dtype) in "biu" and not column.hasnans:
        return values
    return [_known(value) for value in values]


def _known(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return None if value is pd.NA or value is pd.NaT else value
