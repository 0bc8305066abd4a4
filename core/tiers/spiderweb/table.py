"""The shape of each eval: its accuracy on every task, pooled and per tier, with tokens."""

from dataclasses import dataclass

import pandas as pd

from core.config import DatasetConfig
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.cells import in_display_order, read_cells
from core.tiers.methods import Methods
from core.tiers.points import read_points
from core.tiers.tokens import read_token_means

RINGS = ("tier", "pooled")
MOST_SPOKES = 16
"""With more tasks than this a radar is of chosen ones, and bars are the default."""
FEWEST_SPOKES = 3
MOST_OVERLAID = 5

COLUMNS = [
    "eval_id", "task", "tier", "n", "n_items", "correct", "incorrect", "invalid", "truncated", "error",
    "accuracy", "center", "margin", "lower", "upper", "truncated_ratio", "below_chance", "mean_tokens",
    "tokens_lower", "tokens_upper",
]  # fmt: skip


@dataclass(frozen=True)
class Spiders:
    """The evals of a selection, task by task.

    Attributes
    ----------
    cells
        One row per (eval_id, task, tier), tier None pooled, with COLUMNS, in display order. A task that an
        eval has no points in has no row.
    evals
        Eval ids that have cells, in the order of the config.
    tasks, tiers
        What the cells are of, in display order: the same for every eval.
    """

    cells: pd.DataFrame
    evals: tuple[int, ...]
    tasks: tuple[str, ...]
    tiers: tuple[str, ...]
    config: DatasetConfig
    filters: Filters
    methods: Methods
    visible_tokens: bool

    def name(self, eval_id: int) -> str:
        """Return what an eval is called."""
        return self.config.eval_names[eval_id]

    def tier_label(self, tier: str | None) -> str:
        """Return what a tier is called, "all" for the pool."""
        return "all" if tier is None else self.config.tier_label(tier)

    def rings(self, rings: str) -> tuple[str | None, ...]:
        """Return the tiers that are drawn: each of them, or the pool."""
        return self.tiers if rings == "tier" and self.tiers else (None,)

    def of(self, eval_id: int) -> pd.DataFrame:
        """Return the cells of one eval. Raises FilterError where it has none."""
        if eval_id not in self.evals:
            valid = ", ".join(map(str, self.evals))
            raise FilterError(f"No eval_id {eval_id} in this selection; valid: {valid}")
        return self.cells[self.cells["eval_id"] == eval_id]


def read_spiders(dataset: Dataset, filters: Filters, methods: Methods) -> Spiders:
    """Read accuracy and tokens of every eval on every task.

    Parameters
    ----------
    filters : Filters
        As the user gave them.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have.
    NothingFoundError
        Nothing matches.
    """
    filters = filters.resolved(dataset.catalog)
    config = dataset.config
    points = read_points(dataset, filters)
    cells = read_cells(dataset, filters, methods, points)
    if cells.empty:
        raise NothingFoundError("No results found matching filters")
    visible = bool(cells["tokenized_n"].sum() > 0)
    tokens = read_token_means(dataset, filters, points)
    ordered = in_display_order(dataset, _with_tokens(cells, tokens)[COLUMNS])
    cells = ordered.cells
    evals = tuple(int(eval_id) for eval_id in dict.fromkeys(cells["eval_id"]))
    return Spiders(cells, evals, ordered.tasks, ordered.tiers, config, filters, methods, visible)


def _with_tokens(cells: pd.DataFrame, tokens: pd.DataFrame) -> pd.DataFrame:
    # A merge would match None with nothing; the pool gets a name for the time being.
    columns = ["mean_tokens", "tokens_lower", "tokens_upper"]
    known = {
        (row["eval_id"], row["task"], row["tier"]): [row[name] for name in columns]
        for row in tokens.to_dict(orient="records")
    }
    keys = zip(cells["eval_id"], cells["task"], cells["tier"], strict=True)
    found = [known.get(key, [float("nan")] * 3) for key in keys]
    return cells.assign(**{name: [row[place] for row in found] for place, name in enumerate(columns)})
