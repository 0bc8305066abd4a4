"""What a grid of surfaces shows, in one sentence made from its cells."""

import pandas as pd

from core import charts
from core.tiers.surface.table import SurfaceGrid


def summarise(grid: SurfaceGrid) -> str:
    """Return the result in one sentence.

    Several evals are compared on the cells that all of them have, each cell weighing the same.
    """
    counted = grid.cells[grid.cells["accuracy"].notna()]
    if counted.empty:
        return "Every completion on these surfaces was truncated or failed, so there is no accuracy to show."
    evals = list(dict.fromkeys(counted["eval_id"]))
    if len(evals) == 1:
        return f"{grid.name(int(evals[0]))}: {_range(grid, counted)}; {_n_words(counted)}."
    common = _common(counted, len(evals))
    where = f"{len(grid.panels)} surfaces" if len(grid.panels) > 1 else grid.panels[0].title
    if common.empty:
        return (
            f"{len(evals)} evals on {where}, without a cell that all of them have;"
            f" {_range(grid, counted)}; {_n_words(counted)}."
        )
    means = common.groupby("eval_id")["accuracy"].mean().sort_values(ascending=False, kind="stable")
    best, worst = int(means.index[0]), int(means.index[-1])
    cells = len(common) // len(evals)
    equal = int((means == means.iloc[0]).sum()) - 1
    shared = f" and {equal} more hold" if equal else " holds"
    lead = (
        f"On {where}, {grid.name(best)}{shared} up best (mean accuracy {means.iloc[0]:.2f} over the"
        f" {cells:,} cells all evals have) and {grid.name(worst)} least ({means.iloc[-1]:.2f})"
    )
    if means.iloc[0] == means.iloc[-1]:
        lead = f"On {where}, all {len(evals)} evals have the same mean accuracy ({means.iloc[0]:.2f})"
    return f"{lead}; {_range(grid, common[common['eval_id'] == best], grid.name(best))}; {_n_words(common)}."


def _n_words(cells: pd.DataFrame) -> str:
    return f"{charts.n_text(cells['n'].min(), cells['n'].max())} a cell"


def _common(counted: pd.DataFrame, evals: int) -> pd.DataFrame:
    sizes = counted.groupby(["surface", "x", "y"])["eval_id"].transform("nunique")
    return counted[sizes == evals]


def _range(grid: SurfaceGrid, cells: pd.DataFrame, of: str = "accuracy") -> str:
    """Return from where to where accuracy goes, over the cells given."""
    high = cells.iloc[int(cells["accuracy"].to_numpy().argmax())]
    low = cells.iloc[int(cells["accuracy"].to_numpy().argmin())]
    of = f"the accuracy of {of}" if of != "accuracy" else of
    if high["accuracy"] == low["accuracy"]:
        return f"{of} is {high['accuracy']:.2f} in every cell"
    return f"{of} runs from {_at(grid, high)} to {_at(grid, low)}"


def _at(grid: SurfaceGrid, cell: pd.Series) -> str:
    panel = grid.panel(cell["surface"])
    task = f"{panel.task_label}, " if len({one.base_task for one in grid.panels}) > 1 else ""
    return f"{cell['accuracy']:.2f} ({task}{panel.place_text(int(cell['x']), int(cell['y']))})"
