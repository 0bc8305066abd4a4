"""What became of the selected completions, in one sentence."""

from collections.abc import Mapping

from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.completions.wanted import OUTCOMES
from core.tiers.counted import points_at
from core.tiers.points import selected_at
from core.tiers.selection import Selection
from core.tiers.words import count


def read_outcomes(dataset: Dataset, filters: Filters) -> dict[str, int]:
    """Return how many selected completions have each outcome, every completion counted once.

    The points have the counts, so that no completion is read (at the stored threshold).
    """
    filters = filters.resolved(dataset.catalog)
    selected, threshold, parameters = selected_at(dataset, filters)
    sums = ", ".join(f"coalesce(sum({name}), 0)::BIGINT AS {name}" for name in OUTCOMES)
    row = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT {sums}
        FROM {points_at(threshold, filters.flagged)} p
        WHERE point_id IN (SELECT point_id FROM selected)""",
        **parameters,
    )[0]
    return {name: int(row[name]) for name in OUTCOMES}


def summary(selection: Selection, outcomes: Mapping[str, int]) -> str:
    """Return how many completions are selected, of what, and what became of them."""
    total = sum(outcomes.values())
    if not total:
        return "0 completions are selected."
    found = [name for name in OUTCOMES if outcomes[name]]
    shares = [f"{outcomes[name] / total:.1%} {name}" for name in found]
    told = " and ".join([", ".join(shares[:-1]), shares[-1]]) if len(shares) > 1 else f"all {found[0]}"
    return (
        f"{count(total, 'completion')} of {count(selection.items, 'item')} by"
        f" {count(selection.evals, 'eval')}: {told}."
    )
