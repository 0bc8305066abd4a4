"""Which axis matters more: the drop in accuracy per step along each axis of every surface shown."""

import pandas as pd

from core.stats.gradient import surface_drops_each
from core.tiers.surface.table import SurfaceGrid

COLUMNS = [
    "eval_id", "name", "surface", "title", "cells",
    "x", "x_drop", "x_lower", "x_upper", "y", "y_drop", "y_lower", "y_upper",
    "difference", "difference_lower", "difference_upper", "matters_more",
]  # fmt: skip

METHOD = (
    "Drop in accuracy per step at the same value of the other axis, completions weighing the same; 95%"
    " interval from the cells' own (MOVER, Zou, Huang and Zhang 2009). Matters more: the 95% interval of the"
    " difference in size of the two does not contain 0; not corrected for the number of rows."
)


def read_drops(grid: SurfaceGrid) -> pd.DataFrame:
    """Return one row per eval and surface, with COLUMNS.

    A drop is positive where accuracy falls with the step; see core.stats.gradient. `matters_more` is the
    param along which accuracy changes more in size, None where the interval of the difference of the two
    sizes does not tell.
    """
    cells, names = grid.cells, grid.config.eval_names
    groups = cells.groupby(["eval_id", "surface"], sort=False)
    keys = cells[["eval_id", "surface"]].drop_duplicates().to_records(index=False).tolist()
    measured = (cells[name] for name in ("x", "y", "accuracy", "lower", "upper", "n"))
    drops = surface_drops_each(groups.ngroup(), *measured, surfaces=len(keys))
    rows = []
    for (eval_id, surface), found in zip(keys, drops, strict=True):
        panel = grid.panel(surface)
        x, y, difference = found.x, found.y, found.difference
        rows.append(
            {
                "eval_id": eval_id, "name": names[eval_id], "surface": surface,
                "title": panel.title, "cells": found.cells,
                "x": panel.surface.x_data, "x_drop": x.drop, "x_lower": x.lower, "x_upper": x.upper,
                "y": panel.surface.y_data, "y_drop": y.drop, "y_lower": y.lower, "y_upper": y.upper,
                "difference": difference.drop, "difference_lower": difference.lower,
                "difference_upper": difference.upper,
                "matters_more": None
                if pd.isna(difference.drop) or difference.lower <= 0 <= difference.upper
                else panel.surface.x_data if difference.drop > 0 else panel.surface.y_data,
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)
