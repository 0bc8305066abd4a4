"""Where the samples of an Inspect log are: the members of a zip, or one array of a JSON document."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.importers.archive import ZIP, Archive, Member, member_pieces, read_member
from core.importers.compression import Damaged, pieces
from core.importers.cutting import RECORD_LIMIT
from core.importers.documents import Element, Rest, cut_document, reduced
from core.importers.parsing import parse_json

SAMPLES = "samples/"
HEADER = "header.json"
START = "_journal/start.json"
SUMMARIES = "summaries.json"
JOURNAL = "_journal/summaries/"

HEAVY = ("events", "events_data", "timelines", "store", "error_retries", "files", "setup", "sandbox")
"""Members of a sample that are not read; most of its bytes are in `events`."""

WHOLE = 8 * 1024 * 1024
"""A sample of up to so many bytes is parsed at once; of a larger one the heavy members are passed over."""

NO_HEADER = "the log has no header that can be read"
NO_OBJECT = "not a JSON object"


class Spot(NamedTuple):
    """Where a sample is in its log, and which sample of which epoch it is.

    `stored` is how many bytes of the file it stands for; `member` is None in a JSON log, whose samples are
    found by `offset`.
    """

    name: str
    sample: str
    epoch: int
    stored: int
    member: Member | None = None
    offset: int = 0

    @property
    def key(self) -> tuple[str, int]:
        """What tells the samples of a run apart."""
        return self.sample, self.epoch


def is_archive(raw: bytes) -> bool:
    """Whether a file begins as an archive does."""
    return raw.startswith(ZIP)


def archived_spots(archive: Archive) -> list[Spot]:
    """Return the samples of a `.eval` file by the names of its members: samples/{id}_epoch_{n}.json."""
    spots = []
    for member in archive.members:
        if member.name.startswith(SAMPLES) and member.name.endswith(".json"):
            stem = member.name[len(SAMPLES) : -len(".json")]
            sample, _, epoch = stem.rpartition("_epoch_")
            number = int(epoch) if epoch.isdecimal() and len(epoch) < 10 else 1
            spots.append(Spot(member.name, sample or stem, number, member.stored, member))
    return spots


def archived_header(path: Path, archive: Archive) -> dict[str, Any]:
    """Return the header of a `.eval` file; of an unfinished one what was known at its start.

    Raises
    ------
    Damaged
        There is none that can be read.
    """
    for name in (HEADER, START):
        document = _document(path, archive.named(name))
        if isinstance(document, dict) and "eval" in document:
            return {key: value for key, value in document.items() if key not in ("samples", "reductions")}
    raise Damaged(archive.fault or NO_HEADER)


def archived_summaries(path: Path, archive: Archive) -> list[dict[str, Any]]:
    """Return the summaries of a `.eval` file's samples, as far as they can be read."""
    whole = _document(path, archive.named(SUMMARIES))
    documents = [whole]
    if not isinstance(whole, list):
        journal = [member for member in archive.members if member.name.startswith(JOURNAL)]
        documents = [_document(path, member) for member in journal]
    lists = (document for document in documents if isinstance(document, list))
    return [one for found in lists for one in found if isinstance(one, dict)]


def _document(path: Path, member: Member | None) -> Any:
    if member is None:
        return None
    try:
        with path.open("rb") as file:
            return parse_json(read_member(file, member, most=RECORD_LIMIT))
    except (Damaged, ValueError):
        return None


def document_parts(path: Path) -> Iterator[Element | Rest]:
    """Yield the samples of a `.json` log, then its header."""
    with path.open("rb") as file:
        yield from cut_document(pieces(file), ("samples",), ("reductions",))


def read_samples(path: Path, spots: Sequence[Spot]) -> Iterator[tuple[Spot, dict[str, Any] | str]]:
    """Yield samples without their heavy members, or why one cannot be read."""
    with path.open("rb") as file:
        for spot in spots:
            try:
                if spot.member is not None:
                    yield spot, _sample(member_pieces(file, spot.member), spot.member.size)
                else:
                    file.seek(spot.offset)
                    yield spot, _sample(iter([file.read(spot.stored)]), spot.stored)
            except (Damaged, ValueError) as error:
                yield spot, str(error)


def _sample(data: Iterator[bytes], size: int) -> dict[str, Any]:
    document = parse_json(b"".join(data) if size <= WHOLE else reduced(data, HEAVY))
    if not isinstance(document, dict):
        raise ValueError(NO_OBJECT)
    return {key: value for key, value in document.items() if key not in HEAVY}
