"""An import from start to end: find, compare, read in workers, build the database, write the config."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from core.config import NAME_PATTERN, load_config, lock_path
from core.config.history import clear_left_aside
from core.errors import SourceError, advice
from core.importers import infer
from core.importers.formats import reader_named
from core.importers.parsing import canonical
from core.importers.planning import Plan, SourceFile, make_plan, recognise
from core.importers.progress import Progress, Silent
from core.importers.reader import Options
from core.importers.reading import read_files
from core.importers.report import ImportReport
from core.importers.sources import Found, find_files
from core.importers.staging_job import stage
from core.importers.summing_up import import_row, is_superseded, nothing_usable, sum_up
from core.importers.tally import Tally
from core.importers.user_options import checked_overrides, checked_tasks, read_mapping
from core.importers.workers import Pool
from core.importers.workplace import only_one, staging_folder
from core.spectra.write import write_spectra
from core.store import BuildReport, ImportRow, build_database, known_imports, remove_unfinished
from core.store.dataset import database_path


def import_sources(
    sources: list[Path],
    *,
    name: str,
    data: Path,
    format: str | None = None,
    mapping: Path | None = None,
    overrides: Mapping[str, str] | None = None,
    tasks: Mapping[str, str] | None = None,
    scorers: Sequence[str] = (),
    filters: Sequence[str] = (),
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
    tasks : dict, optional
        A source's name of a task to the base_task it becomes.
    scorers, filters : sequence of str, optional
        Which score, and which answer filter, to take where a source has several, in order of preference.
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
    options = Options(
        read_mapping(mapping),
        checked_overrides(overrides or {}),
        checked_tasks(tasks or {}),
        tuple(scorers),
        tuple(filters),
    )
    data = data.expanduser().resolve()
    try:
        with (
            _folder(data),
            only_one(lock_path(data / f"{name}.json"), progress),
            _lock_gone_if_refused(data, name),
            staging_folder(data, name) as staging,
        ):
            run = _Import(sources, name, data, options, format, progress, staging)
            return run.run(keep_text=keep_text, write_config=write_config, rebuild=rebuild, began=began)
    except OSError as error:
        raise SourceError(f"The import stopped, the database is as it was: {error}{advice(error)}") from error


@contextmanager
def _folder(data: Path) -> Iterator[None]:
    """Make the data folder, and take it away again where nothing came into it."""
    there = data.exists()
    data.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        if not there:
            with suppress(OSError):
                data.rmdir()


@contextmanager
def _lock_gone_if_refused(data: Path, name: str) -> Iterator[None]:
    """Leave no lock file of a dataset that was not made; removed while it is held."""
    try:
        yield
    except BaseException:
        if not any((data / f"{name}{kind}").exists() for kind in (".duckdb", ".json")):
            with suppress(OSError):
                lock_path(data / f"{name}.json").unlink(missing_ok=True)
        raise


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
            self.database = database_path(self.config, load_config(self.config))
        clear_left_aside(self.config)
        remove_unfinished(self.database)
        self.progress.step("Looking for files")
        found = find_files(self.sources)
        known = [] if rebuild else known_imports(self.database)
        taken = recognise(found, self.options, self.format)
        with Pool(sum(path.stat().st_size for path, _ in taken), self.options, self.progress) as pool:
            plan = make_plan(taken, known, self.options, found, pool)
            for path, origin in plan.copies.items():
                found.leave_out(path, f"same content as {origin}")
            tallies = read_files(plan, pool, self.progress, stage, self.staging, keep_text=keep_text)
        built = self._build(plan, tallies, found, keep_text=keep_text, rebuild=rebuild)
        added = []
        if write_config and self.database.exists():
            self.progress.step("Writing the config")
            try:
                added = infer.append_missing(self.config, self.database, name=self.name)
            except OSError as error:
                raise SourceError(
                    f"The results are in {self.database.name}, but the config could not be written: {error}"
                    f"{advice(error)}: importing again adds to it what is missing"
                ) from error
        return self._report(plan, found, tallies, built, added, time.monotonic() - began)

    def _build(
        self, plan: Plan, tallies: Mapping[Path, Tally], found: Found, *, keep_text: bool, rebuild: bool
    ) -> BuildReport | None:
        kept = sum(tally.kept for tally in tallies.values())
        copies = [file for file in plan.new if file.copy_of is not None]
        if not kept and not copies and not any(map(is_superseded, tallies.values())):
            if not plan.known and not plan.copies:
                raise SourceError(nothing_usable(self.sources, found, tallies))
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
            derive=write_spectra,
        )

    def _row(self, file: SourceFile, tally: Tally) -> ImportRow:
        return import_row(file, tally, canonical(dict(self.options.overrides)))

    def _report(
        self,
        plan: Plan,
        found: Found,
        tallies: Mapping[Path, Tally],
        built: BuildReport | None,
        added: list[str],
        seconds: float,
    ) -> ImportReport:
        rows = built.imports if built else [self._row(file, tallies[file.path]) for file in plan.new]
        total = sum_up(plan, tallies, rows)
        replaced = sum(1 for file in plan.new if file.earlier_key)
        return ImportReport(
            name=self.name,
            database=self.database,
            config=self.config,
            changed=built is not None,
            # An empty or unreadable file is left out before it is a candidate, and was found all the same.
            found=len({*found.files, *(path for paths in found.left_out.values() for path in paths)}),
            new=len(plan.new) - replaced,
            replaced=replaced,
            known=len(plan.known),
            files_left_out=found.left_out,
            read=total.records.read,
            kept=total.records.kept,
            skipped=total.records.skipped,
            places=total.records.places,
            remarks=total.remarks,
            remark_files=total.remark_files,
            config_added=added,
            points=built.points if built else 0,
            items=built.items if built else 0,
            completions=built.completions if built else 0,
            seconds=seconds,
        )
