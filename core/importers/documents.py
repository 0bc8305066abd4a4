"""Cutting one large JSON document: the elements of its arrays one by one, unwanted members passed over.

Logs are objects whose bulk is one array (samples, requests) or one member (events). Neither is held whole:
an element is yielded as its bytes, a member to be dropped is read and forgotten.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from core.importers.compression import Damaged
from core.importers.cutting import BOM, ENDS_EARLY, RECORD_LIMIT, TOO_LONG
from core.importers.parsing import parse_json

NO_DOCUMENT = "not valid JSON: not an object as expected"
CUT_SHORT = "not valid JSON: unexpected end of data"

# A whole string, a bracket, or the beginning of a string whose end is not there yet.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]|"', re.DOTALL)
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SPACE = re.compile(rb"[ \t\r\n]*")
_PLAIN_END = re.compile(rb"[,\]}\s]")


class Element(NamedTuple):
    """An element of one of the arrays, counted from 0; `offset` is where its bytes begin in the document."""

    key: str
    number: int
    data: bytes
    offset: int


class Rest(NamedTuple):
    """What a document has besides, as an object; `fault` says where it stopped being readable."""

    data: bytes
    fault: str = ""


def cut_document(
    pieces: Iterable[bytes],
    arrays: Collection[str] = (),
    drop: Collection[str] = (),
    *,
    limit: int = RECORD_LIMIT,
) -> Iterator[Element | Rest]:
    """Yield the elements of arrays that are members of an object, then the object without them.

    Parameters
    ----------
    pieces : iterable of bytes
        The document; may raise Damaged where it ends.
    arrays : collection of str
        Members of the outermost object whose elements come one by one.
    drop : collection of str
        Members that are not wanted.
    limit : int
        The most bytes of an element, and of the rest.
    """
    window = _Window(pieces, limit)
    kept: list[bytes] = []
    fault = ""
    try:
        yield from _members(window, arrays, drop, kept)
    except Damaged as error:
        fault = str(error)
    yield Rest(b"{" + b",".join(kept) + b"}", fault)


def reduced(pieces: Iterable[bytes], drop: Collection[str]) -> bytes:
    """Return an object without the members that are not wanted. Raises Damaged."""
    data = fault = b""
    for part in cut_document(pieces, drop=drop):
        if isinstance(part, Rest):
            data, fault = part.data, part.fault.encode()
    if fault:
        raise Damaged(fault.decode())
    return data


def _members(
    window: "_Window", arrays: Collection[str], drop: Collection[str], kept: list[bytes]
) -> Iterator[Element]:
    held = 0
    if window.sign() != b"{":
        raise Damaged(NO_DOCUMENT)
    window.forget(1)
    while (sign := window.sign()) != b"}":
        if sign == b",":
            window.forget(1)
            continue
        if sign != b'"':
            raise Damaged(NO_DOCUMENT if sign else CUT_SHORT)
        name = window.value()
        key = _text(name)
        if window.sign() != b":":
            raise Damaged(NO_DOCUMENT)
        window.forget(1)
        if key in arrays and window.sign() == b"[":
            yield from _elements(window, key)
        elif key in drop:
            window.value(keep=False)
        else:
            kept.append(name + b":" + window.value())
            held += len(kept[-1])
            if held > window.limit:
                raise Damaged(TOO_LONG)


def _elements(window: "_Window", key: str) -> Iterator[Element]:
    window.forget(1)
    number = 0
    while (sign := window.sign()) != b"]":
        if not sign:
            raise Damaged(ENDS_EARLY)
        if sign == b",":
            window.forget(1)
            continue
        # In this order: `sign` has gone to where the value begins.
        offset = window.offset
        yield Element(key, number, window.value(), offset)
        number += 1
    window.forget(1)


def _text(name: bytes) -> str:
    try:
        return str(parse_json(name))
    except ValueError as error:
        raise Damaged(str(error)) from error


class _Window:
    """The part of a document that is being looked at: it begins with what comes next."""

    def __init__(self, pieces: Iterable[bytes], limit: int) -> None:
        self._pieces = iter(pieces)
        self._buffer = bytearray()
        self._first = True
        self.limit = limit
        self.offset = 0

    def _more(self) -> bool:
        piece = next(self._pieces, b"")
        if self._first and piece.startswith(BOM):
            piece, self.offset = piece[len(BOM) :], len(BOM)
        self._first = False
        self._buffer += piece
        return bool(piece)

    def forget(self, size: int) -> None:
        """Leave out so many bytes at the beginning."""
        del self._buffer[:size]
        self.offset += size

    def sign(self) -> bytes:
        """Return the next byte that is no white space, without taking it; b"" at the end."""
        while True:
            match = _SPACE.match(self._buffer)
            if match and match.end() < len(self._buffer):
                self.forget(match.end())
                return bytes(self._buffer[:1])
            self.forget(len(self._buffer))
            if not self._more():
                return b""

    def value(self, *, keep: bool = True) -> bytes:
        """Take the next value and return its bytes, b"" where they are not kept. Raises Damaged."""
        sign = self.sign()
        if sign == b'"':
            size = self._string_end()
        elif sign in (b"{", b"["):
            size = self._brackets_end(keep=keep)
        else:
            size = self._plain_end()
        data = bytes(self._buffer[:size]) if keep else b""
        self.forget(size)
        return data

    def _string_end(self) -> int:
        while not (match := _STRING.match(self._buffer)):
            self._grow()
        return match.end()

    def _plain_end(self) -> int:
        while not (match := _PLAIN_END.search(self._buffer)):
            self._grow()
        if match.start() == 0:
            raise Damaged(NO_DOCUMENT)
        return match.start()

    def _brackets_end(self, *, keep: bool) -> int:
        depth, position = 0, 0
        while True:
            for token in _TOKEN.finditer(self._buffer, position):
                sign = self._buffer[token.start()]
                if sign == 0x22:
                    if token.end() - token.start() == 1:
                        position = token.start()
                        break
                elif sign in b"[{":
                    depth += 1
                else:
                    depth -= 1
                    if not depth:
                        return token.end()
                position = token.end()
            if not keep:
                self.forget(position)
                position = 0
            self._grow()

    def _grow(self) -> None:
        if len(self._buffer) > self.limit:
            raise Damaged(TOO_LONG)
        if not self._more():
            raise Damaged(CUT_SHORT)
