"""The figures of every part and outcome: medians, slope, and correct against incorrect, with intervals."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.filters import Filters
from core.stats.arrays import IntArray
from core.stats.auc import Auc, stratified_auc
from core.stats.clustered_median import Median, binned_median, clustered_median
from core.stats.loglog import Slope, loglog_slope, slope_from_sums
from core.store.dataset import Dataset
from core.tiers.compression.bins import PANELS
from core.tiers.compression.length import TOKENS, Length
from core.tiers.compression.parts import Parts
from core.tiers.compression.rows import PER_E, BinRows, Rows, read_binned, read_values
from core.tiers.methods import Methods

ALL = "all"
CORRECT, WRONG = 0, 1
"""Places in PANELS of what the AUC compares."""

FIGURES = ("ratio", "per_token", "slope", "auc_length", "auc_ratio")
"""Each is a column with its bounds, `_lower` and `_upper`."""
COLUMNS = [
    "part",
    "outcome",
    "counted",
    *(f"{name}{end}" for name in FIGURES for end in ("", "_lower", "_upper")),
]
"""counted: completions with text that the figures are of. The AUCs stand in the rows of all outcomes."""


@dataclass(frozen=True)
class Figures:
    """The figures of a selection.

    Attributes
    ----------
    frame
        One row per part and outcome, "all" first, with COLUMNS; also of outcomes that no completion has.
    sampled
        Whether values were binned, and intervals are of a sample of items.
    """

    frame: pd.DataFrame
    sampled: bool
    methods: Methods


def read_figures(
    dataset: Dataset, filters: Filters, parts: Parts, length: Length, methods: Methods
) -> Figures:
    """Compute the figures of every part and outcome.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    values = read_values(dataset, filters, parts, length)
    binned = read_binned(dataset, filters, parts, length) if values.sampled else None
    strata = Strata(parts)
    clusters = methods.repeats == "cluster"
    rows = [
        row
        for part in parts.rows["part"].tolist()
        for row in _part_rows(part, values.rows, binned, strata, length, clusters=clusters)
    ]
    return Figures(pd.DataFrame(rows, columns=COLUMNS), values.sampled, methods)


def overall_auc(
    dataset: Dataset, filters: Filters, parts: Parts, length: Length, methods: Methods
) -> tuple[Auc, Auc, bool]:
    """Return the AUCs of length and of ratio over all parts, and whether they are of a sample of items.

    Parameters
    ----------
    parts : Parts
        Of one stack and one series.
    """
    values = read_values(dataset, filters, parts, length)
    strata, clusters = Strata(parts), methods.repeats == "cluster"
    by_length, by_ratio = (
        _exact_auc(values.rows, name, strata, clusters=clusters) for name in ("length", "ratio")
    )
    return by_length, by_ratio, values.sampled


class Strata:
    """The (eval, task, tier) strata of cells: a cell in several tiers counts in each of them."""

    def __init__(self, parts: Parts) -> None:
        keys: dict[tuple[Any, ...], int] = {}
        cells, strata = [], []
        columns = (parts.cells[name].tolist() for name in ("cell", "eval_id", "base_task", "tiers"))
        for cell, eval_id, base_task, tiers in zip(*columns, strict=True):
            for tier in tiers or (None,):
                cells.append(cell)
                strata.append(keys.setdefault((eval_id, base_task, tier), len(keys)))
        order = np.argsort(np.asarray(cells, dtype=np.int64), kind="stable")
        self._cells = np.asarray(cells, dtype=np.int64)[order]
        self._strata = np.asarray(strata, dtype=np.int64)[order]

    def of(self, cell: IntArray) -> tuple[IntArray, IntArray]:
        """Return, for rows of cells, (row, stratum) of every stratum that each row is in."""
        first = np.searchsorted(self._cells, cell, side="left")
        times = np.searchsorted(self._cells, cell, side="right") - first
        row = np.repeat(np.arange(cell.size), times)
        within = np.arange(row.size) - np.repeat(np.cumsum(times) - times, times)
        return row, self._strata[np.repeat(first, times) + within]


def _part_rows(
    part: int, values: Rows, binned: BinRows | None, strata: Strata, length: Length, *, clusters: bool
) -> Iterator[dict[str, Any]]:
    for outcome in (ALL, *PANELS):
        place = None if outcome == ALL else PANELS.index(outcome)
        rows = values.of(part, place)
        whole = None if binned is None else _of(binned, part, place)
        told: dict[str, Any] = {"part": part, "outcome": outcome, "counted": _counted(rows, whole)}
        told |= _bounded("ratio", _median(rows, "ratio", None if whole is None else whole.ratios, clusters))
        if length.measure == TOKENS:
            bins = None if whole is None else whole.per_length
            told |= _bounded("per_token", _median(rows, "per_length", bins, clusters))
        told |= _bounded("slope", _slope(rows, whole, clusters))
        if outcome == ALL:
            for name, value in (("auc_length", "length"), ("auc_ratio", "ratio")):
                found = _exact_auc(rows, value, strata, clusters=clusters)
                if whole is not None:
                    found = _binned_auc(whole.lengths if value == "length" else whole.ratios, found, strata)
                told |= _bounded(name, found)
        yield told


def _counted(rows: Rows, whole: BinRows | None) -> int:
    if whole is None:
        return int(rows["n"].sum())
    return int(max(whole.lengths["n"].sum(), whole.ratios["n"].sum()))


def _bounded(name: str, found: Median | Slope | Auc) -> dict[str, float]:
    value = (
        found.median if isinstance(found, Median) else found.slope if isinstance(found, Slope) else found.auc
    )
    return {name: value, f"{name}_lower": found.lower, f"{name}_upper": found.upper}


def _of(binned: BinRows, part: int, outcome: int | None) -> BinRows:
    return BinRows(*(rows.of(part, outcome) for rows in (binned.lengths, binned.ratios, binned.per_length)))


def _items(rows: Rows, clusters: bool) -> IntArray:
    return np.asarray(rows["item_id"] if clusters else np.arange(len(rows)), dtype=np.int64)


def _median(rows: Rows, name: str, whole: Rows | None, clusters: bool) -> Median:
    rows = rows.known(name)
    exact = clustered_median(rows[name], weight=rows["n"], cluster=_items(rows, clusters))
    if whole is None:
        return exact
    # The sample holds whole items, so that its design effect is that of all.
    effect = exact.design_effect if exact.n > 1 else 1.0
    return binned_median(whole["bin"], whole["n"], PER_E, effect)


def _slope(rows: Rows, whole: BinRows | None, clusters: bool) -> Slope:
    rows = rows.known("length", "compressed")
    exact = loglog_slope(rows["length"], rows["compressed"], weight=rows["n"], cluster=_items(rows, clusters))
    if whole is None:
        return exact
    sums = (float(whole.per_length[name].sum()) for name in ("n", "x", "y", "xx", "xy"))
    found = slope_from_sums(*sums)
    return found.with_error(exact.error * math.sqrt(exact.n / found.n)) if found.n else found


def _exact_auc(rows: Rows, name: str, strata: Strata, *, clusters: bool) -> Auc:
    rows = rows.known(name)
    rows = rows.where(rows["outcome"] <= WRONG)
    place, stratum = strata.of(rows["cell"])
    return stratified_auc(
        rows[name][place],
        (rows["outcome"] == WRONG)[place],
        stratum,
        weight=rows["n"][place],
        cluster=_items(rows, clusters)[place],
    )


def _binned_auc(whole: Rows, sample: Auc, strata: Strata) -> Auc:
    rows = whole.where(whole["outcome"] <= WRONG)
    place, stratum = strata.of(rows["cell"])
    found = stratified_auc(
        rows["bin"][place], (rows["outcome"] == WRONG)[place], stratum, weight=rows["n"][place]
    )
    n, sampled = found.n_first + found.n_second, sample.n_first + sample.n_second
    return found.with_error(sample.error * math.sqrt(sampled / n)) if n else found
