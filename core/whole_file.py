"""Writing a file so that at any moment its name holds the old content or all of the new."""

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

NAME_KEPT = 40
"""Characters of a file's name that the name of what is written aside begins with."""


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file aside, in the folder of `path`, and move it into place when the block ends.

    The new file may be read by whom the old one might, one that was not there by everybody.

    Raises
    ------
    OSError
        It cannot be written; the old content stands as it was, and nothing is left beside it.
    """
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:NAME_KEPT]}.", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes a file that only its owner may read.
        os.chmod(aside, _mode(path))
        os.replace(aside, path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0o644


def write_whole(path: Path, data: bytes) -> None:
    """Write a file aside, in its folder, and move it into place. Raises OSError, as `whole` does."""
    write_together({path: data})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write files that belong together; none is moved into place before all are written.

    Raises
    ------
    OSError
        One cannot be written; all stand as they were.
    """
    with ExitStack() as stack:
        for path, data in files.items():
            file = stack.enter_context(whole(path))
            file.write(data)
            # Here, not only as the block ends: a disk that is full says so before the first is moved.
            file.flush()
            os.fsync(file.fileno())


def clear_unfinished(path: Path) -> None:
    """Remove what a writer of a file left aside when it was killed; the caller holds the file's lock."""
    if len(path.name) > NAME_KEPT:
        # Its beginning may be that of another file, which somebody else is writing.
        return
    left = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}\.new")
    for other in path.parent.iterdir():
        if left.fullmatch(other.name):
            other.unlink(missing_ok=True)
