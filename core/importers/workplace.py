"""Where an import works: beside the database, one import at a time, nothing left behind."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.importers.progress import Progress
from core.store import lock


@contextmanager
def only_one(path: Path, progress: Progress) -> Iterator[None]:
    """Hold a dataset's lock, so that two imports never build it at once; wait for the other one."""
    with lock.only_one(path, lambda: progress.step(f"Waiting for another import into {path.stem}")):
        yield


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
