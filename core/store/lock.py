"""One writer at a time: the lock of a dataset, for imports, the spectra command and edits of the config."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock


@contextmanager
def only_one(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold a dataset's lock; call `waiting` where another holds it, and wait for the other.

    Parameters
    ----------
    path : Path
        The lock file, see core.config.lock_path.
    waiting : callable
        Says that there is something to wait for.
    """
    lock = filelock.FileLock(path)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        waiting()
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
