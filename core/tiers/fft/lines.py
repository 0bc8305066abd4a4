"""The lines of a grid: the mean spectrum of the prompts of one projection value, tokenizer and template."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.errors import FilterError
from core.spectra.sample import MOST, sample_order
from core.spectra.write import KINDS
from core.stats.arrays import FloatArray
from core.stats.spectrum import BANDS
from core.stats.spectrum_sample import mean_spectrum, relabelling_band
from core.store.dataset import Dataset
from core.tiers.fft.grid import Column, FftGrid
from core.tiers.fft.rows import MEMBERS, Row
from core.tiers.selection import selected_points

RELABELLED = 128 * 1024
"""Padded tokens of a line that are relabelled at most: with longer prompts a raw line has fewer of them."""


@dataclass(frozen=True)
class Line:
    """One line of a panel.

    Attributes
    ----------
    row, position, label
        The row's id, and which of its values this is.
    tokenizer, template
        The column.
    n
        Prompts in the mean, at most MOST.
    available
        Prompts of this template and value in the dataset.
    without
        Prompts looked at that have no spectrum: fewer than 16 tokens, or the same token throughout.
    mean, error
        Shape (64,): share of power per band, and its standard error (NaN with one prompt).
    lower, upper
        Shape (64,): 95% band from relabelling; NaN in the indicator view.
    """

    row: str
    position: int
    label: str
    tokenizer: str
    template: str
    n: int
    available: int
    without: int
    mean: FloatArray
    error: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def outside(self) -> int:
        """Bands in which the mean leaves the band from relabelling."""
        return int(np.sum((self.mean < self.lower) | (self.mean > self.upper)))


def check_kind(kind: str) -> None:
    """Refuse what is no kind of spectrum. Raises FilterError."""
    if kind not in KINDS:
        raise FilterError(f"No kind {kind!r}; valid: {', '.join(KINDS)}")


def read_lines(
    dataset: Dataset, grid: FftGrid, kind: str, rows: Sequence[Row], columns: Sequence[Column]
) -> tuple[Line, ...]:
    """Read the lines of some rows and columns of a grid, in display order.

    Which prompts stand on a line does not depend on the evals: all that the template made of the items.

    Parameters
    ----------
    kind : str
        indicator, or raw: then with the band from relabelling.

    Raises
    ------
    FilterError
        There is no such kind.
    """
    check_kind(kind)
    if not rows or not columns:
        return ()
    table = _read(dataset, grid, kind, rows, columns)
    keys = list(zip(*(table[name].to_pylist() for name in _KEY), strict=True))
    starts = [place for place, key in enumerate(keys) if place == 0 or key != keys[place - 1]]
    counts = _counts(dataset, grid, rows, columns)
    lines = []
    for start, end in zip(starts, [*starts[1:], len(keys)], strict=True):
        row, position, tokenizer, template = keys[start]
        part = table.slice(start, end - start)
        bands = part["bands"].combine_chunks().flatten().to_numpy().reshape(-1, BANDS)
        lower = upper = np.full(BANDS, np.nan)
        if kind == "raw":
            lower, upper = relabelling_band([ids.values.to_numpy() for ids in part["ids"]])
        available, without = counts[keys[start]]
        mean, error = mean_spectrum(bands)
        label = next(one for one in rows if one.id == row).steps[position]
        lines.append(
            Line(row, position, label, tokenizer, template, end - start, available, without, mean, error,
                 lower, upper)
        )  # fmt: skip
    row_order = {row.id: place for place, row in enumerate(rows)}
    column_order = {(one.tokenizer, one.template): place for place, one in enumerate(columns)}
    lines.sort(key=lambda one: (row_order[one.row], column_order[one.tokenizer, one.template], one.position))
    return tuple(lines)


_KEY = ("row", "position", "tokenizer", "template")


def _read(
    dataset: Dataset, grid: FftGrid, kind: str, rows: Sequence[Row], columns: Sequence[Column]
) -> pa.Table:
    """Return one row per prompt of each line, in sample order."""
    raw = kind == "raw"
    common, parameters = _common(dataset, grid, rows, columns)
    # Padded as the spectrum pads: what relabelling costs.
    budget = f"padded <= {RELABELLED} OR place <= 8" if raw else "true"
    tokens = "JOIN data.prompt_tokens t ON t.prompt_id = p.prompt_id AND t.tokenizer = p.tokenizer"
    return dataset.sql(
        f"""
        {common}, placed AS (
            SELECT m.row, m.position, m.tokenizer, m.template, m.prompt_id,
                row_number() OVER line AS place,
                sum(512 * ceil(s.n_tokens / 512)) OVER line AS padded
            FROM member m
            JOIN data.spectra s ON s.prompt_id = m.prompt_id AND s.tokenizer = m.tokenizer
            WHERE s.kind = $kind AND s.bands IS NOT NULL
            WINDOW line AS (
                PARTITION BY m.row, m.position, m.tokenizer, m.template ORDER BY m.random, m.prompt_id
                ROWS UNBOUNDED PRECEDING
            )
        )
        SELECT p.row, p.position, p.tokenizer, p.template, s.bands{", t.ids" if raw else ""}
        FROM placed p
        JOIN data.spectra s ON s.prompt_id = p.prompt_id AND s.tokenizer = p.tokenizer AND s.kind = $kind
        {tokens if raw else ""}
        WHERE p.place <= {MOST} AND ({budget})
        ORDER BY p.row, p.position, p.tokenizer, p.template, p.place""",
        kind=kind,
        **parameters,
    )


def _counts(
    dataset: Dataset, grid: FftGrid, rows: Sequence[Row], columns: Sequence[Column]
) -> dict[tuple[str, int, str, str], tuple[int, int]]:
    """Return, per line, how many prompts the dataset has for it, and how many have no spectrum."""
    common, parameters = _common(dataset, grid, rows, columns)
    found = dataset.rows(
        f"""
        {common}
        SELECT m.row, m.position, m.tokenizer, m.template, count(*) AS available,
            count(*) FILTER (WHERE s.prompt_id IS NOT NULL AND s.bands IS NULL) AS without
        FROM member m
        LEFT JOIN data.spectra s
            ON s.prompt_id = m.prompt_id AND s.tokenizer = m.tokenizer AND s.kind = 'indicator'
        GROUP BY ALL""",
        **parameters,
    )
    return {tuple(row[name] for name in _KEY): (row["available"], row["without"]) for row in found}


def _common(
    dataset: Dataset, grid: FftGrid, rows: Sequence[Row], columns: Sequence[Column]
) -> tuple[str, dict[str, object]]:
    """Return SQL of the prompts of each line, `member`, as the beginning of a WITH clause."""
    selected, parameters = selected_points(dataset, grid.filters)
    for place, row in enumerate(rows):
        parameters[f"row_{place}"] = row.id
    for place, column in enumerate(columns):
        parameters[f"tokenizer_{place}"] = column.tokenizer
        parameters[f"template_{place}"] = column.template
    names = ", ".join(f"$row_{place}" for place in range(len(rows)))
    pairs = ", ".join(f"($tokenizer_{place}, $template_{place})" for place in range(len(columns)))
    random = sample_order("i", "q").partition(",")[0]
    query = f"""
        WITH sets AS (
            SELECT DISTINCT p.params_id FROM ({selected}) s JOIN data.points p USING (point_id)
        ), columns (tokenizer, template) AS (
            VALUES {pairs}
        ), member AS (
            SELECT m.row, m.position, c.tokenizer, q.template, q.prompt_id, {random} AS random
            FROM ({MEMBERS}) m
            SEMI JOIN sets USING (params_id)
            JOIN data.items i USING (params_id)
            JOIN data.prompts q USING (item_id)
            JOIN columns c ON c.template = q.template
            WHERE m.row IN ({names})
        )"""
    return query, parameters
