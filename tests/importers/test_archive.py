"""Archives: what the standard library writes is read back; what is broken is told."""

import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard

from core.importers.archive import NO_ARCHIVE, ZSTANDARD, Archive, read_directory, read_member
from core.importers.compression import Damaged
from tests.importers.mutations import packed

MEMBERS = {
    "a.json": b'{"a": 1}',
    "b/c_1.json": bytes(range(256)) * 9000,
    "empty": b"",
    "ümläut": b"x" * 70_000,
}


def content(path: Path, archive: Archive) -> dict[str, bytes]:
    with path.open("rb") as file:
        return {member.name: read_member(file, member, most=10**9) for member in archive.members}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_read_back(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(packed(MEMBERS, method))
    archive = read_directory(path)
    assert archive.fault == ""
    assert content(path, archive) == MEMBERS


def test_zstandard_members(tmp_path: Path) -> None:
    """Several frames, as Inspect writes large members."""
    text = MEMBERS["b/c_1.json"]
    frames = b"".join(
        zstandard.compress(text[start : start + 999_999]) for start in range(0, len(text), 999_999)
    )
    path = tmp_path / "frames"
    path.write_bytes(packed({"m": frames}, zipfile.ZIP_STORED))
    (stored,) = read_directory(path).members
    member = stored._replace(size=len(text), method=ZSTANDARD, crc=zlib.crc32(text))
    with path.open("rb") as file:
        assert read_member(file, member, most=10**9) == text


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    data = bytearray(packed({"m": b"some text that is stored as it is"}, zipfile.ZIP_STORED))
    data[data.find(b"that")] ^= 1
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    with pytest.raises(Damaged, match="not what was written"):
        content(path, read_directory(path))


def test_a_member_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(packed(MEMBERS))
    archive = read_directory(path)
    member = archive.named("ümläut")
    assert member is not None
    with path.open("rb") as file, pytest.raises(Damaged, match="expands to more"):
        read_member(file, member, most=1000)


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"PK\x03\x04" + b"\xff" * 200]
)
def test_no_archive(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    archive = read_directory(path)
    assert archive.members == ()
    assert archive.fault in (NO_ARCHIVE, "")
