"""Changing the saved views: save, replace, rename, delete and undo, send as a file and take from one."""

import functools
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.export import file_name
from core.ui import download, states
from core.ui.wording import count, escape, listed
from core.views import (
    MOST_BYTES,
    NameTakenError,
    SavedView,
    ViewError,
    Views,
    add_views,
    delete_view,
    read_shared,
    rename_view,
    restore_view,
    save_view,
    shared_bytes,
    view_of,
)

NAME, CHOSEN, NEW_NAME, FILE = "view_name", "view_chosen", "view_new_name", "view_file"
LARGEST = -(-MOST_BYTES // 1_000_000)
"""Megabytes of a file that is taken in."""

_SAID, _TAKEN, _FILES = "_views_said", "_views_taken", "_views_files"


@dataclass(frozen=True)
class Said:
    """What became of a change, told until the next; a deleted or replaced view can be put back."""

    words: str
    fault: bool = False
    deleted: SavedView | None = None
    replaced: SavedView | None = None
    place: int = 0


def show_said(path: Path) -> None:
    """Say what became of the last change of this file, and offer to take it back."""
    of, said = st.session_state.get(_SAID, (None, None))
    if said is None or of != path:
        return
    if said.fault:
        states.error(said.words)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.success(escape(said.words), icon=":material/check:")
        if said.deleted or said.replaced:
            st.button("Undo", key="view_undo", icon=":material/undo:", on_click=_undo, args=(path, said))


def save(path: Path, page: str, suggested: str) -> None:
    """Save the page under the name that was typed, or the suggested one (a callback)."""
    name = st.session_state.get(NAME) or suggested
    st.session_state.pop(_TAKEN, None)
    parameters = {key: st.query_params.get_all(key) for key in st.query_params}
    try:
        view = view_of(name, page, parameters)
    except ViewError as fault:
        _say(path, Said(f"Not saved: {fault}", fault=True))
        return
    try:
        save_view(path, view)
    except NameTakenError:
        st.session_state[_TAKEN] = (path, view)
        _say(path, None)
        return
    except ViewError as fault:
        _say(path, Said(str(fault), fault=True))
        return
    st.session_state[NAME] = ""
    _say(path, Said(f"Saved as {view.name}"))


def offer_replacing(path: Path) -> None:
    """Ask whether the view of a name that is taken is to be replaced, where that was tried."""
    of, view = st.session_state.get(_TAKEN, (None, None))
    if view is None or of != path:
        return
    st.warning(f"There is a view called {escape(view.name)} already.", icon=":material/content_copy:")
    st.button("Replace it", key="view_replace", on_click=_replace, args=(path, view))


def show(path: Path, dataset: str, views: Views, *, can_write: bool) -> None:
    """Show what can be done with one view and with all of them."""
    if views.views:
        names = [view.name for view in views.views]
        if st.session_state.get(CHOSEN) not in names:
            st.session_state.pop(CHOSEN, None)
        name = st.selectbox("View", names, key=CHOSEN)
        chosen = views.named(name or names[0]) or views.views[0]
        if can_write:
            _rename_and_delete(path, chosen)
        one = file_name(dataset, "view", chosen.name, extension="json")
        every = file_name(dataset, "views", extension="json")
        files = [
            download.Download("This view", one, functools.partial(shared_bytes, [chosen], dataset), _JSON)
        ]
        if len(names) > 1:
            make = functools.partial(shared_bytes, views.views, dataset)
            files.append(download.Download(f"All views ({len(names)})", every, make, _JSON))
        download.row(*files)
    if can_write:
        number = st.session_state.get(_FILES, 0)
        st.file_uploader(
            "Add views from a file",
            type="json",
            max_upload_size=LARGEST,
            key=f"{FILE} {number}",
            on_change=_take,
            args=(path, dataset, f"{FILE} {number}"),
            help="A .json file that someone made here with “This view” or “All views”.",
        )


_JSON = download.MIME["json"]


def _rename_and_delete(path: Path, chosen: SavedView) -> None:
    # Another view is another widget, that begins with its own name.
    key = f"{NEW_NAME} {chosen.name}"
    st.text_input("New name", value=chosen.name, key=key)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Rename",
            key="view_rename",
            icon=":material/edit:",
            on_click=_rename,
            args=(path, chosen.name, key),
        )
        st.button(
            "Delete", key="view_delete", icon=":material/delete:", on_click=_delete, args=(path, chosen.name)
        )


def _replace(path: Path, view: SavedView) -> None:
    st.session_state.pop(_TAKEN, None)
    try:
        before = save_view(path, view, replace=True)
    except ViewError as fault:
        _say(path, Said(str(fault), fault=True))
        return
    st.session_state[NAME] = ""
    _say(path, Said(f"Replaced {view.name}", replaced=before))


def _rename(path: Path, name: str, key: str) -> None:
    try:
        new = rename_view(path, name, st.session_state.get(key) or "")
    except ViewError as fault:
        _say(path, Said(str(fault), fault=True))
        return
    st.session_state[CHOSEN] = new
    _say(path, Said(f"Renamed to {new}"))


def _delete(path: Path, name: str) -> None:
    try:
        view, place = delete_view(path, name)
    except ViewError as fault:
        _say(path, Said(str(fault), fault=True))
        return
    _say(path, Said(f"Deleted {view.name}", deleted=view, place=place))


def _undo(path: Path, said: Said) -> None:
    try:
        if said.deleted:
            _say(path, Said(f"{restore_view(path, said.deleted, said.place)} is back"))
        elif said.replaced:
            save_view(path, said.replaced, replace=True)
            _say(path, Said(f"{said.replaced.name} is as it was"))
    except ViewError as fault:
        _say(path, Said(str(fault), fault=True))


def _take(path: Path, dataset: str, key: str) -> None:
    file: UploadedFile | None = st.session_state.get(key)
    if file is None:
        return
    # A new uploader, empty: the file is taken or refused, and either is said.
    st.session_state[_FILES] = st.session_state.get(_FILES, 0) + 1
    try:
        shared = read_shared(file.getvalue())
        result = add_views(path, shared.views)
    except ViewError as fault:
        _say(path, Said(f"No view was added: {fault}", fault=True))
        return
    words = [f"Added {listed(result.added)}" if result.added else "Nothing new"]
    if result.known:
        words.append(f"{count(len(result.known), 'view')} here already")
    if shared.dataset and shared.dataset != dataset:
        words.append(
            f"made on the dataset {shared.dataset}: what is not in this one is named when one is opened"
        )
    _say(path, Said("; ".join(words)))


def _say(path: Path, said: Said | None) -> None:
    st.session_state[_SAID] = (path, said)
