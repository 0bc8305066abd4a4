"""Figures that a source gives of itself: how they are compared, and what is said where they differ."""

from core.importers.reader import Kept, Remark

CONTRADICTION = "a source's own figures contradict its completions; the completions were used"
BY_DEFINITION = "a source's own figures differ by definition"

TOLERANCE = 1e-6
"""Means that differ by less differ by rounding."""


def left_out(own: str, kept: Kept) -> Remark | None:
    """Say what Scores will show where truncated completions are among those that a source counts.

    Parameters
    ----------
    own : str
        The source's figure in words, such as "task, model: accuracy 0.5 in the log".
    kept : Kept
        What was kept of the source.
    """
    truncated = kept.outcomes.get("truncated", 0)
    counted = sum(kept.outcomes.get(outcome, 0) for outcome in ("correct", "incorrect", "invalid"))
    if not truncated:
        return None
    here = f"{kept.outcomes.get('correct', 0):,} of {counted:,} correct" if counted else "none counted"
    return Remark(BY_DEFINITION, f"{own}, over all; on Scores {here}, {truncated:,} truncated left out")
