"""A table whose selected rows are the value of a widget elsewhere: either side may be used, both agree."""

from collections.abc import Callable, Hashable
from typing import Any, Literal, TypeVar

import pandas as pd
import streamlit as st

Row = TypeVar("Row", bound=Hashable)

ROW_PIXELS, MOST_ROWS = 35, 20


def height(rows: int, most: int = MOST_ROWS) -> int:
    """Return the pixels that show every row of a table, up to `most`."""
    return ROW_PIXELS * (min(rows, most) + 1) + 3


def show(
    frame: pd.DataFrame,
    ids: list[Row],
    wanted: list[Row],
    take: Callable[[list[Row]], list[Row]],
    *,
    name: str,
    mode: Literal["single-row", "multi-row"],
    columns: dict[str, Any],
    alt: str,
    most_rows: int = MOST_ROWS,
) -> None:
    """Show a table with some rows selected.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    ids : list
        What each row stands for.
    wanted : list
        The widget's value: which rows are selected.
    take : callable
        Given the ids of the rows that someone selected, sets the widget and returns its new value.
    name : str
        Unique among tables.
    mode, columns, alt
        As st.dataframe takes them.
    most_rows : int
        Rows in sight; further ones scroll.
    """
    last, version = f"_{name}_last", f"_{name}_version"
    if wanted != st.session_state.get(last):
        # Someone used the widget: only a new table takes a selection from Python.
        st.session_state[version] = st.session_state.get(version, 0) + 1
        st.session_state[last] = wanted
    key = f"{name} {st.session_state[version]} {hash(tuple(ids))}"

    def selected() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        st.session_state[last] = take([ids[row] for row in rows])

    st.dataframe(
        frame,
        column_config=columns,
        hide_index=True,
        height=height(len(frame), most_rows),
        placeholder="—",
        key=key,
        on_select=selected,
        selection_mode=mode,
        selection_default={"selection": {"rows": [place for place, one in enumerate(ids) if one in wanted]}},
        alt=alt,
    )
