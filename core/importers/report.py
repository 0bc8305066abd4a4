"""What an import says afterwards."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.importers.sources import path_text
from core.importers.tally import PLACES

DETAILS = 40
"""How many details of one remark the screen shows; the imports table has them all."""

LINES = 12
"""How many of them where each takes a line of its own."""

SHORT = 60
"""Characters of a detail that may share a line with others."""


@dataclass(frozen=True)
class Mention:
    """How often something was remarked on, and in how many files."""

    times: int
    files: int


@dataclass(frozen=True)
class ImportReport:
    """What was found, what became of it, and what the dataset holds now.

    Attributes
    ----------
    changed : bool
        Whether the database was written.
    found : int
        Files looked at.
    new, replaced, known : int
        Files imported for the first time, imported again because they changed, and there already.
    files_left_out : dict
        Paths of files and folders by the reason why they were not imported.
    read, kept : int
        Records of the new and replaced files.
    skipped, places : dict
        Records by the reason for skipping them, and the first five places of each.
    remarks : dict
        By what is remarked on, and by detail: how often. `remark_files` counts the files by the former.
    config_added : list of str
        What was appended to the config.
    points, items, completions : int
        Totals of the database; 0 where it was not written.
    """

    name: str
    database: Path
    config: Path
    changed: bool
    found: int
    new: int = 0
    replaced: int = 0
    known: int = 0
    files_left_out: Mapping[str, list[Path]] = field(default_factory=dict)
    read: int = 0
    kept: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, list[str]] = field(default_factory=dict)
    remarks: Mapping[str, Mapping[str, Mention]] = field(default_factory=dict)
    remark_files: Mapping[str, int] = field(default_factory=dict)
    config_added: list[str] = field(default_factory=list)
    points: int = 0
    items: int = 0
    completions: int = 0
    seconds: float = 0.0

    def to_text(self) -> str:
        """Return the report as lines for a terminal or a page."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        left_out = sum(map(len, self.files_left_out.values()))
        yield (
            f"Files: {self.found:,} found, {self.new:,} new, {self.replaced:,} replaced,"
            f" {self.known:,} already there, {left_out:,} left out"
        )
        for reason, paths in self.files_left_out.items():
            yield f"  {len(paths):,} {reason}: {_some([path_text(path) for path in paths], PLACES)}"
        if self.read:
            yield f"Records: {self.read:,} read, {self.kept:,} kept, {self.read - self.kept:,} skipped"
        for reason, count in Counter(self.skipped).most_common():
            yield f"  {count:,} {reason}: {_some(self.places.get(reason, []), PLACES, of=count)}"
        if self.remarks:
            yield "Notes:"
        for what, details in self.remarks.items():
            yield from _remark(what, details, self.remark_files.get(what, 1))
        if self.config_added:
            yield f"Config {self.config}: {_some(self.config_added, DETAILS)}"
        if self.changed:
            yield (
                f"Dataset {self.name}: {self.points:,} points, {self.items:,} items,"
                f" {self.completions:,} completions in {self.database} ({self.seconds:.1f} s)"
            )
        else:
            yield f"Nothing new: {self.database} was not changed"


def _remark(what: str, details: Mapping[str, Mention], files: int) -> Iterator[str]:
    where = f" in {files:,} files" if files > 1 else ""
    if list(details) == [""]:
        yield f"  {what}{_times(details[''])}{where}"
        return
    shown = [f"{detail}{_times(mention)}" for detail, mention in details.items()]
    if len(shown) == 1 or all(len(detail) <= SHORT and ": " not in detail for detail in details):
        # Names, of fields for example: a line for each would bury the rest of the report.
        yield f"  {what}{where}: {_some(shown, DETAILS)}"
        return
    yield f"  {what}{where}:"
    yield from (f"    {text}" for text in shown[:LINES])
    if len(shown) > LINES:
        yield f"    and {len(shown) - LINES:,} more"


def _times(mention: Mention) -> str:
    # Once in every file is what a remark about a file means, and needs no count.
    return f" ({mention.times:,} times)" if mention.times != mention.files else ""


def _some(texts: Iterable[str], most: int, *, of: int | None = None) -> str:
    """Return the first few of some texts with a count of the others."""
    shown = list(texts)
    more = (len(shown) if of is None else of) - min(len(shown), most)
    return ", ".join(shown[:most]) + (f", and {more:,} more" if more > 0 else "")
