"""Eval A minus eval B in every cell of the surfaces, paired on the items both answered."""

from dataclasses import dataclass, replace

import pandas as pd

from core.errors import FilterError
from core.stats.multiplicity import benjamini_hochberg
from core.stats.paired import compare
from core.store.dataset import Dataset
from core.tiers.points import item_results_at, selected_at
from core.tiers.surface.axes import read_places
from core.tiers.surface.table import SurfaceGrid

CELL = ["surface", "x", "y"]
COLUMNS = [
    *CELL, "difference", "lower", "upper", "p", "n_items", "left_out", "counted_difference", "method",
]  # fmt: skip

RATE = 0.05
"""False discovery rate of the outlined cells."""


@dataclass(frozen=True)
class SurfaceDifference:
    """Two evals compared cell by cell.

    Attributes
    ----------
    cells
        One row per surface, x and y where either eval has points: difference, lower, upper (95%), p,
        q (Benjamini-Hochberg over the cells), differs (q at most RATE), n_items (common), left_out (items
        that only one of them has or that cannot be paired), counted_difference (truncated left out), method.
    a, b
        Eval ids.
    tests
        Number m of cells that were tested.
    notes
        What a reader must know, one sentence each.
    """

    cells: pd.DataFrame
    a: int
    b: int
    tests: int
    notes: tuple[str, ...]

    def sentence(self, grid: SurfaceGrid) -> str:
        """Return the result in one sentence."""
        a, b = grid.name(self.a), grid.name(self.b)
        if not self.tests:
            return f"{a} and {b} have no item in common on these surfaces."
        differ = self.cells[self.cells["differs"]]
        better = int((differ["difference"] > 0).sum())
        worse = len(differ) - better
        if differ.empty:
            found = f"in none of {self.tests:,} cells does {a} differ from {b}"
        else:
            found = f"{a} is better than {b} in {better:,} and worse in {worse:,} of {self.tests:,} cells"
        return f"On common items {found}, after Benjamini-Hochberg at {RATE:.0%} (m = {self.tests:,})."


def read_surface_difference(dataset: Dataset, grid: SurfaceGrid, a: int, b: int) -> SurfaceDifference:
    """Compare two evals in every cell of a grid.

    Accuracy is raw (not guess-corrected), truncated counted as wrong; an item with repeats counts its mean.
    Both evals are compared on the grid's surfaces whatever its filters say of evals.

    Raises
    ------
    FilterError
        No such eval, or twice the same.
    """
    config = dataset.config
    for one in (a, b):
        if not 0 <= one < len(config.evals):
            raise FilterError(f"No eval_id {one} in this dataset; valid: 0 to {len(config.evals) - 1}")
    if a == b:
        raise FilterError(f"A difference needs two evals, not eval_id {a} twice")
    items = _items(dataset, grid, a, b).merge(read_places(dataset, grid.panels), on="params_id")
    cells = _compare(items)
    return SurfaceDifference(cells, a, b, int((cells["n_items"] > 0).sum()), _notes(cells))


def _items(dataset: Dataset, grid: SurfaceGrid, a: int, b: int) -> pd.DataFrame:
    """Return one row per item with y, k and truncated of both evals, 0 where one has no completion."""
    filters = replace(grid.filters.without("groups"), eval_id=(a, b))
    selected, threshold, parameters = selected_at(dataset, filters)
    sums = ", ".join(
        f"coalesce(sum(r.{column}) FILTER (WHERE s.eval_id = ${side}), 0)::DOUBLE AS {column}_{side}"
        for side in ("a", "b")
        for column in ("y", "k", "truncated")
    )
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected})
        SELECT i.params_id, i.item_id, i.paired, {sums}
        FROM {item_results_at(threshold, filters.flagged)} r
        JOIN selected s USING (point_id)
        JOIN data.items i USING (item_id)
        GROUP BY i.params_id, i.item_id, i.paired
        ORDER BY i.item_id""",
        a=a,
        b=b,
        **parameters,
    ).to_pandas()
    for side in ("a", "b"):
        frame[f"tries_{side}"] = frame[f"k_{side}"] + frame[f"truncated_{side}"]
    frame = frame[(frame["tries_a"] > 0) | (frame["tries_b"] > 0)]
    frame["common"] = frame["paired"] & (frame["tries_a"] > 0) & (frame["tries_b"] > 0)
    return frame


def _compare(items: pd.DataFrame) -> pd.DataFrame:
    by_cell = items.groupby(CELL, sort=True)
    tests = max(1, int(by_cell["common"].any().sum()))
    rows = []
    for key, part in by_cell:
        common = part[part["common"]]
        y_a, y_b = common["y_a"].to_numpy(), common["y_b"].to_numpy()
        result = compare(y_a, common["tries_a"], y_b, common["tries_b"], tests=tests)
        counted = common[(common["k_a"] > 0) & (common["k_b"] > 0)]
        counted_d = counted["y_a"] / counted["k_a"] - counted["y_b"] / counted["k_b"]
        rows.append(
            {
                **dict(zip(CELL, key, strict=True)),
                "difference": result.d, "lower": result.lower, "upper": result.upper, "p": result.p,
                "n_items": result.n_items, "left_out": len(part) - result.n_items,
                "counted_difference": counted_d.mean(),
                "method": f"{result.test}; {result.interval}",
            }
        )  # fmt: skip
    cells = pd.DataFrame(rows, columns=COLUMNS)
    adjusted = benjamini_hochberg(cells["p"].to_numpy(float))
    cells.insert(COLUMNS.index("p") + 1, "q", adjusted)
    cells.insert(COLUMNS.index("p") + 2, "differs", adjusted <= RATE)
    return cells


def _notes(cells: pd.DataFrame) -> tuple[str, ...]:
    notes = [
        "The difference is of raw accuracy (not guess-corrected), with truncated counted as wrong; an item"
        " with repeats counts its mean.",
        f"Outlined cells differ: Benjamini-Hochberg at {RATE:.0%} over the m cells that have common items.",
    ]
    left_out = int(cells["left_out"].sum())
    if left_out:
        notes.append(
            f"{left_out:,} items are left out: only one of the two evals has them, or they cannot be paired."
        )
    turned = int((cells["difference"] * cells["counted_difference"] < 0).sum())
    if turned:
        notes.append(
            f"In {turned:,} cells the other eval is ahead when truncated completions are left out instead of"
            " counted as wrong."
        )
    methods = list(dict.fromkeys(cells.loc[cells["n_items"] > 0, "method"]))
    if methods:
        notes.append(f"Test and interval: {'; or '.join(methods)}.")
    return tuple(notes)
