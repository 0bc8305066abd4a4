"""Where the numbers of a report come from: the selection, and the source files of the database."""

from dataclasses import dataclass
from pathlib import PurePath

import pandas as pd

from core.export import to_json
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.words import count

MOST_FILES = 200
"""Source files listed; the others are counted."""


@dataclass(frozen=True)
class Provenance:
    """What a report was made of.

    Attributes
    ----------
    imports
        One row per source file: file, format, records read and kept, when it was imported, and the first
        twelve digits of its sha256.
    selected
        What the filters leave, in words and as JSON.
    files
        How many source files there are.
    """

    imports: pd.DataFrame
    selected: str
    files: str


def read_provenance(dataset: Dataset, filters: Filters) -> Provenance:
    """Read where a selection comes from.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    rows = dataset.rows(
        """
        SELECT path, format, read, kept, imported_at, sha256
        FROM data.imports
        ORDER BY import_id"""
    )
    table = pd.DataFrame(
        {
            # A folder of this machine says nothing to whom the report is sent.
            "file": ["/".join(PurePath(row["path"]).parts[-2:]) for row in rows],
            "format": [row["format"] for row in rows],
            "records read": [f"{row['read']:,}" for row in rows],
            "kept": [f"{row['kept']:,}" for row in rows],
            "imported": [f"{row['imported_at']:%Y-%m-%d %H:%M}" for row in rows],
            "sha256": [row["sha256"][:12] for row in rows],
        }
    )
    words = filters.sentence(dataset.config)
    selected = f"Selected: {words}. Filters: {' '.join(to_json(filters.to_dict()).split())}"
    more = len(rows) - MOST_FILES
    files = count(len(rows), "source file") + (f", the first {MOST_FILES} listed" if more > 0 else "") + "."
    return Provenance(table.iloc[:MOST_FILES], selected, files)
