"""Saving an edit of the dataset's config, taking it back, and saying what became of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.config import DatasetConfig, load_config
from core.config.edits import differences
from core.config.history import edits, save_edit, text_mark, undo
from core.errors import ConfigError
from core.ui import states
from core.ui.wording import capital, escape, listed

_SAID = "_edit_said"


@dataclass(frozen=True)
class Editing:
    """A config as it is edited: the file, what it says, and the mark of that state of it."""

    path: Path
    config: DatasetConfig
    mark: str

    def key(self, name: str) -> str:
        """Return a widget's key: another state of the file is another widget, without what was typed."""
        return f"edit {name} {self.path.stem} {self.mark[:12]}"


def read(path: Path) -> Editing:
    """Read a config to edit it.

    Raises
    ------
    ConfigError
        It cannot be read.
    """
    # The mark first: a change in between makes it out of date, and nothing is saved.
    mark = text_mark(path)
    return Editing(path, load_config(path), mark)


def save_button(
    editing: Editing,
    change: Callable[[], DatasetConfig],
    *,
    label: str = "Save",
    key: str,
) -> None:
    """Show what would change and the button that saves it; nothing where nothing would.

    Parameters
    ----------
    change : callable
        Returns the edited config, or raises ConfigError.
    """
    try:
        changed = change()
    except ConfigError as fault:
        states.error(fault)
        return
    words = differences(editing.config, changed)
    if words:
        st.caption(f"Not saved yet: {escape(listed(words, 6))}.")
    st.button(
        label,
        key=editing.key(f"save {key}"),
        type="primary",
        icon=":material/save:",
        disabled=not words,
        on_click=save,
        args=(editing, changed, listed(words, 6)),
    )


def save(editing: Editing, changed: DatasetConfig, what: str) -> None:
    """Save an edited config (a callback)."""
    try:
        save_edit(changed, editing.path, seen=editing.mark, what=what)
    except ConfigError as fault:
        st.session_state[_SAID] = ("error", str(fault))
        return
    st.session_state[_SAID] = ("success", f"Saved: {what}")


def _undo(path: Path) -> None:
    try:
        what = undo(path)
    except ConfigError as fault:
        st.session_state[_SAID] = ("error", str(fault))
        return
    st.session_state[_SAID] = ("success", f"Undone: {what}")


def show_history(editing: Editing) -> None:
    """Say what became of the last edit, and offer to take back the newest one."""
    kind, words = st.session_state.pop(_SAID, ("", ""))
    if kind == "error":
        states.error(words)
    elif words:
        st.success(escape(words), icon=":material/check:")
    known = edits(editing.path)
    if not known:
        return
    last = known[-1]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Undo",
            key=editing.key("undo"),
            icon=":material/undo:",
            on_click=_undo,
            args=(editing.path,),
            help=f"Takes back: {escape(last.what)}",
        )
        more = f", {len(known) - 1} before it" if len(known) > 1 else ""
        when = last.at.replace("T", " ").partition("+")[0]
        st.caption(f"Last edit: {escape(capital(last.what))} ({when} UTC{more}).")
