"""What a reader must know before quoting a surface, one sentence each, from the data."""

from collections.abc import Sequence

import pandas as pd

from core.tiers.surface.axes import Panel

ERROR_WARNING = 0.01
"""Share of error completions above which the notes say so."""


def surface_notes(cells: pd.DataFrame, panels: Sequence[Panel], *, few: int) -> tuple[str, ...]:
    """Return the notes of a grid of cells.

    Parameters
    ----------
    cells : DataFrame
        See core.tiers.surface.table.SurfaceGrid.
    few : int
        Cells with fewer items are called small.
    """
    titles = {panel.id: panel.title for panel in panels}
    notes = [
        _small(cells, few),
        _uncounted(cells),
        _errors(cells),
        _truncated(cells),
        _mixed_repeats(cells, titles),
        _mixed_choices(cells, titles),
        _below_chance(cells),
        _unknown_truncation(cells),
    ]
    return tuple(note for note in notes if note)


def _named(cells: pd.DataFrame, titles: dict[str, str], most: int = 4) -> str:
    names = [titles[one] for one in dict.fromkeys(cells["surface"])]
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _cells_text(number: int, total: int) -> str:
    return f"{number:,} of {total:,} cells"


def _small(cells: pd.DataFrame, few: int) -> str:
    small = int(((cells["n"] > 0) & (cells["n_items"] < few)).sum())
    if not small:
        return ""
    return f"Hatched: {_cells_text(small, len(cells))} with fewer than {few} items; their intervals are wide."


def _uncounted(cells: pd.DataFrame) -> str:
    number = int((cells["n"] == 0).sum())
    if not number:
        return ""
    return f"Marked —: {_cells_text(number, len(cells))} where every completion was truncated or failed."


def _errors(cells: pd.DataFrame) -> str:
    failed = int(cells["error"].sum())
    total = int(cells[["n", "truncated", "error"]].to_numpy().sum())
    if not total or failed / total <= ERROR_WARNING:
        return ""
    return (
        f"{failed / total:.1%} of the completions failed for other reasons than the model and are left out."
    )


def _truncated(cells: pd.DataFrame) -> str:
    number = int((cells["truncated_ratio"] > 0.02).sum())
    if not number:
        return ""
    return (
        f"Truncated completions are not in the accuracy: in {_cells_text(number, len(cells))} they are more"
        " than 2%, so that accuracy there is of the completions that came to an end."
    )


def _mixed_repeats(cells: pd.DataFrame, titles: dict[str, str]) -> str:
    mixed = cells[cells["least_tries"] != cells["most_tries"]]
    mixed = mixed[mixed["least_tries"].notna()]
    if mixed.empty:
        return ""
    low, high = int(mixed["least_tries"].min()), int(mixed["most_tries"].max())
    return (
        f"Cells of {_named(mixed, titles)} mix items with {low} to {high} completions: an item with more"
        " completions weighs more in them."
    )


def _mixed_choices(cells: pd.DataFrame, titles: dict[str, str]) -> str:
    partly = (cells["choices_n"] > 0) & (cells["choices_n"] < cells["n"])
    mixed = cells[(cells["choices_kinds"] > 1) | partly]
    if mixed.empty:
        return ""
    return (
        f"Cells of {_named(mixed, titles)} mix items with different numbers of choices: their guess-corrected"
        " accuracy weighs an item by 1 - 1/choices."
    )


def _below_chance(cells: pd.DataFrame) -> str:
    number = int(cells["below_chance"].sum())
    if not number:
        return ""
    return f"Below chance, so shown as 0: {_cells_text(number, len(cells))}."


def _unknown_truncation(cells: pd.DataFrame) -> str:
    if not cells["truncation_unknown"].sum():
        return ""
    return (
        "The source does not say which responses were cut off: truncated responses count as they were graded."
    )
