"""What a source format has to provide; one module per format implements it, formats.py lists them.

The parent process recognises files and cuts them into chunks, cheaply; worker processes turn chunks into
records. Chunks are pickled, so they hold bytes, numbers, text and plain containers. A format whose files mean
something only together (re-runs, a choice that holds for a whole task) looks at all of them in `survey`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from core.importers.compression import Damaged


@dataclass(frozen=True)
class Options:
    """What the user said about the sources.

    Attributes
    ----------
    mapping : dict
        Our field name to the source's column name.
    overrides : dict
        Fields that have one value for all records, from `--set`.
    tasks : dict
        A source's name of a task to the base_task it becomes, from `--task`.
    scorers, filters : tuple of str
        Which score, and which answer filter, to take where a source has several; first come, first taken.
    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, str] = field(default_factory=dict)
    scorers: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()


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
    """What could not be read, and where; counted as so many skipped records."""

    place: str
    reason: str
    times: int = 1


class Remark(NamedTuple):
    """Something the report says without a record being skipped: what, in general, and a detail."""

    what: str
    detail: str = ""
    times: int = 1


SUPERSEDED = "of an earlier run of the same: the newest is used"
"""Reason for skipping records that another file has newer; a file may come to nothing by it."""


UNFORESEEN: tuple[type[Exception], ...] = (
    *(TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError),
    *(OSError, pa.ArrowException, Damaged),
)
"""What reading a file may raise that has values of the wrong kind, or is damaged."""


class Survey(NamedTuple):
    """What all files of a format say together.

    Attributes
    ----------
    meanings : dict
        By path, what gives the file's content its meaning besides its content; a file whose meaning changes
        is imported again. No entry: "".
    findings : object
        For the reader's own `prepare`.
    left_out : dict
        Files that turned out to hold no results of their own, with the reason.
    """

    meanings: Mapping[Path, str] = {}
    findings: Any = None
    left_out: Mapping[Path, str] = {}


class Kept(NamedTuple):
    """What was kept of a file: completions by outcome, how many have a score, and the sum of the scores."""

    outcomes: Mapping[str, int]
    scored: int
    score_sum: float


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

    def companions(self, path: Path) -> Sequence[Path]:
        """Return the files beside a file that its records come from too; mostly none."""

    def survey(self, paths: Sequence[Path], run: Run) -> Survey:
        """Look at all files together, before it is decided which of them are to be read."""

    def prepare(
        self, paths: Sequence[Path], new: Sequence[Path], run: Run, survey: Survey | None = None
    ) -> Mapping[Path, Any]:
        """Find out what the new files need to know of all files before they are cut; mostly nothing."""

    def chunks(self, path: Path, prepared: Any, options: Options) -> Iterable[Chunk]:
        """Cut a file into chunks, in file order, holding one of them at a time."""

    def records(self, payload: Any) -> Iterable[RawRecord | Fault | Remark]:
        """Read a chunk; runs in a worker process."""

    def compare(self, prepared: Any, kept: Kept) -> Iterable[Remark]:
        """Compare the figures that a source gives of itself with what was kept of it."""


class PlainReader:
    """What a format need not say whose files stand each for itself.

    One that surveys its files gives as findings, by path, what is to be read of each.
    """

    def companions(self, path: Path) -> Sequence[Path]:
        """Return nothing: no other file is needed."""
        return ()

    def survey(self, paths: Sequence[Path], run: Run) -> Survey:
        """Return nothing: no file changes the meaning of another."""
        return Survey()

    def prepare(
        self, paths: Sequence[Path], new: Sequence[Path], run: Run, survey: Survey | None = None
    ) -> Mapping[Path, Any]:
        """Return what the survey found of the new files; nothing where it says nothing of single files."""
        found = (survey or self.survey(paths, run)).findings
        return {} if found is None else {path: found[path] for path in new}

    def compare(self, prepared: Any, kept: Kept) -> Iterable[Remark]:
        """Return nothing: there are no figures to compare."""
        return ()
