"""Saving edits of a config so that they can be undone, and never over somebody else's change.

Beside NAME.json stands NAME.json.history: a JSON line per saved edit, the newest last, with the text before
and after it. Undoing takes back that edit alone: what an import or a text editor has added since stays.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import filelock

from core.config.entries import DatasetConfig
from core.config.file import dump_config, lock_path, read_config
from core.errors import ConfigError, advice
from core.whole_file import clear_unfinished, write_together

MOST, MOST_CHARACTERS = 50, 4_000_000
"""Edits kept, and the length of their file; older ones are forgotten."""

WAIT = 2.0
"""Seconds that an edit waits for the dataset's lock: an import that holds it takes longer."""


@dataclass(frozen=True)
class Edit:
    """A saved edit: when (UTC), what in words, and the config's text before and after it."""

    at: str
    what: str
    before: str
    after: str


def history_path(config_path: Path) -> Path:
    """Return where the edits of a config are kept."""
    return config_path.with_name(f"{config_path.name}.history")


def text_mark(path: Path) -> str:
    """Return what tells one state of a config file from another. Raises ConfigError."""
    return hashlib.sha256(_read(path).encode()).hexdigest()


def save_edit(config: DatasetConfig, path: Path, *, seen: str, what: str) -> None:
    """Write an edited config, and remember how to undo it.

    Parameters
    ----------
    seen : str
        `text_mark` of the file that was edited.
    what : str
        The edit in words.

    Raises
    ------
    ConfigError
        The file is another one by now, an import is at work, or it cannot be written; nothing was changed.
    """
    with _locked(path):
        before = _read(path)
        if hashlib.sha256(before.encode()).hexdigest() != seen:
            raise ConfigError(
                f"{path.name} was changed by something else since this page read it; nothing was saved:"
                " look at it as it is now, and edit again"
            )
        after = dump_config(config)
        if after == before:
            return
        edit = Edit(datetime.now(UTC).isoformat(timespec="seconds"), what, before, after)
        history = _lines([*edits(path), edit])
        write_together({history_path(path): history.encode(), path: after.encode()})


def edits(path: Path) -> list[Edit]:
    """Return the edits of a config that can be undone, the newest last; what cannot be read is skipped."""
    try:
        text = history_path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for line in text.splitlines():
        try:
            found.append(Edit(**json.loads(line)))
        except (ValueError, TypeError, RecursionError):
            continue
    return found


def undo(path: Path) -> str:
    """Take back the newest edit, and return it in words.

    Raises
    ------
    ConfigError
        There is none, or what it changed was changed again since by something else.
    """
    with _locked(path):
        known = edits(path)
        if not known:
            raise ConfigError("There is no edit to undo")
        last, current = known[-1], _read(path)
        # As it was to the letter where nothing else has touched it.
        text = last.before if current == last.after else _without(last, current)
        read_config(text, path)
        write_together({history_path(path): _lines(known[:-1]).encode(), path: text.encode()})
        return last.what


def _without(edit: Edit, current: str) -> str:
    try:
        documents = [json.loads(text) for text in (edit.after, edit.before, current)]
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"The config is not valid JSON: {error}; correct it by hand") from error
    return json.dumps(merge(*documents), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def merge(base: Any, ours: Any, theirs: Any) -> Any:
    """Return a JSON value with the changes that both sides made to it.

    Parameters
    ----------
    base, ours, theirs
        The value before, as one side wants it, and as the other has made it meanwhile.

    Raises
    ------
    ConfigError
        Both changed the same place.
    """
    if base == theirs:
        return ours
    if base == ours or ours == theirs:
        return theirs
    if isinstance(base, dict) and isinstance(ours, dict) and isinstance(theirs, dict):
        gone = object()
        merged = {
            key: merge(base.get(key, gone), ours.get(key, gone), theirs.get(key, gone))
            for key in dict.fromkeys([*ours, *theirs])
        }
        return {key: value for key, value in merged.items() if value is not gone}
    if isinstance(base, list) and isinstance(ours, list) and isinstance(theirs, list):
        # Lists of a config grow at their end: that is all that an import does to them.
        if len(theirs) >= len(base) == len(ours):
            parts = zip(base, ours, theirs, strict=False)
            return [merge(*three) for three in parts] + theirs[len(base) :]
        if theirs[: len(base)] == base:
            return ours + theirs[len(base) :]
    raise ConfigError("What this edit changed was changed again since by something else: undo it by hand")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = filelock.FileLock(lock_path(path))
    try:
        lock.acquire(timeout=WAIT)
    except filelock.Timeout:
        raise ConfigError(
            f"An import into {path.stem} is at work, which may add to the config; save when it has ended"
        ) from None
    except OSError as error:
        raise ConfigError(f"{path.parent} cannot be written: {error.strerror}; nothing was saved") from error
    try:
        clear_left_aside(path)
        yield
    except OSError as error:
        raise ConfigError(
            f"{path.name} could not be saved, it is as it was: {error.strerror}{advice(error)}"
        ) from error
    finally:
        lock.release()


def clear_left_aside(path: Path) -> None:
    """Remove what a killed writer of a config or of its edits left; the caller holds the dataset's lock."""
    for one in (path, history_path(path)):
        clear_unfinished(one)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"Config not found: {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Config cannot be read: {path}: {error}") from error


def _lines(known: list[Edit]) -> str:
    kept: list[str] = []
    for edit in reversed(known[-MOST:]):
        line = json.dumps(asdict(edit), ensure_ascii=False) + "\n"
        if kept and sum(map(len, kept)) + len(line) > MOST_CHARACTERS:
            break
        kept.insert(0, line)
    return "".join(kept)
