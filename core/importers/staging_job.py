"""The work of a worker process: a chunk of a source file becomes a part file of the staging area."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from core.importers.fields import Unusable
from core.importers.formats import reader_named
from core.importers.reader import Fault, RawRecord, Remark
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


class Staged(NamedTuple):
    """What became of a chunk."""

    import_no: int
    size: int
    tally: Tally


def stage(job: Job) -> Staged:
    """Read a chunk, check its records, write those that are kept."""
    tally = Tally()
    part = Part(job.import_no, job.chunk)
    for one in reader_named(job.format).records(job.payload):
        if isinstance(one, Fault):
            tally.skip(one.reason, one.place)
        elif isinstance(one, Remark):
            tally.remark(*one)
        else:
            _stage_record(one, job, part, tally)
    part.write(job.folder)
    return Staged(job.import_no, job.size, tally)


def _stage_record(record: RawRecord, job: Job, part: Part, tally: Tally) -> None:
    values = overridden(record.values, job.overrides)
    try:
        row = complete(values, record.place, job.file_key, tally.remark)
    except Unusable as error:
        tally.skip(str(error), record.place)
        return
    if not job.keep_text:
        row["response"] = None
    part.add(row)
    tally.kept += 1


def overridden(values: dict[str, Any], overrides: Mapping[str, str]) -> dict[str, Any]:
    """Return a record's values with those of `--set` in place of its own."""
    if not overrides:
        return values
    replaced = {**values, **overrides}
    if "model" in overrides and "label" not in overrides:
        # The source's label belongs to the model it names; two runs kept apart need two labels.
        replaced.pop("label", None)
    return replaced
