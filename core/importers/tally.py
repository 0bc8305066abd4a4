"""Counting what becomes of records: kept, skipped by reason with the first places, remarked on."""

from collections import Counter
from dataclasses import dataclass, field

from core.importers.reader import Kept

PLACES = 5
"""How many places are kept for each reason."""

NOTED = 30
"""How many details of one remark a file's notes give."""


@dataclass
class Tally:
    """Counts of one chunk or one file; read is always kept plus skipped.

    Attributes
    ----------
    remarks : Counter
        How often something was remarked on, by (what, detail).
    outcomes, scored, score_sum
        The kept completions by outcome, those that have a score, and the sum of the scores.
    """

    kept: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    scored: int = 0
    score_sum: float = 0.0
    skipped: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def read(self) -> int:
        """How many records there were."""
        return self.kept + self.skipped.total()

    @property
    def figures(self) -> Kept:
        """What was kept, in figures."""
        return Kept(self.outcomes, self.scored, self.score_sum)

    def keep(self, outcome: str, score: float | None) -> None:
        """Count a record that is kept."""
        self.kept += 1
        self.outcomes[outcome] += 1
        if score is not None:
            self.scored += 1
            self.score_sum += score

    def skip(self, reason: str, place: str, count: int = 1) -> None:
        """Count records that are not kept."""
        self.skipped[reason] += count
        places = self.places.setdefault(reason, [])
        if len(places) < PLACES:
            places.append(place)

    def remark(self, what: str, detail: str = "", count: int = 1) -> None:
        """Count something that the report should mention."""
        self.remarks[what, detail] += count

    def add(self, other: "Tally") -> None:
        """Take in the counts of what comes after."""
        self.kept += other.kept
        self.outcomes.update(other.outcomes)
        self.scored += other.scored
        self.score_sum += other.score_sum
        self.skipped.update(other.skipped)
        self.remarks.update(other.remarks)
        for reason, places in other.places.items():
            known = self.places.setdefault(reason, [])
            known.extend(places[: PLACES - len(known)])

    def grouped(self) -> dict[str, dict[str, int]]:
        """Return how often each detail was remarked on, by what was remarked on."""
        kinds: dict[str, dict[str, int]] = {}
        for (what, detail), count in self.remarks.items():
            kinds.setdefault(what, {})[detail] = count
        return kinds

    def notes(self) -> list[str]:
        """Return the remarks as sentences, one for each kind."""
        return [_sentence(what, details) for what, details in self.grouped().items()]


def _sentence(what: str, details: dict[str, int]) -> str:
    if list(details) == [""]:
        count = details[""]
        return f"{what} ({count:,} times)" if count > 1 else what
    shown = [f"{detail} ({count:,} times)" if count > 1 else detail for detail, count in details.items()]
    more = f", and {len(shown) - NOTED} more" if len(shown) > NOTED else ""
    return f"{what}: {'; '.join(shown[:NOTED])}{more}"
