"""Saved views in the head of every page: save this page under a name, open one, and keep them in order."""

from html import escape as as_html
from pathlib import Path

import streamlit as st

from core.ui import saved_views_edit as edit
from core.ui import states
from core.ui.sidebar import View
from core.ui.wording import count, escape
from core.views import (
    DEFAULT_PAGE,
    NAME_LENGTH,
    PAGES,
    SavedView,
    ViewError,
    Views,
    read_views,
    views_path,
    writable,
)

WIDTH = 420
"""Of the open popover in pixels; a narrow screen makes it narrower."""

WORDS = 90
"""Characters of what a view is of, below its name."""


def show(view: View, page: str) -> None:
    """Show the content of the popover.

    Parameters
    ----------
    page : str
        The page's path in the address, "" for the first.
    """
    with st.container(width=WIDTH):
        _show(view, page or DEFAULT_PAGE)


def _show(view: View, page: str) -> None:
    path, dataset = views_path(view.dataset.config_path), view.dataset.config_path.stem
    edit.show_said(path)
    try:
        views = read_views(path)
    except ViewError as fault:
        states.error(fault)
        return
    can_write = writable(path)
    if not can_write:
        st.caption(
            "This data folder is read-only: its views can be opened, not saved or changed. The address under"
            " **Share** keeps the page all the same."
        )
    _list(views, dataset)
    if can_write:
        _save_form(path, page, _suggested(view, page))
    if views.views or can_write:
        with st.expander("Rename, delete, share", icon=":material/edit:"):
            edit.show(path, dataset, views, can_write=can_write)


def _list(views: Views, dataset: str) -> None:
    if not views.views:
        st.caption("No saved view yet. A view keeps a page with its filters and options, for this dataset.")
    else:
        items = "".join(_item(view, dataset) for view in views.views)
        st.html(f'<nav aria-label="Saved views"><ul style="{_LIST}">{items}</ul></nav>')
    if views.unusable:
        named = "; ".join(f"{one.name} ({one.fault})" for one in views.unusable[:5])
        words = f"{count(len(views.unusable), 'saved view')} cannot be used here: {named}"
        st.caption(escape(words))


_LIST = "list-style: none; margin: 0; padding: 0; max-height: 40vh; overflow-y: auto"
_ITEM = "margin: 0 0 6px; overflow-wrap: anywhere"
_WORDS = "font-size: 0.8rem; opacity: 0.75; overflow-wrap: anywhere"


def _item(view: SavedView, dataset: str) -> str:
    words = view.words()
    short = as_html(words if len(words) <= WORDS else f"{words[: WORDS - 1]}…")
    # An anchor of our own: Streamlit's links to pages keep the filters of the page that one leaves, and its
    # Markdown links open another tab. Name and address are data, so both are escaped.
    link = f'<a href="./{as_html(view.address(dataset))}" style="color: inherit">{as_html(view.name)}</a>'
    return f'<li style="{_ITEM}">{link}<br><span style="{_WORDS}">{short}</span></li>'


def _save_form(path: Path, page: str, suggested: str) -> None:
    with (
        st.form("save_view", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        st.text_input("Save this page as", key=edit.NAME, placeholder=suggested)
        st.form_submit_button(
            "Save",
            key="save_view_button",
            icon=":material/bookmark_add:",
            on_click=edit.save,
            args=(path, page, suggested),
        )
    edit.offer_replacing(path)


def _suggested(view: View, page: str) -> str:
    """Return the name a view gets where none is typed."""
    words = view.sentence if view.filters.clauses(view.config) else "all"
    return " ".join(f"{PAGES[page]}: {words}".split())[:NAME_LENGTH].rstrip()
