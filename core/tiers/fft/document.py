"""Spectra and comparisons as a JSON document and as rows for CSV."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.export import plain
from core.spectra.sample import MOST
from core.stats.spectrum import BANDS, LEAST_TOKENS, band_edges
from core.stats.spectrum_sample import RELABELLINGS
from core.tiers.fft.compare import Comparison
from core.tiers.fft.grid import FftGrid
from core.tiers.fft.lines import Line
from core.tiers.fft.words import RAW_CAPTION, comparison_notes, grid_notes

Document = dict[str, Any]


def to_document(
    grid: FftGrid, lines: Sequence[Line], kind: str, comparison: Comparison | None = None
) -> Document:
    """Return spectra as plain values, full precision, missing as None.

    `lines` has one object per projection value, tokenizer and template; its arrays have one number per band,
    from `bands.low` to `bands.high` cycles per token. `lower` and `upper` are the band from relabelling, of
    raw spectra only.
    """
    edges = band_edges()
    rows = {row.id: row for row in grid.rows}
    evals = {(column.tokenizer, column.template): column.evals for column in grid.columns}
    return {
        "dataset": grid.config.name,
        "filters": grid.filters.to_dict(),
        "kind": kind,
        "methods": {
            "bands": BANDS,
            "least_tokens": LEAST_TOKENS,
            "most_prompts": MOST,
            "relabellings": RELABELLINGS if kind == "raw" else None,
            "notes": [*([RAW_CAPTION] if kind == "raw" else []), *grid_notes(grid, lines)],
        },
        "bands": {"low": plain(edges[:-1]), "high": plain(edges[1:])},
        "columns": [
            {
                "tokenizer": one.tokenizer,
                "template": one.template,
                "origin": one.origin,
                "evals": list(one.evals),
            }
            for one in grid.columns
        ],
        "lines": [
            {
                "task": rows[line.row].base_task,
                "projection": line.row if rows[line.row].axis else None,
                "axis": rows[line.row].axis or None,
                "position": line.position,
                "value": line.label,
                "tokenizer": line.tokenizer,
                "template": line.template,
                "evals": list(evals[line.tokenizer, line.template]),
                "n": line.n,
                "available": line.available,
                "without_spectrum": line.without,
                "mean": plain(line.mean),
                "standard_error": plain(line.error),
                **({"lower": plain(line.lower), "upper": plain(line.upper)} if kind == "raw" else {}),
            }
            for line in lines
        ],
        "comparison": None if comparison is None else _comparison(grid, comparison),
    }


def _comparison(grid: FftGrid, comparison: Comparison) -> Document:
    return {
        "eval_a": comparison.eval_a,
        "eval_b": comparison.eval_b,
        "label_a": grid.config.evals[comparison.eval_a].label,
        "label_b": grid.config.evals[comparison.eval_b].label,
        "tokenizer_a": comparison.a.tokenizer,
        "tokenizer_b": comparison.b.tokenizer,
        "template_a": comparison.a.template,
        "template_b": comparison.b.template,
        "shared": comparison.shared,
        "between_tasks": plain(comparison.between_tasks),
        "m": comparison.tests,
        "notes": list(comparison_notes(grid, comparison)),
        "rows": plain(comparison.rows.drop(columns="label")),
    }


def lines_frame(grid: FftGrid, lines: Sequence[Line], kind: str) -> pd.DataFrame:
    """Return the lines as rows for CSV: one per line and band."""
    edges = band_edges()
    rows = {row.id: row for row in grid.rows}
    parts = []
    for line in lines:
        row = rows[line.row]
        part = pd.DataFrame({"band": np.arange(BANDS), "low": edges[:-1], "high": edges[1:]})
        names: Document = {
            "task": row.base_task, "projection": line.row if row.axis else None, "axis": row.axis or None,
            "value": line.label, "tokenizer": line.tokenizer, "template": line.template, "n": line.n,
        }  # fmt: skip
        for place, (name, value) in enumerate(names.items()):
            part.insert(place, name, value)
        part = part.assign(mean=line.mean, standard_error=line.error)
        parts.append(part.assign(lower=line.lower, upper=line.upper) if kind == "raw" else part)
    return pd.concat(parts, ignore_index=True)


def comparison_frame(comparison: Comparison) -> pd.DataFrame:
    """Return the rows of a comparison for CSV, with both evals and tokenizers."""
    frame = comparison.rows.drop(columns="label")
    first: Document = {
        "eval_a": comparison.eval_a, "eval_b": comparison.eval_b, "tokenizer_a": comparison.a.tokenizer,
        "tokenizer_b": comparison.b.tokenizer, "shared": comparison.shared,
    }  # fmt: skip
    for place, (name, value) in enumerate(first.items()):
        frame.insert(place, name, value)
    return frame
