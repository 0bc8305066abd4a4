"""What an import has to do: which files are new, which are there already, which have changed."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from core.importers.formats import READERS, reader_named
from core.importers.parsing import canonical
from core.importers.reader import Opening, Options, Reader, Run, Survey
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
        Identifies its content (with that of its companions), format, meaning, and how it is to be read.
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
    surveys: dict[str, Survey] = field(default_factory=dict)


class Hashed(NamedTuple):
    """A file with the digest of its content, and of that together with its companions'."""

    path: Path
    reader: Reader
    size: int
    modified: int
    sha256: str
    content: str


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


class Here:
    """A reader's run that does everything in this process."""

    def __init__(self, options: Options) -> None:
        self.options = options

    def map(
        self, function: Callable[[Any], Any], jobs: Sequence[Any], *, step: str, seconds: float | None = None
    ) -> Iterator[Any]:
        """Yield the results of jobs in their order."""
        return map(function, jobs)


def make_plan(
    taken: Sequence[tuple[Path, Reader]],
    known: Sequence[ImportRow],
    options: Options,
    found: Found,
    run: Run | None = None,
) -> Plan:
    """Compare files with what the database was built from.

    A file is there already when its path and key are known, or its key is that of another file whose
    records are kept: a copy, or the same file under another path.

    Raises
    ------
    SourceError
        A reader finds that the options do not fit its files.
    """
    overrides = canonical(dict(options.overrides))
    rows = [row for row in known if row.overrides == overrides]
    at_path = {row.path: row for row in rows}
    plan = Plan([], [], {}, {})
    files = _identified(_hashed(taken, found), at_path, options, found, run or Here(options), plan)
    now = {path_text(file.path): file.key for file in files}
    # A file that is about to be replaced no longer provides its old content, and a copy never did.
    provided = {row.key: row.path for row in rows if row.read and now.get(row.path, row.key) == row.key}
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


def _hashed(taken: Sequence[tuple[Path, Reader]], found: Found) -> list[Hashed]:
    def read(path: Path, reader: Reader) -> Hashed | OSError:
        try:
            status = path.stat()
            digest = file_digest(path)
            others = [file_digest(other) for other in reader.companions(path)]
        except OSError as error:
            return error
        content = hashlib.sha256("|".join((digest, *others)).encode()).hexdigest() if others else digest
        return Hashed(path, reader, status.st_size, status.st_mtime_ns, digest, content)

    # Hashing releases the interpreter's lock, so threads do.
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        results = list(threads.map(lambda one: read(*one), taken))
    files = []
    for (path, _), result in zip(taken, results, strict=True):
        if isinstance(result, Hashed):
            files.append(result)
        else:
            found.leave_out(path, UNREADABLE if isinstance(result, PermissionError) else str(result.strerror))
    return files


def _identified(
    files: Sequence[Hashed],
    at_path: Mapping[str, ImportRow],
    options: Options,
    found: Found,
    run: Run,
    plan: Plan,
) -> list[SourceFile]:
    """Give files their keys; files of a format that are all known as they are need no survey for it."""
    how = _how(options)
    keys: dict[Path, str] = {}
    by_reader: dict[str, list[Hashed]] = {}
    for file in files:
        by_reader.setdefault(file.reader.name, []).append(file)
    for group in by_reader.values():
        if all(_known_as_it_is(file, at_path.get(path_text(file.path)), how) for file in group):
            keys |= {file.path: at_path[path_text(file.path)].key for file in group}
            continue
        reader = group[0].reader
        survey = plan.surveys[reader.name] = reader.survey([file.path for file in group], run)
        for file in group:
            if file.path in survey.left_out:
                found.leave_out(file.path, survey.left_out[file.path])
            else:
                meaning = survey.meanings.get(file.path, "")
                keys[file.path] = "|".join((file.content, reader.name, meaning, how))
    return [
        SourceFile(file.path, file.reader, file.size, file.modified, file.sha256, keys[file.path])
        for file in files
        if file.path in keys
    ]


def _how(options: Options) -> str:
    """Return a digest of the options that change what is read of a file; "" without any."""
    chosen = {"tasks": dict(options.tasks), "scorers": options.scorers, "filters": options.filters}
    said: dict[str, Any] = {key: value for key, value in chosen.items() if value}
    if options.mapping:
        said = said | {"mapping": dict(options.mapping)} if said else dict(options.mapping)
    return hashlib.sha256(canonical(said).encode()).hexdigest()[:12] if said else ""


def _known_as_it_is(file: Hashed, row: ImportRow | None, how: str) -> bool:
    if row is None:
        return False
    content, _, rest = row.key.partition("|")
    return content == file.content and rest.partition("|")[0] == file.reader.name and rest.endswith(f"|{how}")
