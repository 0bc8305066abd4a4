"""Looking through a whole source before it is imported: its fields, and which pages will work with it.

`python -m core inspect-source` does it, in a process of its own: what hangs or breaks there leaves the app
alone.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import SourceError
from core.tiers.coverage import page_coverage, source_facts
from core.ui import coverage_table, imports_preview, states
from core.ui.imports_mapping import file_text
from core.ui.imports_preview import Marks
from core.ui.imports_run import ROOT, Order
from core.ui.imports_source import Chosen
from core.ui.wording import count, escape, listed

SECONDS = 300
"""Time limit; what takes longer is imported to know."""


@st.cache_data(show_spinner="Looking through all files …", max_entries=8, ttl=600)
def inspected(marks: Marks, order: Order) -> Mapping[str, Any]:
    """Return what inspect-source says of the sources.

    Raises
    ------
    SourceError
        It cannot say, or takes too long.
    """
    with tempfile.TemporaryDirectory(prefix="inspect-source-") as folder:
        mapping = Path(folder, "mapping.json")
        mapping.write_text(file_text(order.mapping), encoding="utf-8")
        how = order.reading(mapping, format_flag="--source-format")
        command = [sys.executable, "-m", "core", "inspect-source", *how, "--format", "json"]
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            raise SourceError(f"Looking through all files takes more than {SECONDS} seconds") from None
    try:
        document = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it ended early"]
        raise SourceError(f"The files could not be looked through: {said[-1]}") from None
    return dict(document)


def show(order: Order, chosen: Chosen) -> None:
    """Offer to look through everything, and show what is there."""
    with st.expander(
        "Look through all records: which pages will work",
        icon=":material/search:",
        key="imports_inspect",
        on_change="rerun",
    ) as opened:
        if not opened.open:
            return
        marks = imports_preview.marks_of([Path(source) for source in order.sources])
        try:
            document = inspected(marks, order)
        except SourceError as fault:
            states.error(fault)
            return
        _show(document, chosen)


def _show(document: Mapping[str, Any], chosen: Chosen) -> None:
    kept, read = int(document["kept"]), int(document["read"])
    st.markdown(
        f"**{kept:,} of {count(read, 'record')} can be used: {count(document['evals'], 'eval')},"
        f" {count(document['tasks'], 'task')}, {count(document['items'], 'item')}.**"
    )
    for what, names in (("Models", document["models"]), ("Tasks", document["base_tasks"])):
        if names:
            st.caption(f"{what}: {escape(listed([f'{name} ({n:,})' for name, n in names.items()], 12))}.")
    there = [name for name, n in document["fields"].items() if n]
    missing = [name for name, n in document["fields"].items() if not n]
    st.caption(
        f"Fields: {escape(', '.join(there) or 'none')}. Not there: {escape(', '.join(missing) or '—')}."
    )
    for reason, times in document["skipped"].items():
        st.caption(f"Skipped: {times:,} {escape(reason)}.")
    rows = coverage_table.existing(page_coverage(source_facts(document)))
    st.caption(f"If {escape(chosen.shown)} is imported: {escape(coverage_table.sentence(rows))}")
    coverage_table.show(rows)
