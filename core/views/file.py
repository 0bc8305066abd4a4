"""The views of a dataset: the sidecar file NAME.views.json beside its config.

The file is read again and written whole under a lock, so that two browser tabs, or two people, lose none
of each other's views. An entry that this version cannot use is kept as it is, and named.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock
import orjson

from core.errors import advice
from core.views.share import MOST_VIEWS, document_of, read_entries
from core.views.view import (
    NAME_LENGTH,
    NameTakenError,
    SavedView,
    ViewError,
    clean_name,
    one_line,
    valid_view,
)
from core.whole_file import clear_unfinished, write_whole

LOCK_SECONDS = 10.0


@dataclass(frozen=True)
class Unusable:
    """An entry of the file that is no view here: as it stands there, its name, and why."""

    raw: Any
    name: str
    fault: str


Entry = SavedView | Unusable


@dataclass(frozen=True)
class Views:
    """The saved views of a dataset in the order of the file, and the entries that cannot be used."""

    views: tuple[SavedView, ...] = ()
    unusable: tuple[Unusable, ...] = ()

    def named(self, name: str) -> SavedView | None:
        """Return the view of a name, if there is one; case does not count."""
        return next((view for view in self.views if _same(view.name, name)), None)


@dataclass(frozen=True)
class Added:
    """What became of views from a file: the names under which they were added, and of those here already."""

    added: tuple[str, ...]
    known: tuple[str, ...]


def views_path(config_path: Path) -> Path:
    """Return where the views of a dataset stand."""
    return config_path.with_name(f"{config_path.stem}.views.json")


def writable(path: Path) -> bool:
    """Return whether a views file can be written, as far as the system tells."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def read_views(path: Path) -> Views:
    """Return the views of a file; none where there is no file.

    Raises
    ------
    ViewError
        The file cannot be read, or is no file of views.
    """
    entries = _entries(path)
    return Views(
        tuple(one for one in entries if isinstance(one, SavedView)),
        tuple(one for one in entries if isinstance(one, Unusable)),
    )


def save_view(path: Path, view: SavedView, *, replace: bool = False) -> SavedView | None:
    """Add a view, or put it in the place of the one of its name; returns the one that was replaced.

    Raises
    ------
    NameTakenError
        There is a view of that name, and it is not to be replaced.
    ViewError
        There are too many, or the file cannot be written.
    """
    replaced: list[SavedView] = []

    def change(entries: list[Entry]) -> list[Entry]:
        place = _place(entries, view.name)
        if place is None:
            return [*entries, view]
        if not replace:
            raise NameTakenError(f"There is a view called {view.name} already")
        replaced.extend(one for one in entries[place : place + 1] if isinstance(one, SavedView))
        return [*entries[:place], view, *entries[place + 1 :]]

    _rewrite(path, change)
    return replaced[0] if replaced else None


def rename_view(path: Path, name: str, new: str) -> str:
    """Give a view another name, and return it as it is kept.

    Raises
    ------
    ViewError
        There is no such view any more, the name will not do or is another one's, or the file cannot be
        written.
    """
    try:
        wanted = clean_name(new)
    except ValueError as fault:
        raise ViewError(f"Not renamed: {fault}") from None

    def change(entries: list[Entry]) -> list[Entry]:
        place, taken = _found(entries, name), _place(entries, wanted)
        if taken is not None and taken != place:
            raise NameTakenError(f"There is a view called {wanted} already")
        return [
            one.model_copy(update={"name": wanted}) if number == place and isinstance(one, SavedView) else one
            for number, one in enumerate(entries)
        ]

    _rewrite(path, change)
    return wanted


def delete_view(path: Path, name: str) -> tuple[SavedView, int]:
    """Take a view away, and return it with its place, for `restore_view`. Raises ViewError."""
    gone: list[tuple[SavedView, int]] = []

    def change(entries: list[Entry]) -> list[Entry]:
        place = _found(entries, name)
        gone.extend((one, place) for one in entries[place : place + 1] if isinstance(one, SavedView))
        return [*entries[:place], *entries[place + 1 :]]

    _rewrite(path, change)
    return gone[0]


def restore_view(path: Path, view: SavedView, place: int) -> str:
    """Put a deleted view back where it stood, and return its name: another where that was taken since."""
    added: list[str] = []

    def change(entries: list[Entry]) -> list[Entry]:
        back = _free(view, entries)
        added.append(back.name)
        return [*entries[:place], back, *entries[place:]]

    _rewrite(path, change)
    return added[0]


def add_views(path: Path, views: Iterable[SavedView]) -> Added:
    """Add views that came from a file, under names that are free.

    A view that is here already, under the same or a numbered name, is not added twice. Raises ViewError.
    """
    added: list[str] = []
    known: list[str] = []

    def change(entries: list[Entry]) -> list[Entry]:
        for view in views:
            same = [one for one in entries if isinstance(one, SavedView) and _content(one) == _content(view)]
            if any(_same(_stem(one.name), _stem(view.name)) for one in same):
                known.append(view.name)
                continue
            new = _free(view, entries)
            added.append(new.name)
            entries = [*entries, new]
        return entries

    _rewrite(path, change)
    return Added(tuple(added), tuple(known))


def _rewrite(path: Path, change: Callable[[list[Entry]], list[Entry]]) -> None:
    try:
        with filelock.FileLock(path.with_suffix(".lock"), timeout=LOCK_SECONDS):
            clear_unfinished(path)
            before = _entries(path)
            after = change(before)
            if after == before:
                return
            if len(after) > max(MOST_VIEWS, len(before)):
                raise ViewError(f"A dataset keeps at most {MOST_VIEWS} views: delete some first")
            listed = [one.model_dump() if isinstance(one, SavedView) else one.raw for one in after]
            write_whole(path, document_of(listed))
    except filelock.Timeout as fault:
        raise ViewError(f"Another program has been writing {path.name} for {LOCK_SECONDS:g} s") from fault
    except OSError as fault:
        raise ViewError(
            f"{path.name} cannot be written, nothing was changed: {fault.strerror}{advice(fault)}"
        ) from fault


def _entries(path: Path) -> list[Entry]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise ViewError(f"The saved views cannot be read: {path.name}: {fault.strerror}") from fault
    try:
        entries = read_entries(data).views
    except ViewError as fault:
        raise ViewError(f"{path.name}: {fault}; correct the file, or move it away") from None
    found: list[Entry] = []
    for raw in entries:
        try:
            view = valid_view(raw)
            if _place(found, view.name) is not None:
                raise ViewError("another view has its name")
            found.append(view)
        except ViewError as fault:
            name = raw.get("name") if isinstance(raw, dict) else None
            words = name if isinstance(name, str) else orjson.dumps(raw).decode()
            found.append(Unusable(raw, one_line(words)[:NAME_LENGTH], str(fault)))
    return found


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _place(entries: list[Entry], name: str) -> int | None:
    places = (
        number for number, one in enumerate(entries) if isinstance(one, SavedView) and _same(one.name, name)
    )
    return next(places, None)


def _found(entries: list[Entry], name: str) -> int:
    place = _place(entries, name)
    if place is None:
        raise ViewError(f"There is no view called {name} any more: it was renamed or deleted meanwhile")
    return place


def _content(view: SavedView) -> tuple[str, dict[str, tuple[str, ...]]]:
    return view.page, view.parameters


def _stem(name: str) -> str:
    stem, _, number = name.rpartition(" ")
    return stem if number[:1] == "(" and number[-1:] == ")" and number[1:-1].isdecimal() else name


def _free(view: SavedView, entries: list[Entry]) -> SavedView:
    name, number = view.name, 2
    while _place(entries, name) is not None:
        ending = f" ({number})"
        name, number = _stem(view.name)[: NAME_LENGTH - len(ending)].rstrip() + ending, number + 1
    return view.model_copy(update={"name": name})
