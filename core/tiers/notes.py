"""Notes that several tiers have: what a reader must know of cells before quoting them, "" where nothing."""

import pandas as pd

ERROR_WARNING = 0.01
"""Share of error completions above which notes say so."""

TRUNCATION_TOLD = 0.02
"""Share of truncated completions above which a cell says so, in its text, its mark or a note."""


def mixed_repeats(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells whose items have different numbers of completions.

    Parameters
    ----------
    cells : DataFrame
        Rows of core.tiers.cells.estimate_cells.
    """
    # A cell of failed completions only has no least number of tries.
    return cells[cells["least_tries"] < cells["most_tries"]]


def mixed_repeats_note(mixed: pd.DataFrame, what: str) -> str:
    """Return the note on cells of `mixed_repeats`; `what` names them, as "Cells of a, b"."""
    low, high = int(mixed["least_tries"].min()), int(mixed["most_tries"].max())
    return (
        f"{what} mix items with {low} to {high} completions: an item with more completions weighs more in"
        " them. Paired differences, here and on Compare, let every item weigh alike."
    )


def mixed_choices(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells whose items have different numbers of choices, free-form items among them."""
    partly = (cells["choices_n"] > 0) & (cells["choices_n"] < cells["n"])
    return cells[(cells["choices_kinds"] > 1) | partly]


def mixed_choices_note(what: str) -> str:
    """Return the note on cells of `mixed_choices`; `what` names them, as "Cells of a, b"."""
    return (
        f"{what} mix items with different numbers of choices: their guess-corrected accuracy weighs an item"
        " by 1 - 1/choices."
    )


def unknown_truncation(cells: pd.DataFrame) -> str:
    """Return the note on sources that do not say which responses were cut off."""
    unknown = int(cells["truncation_unknown"].sum())
    if not unknown:
        return ""
    total = int(cells[["n", "truncated", "error"]].to_numpy().sum())
    if unknown < total:
        return (
            f"For {unknown:,} of {total:,} completions the source does not say whether they were cut off:"
            " these count as they were graded."
        )
    return (
        "The source does not say which responses were cut off: truncated responses count as they were graded."
    )
