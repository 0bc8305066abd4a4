"""The choices that change a number without changing which completions count."""

from dataclasses import dataclass

from core.errors import FilterError
from core.stats.intervals import METHODS as INTERVALS

REPEATS = ("cluster", "independent")

INTERVAL_NAMES = {
    "wilson": "Wilson",
    "reasonscape": "ReasonScape (Wilson on corrected counts)",
    "jeffreys": "Jeffreys",
    "clopper-pearson": "Clopper-Pearson",
}


@dataclass(frozen=True)
class Methods:
    """How intervals are computed.

    Parameters
    ----------
    interval : str
        One of INTERVALS; all are two-sided with z = 1.96.
    repeats : str
        One of REPEATS: whether several completions of one item count as one cluster or as independent.
    """

    interval: str = "wilson"
    repeats: str = "cluster"

    def __post_init__(self) -> None:
        """Refuse what is not one of the choices. Raises FilterError."""
        if self.interval not in INTERVALS:
            raise FilterError(f"No interval {self.interval!r}; valid: {', '.join(INTERVALS)}")
        if self.repeats not in REPEATS:
            raise FilterError(f"No repeats policy {self.repeats!r}; valid: {', '.join(REPEATS)}")

    def sentence(self) -> str:
        """Return the method in words, for captions and footers."""
        repeats = {
            "cluster": "repeats clustered by item",
            "independent": "repeats taken as independent",
        }[self.repeats]
        if self.interval == "reasonscape":
            repeats = "repeats taken as independent"
        return f"95% {INTERVAL_NAMES[self.interval]} intervals, {repeats}"
