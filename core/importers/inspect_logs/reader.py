"""The `inspect` format: what to take of all logs together, and the cutting of each into samples."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import SourceError
from core.importers.archive import read_directory
from core.importers.inspect_logs.container import Spot, is_archive, read_samples
from core.importers.inspect_logs.figures import compare_figures
from core.importers.inspect_logs.header import Header
from core.importers.inspect_logs.library import NEEDED, fault_of, installed, sample_of
from core.importers.inspect_logs.samples import Log, record_of
from core.importers.inspect_logs.scan import Seen, scan_log, spots_of
from core.importers.metadata import DROPPED, NESTED, Census
from core.importers.parsing import digest_of
from core.importers.reader import (
    SUPERSEDED,
    Chunk,
    Fault,
    Kept,
    Opening,
    Options,
    PlainReader,
    RawRecord,
    Remark,
    Run,
    Survey,
    Verdict,
)
from core.importers.reruns import Made, superseded

UNFINISHED = "logs of runs that did not come to their end; read as far as they go"
DAMAGED = "damaged logs, read in part"
EMPTY = "Inspect log without samples"

CHUNK = 1024 * 1024
"""Bytes of a log, as stored, that make a chunk; they expand to some ten times as many."""

_DOCUMENT_KEYS = (b'"version"', b'"status"', b'"eval"', b'"run_id"', b'"created"', b'"task"', b'"model"')
_ARCHIVE_NAMES = ("header.json", "_journal/start.json")


@dataclass(frozen=True)
class Prepared:
    """What is to be read of one log."""

    seen: Seen
    log: Log | None = None
    skip: frozenset[Any] = frozenset()
    remarks: tuple[Remark, ...] = ()


class Samples(NamedTuple):
    """Some samples of a log, for a worker."""

    path: Path
    spots: tuple[Spot, ...]
    log: Log


class InspectLogs(PlainReader):
    """Reader of the `inspect` format."""

    name = "inspect"

    def recognise(self, opening: Opening, options: Options) -> Verdict:
        """Say whether a file is a log of Inspect; reading it needs the optional package."""
        if not _is_log(opening):
            return Verdict(False)
        return Verdict(True, "" if installed() else NEEDED)

    def survey(self, paths: Sequence[Path], run: Run) -> Survey:
        """Look at all logs: which are re-runs, which metadata are params, which score is taken."""
        scans = run.map(scan_log, paths, step="Reading the headers of logs")
        seen: dict[Path, Seen] = dict(zip(paths, scans, strict=True))
        headers = {path: one.header for path, one in seen.items() if one.header is not None}
        _check_scorers(headers.values(), run.options)
        headers = _told_apart(headers)
        older = superseded(
            {path: Made((header.group, header.planned), header.created) for path, header in headers.items()},
            lambda path: (spot.key for spot in spots_of(path, seen[path])),
        )
        census: dict[str, Census] = defaultdict(Census)
        for path, header in headers.items():
            census[header.task].add(seen[path].census)
        dropped = {task: one.dropped() for task, one in census.items()}
        params = {task: one.params() for task, one in census.items()}
        findings, meanings = {}, {}
        for path, one in seen.items():
            if path not in headers:
                findings[path] = Prepared(one)
                continue
            header = headers[path]
            log = _log(header, params[header.task], run.options)
            remarks = tuple(_remarks(one, header, dropped[header.task]))
            findings[path] = Prepared(_final(one, header), log, older.get(path, frozenset()), remarks)
            said = [sorted(log.params), sorted(map(str, older.get(path, ()))), log.values["sampler"]]
            meanings[path] = digest_of(said)
        empty = {path: EMPTY for path, one in seen.items() if one.header is not None and not one.samples}
        return Survey(meanings, findings, {} if len(empty) == len(seen) else empty)

    def chunks(self, path: Path, prepared: Prepared, options: Options) -> Iterator[Chunk]:
        """Cut a log into samples, those that a newer log has left out."""
        if prepared.log is None:
            yield Chunk(Fault("file", prepared.seen.fault), path.stat().st_size)
            return
        yield from (Chunk(remark, 0) for remark in prepared.remarks)
        spots = spots_of(path, prepared.seen)
        kept = [spot for spot in spots if spot.key not in prepared.skip]
        if len(kept) < len(spots):
            times = len(spots) - len(kept)
            yield Chunk(Fault(f"{times} of {len(spots)} samples", SUPERSEDED, times), 0)
        left = path.stat().st_size
        for group in _groups(kept):
            size = min(left, sum(spot.stored for spot in group))
            left -= size
            yield Chunk(Samples(path, tuple(group), prepared.log), size)
        yield Chunk(Samples(path, (), prepared.log), left)

    def records(self, payload: Samples | Fault | Remark) -> Iterator[RawRecord | Fault | Remark]:
        """Read samples."""
        if isinstance(payload, Fault | Remark):
            yield payload
            return
        for spot, document in read_samples(payload.path, payload.spots):
            if isinstance(document, str):
                yield Fault(spot.name, document)
                continue
            try:
                sample = sample_of(document)
            except (ValueError, TypeError) as error:
                yield Fault(spot.name, f"not a sample of Inspect ({fault_of(error)})")
                continue
            yield from record_of(sample, payload.log, spot.name)

    def compare(self, prepared: Prepared | None, kept: Kept) -> Iterable[Remark]:
        """Compare the log's own mean of the score with that of the records."""
        if prepared is None or prepared.log is None or prepared.seen.header is None or prepared.skip:
            return ()
        return compare_figures(prepared.seen.header, prepared.log, kept)


def _is_log(opening: Opening) -> bool:
    if is_archive(opening.raw):
        names = {member.name for member in read_directory(opening.path).members}
        return any(name in names for name in _ARCHIVE_NAMES)
    content = opening.content.lstrip()
    return content.startswith(b"{") and all(key in content for key in _DOCUMENT_KEYS)


def _check_scorers(headers: Iterable[Header], options: Options) -> None:
    known = [one for header in headers for one in header.scorers]
    if not options.scorers or not known:
        return
    valid = dict.fromkeys(f"{scorer}.{key}" if key else scorer for scorer, key in known)
    if not any(_matches(name, scorer, key) for name in options.scorers for scorer, key in known):
        raise SourceError(f"--scorer {', '.join(options.scorers)}: no such score; valid: {', '.join(valid)}")


def _matches(name: str, scorer: str, key: str) -> bool:
    return name in (scorer, key, f"{scorer}.{key}") if key else name == scorer


def _told_apart(headers: Mapping[Path, Header]) -> dict[Path, Header]:
    """Name the sampler in full where runs of the same differ only in what the call of eval() set."""
    planned: dict[str, set[str]] = defaultdict(set)
    for header in headers.values():
        planned[header.group].add(header.planned)
    mixed = {
        (header.model, header.template, header.sampler)
        for header in headers.values()
        if len(planned[header.group]) > 1
    }
    return {
        path: replace(header, sampler=header.planned)
        if (header.model, header.template, header.sampler) in mixed
        else header
        for path, header in headers.items()
    }


def _final(seen: Seen, header: Header) -> Seen:
    """Return what was seen under its final header, without what only the survey needs."""
    return seen._replace(header=header, census=Census())


def _log(header: Header, params: frozenset[str], options: Options) -> Log:
    wanted = [
        one
        for name in options.scorers
        for one in (*header.scorers, (name, ""), (name.rpartition(".")[0], name.rpartition(".")[2]))
        if _matches(name, *one)
    ]
    values = {
        "model": header.model,
        "template": header.template,
        "sampler": header.sampler,
        "label": header.label,
        "hf_id": header.hf_id,
        "base_task": header.task,
        "token_limit": header.token_limit,
    }
    preference = tuple(dict.fromkeys((*wanted, *header.scorers)))
    return Log(values, header.args, params, preference, header.placeholder)


def _remarks(seen: Seen, header: Header, dropped: Mapping[str, str]) -> Iterator[Remark]:
    if header.status != "success":
        yield Remark(UNFINISHED, header.status)
    if seen.damage:
        yield Remark(DAMAGED, seen.damage)
    yield from (Remark(DROPPED, f"{key} ({reason})") for key, reason in dropped.items())
    yield from (Remark(DROPPED, f"{key} ({NESTED})") for key in header.unfit)


def _groups(spots: Sequence[Spot]) -> Iterator[list[Spot]]:
    group: list[Spot] = []
    for spot in spots:
        group.append(spot)
        if sum(one.stored for one in group) >= CHUNK:
            yield group
            group = []
    if group:
        yield group
