"""What an import has to do: which files are new, which are there already, which have changed."""

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from core.importers.formats import READERS, reader_named
from core.importers.reader import Opening, Options, Reader
from core.importers.sources import UNREADABLE, Found, file_digest, open_beginning, path_text
from core.store import ImportRow

NOT_RECOGNISED = "not recognised as any format"
UTF16 = "UTF-16 text; save it as UTF-8"

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class SourceFile:
    """A file to import.

    Attributes
    ----------
    modified : int
        Its time stamp when it was hashed, in nanoseconds.
    key : str
        Identifies its content, format, mapping, and what its path says.
    earlier_key : str
        The key of the version of the file that the database holds; "" where it holds none.
    copy_of : str or None
        Another file whose records are the same; this one brings none.
    """

    path: Path
    reader: Reader
    size: int
    modified: int
    sha256: str
    key: str
    earlier_key: str = ""
    copy_of: str | None = None


@dataclass(frozen=True)
class Plan:
    """The recognised files by what there is to do with them, and all of them by their reader."""

    new: list[SourceFile]
    known: list[Path]
    copies: dict[Path, str]
    by_reader: dict[str, list[Path]]


def canonical(values: object) -> str:
    """Return canonical JSON: sorted keys, no spaces."""
    return orjson.dumps(values, option=orjson.OPT_SORT_KEYS).decode()


def recognise(found: Found, options: Options, format: str | None) -> list[tuple[Path, Reader]]:
    """Return the files that a reader takes; the others are noted in `found`."""
    readers = READERS if format is None else (reader_named(format),)
    taken = []
    for path in found.files:
        try:
            opening = open_beginning(path)
        except OSError as error:
            found.leave_out(path, UNREADABLE if isinstance(error, PermissionError) else str(error.strerror))
            continue
        reader, refusal = _reader_of(opening, readers, options, forced=format is not None)
        if reader is None or refusal:
            found.leave_out(path, refusal)
        else:
            taken.append((path, reader))
    return taken


def _reader_of(
    opening: Opening, readers: Sequence[Reader], options: Options, *, forced: bool
) -> tuple[Reader | None, str]:
    if opening.raw.startswith(_UTF16_MARKS):
        return None, UTF16
    for reader in readers:
        verdict = reader.recognise(opening, options)
        if verdict.mine or forced:
            return reader, verdict.refusal
    return None, NOT_RECOGNISED


def make_plan(
    taken: Sequence[tuple[Path, Reader]], known: Sequence[ImportRow], options: Options, found: Found
) -> Plan:
    """Compare files with what the database was built from.

    A file is there already when its path and key are known, or its key is that of another file whose
    records are kept: a copy, or the same file under another path.
    """
    overrides = canonical(dict(options.overrides))
    rows = [row for row in known if row.overrides == overrides]
    files = _identified(taken, options, found)
    now = {path_text(file.path): file.key for file in files}
    at_path = {row.path: row for row in rows}
    # A file that is about to be replaced no longer provides its old content, and a copy never did.
    provided = {row.key: row.path for row in rows if row.read and now.get(row.path, row.key) == row.key}
    plan = Plan([], [], {}, {})
    for file in files:
        plan.by_reader.setdefault(file.reader.name, []).append(file.path)
        row = at_path.get(path_text(file.path))
        earlier = row.key if row is not None and row.key != file.key else ""
        origin = provided.get(file.key)
        if row is not None and not earlier and (row.read or origin):
            plan.known.append(file.path)
        elif origin is None:
            plan.new.append(replace(file, earlier_key=earlier))
            provided[file.key] = path_text(file.path)
        else:
            plan.copies[file.path] = origin
            if earlier:
                # It has to be recorded, so that the records of its earlier content go.
                plan.new.append(replace(file, earlier_key=earlier, copy_of=origin))
    return plan


def _identified(taken: Sequence[tuple[Path, Reader]], options: Options, found: Found) -> list[SourceFile]:
    mapping = ""
    if options.mapping:
        mapping = hashlib.sha256(canonical(dict(options.mapping)).encode()).hexdigest()[:12]

    def identify(path: Path, reader: Reader) -> SourceFile | OSError:
        try:
            status = path.stat()
            digest = file_digest(path)
        except OSError as error:
            return error
        key = "|".join((digest, reader.name, reader.meaning(path), mapping))
        return SourceFile(path, reader, status.st_size, status.st_mtime_ns, digest, key)

    # Hashing releases the interpreter's lock, so threads do.
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        results = list(threads.map(lambda one: identify(*one), taken))
    files = []
    for (path, _), result in zip(taken, results, strict=True):
        if isinstance(result, SourceFile):
            files.append(result)
        else:
            found.leave_out(path, UNREADABLE if isinstance(result, PermissionError) else str(result.strerror))
    return files
