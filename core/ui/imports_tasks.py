"""Matching tasks: what a source calls a task, and what the dataset calls it, where several sources meet."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import streamlit as st

from core.config import load_config
from core.errors import ReasonScapeError
from core.importers.user_options import checked_tasks
from core.ui import imports_preview, states
from core.ui.imports_preview import Said
from core.ui.imports_tables import RECORDS, Part
from core.ui.wording import count, escape, listed

PROBED = 20
"""Files whose first records say what the tasks are called."""

THEIRS, OURS = "task in the source", "task in the dataset"


def ask(part: Part, values: Mapping[str, str], config: Path) -> dict[str, str]:
    """Ask for other names of tasks; empty where all keep theirs.

    Parameters
    ----------
    values
        Fields with one value for all records.
    config : Path
        Of the dataset that the results go to; it may not exist yet.
    """
    if part.problems or "base_task" in values:
        return {}
    with st.expander("Task names", icon=":material/merge:", key="imports_tasks", on_change="rerun") as opened:
        if not opened.open:
            return dict(st.session_state.get(_KEPT, {}).get(part.sources, {}))
        theirs = found_tasks(part, values)
        known = known_tasks(config)
        st.caption(
            "Two sources may call one task by two names: give them one name here, and their evals meet on it."
            + (f" The dataset has {escape(listed(known, 12))}." if known else "")
        )
        strangers = [task for task in theirs if known and task not in known]
        if strangers:
            st.caption(f"Not in the dataset yet: {escape(listed(strangers, 12))}.")
        shown = pd.DataFrame({THEIRS: theirs, OURS: theirs}, dtype="str")
        edited = st.data_editor(
            shown,
            key=f"imports_tasks table {hash((part.sources, tuple(theirs)))}",
            hide_index=True,
            num_rows="dynamic",
            width=600,
            alt="Tasks of the source and their names in the dataset",
        )
        try:
            names = checked_tasks(renamed(edited))
        except ReasonScapeError as fault:
            states.error(fault)
            return {}
        if names:
            st.caption(f"{count(len(names), 'task')} renamed at import.")
        st.session_state[_KEPT] = {part.sources: names}
        return names


_KEPT = "_imports_tasks"


def renamed(table: pd.DataFrame) -> dict[str, str]:
    """Return the rows of the table that give a task another name."""
    names = {}
    for theirs, ours in zip(table[THEIRS], table[OURS], strict=True):
        if pd.isna(theirs) or pd.isna(ours):
            continue
        source, target = str(theirs).strip(), str(ours).strip()
        if source and target and source != target:
            names[source] = target
    return names


def found_tasks(part: Part, values: Mapping[str, str]) -> list[str]:
    """Return the tasks of the first records of the first files."""
    found: dict[str, None] = {}
    for file in part.files[:PROBED]:
        tried = imports_preview.trial(
            imports_preview.marks_of([file.path]),
            part.format or file.format or RECORDS,
            Said(mapping=tuple(part.mapping.items()), overrides=tuple(values.items())),
        )
        found |= dict.fromkeys(tried.tasks)
    return list(found)


def known_tasks(config: Path) -> list[str]:
    """Return the tasks of the dataset that is there."""
    try:
        return list(load_config(config).basetasks) if config.exists() else []
    except ReasonScapeError:
        return []
