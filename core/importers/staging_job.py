"""The work of a worker process: chunks of source files become a part file of the staging area."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.importers.fields import Unusable
from core.importers.formats import reader_named
from core.importers.reader import UNFORESEEN, Fault, RawRecord, Remark
from core.importers.record import complete
from core.importers.staging import Part
from core.importers.tally import Tally


class Job(NamedTuple):
    """A chunk to be staged.

    Attributes
    ----------
    import_no, chunk : int
        The file within the run, and the chunk within the file.
    size : int
        Bytes of the file that the chunk stands for.
    file_key : str
        What identifies the file; keys the items that have neither key nor prompt.
    """

    import_no: int
    chunk: int
    size: int
    payload: Any
    format: str
    file_key: str
    overrides: Mapping[str, str]
    keep_text: bool
    folder: Path
    tasks: Mapping[str, str] = {}


class Staged(NamedTuple):
    """What became of a chunk."""

    import_no: int
    size: int
    tally: Tally


def stage(jobs: Sequence[Job]) -> list[Staged]:
    """Read chunks, check their records, write those that are kept into one part file.

    Many small files share a part: a part file for each would cost more than its records.
    """
    part = Part()
    done = []
    for job in jobs:
        tally = Tally()
        before = part.rows
        for one in _read(job):
            if isinstance(one, Fault):
                tally.skip(one.reason, one.place, one.times)
            elif isinstance(one, Remark):
                tally.remark(*one)
            else:
                _stage_record(one, job, part, tally, part.rows - before)
        done.append(Staged(job.import_no, job.size, tally))
    if jobs:
        part.write(jobs[0].folder, f"{jobs[0].import_no:06d}-{jobs[0].chunk:06d}")
    return done


def _read(job: Job) -> Iterator[RawRecord | Fault | Remark]:
    """Read a chunk; what its reader did not foresee costs the rest of the chunk, not the import."""
    place = "first record"
    try:
        for one in reader_named(job.format).records(job.payload):
            if isinstance(one, RawRecord):
                place = f"after {one.place}"
            yield one
    except UNFORESEEN as error:
        yield Fault(place, f"not as the format {job.format} has it ({type(error).__name__})")


def _stage_record(record: RawRecord, job: Job, part: Part, tally: Tally, number: int) -> None:
    values = renamed_task(overridden(record.values, job.overrides), job.tasks)
    try:
        row = complete(values, record.place, job.file_key, tally.remark)
    except Unusable as error:
        tally.skip(str(error), record.place)
        return
    if not job.keep_text:
        row["response"] = None
    part.add(row, job.import_no, job.chunk, number)
    tally.keep(row["outcome"], row["score"])


def overridden(values: dict[str, Any], overrides: Mapping[str, str]) -> dict[str, Any]:
    """Return a record's values with those of `--set` in place of its own."""
    if not overrides:
        return values
    replaced = {**values, **overrides}
    if "model" in overrides and "label" not in overrides:
        # The source's label belongs to the model it names; two runs kept apart need two labels.
        replaced.pop("label", None)
    return replaced


def renamed_task(values: dict[str, Any], tasks: Mapping[str, str]) -> dict[str, Any]:
    """Return a record's values under the task name that `--task` gives to its own."""
    theirs = values.get("base_task")
    if not isinstance(theirs, str) or theirs not in tasks:
        return values
    # The source's label belongs to its own task; the name that both sources share is the user's.
    return {**values, "base_task": tasks[theirs], "task_label": None}
