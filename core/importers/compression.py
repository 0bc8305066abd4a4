"""Compressed sources: recognised by their first bytes, decompressed in pieces of bounded size.

A file that ends early or is damaged gives all that comes before the damage, then raises `Damaged`.
"""

import zlib
from collections.abc import Iterator
from typing import BinaryIO

import zstandard

GZIP = b"\x1f\x8b"
ZSTANDARD = b"\x28\xb5\x2f\xfd"

PIECE = 1024 * 1024
"""Bytes of a piece; what a compressed file of zeros expands to must not come at once."""

ZSTANDARD_INPUT = 16 * 1024
"""Bytes given to zstandard at once: it returns all that they expand to."""


class Damaged(Exception):
    """The compressed data ends early or is no such data; the text says which."""


def decompressed_head(raw: bytes, size: int) -> bytes:
    """Return up to `size` bytes of what a file's first bytes hold, decompressed where they are compressed."""
    try:
        if raw.startswith(GZIP):
            return zlib.decompressobj(wbits=31).decompress(raw, size)
        if raw.startswith(ZSTANDARD):
            return zstandard.ZstdDecompressor().decompressobj().decompress(raw[:ZSTANDARD_INPUT])[:size]
    except (zlib.error, zstandard.ZstdError):
        return b""
    return raw


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of an open file, decompressed where it is compressed, piece by piece.

    Raises
    ------
    Damaged
        After everything that could be read.
    """
    first = file.read(PIECE)
    if first.startswith(GZIP):
        yield from _gzip(file, first)
    elif first.startswith(ZSTANDARD):
        yield from zstandard_pieces(file, first)
    else:
        while first:
            yield first
            first = file.read(PIECE)


def _gzip(file: BinaryIO, data: bytes) -> Iterator[bytes]:
    # A gzip file may hold several members one after the other; zeros may follow as padding.
    while data.strip(b"\x00"):
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            try:
                piece = member.decompress(data, PIECE)
            except zlib.error as error:
                raise Damaged("the gzip data is damaged") from error
            if piece:
                yield piece
            data = member.unconsumed_tail or (b"" if member.eof else file.read(PIECE))
            if not data and not piece and not member.eof:
                raise Damaged("the gzip data ends early")
        data = member.unused_data or file.read(PIECE)


def zstandard_pieces(file: BinaryIO, data: bytes) -> Iterator[bytes]:
    """Yield what zstandard frames hold, piece by piece: `data` and what follows it in the file."""
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        while not frame.eof:
            part, data = data[:ZSTANDARD_INPUT], data[ZSTANDARD_INPUT:]
            try:
                piece = frame.decompress(part)
            except zstandard.ZstdError as error:
                raise Damaged("the zstandard data is damaged") from error
            if piece:
                yield piece
            data = data or file.read(PIECE)
            if not data and not frame.eof:
                raise Damaged("the zstandard data ends early")
        data = frame.unused_data + data
