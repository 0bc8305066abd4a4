"""An import from start to end: find, compare, read in workers, build the database, write the config."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.config import NAME_PATTERN, load_config
from core.errors import SourceError
from core.importers import infer
from core.importers.formats import reader_named
from core.importers.planning import NOT_RECOGNISED, Plan, SourceFile, canonical, make_plan, recognise
from core.importers.progress import Progress, Silent
from core.importers.reader import Options
from core.importers.report import ImportReport, Mention
from core.importers.sources import Found, find_files, path_text
from core.importers.staging_job import Job, stage
from core.importers.tally import PLACES, Tally
from core.importers.user_options import checked_overrides, read_mapping
from core.importers.workers import Pool
from core.importers.workplace import only_one, staging_folder
from core.store import BuildReport, ImportRow, build_database, known_imports

CHANGED_WHILE_READ = "the file changed while it was read; import it again"
NO_RECORDS = "no records"
STALE = "changed but holds nothing usable now: its earlier records stay"

HINT = (
    "a table needs the columns model, base_task, and outcome or score: where they are called otherwise, give"
    " --format records and --map FILE"
)

REASONS = 6
"""How many reasons a message about unusable sources gives."""


def import_sources(
    sources: list[Path],
    *,
    name: str,
    data: Path,
    format: str | None = None,
    mapping: Path | None = None,
    overrides: Mapping[str, str] | None = None,
    keep_text: bool = True,
    write_config: bool = True,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import evaluation results into the dataset `data/name.duckdb`.

    Parameters
    ----------
    sources : list of Path
        Files, and folders with all below them.
    name : str
        The dataset; the database and its config are made where they are absent.
    data : Path
        The folder of datasets.
    format : str, optional
        Take every file as this format instead of recognising it.
    mapping : Path, optional
        JSON file of our field names to the source's column names.
    overrides : dict, optional
        Fields that get one value for all records (`OVERRIDABLE`).
    keep_text : bool
        Whether responses are stored.
    write_config : bool
        Whether the config is made, or appended to.
    rebuild : bool
        Start over instead of adding.
    progress : Progress, optional
        Who watches.

    Raises
    ------
    SourceError
        A source does not exist, or nothing in the sources can be used; nothing was changed.
    DatasetError
        The existing database cannot be added to.
    """
    began = time.monotonic()
    progress = progress or Silent()
    if not NAME_PATTERN.fullmatch(name):
        raise SourceError(
            f"Not a dataset name: {name!r}; valid: letters, digits, '.', '_', '-', no sign first"
        )
    if format is not None:
        reader_named(format)
    options = Options(read_mapping(mapping), checked_overrides(overrides or {}))
    data = data.expanduser().resolve()
    try:
        data.mkdir(parents=True, exist_ok=True)
        with only_one(data / f"{name}.lock", progress), staging_folder(data, name) as staging:
            run = _Import(sources, name, data, options, format, progress, staging)
            return run.run(keep_text=keep_text, write_config=write_config, rebuild=rebuild, began=began)
    except OSError as error:
        raise SourceError(f"The import stopped, the database is as it was: {error}") from error


class _Import:
    """One run, while it holds the dataset's lock."""

    def __init__(
        self,
        sources: list[Path],
        name: str,
        data: Path,
        options: Options,
        format: str | None,
        progress: Progress,
        staging: Path,
    ) -> None:
        self.sources = sources
        self.name = name
        self.config = data / f"{name}.json"
        self.database = data / f"{name}.duckdb"
        self.options = options
        self.format = format
        self.progress = progress
        self.staging = staging

    def run(self, *, keep_text: bool, write_config: bool, rebuild: bool, began: float) -> ImportReport:
        if self.config.exists():
            # Before anything is done: a config that cannot be read must not be found out at the end.
            self.database = (self.config.parent / load_config(self.config).db).resolve()
        self.progress.step("Looking for files")
        found = find_files(self.sources)
        known = [] if rebuild else known_imports(self.database)
        plan = make_plan(recognise(found, self.options, self.format), known, self.options, found)
        for path, origin in plan.copies.items():
            found.leave_out(path, f"same content as {origin}")
        tallies = self._read(plan, keep_text=keep_text)
        built = self._build(plan, tallies, found, keep_text=keep_text, rebuild=rebuild)
        added = []
        if write_config and self.database.exists():
            self.progress.step("Writing the config")
            added = infer.append_missing(self.config, self.database, name=self.name)
        return self._report(plan, found, tallies, built, added, time.monotonic() - began)

    def _read(self, plan: Plan, *, keep_text: bool) -> dict[Path, Tally]:
        """Read the new files in workers into the staging folder."""
        files = [file for file in plan.new if file.copy_of is None]
        tallies = {file.path: Tally() for file in files}
        with Pool(sum(file.size for file in files), self.options, self.progress) as pool:
            prepared: dict[Path, object] = {}
            for name, paths in plan.by_reader.items():
                new = [file.path for file in files if file.reader.name == name]
                if new:
                    prepared |= reader_named(name).prepare(paths, new, pool)
            self.progress.begin(sum(file.size for file in files))
            for staged in pool.each(stage, self._jobs(files, prepared, keep_text=keep_text)):
                tallies[files[staged.import_no].path].add(staged.tally)
                self.progress.advance(staged.size)
        for file in files:
            tally = tallies[file.path]
            if not tally.read:
                tally.skip(NO_RECORDS, "file")
            status = file.path.stat()
            if (status.st_size, status.st_mtime_ns) != (file.size, file.modified):
                tally.remark(CHANGED_WHILE_READ, path_text(file.path))
        return tallies

    def _jobs(
        self, files: list[SourceFile], prepared: Mapping[Path, object], *, keep_text: bool
    ) -> Iterator[Job]:
        for number, file in enumerate(files):
            chunks = file.reader.chunks(file.path, prepared.get(file.path), self.options)
            for count, chunk in enumerate(chunks):
                yield Job(
                    number,
                    count,
                    chunk.size,
                    chunk.payload,
                    file.reader.name,
                    file.key,
                    self.options.overrides,
                    keep_text,
                    self.staging,
                )

    def _build(
        self, plan: Plan, tallies: Mapping[Path, Tally], found: Found, *, keep_text: bool, rebuild: bool
    ) -> BuildReport | None:
        kept = sum(tally.kept for tally in tallies.values())
        copies = [file for file in plan.new if file.copy_of is not None]
        if not kept and not copies:
            if not plan.known and not plan.copies:
                raise SourceError(_nothing_usable(self.sources, found, tallies))
            return None
        staged = [file for file in plan.new if file.copy_of is None]
        rows = [self._row(file, tallies.get(file.path, Tally())) for file in (*staged, *copies)]
        return build_database(
            self.database,
            self.staging,
            rows,
            rebuild=rebuild,
            keep_text=keep_text,
            on_step=self.progress.step,
        )

    def _row(self, file: SourceFile, tally: Tally) -> ImportRow:
        notes = tally.notes()
        key = file.key
        if file.copy_of is not None:
            notes = [f"same content as {file.copy_of}"]
        elif file.earlier_key and not tally.kept:
            # Under its earlier key the store keeps what the file brought before.
            key, notes = file.earlier_key, [STALE, *notes]
        return ImportRow(
            path=path_text(file.path),
            key=key,
            size=file.size,
            sha256=file.sha256,
            format=file.reader.name,
            overrides=canonical(dict(self.options.overrides)),
            read=tally.read,
            kept=tally.kept,
            skipped=dict(tally.skipped),
            places=tally.places,
            notes=notes,
        )

    def _report(
        self,
        plan: Plan,
        found: Found,
        tallies: Mapping[Path, Tally],
        built: BuildReport | None,
        added: list[str],
        seconds: float,
    ) -> ImportReport:
        """Put the report together; the store's rows count duplicates, which the tallies cannot know."""
        rows = built.imports if built else []
        total = Tally()
        remark_files: Counter[str] = Counter()
        detail_files: Counter[tuple[str, str]] = Counter()
        earlier = {file.path for file in plan.new if file.earlier_key}
        for path, tally in tallies.items():
            if path in earlier and not tally.kept:
                tally.remark(STALE, path_text(path))
            remark_files.update({what for what, _ in tally.remarks})
            detail_files.update(tally.remarks.keys())
            total.remarks.update(tally.remarks)
        for row in rows or [self._row(file, tallies[file.path]) for file in plan.new]:
            total.kept += row.kept
            total.skipped.update(row.skipped)
            for reason, places in row.places.items():
                known = total.places.setdefault(reason, [])
                known.extend(f"{row.path} {place}" for place in places[: PLACES - len(known)])
        return ImportReport(
            name=self.name,
            database=self.database,
            config=self.config,
            changed=built is not None,
            # An empty or unreadable file is left out before it is a candidate, and was found all the same.
            found=len({*found.files, *(path for paths in found.left_out.values() for path in paths)}),
            new=sum(1 for file in plan.new if not file.earlier_key),
            replaced=len(earlier),
            known=len(plan.known),
            files_left_out=found.left_out,
            read=total.read,
            kept=total.kept,
            skipped=total.skipped,
            places=total.places,
            remarks={
                what: {
                    detail: Mention(times, detail_files[what, detail]) for detail, times in details.items()
                }
                for what, details in total.grouped().items()
            },
            remark_files=remark_files,
            config_added=added,
            points=built.points if built else 0,
            items=built.items if built else 0,
            completions=built.completions if built else 0,
            seconds=seconds,
        )


def _nothing_usable(sources: list[Path], found: Found, tallies: Mapping[Path, Tally]) -> str:
    reasons = [] if found.files or found.left_out else [f"no files in {', '.join(map(path_text, sources))}"]
    reasons += [f"{len(paths)} {reason} ({path_text(paths[0])})" for reason, paths in found.left_out.items()]
    total = Tally()
    for path, tally in tallies.items():
        total.skipped.update(tally.skipped)
        for reason, places in tally.places.items():
            total.places.setdefault(reason, [f"{path_text(path)} {places[0]}"])
    reasons += [
        f"{count} {reason} ({total.places[reason][0]})" for reason, count in total.skipped.most_common()
    ]
    why = "; ".join(reasons[:REASONS])
    more = f"; and {len(reasons) - REASONS} more reasons" if len(reasons) > REASONS else ""
    hint = f"; {HINT}" if NOT_RECOGNISED in found.left_out else ""
    return f"Nothing in the sources can be used, nothing was changed: {why}{more}{hint}"
