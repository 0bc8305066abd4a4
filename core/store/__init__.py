"""The points database: one DuckDB file per dataset, built aside, opened read-only.

Here lives everything that knows how the file is laid out; no statistics, no charts, no Streamlit.
"""

from core.store.build import BuildReport, build_database, remove_unfinished
from core.store.dataset import Dataset, Fingerprint, fingerprint, open_dataset
from core.store.imports import ImportRow, known_imports
from core.store.schema import SCHEMA_VERSION

__all__ = [
    "SCHEMA_VERSION",
    "BuildReport",
    "Dataset",
    "Fingerprint",
    "ImportRow",
    "build_database",
    "fingerprint",
    "known_imports",
    "open_dataset",
    "remove_unfinished",
]
