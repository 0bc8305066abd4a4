"""Where an import works: beside the database, one import at a time, nothing left behind."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from core.importers.progress import Progress


@contextmanager
def only_one(path: Path, progress: Progress) -> Iterator[None]:
    """Hold a dataset's lock, so that two imports never build it at once; wait for the other one."""
    lock = filelock.FileLock(path)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        progress.step(f"Waiting for another import into {path.stem}")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def staging_folder(data: Path, name: str) -> Iterator[Path]:
    """Make the folder of this run beside the database, and remove what a killed import left there."""
    prefix = f".{name}.import-"
    left = re.compile(re.escape(prefix) + r"[a-z0-9_]{8}")
    for path in data.iterdir():
        if left.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=data))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
