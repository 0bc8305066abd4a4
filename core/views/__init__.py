"""Saved views: a page with its filters and options under a name, kept beside a dataset's config.

A view is an address; what it shows follows the dataset. No page and no Streamlit here.
"""

from core.views.file import (
    Added,
    Unusable,
    Views,
    add_views,
    delete_view,
    read_views,
    rename_view,
    restore_view,
    save_view,
    views_path,
    writable,
)
from core.views.share import MOST_BYTES, SharedViews, read_shared, shared_bytes
from core.views.view import (
    DEFAULT_PAGE,
    NAME_LENGTH,
    PAGES,
    NameTakenError,
    SavedView,
    ViewError,
    clean_name,
    view_of,
)

__all__ = [
    "DEFAULT_PAGE",
    "MOST_BYTES",
    "NAME_LENGTH",
    "PAGES",
    "Added",
    "NameTakenError",
    "SavedView",
    "SharedViews",
    "Unusable",
    "ViewError",
    "Views",
    "add_views",
    "clean_name",
    "delete_view",
    "read_shared",
    "read_views",
    "rename_view",
    "restore_view",
    "save_view",
    "shared_bytes",
    "view_of",
    "views_path",
    "writable",
]
