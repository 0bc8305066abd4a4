"""The row of download buttons under a table or chart; bytes are made when someone clicks."""

from collections.abc import Callable
from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st

from core import charts
from core.export import csv_bytes, file_name
from core.ui.sidebar import View

MIME = {
    "markdown": "text/markdown",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv",
    "png": "image/png",
    "zip": "application/zip",
}
"""Media type of each format."""


@dataclass(frozen=True)
class Download:
    """A file that someone may ask for.

    Attributes
    ----------
    label
        What the button says.
    name
        The file's name.
    make
        Makes its bytes, in another thread and after the run: it must not call Streamlit.
    mime
        Its media type.
    """

    label: str
    name: str
    make: Callable[[], bytes]
    mime: str


def csv(
    view: View, kind: str, rows: pd.DataFrame | Callable[[], pd.DataFrame], *, parts: tuple[str, ...] = ()
) -> Download:
    """Return the download of the rows shown, or of what makes them where that takes time."""

    def make() -> bytes:
        return csv_bytes(rows() if callable(rows) else rows)

    return Download(f"{_label(kind)} CSV", name_of(view, kind, *parts, extension="csv"), make, MIME["csv"])


def png(
    view: View, kind: str, make: Callable[[], alt.LayerChart | alt.Chart], *, parts: tuple[str, ...] = ()
) -> Download:
    """Return the download of a finished chart as an image."""
    name = name_of(view, kind, *parts, extension="png")
    return Download(f"{_label(kind)} PNG", name, lambda: charts.to_png(make()), MIME["png"])


def _label(kind: str) -> str:
    return kind.replace("-", " ").capitalize()


def name_of(view: View, kind: str, *parts: str, extension: str) -> str:
    """Return a file name by the rule of core.export."""
    filters = view.named_filters.to_dict()
    return file_name(view.config.name, kind, *parts, extension=extension, filters=filters)


def row(*downloads: Download) -> None:
    """Show the buttons beside each other."""
    with st.container(horizontal=True, gap="small"):
        for download in downloads:
            st.download_button(
                download.label,
                data=download.make,
                file_name=download.name,
                mime=download.mime,
                key=f"download {download.name}",
                on_click="ignore",
                icon=":material/download:",
                help=download.name,
            )
