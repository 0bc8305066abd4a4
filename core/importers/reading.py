"""Reading the files of a plan in worker processes: prepared, cut into jobs, put together again by file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.importers.formats import reader_named
from core.importers.planning import Plan, SourceFile
from core.importers.progress import Progress
from core.importers.sources import path_text
from core.importers.staging_job import Job, Staged
from core.importers.tally import Tally
from core.importers.workers import Pool

CHANGED_WHILE_READ = "the file changed while it was read; import it again"
NO_RECORDS = "no records"

Work = Callable[[Sequence[Job]], list[Staged]]
"""What a worker does with jobs: a function of a module, as it is sent to another process."""


def read_files(
    plan: Plan, pool: Pool, progress: Progress, work: Work, folder: Path, *, keep_text: bool = True
) -> dict[Path, Tally]:
    """Read the new files of a plan, and return what became of the records of each.

    Parameters
    ----------
    plan : Plan
        The files; copies of others are passed over.
    pool : Pool
        Where the jobs run; its options are those of the import.
    progress : Progress
        Told how many bytes there are, and of each batch that is done.
    work : callable
        Reads a batch of jobs in a worker.
    folder : Path
        Where the work may write.
    keep_text : bool
        Whether responses are kept.
    """
    files = [file for file in plan.new if file.copy_of is None]
    tallies = {file.path: Tally() for file in files}
    pool.expect(sum(file.size for file in files))
    prepared: dict[Path, object] = {}
    for name, paths in plan.by_reader.items():
        new = [file.path for file in files if file.reader.name == name]
        if new:
            prepared |= reader_named(name).prepare(paths, new, pool, plan.surveys.get(name))
    progress.begin(sum(file.size for file in files))
    jobs = _jobs(files, prepared, pool, folder, keep_text=keep_text)
    for batch in pool.each(work, pool.batches(jobs, lambda job: job.size)):
        for staged in batch:
            tallies[files[staged.import_no].path].add(staged.tally)
            progress.advance(staged.size)
    for file in files:
        _finish(file, prepared.get(file.path), tallies[file.path])
    return tallies


def _jobs(
    files: Sequence[SourceFile], prepared: Mapping[Path, Any], pool: Pool, folder: Path, *, keep_text: bool
) -> Iterator[Job]:
    for number, file in enumerate(files):
        chunks = file.reader.chunks(file.path, prepared.get(file.path), pool.options)
        for count, chunk in enumerate(chunks):
            yield Job(
                import_no=number,
                chunk=count,
                size=chunk.size,
                payload=chunk.payload,
                format=file.reader.name,
                file_key=file.key,
                overrides=pool.options.overrides,
                keep_text=keep_text,
                folder=folder,
                tasks=pool.options.tasks,
            )


def _finish(file: SourceFile, prepared: Any, tally: Tally) -> None:
    if not tally.read:
        tally.skip(NO_RECORDS, "file")
    for remark in file.reader.compare(prepared, tally.figures):
        tally.remark(*remark)
    status = file.path.stat()
    if (status.st_size, status.st_mtime_ns) != (file.size, file.modified):
        tally.remark(CHANGED_WHILE_READ, path_text(file.path))
