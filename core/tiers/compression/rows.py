"""What figures are computed from: completions counted by value in SQL, each value while they are few."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.filters import Filters
from core.stats.arrays import BoolArray
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.compression.bins import OUTCOME_CODE
from core.tiers.compression.length import Length
from core.tiers.compression.parts import Parts
from core.tiers.points import completions_of

MOST_EXACT = 200_000
"""With more completions than this, values are counted in bins, and intervals come from a sample of items."""

SAMPLE = 60_000
"""Completions of that sample: enough for an interval's width."""

PER_E = 128
"""Bins per factor e: 0.8% wide."""

_COUNTED = "outcome < 3 AND (bytes IS NULL OR bytes > 0) AND (length IS NULL OR length >= 1)"
"""A response without text has no ratio, and no place on a log scale; failed ones do not count."""


@dataclass(frozen=True)
class Rows:
    """Columns of equal length; a missing number is NaN."""

    columns: Mapping[str, NDArray[Any]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column."""
        return self.columns[name]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def where(self, wanted: BoolArray | slice) -> "Rows":
        """Return the rows that a mask or a slice takes."""
        return Rows({name: column[wanted] for name, column in self.columns.items()})

    def of(self, part: int, outcome: int | None = None) -> "Rows":
        """Return the rows of a part, and of one outcome; rows are in the order of their part."""
        first, end = np.searchsorted(self["part"], [part, part + 1])
        own = self.where(slice(int(first), int(end)))
        return own if outcome is None else own.where(own["outcome"] == outcome)

    def known(self, *names: str) -> "Rows":
        """Return the rows in which no column of these is missing."""
        missing = np.asarray(np.isnan([self[name] for name in names]).any(axis=0), dtype=np.bool_)
        return self.where(~missing)


@dataclass(frozen=True)
class ValueRows:
    """Completions by value: what is exact, and above MOST_EXACT the sample that intervals come from.

    Attributes
    ----------
    rows
        One row per part, cell, outcome (place in PANELS), item_id, length, bytes and compressed, with n:
        all that count, or those of the sampled items; and ratio and per_length, what they are in.
    sampled
        Whether the items are a sample.
    """

    rows: Rows
    sampled: bool


@dataclass(frozen=True)
class BinRows:
    """All completions by binned value, `floor(ln(value) * PER_E)`.

    Attributes
    ----------
    lengths, ratios
        One row per part, cell, outcome and bin, with n.
    per_length
        One row per part, outcome and bin of compressed bytes per length, with n and the sums of ln length
        (x), ln compressed bytes (y), x^2 and xy.
    """

    lengths: Rows
    ratios: Rows
    per_length: Rows


def read_values(dataset: Dataset, filters: Filters, parts: Parts, length: Length) -> ValueRows:
    """Return completions by value; above MOST_EXACT of a seeded sample of items, every part about as large.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    sizes = [int(n) for n in parts.cells.groupby("part")["n"].sum()]
    limit = most_per_part(sizes, SAMPLE) if sum(sizes) > MOST_EXACT else None
    found = _read(
        dataset, filters, parts, length,
        """
        SELECT part, cell, outcome, item_id, length, bytes, compressed, compressed / bytes AS ratio,
            compressed / length AS per_length, count(*) AS n
        FROM counted
        GROUP BY ALL
        ORDER BY part""",
        limit,
    )  # fmt: skip
    return ValueRows(found, sampled=limit is not None)


def read_binned(dataset: Dataset, filters: Filters, parts: Parts, length: Length) -> BinRows:
    """Return all completions by binned value.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """

    def by_cell(value: str) -> Rows:
        return _read(
            dataset, filters, parts, length,
            f"""
            SELECT part, cell, outcome, floor(ln({value}) * {PER_E})::INTEGER AS bin, count(*) AS n
            FROM counted
            WHERE {value} IS NOT NULL
            GROUP BY ALL
            ORDER BY part""",
        )  # fmt: skip

    per_length = _read(
        dataset, filters, parts, length,
        f"""
        SELECT part, outcome, floor((y - x) * {PER_E})::INTEGER AS bin, count(*) AS n,
            sum(x) AS x, sum(y) AS y, sum(x * x) AS xx, sum(x * y) AS xy
        FROM (SELECT part, outcome, ln(length) AS x, ln(compressed) AS y FROM counted)
        WHERE x IS NOT NULL AND y IS NOT NULL
        GROUP BY ALL
        ORDER BY part""",
    )  # fmt: skip
    return BinRows(by_cell("length"), by_cell("compressed / bytes"), per_length)


def _read(
    dataset: Dataset, filters: Filters, parts: Parts, length: Length, query: str, limit: float | None = None
) -> Rows:
    """Run a query over `counted`, the completions that count or, with a limit, those of a sample of items."""
    every, where, parameters = "1", "true", dict(parts.parameters)
    if limit is not None:
        parameters["limit"] = limit
        every = "greatest(1, ceil(sum(n) OVER (PARTITION BY part) / $limit))::UBIGINT"
        where = "hash(c.item_id) % m.every = 0"
    if limit is not None and len(parts.rows) == 1:
        # One number for all is compared item by item, before completions are joined with their points.
        parameters["limit"] = max(1, math.ceil(int(parts.cells["n"].sum()) / limit))
        every = "1"
        where = "c.item_id IN (SELECT item_id FROM data.items WHERE hash(item_id) % $limit::UBIGINT = 0)"
    found = dataset.sql(
        f"""
        {parts.ctes}, places AS MATERIALIZED (
            SELECT point_id, part, cell, {every} AS every
            FROM numbered
        ), counted AS (
            SELECT * FROM (
                SELECT m.part, m.cell, c.item_id, {OUTCOME_CODE} AS outcome,
                    c.{length.column} AS length, c.response_bytes AS bytes, c.compressed_bytes AS compressed
                FROM {completions_of(filters)} c
                JOIN places m USING (point_id)
                WHERE {where}
            )
            WHERE {_COUNTED}
        )
        {query}""",
        threshold=filters.threshold or STORED_THRESHOLD,
        **parameters,
    )
    return Rows({name: _numbers(found[name]) for name in found.column_names})


def _numbers(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column as an array: whole where nothing can be missing, else floats."""
    kind = column.type
    if column.null_count or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy())


def most_per_part(sizes: list[int], room: int) -> float | None:
    """Return up to how many completions of a part are read so that all fit the room, None where all fit.

    Small parts are read whole, and the room that they leave goes to the others.
    """
    if sum(sizes) <= room:
        return None
    ordered = np.sort(np.asarray(sizes, dtype=np.float64))
    left = float(room)
    for place, size in enumerate(ordered):
        share = left / (ordered.size - place)
        if size > share:
            return max(share, 1.0)
        left -= float(size)
    return None
