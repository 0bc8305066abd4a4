"""Disks that are full, cannot be written, or go away; skipped where this user may not mount."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

Mount = Callable[..., Path]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mount something on a folder, as `mount` does; gone after the test."""
    there: list[Path] = []

    def mount_(folder: Path, *words: str | Path) -> Path:
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["mount", *words, folder], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"this user may not mount: {done.stderr.strip()}")
        there.append(folder)
        return folder

    try:
        yield mount_
    finally:
        for folder in reversed(there):
            subprocess.run(["umount", "-l", folder], capture_output=True, check=False)


@pytest.fixture
def small_disk(tmp_path: Path, mount: Mount) -> Path:
    """A disk of sixteen megabytes."""
    return mount(tmp_path / "disk", "-t", "tmpfs", "-o", "size=16m", "tmpfs")


def leave_free(disk: Path, size: int) -> Path:
    """Fill a disk up to so many bytes; returns the file to remove."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        with suppress(OSError):
            while True:
                file.write(bytes(65_536))
        with suppress(OSError):
            while True:
                file.write(bytes(4096))
        file.truncate(max(0, file.tell() - size))
    return ballast


def closed(folder: Path, mount: Mount) -> Path:
    """Make a folder one that nobody can write, root neither."""
    mount(folder, "--bind", folder)
    subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True, capture_output=True)
    return folder
