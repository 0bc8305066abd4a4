"""Finding the files of the sources: folders are walked, nothing is left out without a reason."""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import SourceError
from core.importers.compression import decompressed_head
from core.importers.reader import Opening

HEAD = 64 * 1024
"""Bytes of a file that recognition sees."""

HASH_BLOCK = 1024 * 1024

UNREADABLE = "cannot be read (permission denied)"
LINK_OUT = "link that leaves the folder"
BROKEN_LINK = "link that leads nowhere"
NOT_A_FILE = "not a regular file"
EMPTY = "empty file"


@dataclass
class Found:
    """The regular files of the sources in order, and by reason what was left out."""

    files: list[Path] = field(default_factory=list)
    left_out: dict[str, list[Path]] = field(default_factory=dict)

    def leave_out(self, path: Path, reason: str) -> None:
        """Note that a file or folder is not imported."""
        self.left_out.setdefault(reason, []).append(path)


def find_files(sources: list[Path]) -> Found:
    """Return the files of sources: files as they are, folders with all below them, hidden ones apart.

    Raises
    ------
    SourceError
        A source does not exist.
    """
    found = Found()
    for source in sources:
        try:
            root = source.expanduser().resolve(strict=True)
        except (OSError, RuntimeError) as error:
            reason = UNREADABLE if isinstance(error, PermissionError) else "not found"
            raise SourceError(f"Source {reason}: {path_text(source)}") from error
        for path in _walk(root, found) if root.is_dir() else [root]:
            _add(path, root, found)
    found.files = list(dict.fromkeys(found.files))
    return found


def _walk(root: Path, found: Found) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        found.leave_out(
            Path(error.filename), UNREADABLE if isinstance(error, PermissionError) else str(error.strerror)
        )

    for folder, folders, files in os.walk(root, onerror=unreadable):
        # Links to folders are not followed: inside the source their files are found anyway, and loops end.
        for name in sorted(folders):
            path = Path(folder, name)
            if not name.startswith(".") and path.is_symlink():
                _judge_link(path, root, found)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(files) if not name.startswith("."))


def _judge_link(path: Path, root: Path, found: Found) -> bool:
    """Whether a link stays inside the source; otherwise it is left out with its reason."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        found.leave_out(path, BROKEN_LINK)
        return False
    if target.is_relative_to(root):
        return True
    found.leave_out(path, LINK_OUT)
    return False


def _add(path: Path, root: Path, found: Found) -> None:
    if path.is_symlink():
        # A link inside the source leads to a file that the walk finds by its own name.
        _judge_link(path, root, found)
        return
    try:
        status = path.stat()
    except OSError as error:
        found.leave_out(path, UNREADABLE if isinstance(error, PermissionError) else str(error.strerror))
        return
    if not stat.S_ISREG(status.st_mode):
        found.leave_out(path, NOT_A_FILE)
    elif status.st_size == 0:
        found.leave_out(path, EMPTY)
    else:
        found.files.append(path)


def path_text(path: Path) -> str:
    """Return a path as text that can be stored, bytes that are not UTF-8 escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def open_beginning(path: Path) -> Opening:
    """Read the beginning of a file; raises OSError where that is not possible."""
    with path.open("rb") as file:
        raw = file.read(HEAD)
    return Opening(path, raw, decompressed_head(raw, HEAD))


def file_digest(path: Path) -> str:
    """Return the sha256 of a file's content in hexadecimal; raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while block := file.read(HASH_BLOCK):
            digest.update(block)
    return digest.hexdigest()
