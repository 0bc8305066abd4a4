"""What a tier is asked for, and what was counted of it by hand."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.filters import Filters
from core.store import Dataset
from core.tiers.methods import Methods
from tests.properties.counted import OUTCOMES, Counted

JUDGED = ("correct", "incorrect", "invalid")


@dataclass(frozen=True)
class Asked:
    """A selection of a dataset, and what was counted of it by hand.

    Where not thorough, no image is drawn, and of a tier's choices those are tried whose turn it is.
    """

    dataset: Dataset
    filters: Filters
    methods: Methods
    counted: Counted
    turn: int = 0
    thorough: bool = False

    @property
    def total(self) -> int:
        return len(self.counted.kept)

    def some(self, choices: Sequence[str]) -> Sequence[str]:
        """All of the choices, or the one whose turn it is."""
        return choices if self.thorough else [choices[self.turn % len(choices)]]


def n_of(counts: Counter[str]) -> int:
    """Completions that an accuracy is of."""
    return sum(counts[outcome] for outcome in JUDGED)


def cells_agree(asked: Asked, cells: list[dict[str, object]]) -> None:
    """Cells of (eval, task, tier) are those counted by hand, no more and no fewer."""
    expected = asked.counted.by("eval", "task", "tier")
    found = {
        (cell["eval_id"], cell["task"], cell["tier"]): [cell[name] for name in ("n", *OUTCOMES)]
        for cell in cells
    }
    assert {key: counts for key, counts in found.items() if any(counts)} == {
        key: [n_of(counts), *(counts[name] for name in OUTCOMES)] for key, counts in expected.items()
    }
    assert len(found) == len(cells)
