"""Tables with columns of their own: what each column probably is, and the mapping file.

No Streamlit here. A mapping is what `python -m core import --map` reads: our field -> their column.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.importers.fields import NAME_LENGTH
from core.importers.record import FIELDS as RECORD_FIELDS
from core.importers.record import PARAM_PREFIX
from core.importers.tables import Table
from core.ui.imports_fields import FIELDS, NAMES, NUMBERS


def value_of(row: Mapping[str, Any], column: str) -> Any:
    """Return what a column has in a record, dots reaching into objects."""
    if column in row:
        return row[column]
    value: Any = row
    for part in column.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def guess_mapping(tables: Sequence[Table]) -> dict[str, str]:
    """Return which column each field probably is; a column serves one field, in the order of the form."""
    rows = [row for table in tables for row in table.rows]
    left = {name: _bare(name) for table in tables for name in table.columns}
    found = {name: name for name in FIELDS if name in left}
    for name in found:
        del left[name]
    for field in FIELDS.values():
        if field.name in found or (field.name == "outcome" and "score" in found):
            continue
        for wanted in (_bare(field.name), *field.names.split()):
            columns = [name for name, bare in left.items() if bare == wanted]
            if columns and fits(field.name, [value_of(row, columns[0]) for row in rows]):
                found[field.name] = columns[0]
                del left[columns[0]]
                break
    if "base_task" not in found and "category" in found:
        # Benchmarks in one table are often told apart by nothing else.
        found["base_task"] = found.pop("category")
    return {name: found[name] for name in FIELDS if name in found}


def guess_params(tables: Sequence[Table], mapping: Mapping[str, str]) -> list[str]:
    """Return the columns that look like params: numbers of few values that nothing else has taken."""
    used = set(mapping.values())
    found = []
    for name in dict.fromkeys(column for table in tables for column in table.columns):
        values = [value_of(row, name) for table in tables for row in table.rows]
        given = [value for value in values if value is not None and value != ""]
        few = 1 < len({str(value) for value in given}) <= max(2, len(given) // 3)
        if (
            name not in used
            and name not in RECORD_FIELDS
            and few
            and all(_is_number(value) for value in given)
        ):
            found.append(name)
    return [name for name in found if not name.startswith(PARAM_PREFIX)]


def mapping_file(fields: Mapping[str, str | None], params: Iterable[str]) -> dict[str, str]:
    """Return the content of the mapping file; a column that is called as its field needs no entry."""
    entries = {ours: theirs for ours, theirs in fields.items() if theirs and theirs != ours}
    for column in params:
        entries[PARAM_PREFIX + column.rpartition(".")[2]] = column
    return entries


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].casefold())


def fits(field: str, values: Iterable[Any]) -> bool:
    """Whether a column's values can be those of a field."""
    given = [value for value in values if value is not None and value != ""]
    if field == "score":
        return bool(given) and all(_is_score(value) for value in given)
    if field in NUMBERS:
        return all(_is_number(value) for value in given)
    if field in NAMES:
        return all(isinstance(value, str | int | float) and len(str(value)) <= NAME_LENGTH for value in given)
    return True


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bool)


def _is_score(value: Any) -> bool:
    if isinstance(value, bool) or str(value).strip().lower() in ("true", "false"):
        return True
    return _is_number(value) and 0.0 <= float(value) <= 1.0
