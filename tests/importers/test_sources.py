"""Which files a source has, and what is said of those that are left out."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import SourceError
from core.importers.sources import (
    BROKEN_LINK,
    EMPTY,
    LINK_OUT,
    NOT_A_FILE,
    UNREADABLE,
    find_files,
    path_text,
)


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_folders_with_all_below_them_in_order(tmp_path: Path) -> None:
    for name in ("b/2.txt", "b/1.txt", "a/deep/er/x", ".hidden", ".cache/y", "c"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    found = find_files([tmp_path, tmp_path / "c", tmp_path / "b"])
    assert names(found.files) == ["c", "x", "1.txt", "2.txt"]
    assert not found.left_out


def test_a_hidden_source_is_meant(tmp_path: Path) -> None:
    (tmp_path / ".results").mkdir()
    (tmp_path / ".results" / "a").write_text("x")
    assert names(find_files([tmp_path / ".results"]).files) == ["a"]


def test_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a").write_text("x")
    (tmp_path / "outside").write_text("x")
    (root / "loop").symlink_to(root)
    (root / "self").symlink_to(root / "self")
    (root / "inside").symlink_to(root / "sub" / "a")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "outfolder").symlink_to(tmp_path)
    (root / "nowhere").symlink_to(tmp_path / "gone")
    found = find_files([root])
    assert names(found.files) == ["a"]
    assert {reason: names(paths) for reason, paths in found.left_out.items()} == {
        LINK_OUT: ["outfolder", "out"],
        BROKEN_LINK: ["nowhere", "self"],
    }
    link = tmp_path / "link"
    link.symlink_to(root)
    assert find_files([link]).files == [root / "sub" / "a"]


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    found = find_files([tmp_path])
    assert not found.files
    assert {reason: names(paths) for reason, paths in found.left_out.items()} == {
        EMPTY: ["empty"],
        NOT_A_FILE: ["pipe"],
    }


def test_no_such_source(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"Source not found: .*gone"):
        find_files([tmp_path / "gone"])


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    path.write_text("x")
    (found,) = find_files([tmp_path]).files
    assert path_text(found) == f"{tmp_path}/caf\\xe9"


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder of a user who may not read everything; root becomes nobody for the test."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        shutil.rmtree(folder)


def test_without_permission(unprivileged: Path) -> None:
    closed = unprivileged / "closed"
    closed.mkdir()
    (closed / "a").write_text("x")
    (unprivileged / "b").write_text("x")
    closed.chmod(0)
    found = find_files([unprivileged])
    assert names(found.files) == ["b"]
    assert found.left_out == {UNREADABLE: [closed]}
    found = find_files([closed])
    assert found.left_out == {UNREADABLE: [closed]}
    with pytest.raises(SourceError, match="permission denied"):
        find_files([closed / "a"])
