"""Runs that were made again: of every item the newest counts, the others are skipped and listed."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple


class Made(NamedTuple):
    """Which run a file is of, and when it was made; times compare as text."""

    group: Hashable
    created: str


def superseded(
    files: Mapping[Path, Made], items: Callable[[Path], Iterable[Hashable]]
) -> dict[Path, frozenset[Hashable]]:
    """Return by file the items that a newer file of the same run has too.

    Parameters
    ----------
    files : dict
        All files; those of equal group are runs of the same.
    items : callable
        Gives what tells the items of a file apart, repeats included; called only where there was a re-run.
    """
    groups: dict[Hashable, list[Path]] = defaultdict(list)
    for path, made in files.items():
        groups[made.group].append(path)
    older: dict[Path, frozenset[Hashable]] = {}
    for paths in groups.values():
        if len(paths) < 2:
            continue
        newer: set[Hashable] = set()
        for path in sorted(paths, key=lambda one: (files[one].created, str(one)), reverse=True):
            own = set(items(path))
            older[path] = frozenset(own & newer)
            newer |= own
    return {path: found for path, found in older.items() if found}
