"""What was recognised in the sources, and their first records: data, shown as tables only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.importers.reader import Options
from core.importers.tables import Table
from core.ui import imports_look
from core.ui.imports_look import Look, Preplan, Trial
from core.ui.imports_run import Order
from core.ui.imports_source import Chosen
from core.ui.wording import count, escape, listed

MOST_ROWS = 500
"""Files that the tables list."""

CELL = 300
"""Characters of a text that the preview sends."""

STATES = {"new": "New", "changed": "Changed, replaced", "known": "There already", "copy": "Copy of another"}

Marks = tuple[tuple[str, int, int], ...]
"""(path, size, mtime) of each source: another value is another source."""


def marks_of(sources: Sequence[Path]) -> Marks:
    """Return what tells one state of sources from another; a folder's files are not looked at."""
    marks = []
    for path in sources:
        try:
            status = path.stat()
        except OSError:
            continue
        marks.append((str(path), status.st_size, status.st_mtime_ns))
    return tuple(marks)


@st.cache_data(show_spinner="Recognising files …", max_entries=8, ttl=60)
def look(marks: Marks) -> Look:
    """Return what the files of sources are, for a minute: a folder may get more."""
    return imports_look.look([Path(path) for path, _, _ in marks])


@dataclass(frozen=True)
class Said:
    """What the user said of the sources, as pairs that a cache can tell apart."""

    mapping: tuple[tuple[str, str], ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()
    tasks: tuple[tuple[str, str], ...] = ()
    scorers: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()

    @property
    def options(self) -> Options:
        """What the importer takes."""
        pairs = dict(self.mapping), dict(self.overrides), dict(self.tasks)
        return Options(*pairs, self.scorers, self.filters)


def said_of(order: Order) -> Said:
    """Return what an order says of its sources."""
    return Said(
        tuple(order.mapping.items()),
        tuple(order.overrides.items()),
        tuple(order.tasks.items()),
        order.scorers,
        order.filters,
    )


@st.cache_data(show_spinner="Reading the first records …", max_entries=64)
def trial(marks: Marks, format: str, said: Said) -> Trial:
    """Return what would become of a file's first records."""
    return imports_look.try_records(Path(marks[0][0]), format, said.options)


def summary(looked: Look) -> str:
    """Return in one sentence what was found."""
    names = [f"{number:,} as {format.replace('_', ' ')}" for format, number in looked.formats.items()]
    parts = [f"{count(len(looked.recognised), 'file')} recognised ({listed(names)})"] if names else []
    if looked.tables:
        whose = "its" if len(looked.tables) == 1 else "their"
        parts.append(f"{count(len(looked.tables), 'table')} with columns of {whose} own")
    other = len(looked.files) - len(looked.recognised) - len(looked.tables)
    if other:
        parts.append(f"{count(other, 'file')} left out")
    return "; ".join(parts) or "No files"


def files_frame(looked: Look, chosen: Chosen) -> pd.DataFrame:
    """Return the files with what each is."""
    tables = {table.path for table in looked.tables}
    rows = [
        {
            "file": chosen.name_of(file.path),
            "format": file.format or ("table" if file.path in tables else None),
            "bytes": file.size,
            "note": "columns of its own: see below" if file.path in tables else file.why or None,
        }
        for file in looked.files[:MOST_ROWS]
    ]
    return pd.DataFrame(rows, columns=["file", "format", "bytes", "note"])


def show_files(looked: Look, chosen: Chosen) -> None:
    """List the files with what each is; open where something is left out."""
    left_out = len(looked.files) > len(looked.recognised) + len(looked.tables)
    if len(looked.files) == 1 and not left_out:
        return
    with st.expander(count(len(looked.files), "file"), expanded=left_out and len(looked.files) <= 10):
        st.dataframe(
            files_frame(looked, chosen),
            column_config={"bytes": st.column_config.NumberColumn("size", format="bytes")},
            hide_index=True,
            placeholder="—",
            alt="Files of the sources, their format and why some are left out",
        )
        if len(looked.files) > MOST_ROWS:
            st.caption(f"The first {MOST_ROWS:,} of {len(looked.files):,}.")


def show_trial(found: Trial, what: str) -> None:
    """Show the first records as they would be stored, and what is wrong with others."""
    if found.kept:
        st.caption(f"The first records of {escape(what)}, as they will be stored.")
        st.dataframe(
            record_frame(found.rows),
            hide_index=True,
            height=min(300, 38 + 35 * len(found.rows)),
            placeholder="—",
            alt="First records as they will be stored",
        )


def record_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return records as shown: columns that say something, long texts cut."""
    kept = {
        name: [_cell(row.get(name)) for row in rows]
        for name in (rows[0] if rows else ())
        if name not in HIDDEN and any(row.get(name) not in (None, "default") for row in rows)
    }
    return pd.DataFrame(kept)


HIDDEN = (
    "paired",
    "prompt_token_ids",
    "response_bytes",
    "compressed_bytes",
    "token_source",
    "truncation",
    "place",
)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= CELL else f"{value[:CELL]} …"
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def show_raw(table: Table) -> None:
    """Show the first rows of a table as they are in the file."""
    frame = pd.DataFrame([{name: _raw(row.get(name)) for name in row} for row in table.rows[:20]])
    st.dataframe(
        frame, hide_index=True, height=min(300, 38 + 35 * len(frame)), placeholder="—",
        alt="First rows of the table as they are in the file",
    )  # fmt: skip


def _raw(value: Any) -> str | None:
    return None if value is None else str(_cell(value if isinstance(value, str) else str(value)))


def plan_frame(made: Preplan, chosen: Chosen) -> pd.DataFrame:
    """Return what will become of each file."""
    found = [
        *((path, STATES["new"], None) for path in made.new),
        *((path, STATES["changed"], None) for path in made.changed),
        *((path, STATES["known"], None) for path in made.known),
        *(
            (Path(path), STATES["copy"], f"same content as {Path(of).name}")
            for path, of in made.copies.items()
        ),
        *((Path(path), "Left out", why) for why, paths in made.left_out.items() for path in paths),
    ]
    rows = [(chosen.name_of(path), what, why) for path, what, why in found[:MOST_ROWS]]
    return pd.DataFrame(rows, columns=["file", "plan", "why"])
