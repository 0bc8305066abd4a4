"""What became of the files and records of an import, put together for the store and for the report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from core.importers.planning import NOT_RECOGNISED, Plan, SourceFile
from core.importers.reader import SUPERSEDED
from core.importers.records import NOT_FOUND
from core.importers.report import Mention
from core.importers.sources import Found, path_text
from core.importers.tally import PLACES, Tally
from core.store import ImportRow

STALE = "changed but holds nothing usable now: its earlier records stay"

HINT = (
    "a table needs the columns model, base_task, and outcome or score: where they are called otherwise, give"
    " --format records and --map FILE"
)

REASONS = 6
"""How many reasons a message about unusable sources gives."""


class Sum(NamedTuple):
    """Records of all files, and what is remarked on: by what and detail, and in how many files."""

    records: Tally
    remarks: dict[str, dict[str, Mention]]
    remark_files: dict[str, int]


def is_superseded(tally: Tally) -> bool:
    """Whether a file brings nothing because others have all of its records newer."""
    return not tally.kept and set(tally.skipped) == {SUPERSEDED}


def import_row(file: SourceFile, tally: Tally, overrides: str) -> ImportRow:
    """Return what the store records of a file.

    Parameters
    ----------
    file : SourceFile
        The file; a copy of another brings nothing.
    tally : Tally
        What became of its records.
    overrides : str
        The `--set` fields as canonical JSON.
    """
    notes = tally.notes()
    key = file.key
    if file.copy_of is not None:
        notes = [f"same content as {file.copy_of}"]
    elif _is_stale(file, tally):
        # Under its earlier key the store keeps what the file brought before.
        key, notes = file.earlier_key, [STALE, *notes]
    return ImportRow(
        path=path_text(file.path),
        key=key,
        size=file.size,
        sha256=file.sha256,
        format=file.reader.name,
        overrides=overrides,
        read=tally.read,
        kept=tally.kept,
        skipped=dict(tally.skipped),
        places=tally.places,
        notes=notes,
    )


def _is_stale(file: SourceFile, tally: Tally) -> bool:
    return bool(file.earlier_key) and not tally.kept and not is_superseded(tally)


def sum_up(plan: Plan, tallies: Mapping[Path, Tally], rows: Sequence[ImportRow]) -> Sum:
    """Add up files.

    Parameters
    ----------
    plan : Plan
        All files.
    tallies : dict
        What became of the records of those that were read; gives the remarks.
    rows : sequence of ImportRow
        The same after the store has left out duplicates, which tallies cannot know of; gives the counts.
    """
    total = Tally()
    remark_files: Counter[str] = Counter()
    detail_files: Counter[tuple[str, str]] = Counter()
    files = {file.path: file for file in plan.new}
    for path, tally in tallies.items():
        if _is_stale(files[path], tally):
            tally.remark(STALE, path_text(path))
        remark_files.update({what for what, _ in tally.remarks})
        detail_files.update(tally.remarks.keys())
        total.remarks.update(tally.remarks)
    for row in rows:
        total.kept += row.kept
        total.skipped.update(row.skipped)
        for reason, places in row.places.items():
            known = total.places.setdefault(reason, [])
            known.extend(f"{row.path} {place}" for place in places[: PLACES - len(known)])
    remarks = {
        what: {detail: Mention(times, detail_files[what, detail]) for detail, times in details.items()}
        for what, details in total.grouped().items()
    }
    return Sum(total, remarks, dict(remark_files))


def nothing_usable(sources: list[Path], found: Found, tallies: Mapping[Path, Tally]) -> str:
    """Return the message about sources in which nothing can be used: why, by file and by record."""
    reasons = [] if found.files or found.left_out else [f"no files in {', '.join(map(path_text, sources))}"]
    reasons += [f"{len(paths)} {reason} ({path_text(paths[0])})" for reason, paths in found.left_out.items()]
    total = Tally()
    for path, tally in tallies.items():
        total.skipped.update(tally.skipped)
        total.remarks.update(tally.remarks)
        for reason, places in tally.places.items():
            total.places.setdefault(reason, [f"{path_text(path)} {places[0]}"])
    reasons += [
        f"{count} {reason} ({total.places[reason][0]})" for reason, count in total.skipped.most_common()
    ]
    absent = dict.fromkeys(detail for what, detail in total.remarks if what == NOT_FOUND)
    if absent:
        reasons.insert(0, f"{NOT_FOUND}: {', '.join(absent)}")
    why = "; ".join(reasons[:REASONS])
    more = f"; and {len(reasons) - REASONS} more reasons" if len(reasons) > REASONS else ""
    hint = f"; {HINT}" if NOT_RECOGNISED in found.left_out else ""
    return f"Nothing in the sources can be used, nothing was changed: {why}{more}{hint}"
