"""What a reader must know before quoting a surface, one sentence each, from the data."""

from collections.abc import Sequence

import pandas as pd

from core.tiers.notes import (
    ERROR_WARNING,
    TRUNCATION_TOLD,
    mixed_choices,
    mixed_choices_note,
    mixed_repeats,
    mixed_repeats_note,
    unknown_truncation,
)
from core.tiers.surface.axes import Panel
from core.tiers.words import listed


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
        unknown_truncation(cells),
    ]
    return tuple(note for note in notes if note)


def _named(cells: pd.DataFrame, titles: dict[str, str]) -> str:
    return listed([titles[one] for one in dict.fromkeys(cells["surface"])], 4)


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
    number = int((cells["truncated_ratio"] > TRUNCATION_TOLD).sum())
    if not number:
        return ""
    return (
        f"Truncated completions are not in the accuracy: in {_cells_text(number, len(cells))} they are more"
        f" than {TRUNCATION_TOLD:.0%}, so that accuracy there is of the completions that came to an end."
    )


def _mixed_repeats(cells: pd.DataFrame, titles: dict[str, str]) -> str:
    mixed = mixed_repeats(cells)
    return "" if mixed.empty else mixed_repeats_note(mixed, f"Cells of {_named(mixed, titles)}")


def _mixed_choices(cells: pd.DataFrame, titles: dict[str, str]) -> str:
    mixed = mixed_choices(cells)
    return "" if mixed.empty else mixed_choices_note(f"Cells of {_named(mixed, titles)}")


def _below_chance(cells: pd.DataFrame) -> str:
    number = int(cells["below_chance"].sum())
    if not number:
        return ""
    return f"Below chance, so shown as 0: {_cells_text(number, len(cells))}."
