"""Files that are written whole: who may read them afterwards."""

import stat
from pathlib import Path

import pytest

from core.whole_file import write_whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("before", [0o600, 0o640, 0o664])
def test_a_file_stays_as_open_as_it_was(tmp_path: Path, before: int) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(before)
    write_whole(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", before)


def test_a_new_file_can_be_read_by_all(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", b"new")
    assert mode(tmp_path / "file") == 0o644
