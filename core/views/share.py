"""Views as a file to send: what the sidecar file has, with the name of the dataset they were made on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from core.views.view import SavedView, ViewError, valid_view

FORMAT = "reasonscape-views"
VERSION = 1
MOST_VIEWS = 200
MOST_BYTES = 2_000_000
"""Views of a dataset or of a file, and the size of a file that is looked into."""


@dataclass(frozen=True)
class Entries:
    """What a file lists, each entry as it stands there, and the dataset it names."""

    views: list[Any]
    dataset: str


@dataclass(frozen=True)
class SharedViews:
    """The views of a file that somebody sent, and the dataset they were made on; "" where it is not said."""

    views: tuple[SavedView, ...]
    dataset: str


def shared_bytes(views: Iterable[SavedView], dataset: str) -> bytes:
    """Return views as a file to send."""
    return document_of([view.model_dump() for view in views], dataset)


def read_shared(data: bytes) -> SharedViews:
    """Return the views of a file that somebody sent.

    Raises
    ------
    ViewError
        It is no file of views, or one of them will not do: then none is taken.
    """
    entries = read_entries(data)
    if not entries.views:
        raise ViewError("The file has no views")
    if len(entries.views) > MOST_VIEWS:
        raise ViewError(f"The file has more than {MOST_VIEWS} views")
    found = []
    for number, raw in enumerate(entries.views, 1):
        try:
            found.append(valid_view(raw))
        except ViewError as fault:
            raise ViewError(f"View {number} of the file cannot be used: {fault}") from None
    return SharedViews(tuple(found), entries.dataset)


def document_of(entries: list[Any], dataset: str = "") -> bytes:
    """Return the bytes of a file with these entries."""
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if dataset:
        document["dataset"] = dataset
    return orjson.dumps(document | {"views": entries}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def read_entries(data: bytes) -> Entries:
    """Return what a file lists, not yet checked one by one.

    Raises
    ------
    ViewError
        It is too large, no JSON, or no file of views.
    """
    if len(data) > MOST_BYTES:
        raise ViewError(f"larger than {MOST_BYTES // 1_000_000} MB: that is no file of saved views")
    try:
        document = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as fault:
        raise ViewError(f"not valid JSON: {fault}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ViewError(f'not a file of saved views: it has no "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise ViewError(f"saved views of another version; this one reads version {VERSION}")
    views = document.get("views")
    if not isinstance(views, list):
        raise ViewError('"views" must be a list')
    dataset = document.get("dataset", "")
    return Entries(views, dataset[:200] if isinstance(dataset, str) else "")
