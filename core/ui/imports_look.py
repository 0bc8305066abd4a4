"""Looking at sources before they are imported: what each file is, its first records, what is there already.

Nothing is written. No Streamlit here.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from core.config import load_config
from core.errors import ReasonScapeError
from core.importers.fields import Unusable
from core.importers.formats import reader_named
from core.importers.planning import NOT_RECOGNISED, make_plan, recognise
from core.importers.reader import Fault, Options, RawRecord, Remark
from core.importers.record import complete
from core.importers.sources import find_files, path_text
from core.importers.staging_job import overridden, renamed_task
from core.importers.tables import Table, read_table
from core.store import known_imports
from core.store.dataset import database_path

TRIED = 200
"""Records of a file that are checked before an import."""

SHOWN = 20
"""Records that the preview shows."""

TABLES_READ = 50
"""Unrecognised files that are looked into for columns."""


@dataclass(frozen=True)
class LookedAt:
    """A file of the sources; `format` is None where it cannot be imported, `why` says why."""

    path: Path
    size: int
    format: str | None
    why: str = ""


@dataclass(frozen=True)
class Look:
    """The files of sources, recognised ones first; `tables` have columns that the importer does not know."""

    files: tuple[LookedAt, ...]
    tables: tuple[Table, ...] = ()

    @property
    def recognised(self) -> tuple[LookedAt, ...]:
        """The files that can be imported as they are."""
        return tuple(file for file in self.files if file.format)

    @property
    def formats(self) -> dict[str, int]:
        """How many files have each format."""
        return dict(Counter(file.format for file in self.recognised if file.format).most_common())


@dataclass(frozen=True)
class Trial:
    """What would become of the first records of a file.

    Attributes
    ----------
    rows
        The first records as they would be stored, by field.
    tasks
        Those of all usable records that were tried.
    read, kept
        Records tried, and those that can be used.
    skipped
        The others, by reason.
    remarks
        What an import would say of them.
    """

    rows: tuple[Mapping[str, Any], ...] = ()
    read: int = 0
    kept: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preplan:
    """What an import would do with the files."""

    new: tuple[Path, ...]
    changed: tuple[Path, ...]
    known: tuple[Path, ...]
    copies: Mapping[str, str]
    left_out: Mapping[str, Sequence[str]]


def look(sources: Sequence[Path]) -> Look:
    """Recognise the files of sources.

    Raises
    ------
    SourceError
        A source does not exist.
    """
    found = find_files(list(sources))
    files = [LookedAt(path, _size(path), reader.name) for path, reader in recognise(found, Options(), None)]
    unknown = found.left_out.get(NOT_RECOGNISED, [])
    tables = [table for path in unknown[:TABLES_READ] if (table := read_table(path)) is not None]
    for reason, paths in found.left_out.items():
        files += [LookedAt(path, _size(path), None, reason) for path in paths]
    return Look(tuple(files), tuple(tables))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class _Hasty:
    """A reader's run that leaves out what an import gives a time limit: regenerating params."""

    def __init__(self, options: Options) -> None:
        self.options = options

    def map(
        self, function: Callable[[Any], Any], jobs: Sequence[Any], *, step: str, seconds: float | None = None
    ) -> Iterator[Any]:
        """Yield results, None for all where there is a time limit."""
        for job in jobs:
            yield function(job) if seconds is None else None


def try_records(path: Path, format: str, options: Options) -> Trial:
    """Read the first records of a file as an import would, and check them."""
    reader = reader_named(format)
    rows: list[dict[str, Any]] = []
    skipped: Counter[str] = Counter()
    remarks: Counter[tuple[str, str]] = Counter()
    tasks: dict[str, None] = {}
    kept = 0

    def remark(what: str, detail: str = "") -> None:
        remarks[what, detail] += 1

    try:
        run = _Hasty(options)
        prepared = reader.prepare([path], [path], run, reader.survey([path], run)).get(path)
        chunks = reader.chunks(path, prepared, options)
        records = (one for chunk in chunks for one in reader.records(chunk.payload))
        for one in islice(records, TRIED):
            if isinstance(one, Remark):
                remark(one.what, one.detail)
            elif isinstance(one, Fault):
                skipped[one.reason] += one.times
            elif (row := _checked(one, options, skipped, remark)) is not None:
                kept += 1
                tasks[row["base_task"]] = None
                rows += [row] if len(rows) < SHOWN else []
    except (OSError, ReasonScapeError) as error:
        skipped[str(error)] += 1
    said = [what + (f": {detail}" if detail else "") for what, detail in remarks]
    return Trial(
        tuple(rows), kept + skipped.total(), kept, dict(skipped.most_common()), tuple(said), tuple(tasks)
    )


def _checked(
    record: RawRecord,
    options: Options,
    skipped: Counter[str],
    remark: Callable[[str, str], None],
) -> dict[str, Any] | None:
    try:
        values = renamed_task(overridden(record.values, options.overrides), options.tasks)
        return complete(values, record.place, "preview", remark)
    except Unusable as error:
        skipped[str(error)] += 1
        return None


def plan(
    sources: Sequence[Path],
    config: Path,
    *,
    format: str | None,
    options: Options,
) -> Preplan:
    """Compare the files of sources with what a dataset was built from; reads all of them to do so.

    Raises
    ------
    SourceError, ConfigError, DatasetError
        A source, or the dataset that is there, cannot be read.
    """
    found = find_files(list(sources))
    taken = recognise(found, options, format)
    known = []
    if config.exists():
        # The app reads and writes only what is in its data folder, which is where configs are.
        known = known_imports(database_path(config, load_config(config), config.parent))
    made = make_plan(taken, known, options, found)
    return Preplan(
        new=tuple(file.path for file in made.new if not file.earlier_key),
        changed=tuple(file.path for file in made.new if file.earlier_key),
        known=tuple(made.known),
        copies={path_text(path): origin for path, origin in made.copies.items()},
        left_out={reason: [path_text(path) for path in paths] for reason, paths in found.left_out.items()},
    )
