"""Files that are whole at any moment, and read only up to a size."""

import os
import tempfile
from pathlib import Path

from core.errors import ReasonScapeError

READABLE = 50_000_000
"""Bytes; a larger file in the cache is not read."""


class CacheError(ReasonScapeError):
    """The metadata folder cannot be read or written."""


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that its name holds either the old content or all of the new. Raises CacheError."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".new")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes a file that only its owner may read.
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as fault:
        raise CacheError(f"{path} cannot be written: {fault.strerror or fault}") from fault
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def read_bytes(path: Path, most: int = READABLE) -> bytes:
    """Return a file's content. Raises CacheError where it is absent, unreadable or too large."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as fault:
        raise CacheError(f"{path} cannot be read: {fault.strerror or fault}") from fault
    if len(data) > most:
        raise CacheError(f"{path} is larger than {most:,} bytes and is not read")
    return data
