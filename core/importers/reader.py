"""What a source format has to provide; one module per format implements it, formats.py lists them.

The parent process recognises files and cuts them into chunks, cheaply; worker processes turn chunks into
records. Chunks are pickled, so they hold bytes, numbers, text and plain containers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol


@dataclass(frozen=True)
class Options:
    """What the user said about the sources.

    Attributes
    ----------
    mapping : dict
        Our field name to the source's column name.
    overrides : dict
        Fields that have one value for all records, from `--set`.
    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Opening:
    """The beginning of a file, which is all that recognition looks at.

    Attributes
    ----------
    path : Path
        The file, absolute.
    raw : bytes
        Its first bytes as stored.
    content : bytes
        Its first bytes decompressed; the same as `raw` where the file is not compressed.
    """

    path: Path
    raw: bytes
    content: bytes


@dataclass(frozen=True)
class Verdict:
    """Whether a file has a reader's format; `refusal` says why a file of the format holds no results."""

    mine: bool
    refusal: str = ""


class Chunk(NamedTuple):
    """A piece of a file for one worker; `size` is the bytes of the file that it stands for."""

    payload: Any
    size: int


class RawRecord(NamedTuple):
    """One record under our field names, not validated, and where it stands in its file."""

    place: str
    values: dict[str, Any]


class Fault(NamedTuple):
    """What could not be read, and where; counted as one skipped record."""

    place: str
    reason: str


class Remark(NamedTuple):
    """Something the report says without a record being skipped: what, in general, and a detail."""

    what: str
    detail: str = ""
    times: int = 1


class Run(Protocol):
    """What a reader may ask of the import that it takes part in."""

    options: Options

    def map(
        self, function: Callable[[Any], Any], jobs: Sequence[Any], *, step: str, seconds: float | None = None
    ) -> Iterator[Any]:
        """Yield the results of jobs in their order, None for those not done after so many seconds."""


class Reader(Protocol):
    """One source format."""

    name: str

    def recognise(self, opening: Opening, options: Options) -> Verdict:
        """Say by its content whether a file has this format."""

    def meaning(self, path: Path) -> str:
        """Return the part of a file's path that gives its content meaning; "" where there is none."""

    def prepare(self, paths: Sequence[Path], new: Sequence[Path], run: Run) -> Mapping[Path, Any]:
        """Find out what the new files need to know of all files before they are cut; mostly nothing."""

    def chunks(self, path: Path, prepared: Any, options: Options) -> Iterable[Chunk]:
        """Cut a file into chunks, in file order, holding one of them at a time."""

    def records(self, payload: Any) -> Iterable[RawRecord | Fault | Remark]:
        """Read a chunk; runs in a worker process."""
