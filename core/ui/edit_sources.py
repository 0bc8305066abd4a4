"""Where a dataset's numbers come from: the files it was built from."""

import pandas as pd
import streamlit as st

from core.store.dataset import Dataset
from core.ui.cache import kept

MOST = 1_000
"""Files that the table lists."""


@kept("Reading the imports …")
def sources(dataset: Dataset) -> tuple[pd.DataFrame, int]:
    """Return the latest imported files, and how many there are."""
    frame: pd.DataFrame = dataset.sql(
        """
        SELECT path, format, overrides, read, kept, read - kept AS skipped, size,
            strftime(imported_at, '%Y-%m-%d %H:%M') AS "imported (UTC)", sha256
        FROM data.imports
        ORDER BY import_id DESC
        LIMIT $most""",
        most=MOST,
    ).to_pandas()
    if (frame["overrides"] == "{}").all():
        frame = frame.drop(columns="overrides")
    return frame, int(dataset.rows("SELECT count(*) AS files FROM data.imports")[0]["files"])


def show(frame: pd.DataFrame, files: int) -> None:
    """Show the imported files, the newest first."""
    shown = f"The latest {len(frame):,} of {files:,} files" if files > len(frame) else f"{files:,} files"
    st.caption(f"{shown} that the dataset was built from: every number can be traced to one of them.")
    st.dataframe(
        frame,
        column_config={"size": st.column_config.NumberColumn("size", format="bytes")},
        hide_index=True,
        placeholder="—",
        alt="Files that the dataset was built from",
    )
