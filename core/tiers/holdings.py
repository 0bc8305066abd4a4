"""What a dataset holds as a whole, and how much of it the filters leave, in words."""

from core.store.dataset import Dataset
from core.tiers.selection import Selection
from core.tiers.words import count


def holdings(dataset: Dataset, whole: Selection, left: Selection | None = None) -> str:
    """Return what a dataset holds: a clause without a full stop.

    Parameters
    ----------
    whole : Selection
        What no filter leaves.
    left : Selection, optional
        What the filters in force leave; it is told where it is less.
    """
    amounts = [
        count(whole.evals, "eval"),
        count(len(dataset.catalog.base_tasks), "task"),
        *([count(len(dataset.config.tiers), "tier")] if dataset.config.tiers else []),
    ]
    text = f"{dataset.config.name} has {count(whole.completions, 'completion')} of {_and(amounts)}"
    if left is None or left == whole:
        return text
    return (
        f"{text}, of which the filters select {count(left.completions, 'completion')} of"
        f" {count(left.evals, 'eval')}"
    )


def _and(amounts: list[str]) -> str:
    return f"{', '.join(amounts[:-1])} and {amounts[-1]}"
