"""Marks of a chart that can be clicked: a selection added to the specification of a finished chart.

Only the screen has it: the image that is exported stays as it is.
"""

from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]

_NAME = "picked"


def selectable(spec: Spec, fields: Sequence[str]) -> Spec:
    """Return a specification of which one mark at a time can be clicked.

    Parameters
    ----------
    spec : dict
        A finished chart: layers, facets and charts beside each other may be nested.
    fields : sequence of str
        What a mark says of itself when it is clicked: columns of its data.
    """
    return dict(_with_selection(spec, list(fields), [0]))


def _with_selection(spec: Spec, fields: list[str], made: list[int]) -> Spec:
    for several in ("hconcat", "vconcat", "concat"):
        if several in spec:
            return {**spec, several: [_with_selection(one, fields, made) for one in spec[several]]}
    if "spec" in spec:
        return {**spec, "spec": _with_selection(spec["spec"], fields, made)}
    if "layer" in spec:
        # One layer takes the clicks on the marks of all: they share the plot.
        first, *others = spec["layer"]
        return {**spec, "layer": [_with_selection(first, fields, made), *others]}
    made[0] += 1
    selection = {
        "name": f"{_NAME}_{made[0]}",
        "select": {"type": "point", "fields": fields, "toggle": False},
    }
    return {**spec, "params": [*spec.get("params", []), selection]}


def picked(event: Any, fields: Sequence[str]) -> Spec | None:
    """Return the fields of the mark that is selected, None where none is.

    Parameters
    ----------
    event
        What st.vega_lite_chart returned.
    """
    selection = event.get("selection", {}) if event else {}
    for name, rows in selection.items():
        if name.startswith(_NAME) and rows:
            values = {field: rows[0].get(field) for field in fields}
            # A mark of another layer may know nothing of them.
            return None if None in values.values() else values
    return None
