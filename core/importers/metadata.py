"""Which metadata of items are params: numbers and words that say what kind of item it is.

A key is judged over all items of a task, so that every model's items get the same params. What only names an
item (an id), is nested or long, or gives the answer away is no param; every key left out has its reason.
"""

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.importers.gym_params import ALWAYS, ALWAYS_DROPPED, DROPPED, MANY, REPEATS, TEXT_VALUES

__all__ = ["DROPPED", "Census"]

TEXT_LENGTH = 60
"""Characters of a text that may be a param: a word, a name of a level or a subject."""

ITEMS = 20
"""Up to so many items a whole number that differs for each of them may still be a measure."""

COUNTED = 20_000
"""Distinct whole numbers, and items, that are kept apart for one key; enough to tell an id."""

NESTED = "nested"
LONG = f"over {TEXT_LENGTH} characters"
IDENTIFIER = "a different number for every item"
HIDDEN, SHORTENED = "Key removed from summary", "..."
"""What Inspect's summaries of samples put in place of what is too long for them."""

_PATTERNS = (
    *ALWAYS_DROPPED,
    *("solution", "target", "gold", "label", "canary"),
    *("id", "*_id", "uuid", "index", "*_index", "idx", "*_idx", "seed"),
)


@dataclass
class Key:
    """What the values of one key are like, over the items seen."""

    seen: int = 0
    repeating: int = 0
    unfit: str = ""
    other: bool = False
    texts: set[str] = field(default_factory=set)
    wholes: set[int] = field(default_factory=set)
    items: set[str] = field(default_factory=set)

    def see(self, item: str, value: Any, told: frozenset[str]) -> None:
        """Take in the value of an item; `told` are the texts that ask and answer it."""
        self.seen += 1
        if isinstance(value, str):
            if len(value) > TEXT_LENGTH or value.startswith(HIDDEN) or value.endswith(SHORTENED):
                self.unfit = LONG
            elif len(self.texts) <= TEXT_VALUES:
                self.texts.add(value)
        elif isinstance(value, bool | float):
            self.other = True
        elif isinstance(value, int):
            if len(self.wholes) < COUNTED:
                self.wholes.add(value)
                self.items.add(item)
        else:
            self.unfit = NESTED
        self.repeating += str(value).strip() in told

    def add(self, other: "Key") -> None:
        """Take in what another part of the items is like."""
        self.seen += other.seen
        self.repeating += other.repeating
        self.unfit = self.unfit or other.unfit
        self.other |= other.other
        self.texts |= set(sorted(other.texts)[: TEXT_VALUES + 1])
        if len(self.wholes) < COUNTED:
            self.wholes |= other.wholes
            self.items |= other.items

    def fault(self, name: str) -> str:
        """Return why the key is no param; "" where it is one."""
        if any(fnmatch.fnmatchcase(name.lower(), pattern) for pattern in _PATTERNS):
            return ALWAYS
        if self.unfit:
            return self.unfit
        if len(self.texts) > TEXT_VALUES:
            return MANY
        # A number may equal the answer by chance, not in most of the items.
        if self.repeating * 2 > self.seen:
            return REPEATS
        told_apart = len(self.wholes) == len(self.items) > ITEMS
        return IDENTIFIER if told_apart and not self.texts and not self.other else ""


@dataclass
class Census:
    """The metadata keys of a task."""

    keys: dict[str, Key] = field(default_factory=dict)

    def see(self, item: str, metadata: Mapping[str, Any], told: Iterable[Any] = ()) -> None:
        """Take in the metadata of an item, and the texts that ask and answer it."""
        known = frozenset(str(text).strip() for text in told if text is not None)
        for name, value in metadata.items():
            if value is not None and value != "":
                self.keys.setdefault(name, Key()).see(item, value, known)

    def add(self, other: "Census") -> None:
        """Take in another part of the task's items."""
        for name, key in other.keys.items():
            self.keys.setdefault(name, Key()).add(key)

    def dropped(self) -> dict[str, str]:
        """Return the keys that are no params, with the reason, by name."""
        faults = {name: key.fault(name) for name, key in sorted(self.keys.items())}
        return {name: fault for name, fault in faults.items() if fault}

    def params(self) -> frozenset[str]:
        """Return the keys that are params."""
        return frozenset(self.keys) - self.dropped().keys()
