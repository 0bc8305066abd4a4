"""The report of what is selected, on every page: what the popover in the head shows, and the file it makes.

The header imports this where the popover is open: the report needs modules of many pages.
"""

import functools
import threading
from typing import Literal

import streamlit as st

from core.filters import Filters
from core.store.dataset import Dataset, Fingerprint
from core.tiers.methods import Methods
from core.tiers.report import Report, read_report, to_html, to_markdown
from core.tiers.report.command import command_line
from core.ui import download
from core.ui.sidebar import View
from core.ui.wording import capital, escape

WIDTH = 420
"""Of the open popover in pixels; a narrow screen makes it narrower."""

Form = Literal["html", "markdown"]


def show(view: View) -> None:
    """Show the content of the popover; nothing is read before a button is clicked."""
    with st.container(width=WIDTH):
        _show(view)


def _show(view: View) -> None:
    st.markdown(
        "One file to read offline or send: summary, leaderboard, clusters, surfaces, hazards, methods and"
        " source files of"
    )
    st.markdown(f"**{escape(capital(view.sentence))}**")
    asked = view.dataset, view.filters, view.methods
    html = download.name_of(view, "report", extension="html")
    markdown = download.name_of(view, "report", extension="md")
    download.row(
        download.Download("HTML", html, functools.partial(make, *asked, "html"), "text/html"),
        download.Download("Markdown", markdown, functools.partial(make, *asked, "markdown"), "text/markdown"),
    )
    st.caption(
        "Takes ten seconds or so, up to a minute with dozens of evals. Read on meanwhile: the file comes when"
        " it is ready. The same on the command line:"
    )
    line = command_line(str(view.dataset.config_path), view.named_filters, view.methods, html)
    st.code(line, language="bash", wrap_lines=True)


def make(dataset: Dataset, filters: Filters, methods: Methods, form: Form) -> bytes:
    """Return the file of a report; calls no Streamlit, so that another thread can make it."""
    return _LAST.file(dataset, filters, methods, form)


class _LastReport:
    """The last report that was read, for its other format and for who asks again; one is made at a time.

    Whoever closes the popover and clicks again waits for the first report instead of making a second.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: tuple[Fingerprint, Filters, Methods] | None = None
        self._report: Report | None = None
        self._files: dict[Form, bytes] = {}

    def file(self, dataset: Dataset, filters: Filters, methods: Methods, form: Form) -> bytes:
        """Return the bytes of a report."""
        asked = dataset.fingerprint, filters, methods
        with self._lock:
            if self._report is None or self._of != asked:
                self._report, self._of, self._files = read_report(dataset, filters, methods), asked, {}
            if form not in self._files:
                write = to_html if form == "html" else to_markdown
                self._files[form] = write(self._report).encode()
            return self._files[form]


_LAST = _LastReport()
