"""Completions flagged by hand, with a note: the sidecar file NAME.flags.jsonl beside a dataset's config.

A flag names its completion by what it is (identity, item, repeat), not by a number of the database, so that
it outlives every rebuild. The file is rewritten whole under a lock and moved into place: two writers lose
nothing, and a reader never sees half of it.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import filelock
import orjson

from core.errors import DatasetError, advice
from core.whole_file import clear_unfinished, write_whole

NOTE_LENGTH = 2_000
"""Most characters of a note."""

LOCK_SECONDS = 10.0

Key = tuple[str, str, str, str, str, str, int]


@dataclass(frozen=True)
class Flag:
    """A flagged completion.

    Attributes
    ----------
    model, template, sampler
        Its eval's identity.
    base_task, params, item_key
        Its item; params as canonical JSON.
    repeat
        Which of the item's completions it is.
    note
        Why it is flagged; may be empty.
    flagged_at
        When, in ISO 8601.
    others
        Keys of its line that this program does not know; kept.
    """

    model: str
    template: str
    sampler: str
    base_task: str
    params: str
    item_key: str
    repeat: int
    note: str = ""
    flagged_at: str = ""
    others: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def key(self) -> Key:
        """What names the completion."""
        identity = self.model, self.template, self.sampler
        return (*identity, self.base_task, self.params, self.item_key, self.repeat)


def flags_path(config_path: Path) -> Path:
    """Return where the flags of a dataset stand."""
    return config_path.with_name(f"{config_path.stem}.flags.jsonl")


def canonical_params(params: str) -> str:
    """Return params, a JSON object, in the form that flags compare: sorted keys, no spaces."""
    return orjson.dumps(orjson.loads(params), option=orjson.OPT_SORT_KEYS).decode()


def read_flags(path: Path) -> tuple[Flag, ...]:
    """Return the flags of a sidecar file in the order of the file, none where there is no file.

    Raises
    ------
    DatasetError
        The file cannot be read, or a line is no flag; the message names the line.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as fault:
        raise DatasetError(f"The flags cannot be read: {path}: {fault.strerror}") from fault
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    flags = [_flag(line, f"{path}, line {n}") for n, line in enumerate(lines, 1) if line.strip()]
    # The last line of a completion counts, should somebody have written two.
    return tuple({flag.key: flag for flag in flags}.values())


def add_flag(path: Path, flag: Flag) -> None:
    """Flag a completion, or give its flag another note. Raises DatasetError."""
    _rewrite(path, lambda flags: {**flags, flag.key: flag})


def remove_flag(path: Path, key: Key) -> None:
    """Take a completion's flag away; nothing where it has none. Raises DatasetError."""
    _rewrite(path, lambda flags: {one: flag for one, flag in flags.items() if one != key})


def _rewrite(path: Path, change: Callable[[dict[Key, Flag]], dict[Key, Flag]]) -> None:
    try:
        with filelock.FileLock(path.with_suffix(".lock"), timeout=LOCK_SECONDS):
            clear_unfinished(path)
            before = {flag.key: flag for flag in read_flags(path)}
            after = change(before)
            # A file that was never there need not come into being to hold nothing.
            if after or path.exists():
                write_whole(path, b"".join(map(_line, after.values())))
    except filelock.Timeout as fault:
        raise DatasetError(f"Another program has been writing {path} for {LOCK_SECONDS:g} s") from fault
    except OSError as fault:
        raise DatasetError(f"The flags cannot be written: {path}: {fault.strerror}{advice(fault)}") from fault


def _line(flag: Flag) -> bytes:
    document = {**asdict(flag), "params": orjson.loads(flag.params), **flag.others}
    del document["others"]
    return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


def _flag(line: bytes, where: str) -> Flag:
    try:
        document = orjson.loads(line)
        known = {
            name: document.pop(name)
            for name in ("model", "template", "sampler", "base_task", "params", "item_key", "repeat")
        }
        known |= {name: document.pop(name, "") for name in ("note", "flagged_at")}
        params = orjson.dumps(known.pop("params"), option=orjson.OPT_SORT_KEYS).decode()
        flag = Flag(params=params, others=document, **known)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as fault:
        raise DatasetError(f"{where}: not a flag ({fault}); correct or delete this line") from None
    texts = [value for name, value in known.items() if name != "repeat"]
    if not all(isinstance(text, str) for text in texts) or type(flag.repeat) is not int or params[0] != "{":
        raise DatasetError(f"{where}: not a flag (a value is of the wrong type); correct or delete this line")
    return flag
