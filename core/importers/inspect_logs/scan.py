"""A first look at an Inspect log, in a worker process: its header, its samples' places and their metadata."""

from pathlib import Path
from typing import Any, NamedTuple

from core.importers.archive import read_directory
from core.importers.documents import Element
from core.importers.inspect_logs.container import (
    NO_HEADER,
    Spot,
    archived_header,
    archived_spots,
    archived_summaries,
    document_parts,
    is_archive,
    read_samples,
)
from core.importers.inspect_logs.header import Header, read_header
from core.importers.inspect_logs.library import fault_of, header_of
from core.importers.metadata import Census
from core.importers.parsing import parse_json
from core.importers.reader import UNFORESEEN


class Seen(NamedTuple):
    """What a log is.

    Attributes
    ----------
    header : Header or None
        None where it cannot be read, and `fault` says why.
    damage : str
        What is wrong with the file although it can be read in part.
    spots : tuple of Spot or None
        The samples of a JSON log; those of an archive are found again in a moment by `spots_of`.
    samples : int
        How many there are.
    """

    header: Header | None
    census: Census
    samples: int = 0
    fault: str = ""
    damage: str = ""
    spots: tuple[Spot, ...] | None = None


def scan_log(path: Path) -> Seen:
    """Return what a log is; runs in a worker process."""
    try:
        with path.open("rb") as file:
            archived = is_archive(file.read(4))
        return _scan_archive(path) if archived else _scan_document(path)
    except UNFORESEEN as error:
        return Seen(None, Census(), fault=str(error) or NO_HEADER)


def spots_of(path: Path, seen: Seen) -> tuple[Spot, ...]:
    """Return the samples of a log that was scanned."""
    return tuple(archived_spots(read_directory(path))) if seen.spots is None else seen.spots


def _scan_archive(path: Path) -> Seen:
    archive = read_directory(path)
    spots = archived_spots(archive)
    header, fault = _header(archived_header(path, archive))
    census = Census()
    summaries = archived_summaries(path, archive)
    if not summaries and spots:
        # Logs from before there were summaries, or whose summaries are damaged.
        summaries = [one for _, one in read_samples(path, spots) if isinstance(one, dict)]
    for one in summaries:
        _see(census, one)
    return Seen(header, census, len(spots), fault, archive.fault)


def _scan_document(path: Path) -> Seen:
    census, spots, document, damage = Census(), [], b"", ""
    for part in document_parts(path):
        if not isinstance(part, Element):
            document, damage = part.data, part.fault
            continue
        place = f"sample {part.number + 1}"
        sample, epoch = place, 1
        try:
            one = parse_json(part.data)
        except ValueError:
            one = None
        if isinstance(one, dict):
            _see(census, one)
            number = one.get("epoch")
            sample, epoch = str(one.get("id", place)), number if isinstance(number, int) else 1
        spots.append(Spot(place, sample, epoch, len(part.data), None, part.offset))
    header, fault = _header(parse_json(document))
    return Seen(header, census, len(spots), fault, damage, tuple(spots))


def _header(document: Any) -> tuple[Header | None, str]:
    if not isinstance(document, dict) or "eval" not in document:
        return None, NO_HEADER
    try:
        return read_header(header_of(document)), ""
    except (ValueError, TypeError, AttributeError) as error:
        return None, f"{NO_HEADER} ({fault_of(error)})"


def _see(census: Census, sample: dict[str, Any]) -> None:
    metadata, target = sample.get("metadata"), sample.get("target")
    told = target if isinstance(target, list) else [target]
    asked = sample.get("input")
    if isinstance(metadata, dict):
        census.see(str(sample.get("id")), metadata, [*told, asked if isinstance(asked, str) else None])
