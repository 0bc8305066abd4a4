"""Ways in which a source may be broken."""

import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import zstandard

from core.importers.archive import read_directory, read_member

Random = random.Random

DEEP = b"[" * 3000 + b"]" * 3000

_VALUE = re.compile(rb'(?<=[:,\[])\s*(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=\s*[,}\]])')

OTHERS = (
    b"null", b"true", b"-1", b"1e999", b"99999999999999999999999", b"0.5", b'""', b'"x"', b"[]", b"{}",
    b"NaN", b'"\\ud800"', b"[[]]", b'{"a":{"b":[1]}}', b'"\\u0000"', b"2147483648",
)  # fmt: skip


def cut(data: bytes, chance: Random) -> bytes:
    """The file ends early."""
    return data[: chance.randrange(len(data))]


def flip(data: bytes, chance: Random) -> bytes:
    """Some bits are others."""
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 20)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def splice(data: bytes, chance: Random) -> bytes:
    """A piece is gone, or there twice."""
    start, end = sorted(chance.randrange(len(data)) for _ in range(2))
    return data[:start] + data[end:] if chance.random() < 0.5 else data[:end] + data[start:]


def types(data: bytes, chance: Random) -> bytes:
    """Some JSON values are of another kind."""
    return _replaced(data, chance, lambda: chance.choice(OTHERS), chance.randrange(1, 6))


def huge(data: bytes, chance: Random) -> bytes:
    """A value is a text of millions of characters."""
    return _replaced(data, chance, lambda: b'"' + b"huge " * 600_000 + b'"', 1)


def deep(data: bytes, chance: Random) -> bytes:
    """A value is nested thousands of times."""
    return _replaced(data, chance, lambda: DEEP, 1)


Mutation = Callable[[bytes, Random], bytes]

BYTES: tuple[Mutation, ...] = (cut, flip, splice)
JSON: tuple[Mutation, ...] = (types, huge, deep)


def _replaced(data: bytes, chance: Random, value: Callable[[], bytes], times: int) -> bytes:
    for _ in range(times):
        found = list(_VALUE.finditer(data))
        if found:
            match = chance.choice(found)
            data = data[: match.start()] + value() + data[match.end() :]
    return data


def mutate(path: Path, mutation: Mutation, chance: Random) -> None:
    """Break a file; JSON is broken inside an archive, and inside the columns of a table."""
    data = path.read_bytes()
    if mutation in JSON and data.startswith(b"PK"):
        members = dict(members_of(path))
        name = chance.choice([name for name in members if name != "reductions.json"])
        path.write_bytes(packed(members | {name: mutation(members[name], chance)}))
    else:
        path.write_bytes(mutation(data, chance))


def members_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """The members of an archive and their contents; the standard library knows no zstandard here."""
    with path.open("rb") as file:
        for member in read_directory(path).members:
            yield member.name, read_member(file, member, most=10**9)


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def zeros(size: int) -> bytes:
    """A zstandard frame that expands to so many zeros."""
    compressor = zstandard.ZstdCompressor(level=19).compressobj(size=size)
    block = bytes(1024 * 1024)
    return b"".join([*(compressor.compress(block) for _ in range(size // len(block))), compressor.flush()])


def as_json(document: Any) -> bytes:
    """JSON."""
    return json.dumps(document).encode()
