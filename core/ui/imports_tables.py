"""Which of the files are imported, mapped where their columns are not known; their first records tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from core.importers.record import UNUSED
from core.importers.tables import Table, read_table
from core.ui import imports_mapping, imports_preview, states
from core.ui.imports_look import Look, LookedAt, Trial
from core.ui.imports_preview import Said
from core.ui.imports_run import Order
from core.ui.imports_source import Chosen
from core.ui.wording import count, escape

RECORDS = "records"

PROBED = 20
"""Tables whose first records are tried to find out whether they need a mapping."""

MOST_SOURCES = 500
"""Tables that are named one by one on the command line."""


@dataclass(frozen=True)
class Part:
    """What is imported now.

    Attributes
    ----------
    sources
        As the importer takes them.
    files
        Those whose first records can be shown.
    format
        None where the importer recognises it.
    fixed
        Fields with one value, asked for by the mapping form.
    problems
        What keeps the import from starting.
    """

    sources: tuple[str, ...]
    files: tuple[LookedAt, ...]
    format: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def choose(looked: Look, chosen: Chosen) -> Part | None:
    """Ask what is not clear yet; None where nothing of the sources can be imported."""
    tables = [*looked.tables, *_unusable(looked.recognised)]
    paths = {table.path for table in tables}
    ready = tuple(file for file in looked.recognised if file.path not in paths)
    if not ready and not tables:
        states.error(
            "Nothing here is recognised as results of an evaluation, and nothing is a table (CSV, JSON Lines"
            " or Parquet) whose columns could be mapped"
        )
        return None
    if tables and (not ready or _tables_first(ready, tables)):
        return _mapped(tables)
    whole = Part(tuple(map(str, chosen.sources)), ready)
    own = [file for file in ready if file.format == RECORDS]
    if len(own) == len(ready) and st.toggle(
        "Map columns",
        key="imports_map",
        help="These files can be imported as they are. Where a column is something else than its name says,"
        " or is not used, say here what it is.",
    ):
        return _mapped([table for file in own[:PROBED] if (table := read_table(file.path)) is not None], own)
    return whole


def _unusable(recognised: Sequence[LookedAt]) -> list[Table]:
    """Return the tables of which no record can be used without a mapping."""
    found = []
    for file in [one for one in recognised if one.format == RECORDS][:PROBED]:
        tried = imports_preview.trial(imports_preview.marks_of([file.path]), RECORDS, Said())
        if not tried.kept and (table := read_table(file.path)) is not None:
            found.append(table)
    return found


def _tables_first(ready: Sequence[LookedAt], tables: Sequence[Table]) -> bool:
    names = {
        False: f"{count(len(ready), 'recognised file')}",
        True: f"{count(len(tables), 'table')} with a mapping",
    }
    picked = st.segmented_control(
        "Import now",
        list(names),
        default=False,
        required=True,
        format_func=names.__getitem__,
        key="imports_part",
        help="A mapping is for tables only, so these are two imports; they can go into one dataset.",
    )
    return bool(picked)


def _mapped(tables: Sequence[Table], files: Sequence[LookedAt] = ()) -> Part:
    st.subheader("Columns")
    st.caption(
        "Say which column is what. The guesses go by the names; the first records below are the proof."
    )
    mapped = imports_mapping.show(tables)
    with st.expander("The table as it is", icon=":material/table:"):
        imports_preview.show_raw(tables[0])
    taken = tuple(files) or tuple(LookedAt(table.path, 0, RECORDS) for table in tables)
    problems = mapped.problems
    if len(taken) > MOST_SOURCES:
        problems = (*problems, f"More than {MOST_SOURCES} tables: map them by `--map` on the command line.")
    return Part(
        tuple(str(file.path) for file in taken), taken, RECORDS, mapped.mapping, mapped.fixed, problems
    )


def show_trial(part: Part, order: Order, chosen: Chosen) -> bool:
    """Show the first records of a file, as they will be stored; return whether any can be used."""
    if part.problems:
        return False
    files = part.files[:MOST_SOURCES]
    names = [chosen.name_of(file.path) for file in files]
    place = 0
    if len(files) > 1:
        picked = st.selectbox(
            "Preview of", range(len(files)), format_func=names.__getitem__, key="imports_preview", width=500
        )
        place = picked or 0
    file = files[place]
    tried = imports_preview.trial(
        imports_preview.marks_of([file.path]),
        part.format or file.format or RECORDS,
        imports_preview.said_of(order),
    )
    _verdict(tried)
    imports_preview.show_trial(tried, names[place])
    return tried.kept > 0


def _verdict(tried: Trial) -> None:
    """Say how many of the first records can be used, and why not the others."""
    reasons = "; ".join(f"{times:,} {reason}" for reason, times in tried.skipped.items())
    words = f"{tried.kept:,} of the first {count(tried.read, 'record')} can be used"
    if not tried.read:
        st.warning("The file has no records.", icon=":material/info:")
    elif tried.skipped:
        show = st.warning if tried.kept else st.error
        show(f"{escape(words)}. Skipped: {escape(reasons)}.", icon=":material/rule:")
    else:
        st.success(f"{escape(words)}.", icon=":material/check:")
    told = [remark for remark in tried.remarks if not remark.startswith(UNUSED)]
    for remark in told[:5]:
        st.caption(escape(remark))
