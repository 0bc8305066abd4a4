"""What tooltips say of a number that is missing: a dash.

Vega formats null as the number 0. A tooltip is therefore made text where the rows behind it lack a value.
"""

import json
from collections.abc import Callable
from typing import Any

DASH = "—"


def dash_missing(spec: dict[str, Any]) -> None:
    """Change the tooltips of a Vega-Lite specification, in place, that would show a missing number as 0."""
    _walk(spec, None, spec.get("datasets", {}), {})


def _walk(part: dict[str, Any], rows: Any, datasets: dict[str, Any], known: dict[Any, bool]) -> None:
    if "data" in part:
        rows = _rows(part["data"], datasets)

    def lacks(field: str) -> bool:
        place = (id(rows), field)
        if place not in known:
            known[place] = isinstance(rows, list) and any(_is_null(row, field) for row in rows)
        return known[place]

    tooltips = part.get("encoding", {}).get("tooltip")
    if isinstance(tooltips, list):
        added = [found for one in tooltips if (found := _as_text(one, lacks))]
        if added:
            # After the part's own transforms, which may filter what is shown.
            part["transform"] = [*part.get("transform", []), *added]
    for inner in ("layer", "hconcat", "vconcat", "concat"):
        for one in part.get(inner, []):
            _walk(one, rows, datasets, known)
    if isinstance(part.get("spec"), dict):
        _walk(part["spec"], rows, datasets, known)


def _rows(data: Any, datasets: dict[str, Any]) -> Any:
    return data.get("values", datasets.get(str(data.get("name")))) if isinstance(data, dict) else None


def _is_null(row: Any, field: str) -> bool:
    return isinstance(row, dict) and field in row and row[field] is None


def _as_text(tooltip: dict[str, Any], lacks: Callable[[str], bool]) -> dict[str, Any] | None:
    """Make a tooltip of a field with missing numbers one of text; returns the transform that it needs."""
    field, form = tooltip.get("field"), tooltip.get("format")
    if not isinstance(field, str) or not form or "aggregate" in tooltip or not lacks(field):
        return None
    value, told = f"datum[{json.dumps(field)}]", f"{field} or dash"
    tooltip.setdefault("title", field)
    tooltip.update(field=told, type="nominal")
    del tooltip["format"]
    calculate = f"isValid({value}) ? format({value}, {json.dumps(form)}) : {json.dumps(DASH)}"
    return {"calculate": calculate, "as": told}
