"""Cutting text sources into blocks of whole records without parsing them.

A block is about 4 MB; however large a source is, one block is held at a time. A record longer than 64 MB is
left out, as it would have to be held whole.
"""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from core.importers.compression import Damaged, pieces

BLOCK = 4 * 1024 * 1024
RECORD_LIMIT = 64 * 1024 * 1024

TOO_LONG = f"record longer than {RECORD_LIMIT // 1024 // 1024} MB"
ENDS_EARLY = "the JSON array ends early"
AFTER_ARRAY = "text after the JSON array"
NO_OBJECT = "not a JSON object"

BOM = b"\xef\xbb\xbf"


class Block(NamedTuple):
    """Whole records, the number of the first line (or array element), and the bytes of the file behind it."""

    data: bytes
    first: int
    size: int


class Broken(NamedTuple):
    """Something that could not be cut, at a line (or array element)."""

    number: int
    reason: str


class _Meter:
    """How far a file was read since the last block."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._before = 0

    def size(self) -> int:
        position = self._file.tell()
        size, self._before = position - self._before, position
        return size


Boundary = Callable[[bytearray, int], int]
"""Where the last whole record in a buffer ends, given how much was looked at before; 0 where none does."""


def line_end(buffer: bytearray, seen: int) -> int:
    """Return the end of the last line of a buffer."""
    return buffer.rfind(b"\n", seen) + 1


def csv_row_end(buffer: bytearray, seen: int) -> int:
    """Return the end of the last line that no quoted field runs across.

    Quotes within quoted fields are doubled, so before the end of a row their count is even.
    """
    end = buffer.rfind(b"\n") + 1
    quotes = buffer.count(b'"', 0, end)
    while end and quotes % 2:
        before = buffer.rfind(b"\n", 0, end - 1) + 1
        quotes -= buffer.count(b'"', before, end)
        end = before
    return end


def cut_lines(
    file: BinaryIO, boundary: Boundary = line_end, *, block: int = BLOCK, limit: int = RECORD_LIMIT
) -> Iterator[Block | Broken]:
    """Yield the lines of an open file (compressed or not) in blocks, and what is broken in between."""
    meter = _Meter(file)
    buffer = bytearray()
    line, looked_at, skipping, damage = 1, 0, False, ""
    for piece in _until_damaged(file):
        if isinstance(piece, Damaged):
            damage = str(piece)
            break
        if skipping:
            # The rest of a record that is too long is read and forgotten.
            end = piece.find(b"\n") + 1
            if not end:
                continue
            piece, line, skipping = piece[end:], line + 1, False
        buffer += piece
        if len(buffer) < block:
            continue
        end = boundary(buffer, looked_at)
        looked_at = len(buffer)
        if end:
            data = bytes(buffer[:end])
            del buffer[:end]
            looked_at = 0
            yield Block(data, line, meter.size())
            line += data.count(b"\n")
        elif len(buffer) > limit:
            yield Broken(line, TOO_LONG)
            # A line break inside a quoted field ends the skipping of a CSV row early; its remains do
            # not have the header's number of columns and are reported as such.
            line += buffer.count(b"\n")
            buffer.clear()
            looked_at, skipping = 0, True
    end = boundary(buffer, 0) if damage else len(buffer)
    if end:
        yield Block(bytes(buffer[:end]), line, meter.size())
        line += buffer.count(b"\n", 0, end)
    if damage:
        yield Broken(line, damage)


def _until_damaged(file: BinaryIO) -> Iterator[bytes | Damaged]:
    first = True
    try:
        for piece in pieces(file):
            yield piece.removeprefix(BOM) if first else piece
            first = False
    except Damaged as error:
        yield error


# A whole string, a bracket, or the beginning of a string whose end is not there yet.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]|"', re.DOTALL)
_BETWEEN = b" \t\r\n,"


def cut_array(file: BinaryIO, *, block: int = BLOCK, limit: int = RECORD_LIMIT) -> Iterator[Block | Broken]:
    """Yield the objects of a JSON array in blocks of one object a line, and what is broken in between.

    Line breaks within an object stand between its tokens only, so that they may become spaces.
    """
    meter = _Meter(file)
    buffer = bytearray()
    elements: list[bytes] = []
    depth, number, position, start, held = 0, 1, 0, 0, 0
    reason = ENDS_EARLY
    for piece in _until_damaged(file):
        if isinstance(piece, Damaged):
            reason = str(piece)
            break
        del buffer[:start]
        position, start = position - start, 0
        buffer += piece
        if reason == "":
            start = position = len(buffer)
            if piece.strip(_BETWEEN):
                reason = AFTER_ARRAY
                break
            continue
        for token in _TOKEN.finditer(buffer, position):
            sign = buffer[token.start()]
            if sign == 0x22:
                if token.end() - token.start() == 1:
                    break
            elif sign in b"[{":
                depth += 1
                if depth == 1:
                    start = token.end()
                elif depth == 2:
                    if buffer[start : token.start()].strip(_BETWEEN):
                        yield from _flush(elements, number, meter)
                        yield Broken(number, NO_OBJECT)
                        number, held = number + 1, 0
                    start = token.start()
            else:
                depth -= 1
                if depth == 1:
                    elements.append(bytes(buffer[start : token.end()].translate(_SPACES)))
                    held += len(elements[-1])
                    number, start = number + 1, token.end()
                    if held >= block:
                        yield from _flush(elements, number, meter)
                        held = 0
                elif depth == 0:
                    reason = AFTER_ARRAY if buffer[token.end() :].strip(_BETWEEN) else ""
                    position = start = len(buffer)
                    break
            position = token.end()
        if reason == AFTER_ARRAY:
            break
        if len(buffer) - start > limit:
            reason = f"{TOO_LONG}; the rest of the array was not read"
            break
    yield from _flush(elements, number, meter)
    if reason:
        yield Broken(number, reason)


_SPACES = bytes.maketrans(b"\r\n", b"  ")


def _flush(elements: list[bytes], number: int, meter: _Meter) -> Iterator[Block]:
    if elements:
        block = Block(b"\n".join(elements), number - len(elements), meter.size())
        elements.clear()
        yield block
