"""Tasks in words: how much there is, and which is easiest and hardest."""

from collections.abc import Sequence

from core.tiers.tasks.table import TaskRow
from core.tiers.words import count


def summary(rows: Sequence[TaskRow]) -> str:
    """Return what was asked and how hard it was, in one sentence.

    Accuracies are raw and over all evals of the selection; truncated completions are left out.

    Parameters
    ----------
    rows : sequence of TaskRow
        One at least.
    """
    items, completions = (sum(getattr(row, field) for row in rows) for field in ("items", "completions"))
    evals = max(row.evals for row in rows)
    known = sorted((row for row in rows if row.n), key=lambda row: row.correct / row.n)
    if len(rows) == 1:
        told = f": {_share(known[0])} correct" if known else ", none of them counted"
        n, of = count(completions, "completion"), count(items, "item")
        return f"{rows[0].label}: {n} of {of} by {count(evals, 'eval')}{told}."
    lead = f"{len(rows)} tasks with {items:,} items, in {completions:,} completions by {count(evals, 'eval')}"
    if not known:
        return f"{lead}, none of them counted."
    hardest, easiest = known[0], known[-1]
    if hardest.correct * easiest.n == easiest.correct * hardest.n:
        return f"{lead}: every task has the same accuracy, {_share(hardest)}."
    return (
        f"{lead}: hardest is {hardest.label}, {_share(hardest)} correct, and easiest {easiest.label},"
        f" {_share(easiest)}."
    )


def _share(row: TaskRow) -> str:
    return f"{row.correct / row.n:.1%} of {row.n:,} counted"
