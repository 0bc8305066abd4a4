"""Files of the metadata folder: whole at any moment, read only up to a size, faults told as CacheError."""

from pathlib import Path

from core import whole_file
from core.errors import ReasonScapeError, advice

READABLE = 50_000_000
"""Bytes; a larger file in the cache is not read."""


class CacheError(ReasonScapeError):
    """The metadata folder cannot be read or written."""


def write_whole(path: Path, data: bytes) -> None:
    """Write a file of the cache, its folder too where it is not there. Raises CacheError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole_file.write_whole(path, data)
    except OSError as fault:
        raise CacheError(f"{path} cannot be written: {fault.strerror or fault}{advice(fault)}") from fault


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
