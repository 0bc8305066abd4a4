"""Zip archives as they are found: members one by one, nothing is unpacked to disk.

Every member is decompressed in pieces of bounded size and checked against its CRC; an archive whose members
overlap, or a member that expands beyond reason, is refused. An archive without its directory (a copy that was
cut short) gives the members that are whole.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from core.importers.compression import PIECE, Damaged, zstandard_pieces

ZIP = b"PK\x03\x04"

STORED, DEFLATED, ZSTANDARD = 0, 8, 93

EXPANDED = 1024**3
"""The most bytes a member may expand to."""

RATIO = 400
LARGE = 16 * 1024 * 1024
"""An archive that expands beyond so many bytes must not expand to RATIO times its size."""

BOMB = "it expands to more than a log can hold (a zip bomb?)"
OVERLAP = "members of the archive overlap (a zip bomb?)"
NO_ARCHIVE = "the archive is damaged"
CUT = "the archive was cut short; its whole members were read"

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_NO_DIRECTORY = (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, EOFError, LookupError)
_ENCRYPTED, _SIZES_FOLLOW = 0x1, 0x8


class Member(NamedTuple):
    """A member of an archive: where its local header stands, how it is stored, what it should be."""

    name: str
    offset: int
    stored: int
    size: int
    method: int
    crc: int


class Archive(NamedTuple):
    """The members of an archive in the order of the file; of a name that comes twice the later one."""

    members: tuple[Member, ...]
    fault: str = ""

    def named(self, name: str) -> Member | None:
        """Return the member of a name."""
        return next((member for member in self.members if member.name == name), None)


def read_directory(path: Path) -> Archive:
    """Return the members of an archive; `fault` says what is wrong with it."""
    size = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except (
        zipfile.BadZipFile,
        struct.error,
        ValueError,
        NotImplementedError,
        EOFError,
        IndexError,
        KeyError,
    ):
        members = tuple(_walk(path, size))
        return _checked(members, size, CUT if members else NO_ARCHIVE)
    found = {
        info.filename: Member(
            info.filename,
            info.header_offset,
            info.compress_size,
            info.file_size,
            info.compress_type,
            info.CRC,
        )
        for info in infos
        if not info.is_dir() and not info.flag_bits & _ENCRYPTED
    }
    members = tuple(sorted(found.values(), key=lambda member: member.offset))
    return _checked(members, size, "")


def _checked(members: tuple[Member, ...], size: int, fault: str) -> Archive:
    if sum(member.size for member in members) > max(LARGE, size * RATIO):
        return Archive((), BOMB)
    end = 0
    for member in members:
        if member.offset < end:
            return Archive((), OVERLAP)
        end = member.offset + _LOCAL.size + member.stored
    return Archive(members, fault if end <= size else NO_ARCHIVE)


def _walk(path: Path, size: int) -> Iterator[Member]:
    """Yield the members by their local headers, as far as they are whole."""
    found: dict[str, Member] = {}
    with path.open("rb") as file:
        offset = 0
        while (header := _local(file, offset)) is not None:
            name, start, member = header
            if start + member.stored > size or not name:
                break
            found[name] = member
            offset = start + member.stored
    yield from found.values()


def _local(file: BinaryIO, offset: int) -> tuple[str, int, Member] | None:
    """Return a member's name, where its data begin, and what its local header says of it."""
    file.seek(offset)
    head = file.read(_LOCAL.size)
    if len(head) < _LOCAL.size:
        return None
    sign, _, flags, method, _, _, crc, stored, size, name_size, extra_size = _LOCAL.unpack(head)
    if sign != ZIP:
        return None
    name = file.read(name_size).decode("utf-8", "replace")
    if flags & (_SIZES_FOLLOW | _ENCRYPTED):
        return None
    start = offset + _LOCAL.size + name_size + extra_size
    return name, start, Member(name, offset, stored, size, method, crc)


def member_pieces(file: BinaryIO, member: Member, *, most: int = EXPANDED) -> Iterator[bytes]:
    """Yield the content of a member piece by piece.

    Raises
    ------
    Damaged
        After everything that could be read: the data end early, are no such data, are not those that were
        written, or expand to more than they may.
    """
    start = _data_start(file, member)
    file.seek(start)
    source = cast("BinaryIO", _Part(file, member.stored))
    limit = min(most, member.size)
    total = crc = 0
    for piece in _decompressed(source, member.method):
        total += len(piece)
        if total > limit:
            raise Damaged(BOMB)
        crc = zlib.crc32(piece, crc)
        yield piece
    if crc != member.crc:
        raise Damaged("a member of the archive is not what was written (checksum)")


def _data_start(file: BinaryIO, member: Member) -> int:
    file.seek(member.offset)
    head = file.read(_LOCAL.size)
    if len(head) < _LOCAL.size or not head.startswith(ZIP):
        raise Damaged(NO_ARCHIVE)
    *_, name_size, extra_size = _LOCAL.unpack(head)
    return member.offset + _LOCAL.size + int(name_size) + int(extra_size)


def read_member(file: BinaryIO, member: Member, *, most: int) -> bytes:
    """Return the whole content of a member of at most so many bytes. Raises Damaged."""
    return b"".join(member_pieces(file, member, most=most))


def _decompressed(source: BinaryIO, method: int) -> Iterator[bytes]:
    if method == STORED:
        while piece := source.read(PIECE):
            yield piece
    elif method == DEFLATED:
        yield from _inflated(source)
    elif method == ZSTANDARD:
        yield from zstandard_pieces(source, source.read(PIECE))
    else:
        raise Damaged(f"a member of the archive is compressed by method {method}, which is not read here")


def _inflated(source: BinaryIO) -> Iterator[bytes]:
    stream = zlib.decompressobj(wbits=-15)
    data = source.read(PIECE)
    while not stream.eof:
        try:
            piece = stream.decompress(data, PIECE)
        except zlib.error as error:
            raise Damaged(NO_ARCHIVE) from error
        if piece:
            yield piece
        data = stream.unconsumed_tail or source.read(PIECE)
        if not data and not piece and not stream.eof:
            raise Damaged(NO_ARCHIVE)


class _Part(io.RawIOBase):
    """The stored bytes of one member as a file."""

    def __init__(self, file: BinaryIO, left: int) -> None:
        self._file = file
        self._left = left

    def read(self, size: int = -1) -> bytes:
        """Return up to so many of the bytes that are left."""
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data
