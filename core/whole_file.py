"""Writing a file so that at any moment its name holds the old content or all of the new."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file aside, in its folder, and move it into place.

    Raises
    ------
    OSError
        It cannot be written; the old content stands as it was, and nothing is left beside it.
    """
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes a file that only its owner may read; what is written here is as open as its folder.
        os.chmod(aside, 0o644)
        os.replace(aside, path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
