"""The panels of a selection: correct, incorrect and truncated completions by length and compressed bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from core.config import DatasetConfig
from core.errors import NothingFoundError
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.compression.bins import FAILED, PANELS, Bins, read_bins
from core.tiers.compression.length import Length, read_length
from core.tiers.compression.parts import Parts, default_series, read_parts
from core.tiers.loops import LoopRule


@dataclass(frozen=True)
class Panels:
    """What the panels of a selection show.

    Attributes
    ----------
    parts, length, bins
        How it is broken down, what length is measured in, and the bins.
    stacked
        Whether every eval has panels of its own.
    filters
        Resolved.
    rule
        Which completions are counted as suspected loops.
    """

    parts: Parts
    length: Length
    bins: Bins
    stacked: bool
    config: DatasetConfig
    filters: Filters
    rule: LoopRule

    @cached_property
    def stacks(self) -> tuple[int | None, ...]:
        """The evals that have panels of their own, or None for the one stack of all."""
        return tuple(dict.fromkeys(self.parts.rows["stack"].tolist()))

    @cached_property
    def series(self) -> tuple[str, ...]:
        """What the series are called, in display order."""
        return tuple(dict.fromkeys(self.parts.rows["label"].tolist()))

    def counted(self, name: str, outcome: str | None = None, stack: int | None = None) -> int:
        """Return a sum over the counts of core.tiers.compression.bins, of one outcome, stack or all."""
        rows = self.bins.counts
        if outcome is not None:
            rows = rows[rows["outcome"] == outcome]
        if stack is not None:
            rows = rows[rows["part"].isin(self.parts_of(stack))]
        return int(rows[name].sum())

    def parts_of(self, stack: int | None) -> list[int]:
        """Return the parts of a stack."""
        rows = self.parts.rows
        own = rows["stack"].isna() if stack is None else rows["stack"] == stack
        return [int(part) for part in rows.loc[own, "part"]]

    @property
    def n(self) -> int:
        """Completions in the panels and beside them, failed ones left out."""
        return sum(self.counted("n", outcome) for outcome in PANELS)

    @property
    def failed(self) -> int:
        """Completions that failed for other reasons than the model."""
        return self.counted("n", FAILED)

    def bins_of(self, stack: int | None) -> pd.DataFrame:
        """Return the bins of a stack with the label of their series."""
        labels = self.parts.rows.set_index("part")["label"]
        rows = self.bins.frame[self.bins.frame["part"].isin(self.parts_of(stack))]
        return rows.assign(series=rows["part"].map(labels))


def read_panels(
    dataset: Dataset,
    filters: Filters,
    *,
    stacked: bool = False,
    series: str | None = None,
    length: Length | None = None,
    rule: LoopRule | None = None,
) -> Panels:
    """Count the completions of a selection in the bins of its panels.

    Parameters
    ----------
    filters : Filters
        As the user gave them.
    stacked : bool
        Panels for each eval, or for all together.
    series : str, optional
        The dimension that colours are of, or "none"; tier where absent and there are tiers.
    length : Length, optional
        What length is measured in; what suits the selection where absent.
    rule : LoopRule, optional
        Which completions are suspected loops.

    Raises
    ------
    FilterError
        The filters or the series name what the dataset does not have.
    NothingFoundError
        Nothing matches the filters.
    """
    filters = filters.resolved(dataset.catalog)
    rule = (rule or LoopRule()).checked(dataset.catalog.base_tasks)
    measure = length or read_length(dataset, filters)
    parts = read_parts(dataset, filters, stacked=stacked, series=series or default_series(dataset))
    if parts.cells.empty:
        raise NothingFoundError("No results found matching filters")
    bins = read_bins(dataset, filters, parts, measure, rule)
    return Panels(parts, measure, bins, stacked, dataset.config, filters, rule)


def stack_pages(stacks: Sequence[int | None], rows: int) -> list[tuple[int | None, ...]]:
    """Return stacks, so many at a time."""
    return [tuple(stacks[first : first + rows]) for first in range(0, len(stacks), rows)]
