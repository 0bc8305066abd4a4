"""Folders of uploads and imports under the data folder: made, kept, and removed when they have served.

The process of an import holds a lock in its folder as long as it lives. No Streamlit here.
"""

import fcntl
import os
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path

from core.errors import SourceError, advice

FOLDER = ".imports"
"""Under the data folder: a folder for each upload and import."""

FILES, ORDER, ALIVE = "files", "order.json", "alive.lock"
"""In such a folder: what was uploaded, what is imported, and the lock of the process."""

FORGOTTEN = 12 * 3600.0
"""Seconds after which an upload that nobody imported, or a report that nobody closed, is removed."""


def new_place(data: Path) -> Path:
    """Make the folder of an upload or an import, readable by nobody else.

    Raises
    ------
    SourceError
        The data folder cannot be written.
    """
    place = data / FOLDER / f"{int(time.time()):x}-{secrets.token_hex(4)}"
    try:
        (place / FILES).mkdir(parents=True, mode=0o700)
    except OSError as fault:
        raise SourceError(f"{data} cannot be written: {fault.strerror}{advice(fault)}") from fault
    return place


def is_alive(place: Path) -> bool:
    """Whether the process of a folder lives, whoever started it."""
    try:
        with (place / ALIVE).open("rb") as file:
            # Shared, so that two who ask at once do not take each other for the process.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def remove(place: Path) -> None:
    """Remove the folder of an upload or an import, unless its process lives."""
    if not is_alive(place):
        shutil.rmtree(place, ignore_errors=True)


def keep(place: Path) -> None:
    """Say that somebody still looks at an upload."""
    with suppress(OSError):
        os.utime(place)


def sweep(data: Path) -> None:
    """Remove what has served: uploads that were imported, and folders nobody has looked at for long."""
    with suppress(OSError):
        for place in (data / FOLDER).iterdir():
            if (place / ORDER).exists() and not is_alive(place):
                shutil.rmtree(place / FILES, ignore_errors=True)
            if time.time() - place.stat().st_mtime > FORGOTTEN:
                remove(place)
