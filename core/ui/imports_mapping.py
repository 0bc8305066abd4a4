"""The mapping form: which column of a table is which field, checked on its first records as one chooses."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from core.importers.tables import Table
from core.ui.imports_columns import guess_mapping, guess_params, mapping_file, value_of
from core.ui.imports_fields import FIELDS, FIRST, MORE, Field
from core.ui.wording import count, escape, listed

NONE, ONE_VALUE = -2, -1
"""Choices beside the columns, which are chosen by their place: a column may be called anything."""


@dataclass(frozen=True)
class Mapped:
    """What the form says: the mapping file's content, fields with one value, and what is wrong with it."""

    mapping: Mapping[str, str]
    fixed: Mapping[str, str]
    problems: tuple[str, ...]


def show(tables: Sequence[Table]) -> Mapped:
    """Show the form for the columns of tables and return what it says."""
    columns = list(dict.fromkeys(name for table in tables for name in table.columns))
    mark = hashlib.sha256("\n".join(columns).encode()).hexdigest()[:8]
    guessed = guess_mapping(tables)
    chosen: dict[str, str | None] = {}
    fixed: dict[str, str] = {}
    _fields(FIRST, columns, guessed, mark, chosen, fixed)
    found = [FIELDS[name].label for name in guessed if FIELDS[name] in MORE]
    label = f"More columns: {listed(found, 6)}" if found else "More columns"
    with st.expander(label, icon=":material/view_column:", key=f"map more {mark}"):
        _fields(MORE, columns, guessed, mark, chosen, fixed)
    params = st.multiselect(
        "Params: difficulty settings of an item",
        [name for name in columns if name not in chosen.values()],
        default=[name for name in guess_params(tables, guessed) if name not in chosen.values()],
        key=f"map params {mark}",
        placeholder="None",
        help="Numbers of few values, such as length or depth: accuracy is shown along them.",
    )
    _unused(tables, columns, {*filter(None, chosen.values()), *params})
    return Mapped(mapping_file(chosen, params), fixed, problems_of(chosen, fixed, params))


def problems_of(
    chosen: Mapping[str, str | None], fixed: Mapping[str, str], params: Iterable[str]
) -> tuple[str, ...]:
    """Return what keeps a mapping from being used, a sentence each."""
    problems = []
    for name in ("model", "base_task"):
        if not chosen.get(name) and not fixed.get(name):
            problems.append(f"{FIELDS[name].label}: choose a column, or give one value for all records.")
    if not chosen.get("score") and not chosen.get("outcome"):
        problems.append("Score or outcome: choose the column that says whether a response was right.")
    fields: dict[str, list[str]] = {}
    for name, column in chosen.items():
        if column:
            fields.setdefault(column, []).append(FIELDS[name].label)
    problems += [
        f"Column {column} is used for {listed(names)}: a column can be one field only."
        for column, names in fields.items()
        if len(names) > 1
    ]
    if len(fields) + len(list(params)) == 1:
        problems.append("One column alone does not make a record: choose an item id or a param as well.")
    return tuple(problems)


def _fields(
    fields: Sequence[Field],
    columns: Sequence[str],
    guessed: Mapping[str, str],
    mark: str,
    chosen: dict[str, str | None],
    fixed: dict[str, str],
) -> None:
    with st.container(horizontal=True, gap="small"):
        for field in fields:
            with st.container(width=225, gap="xsmall"):
                options = [NONE, *([ONE_VALUE] if field.fixed else []), *range(len(columns))]
                guess = columns.index(guessed[field.name]) if field.name in guessed else NONE
                picked = st.selectbox(
                    field.label,
                    options,
                    index=options.index(guess),
                    format_func=lambda option: _option(option, columns),
                    key=f"map {mark} {field.name}",
                    help=field.help,
                )
                chosen[field.name] = columns[picked] if picked is not None and picked >= 0 else None
                if picked == ONE_VALUE:
                    value = st.text_input(
                        f"{field.label} of all records",
                        key=f"map {mark} {field.name} value",
                        label_visibility="collapsed",
                        placeholder=f"{field.label} of all records",
                    )
                    if (value or "").strip():
                        fixed[field.name] = (value or "").strip()


def _option(option: int, columns: Sequence[str]) -> str:
    return {NONE: "—", ONE_VALUE: "One value for all …"}.get(option) or columns[option]


def _unused(tables: Sequence[Table], columns: Sequence[str], used: set[str]) -> None:
    left = [name for name in columns if name not in used]
    if left:
        first = {
            name: next((str(value_of(row, name)) for table in tables for row in table.rows), "")
            for name in left
        }
        shown = [f"{name} ({first[name][:30]})" for name in left]
        st.caption(f"Not imported: {count(len(left), 'column')}: {escape(listed(shown, 8))}.")


def file_text(mapping: Mapping[str, str]) -> str:
    """Return the mapping file."""
    return json.dumps(mapping, indent=2, ensure_ascii=False) + "\n"
