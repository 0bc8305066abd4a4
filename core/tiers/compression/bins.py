"""The panels: completions counted in bins of length and compressed bytes, both on a log scale, in SQL."""

import math
from dataclasses import dataclass

import pandas as pd

from core.filters import Filters
from core.store.aggregate import EFFECTIVE_OUTCOME, STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.compression.length import Length
from core.tiers.compression.parts import Parts
from core.tiers.loops import LoopRule, suspected_loop
from core.tiers.points import completions_of

PANELS = ("correct", "incorrect", "truncated")
FAILED = "error"

OUTCOME_CODE = f"""\
CASE {EFFECTIVE_OUTCOME}
    WHEN 'correct' THEN 0
    WHEN 'truncated' THEN 2
    WHEN 'error' THEN 3
    ELSE 1
END"""
"""Place of a completion's outcome in PANELS, 3 for failed ones; invalid stand with the incorrect ones."""

FINEST = 48
"""Bins per factor of ten that the database counts; fewer are drawn where the range is wide."""

MOST_BINS = 36
"""Bins along the longer side of a panel."""

_NOT_DRAWN, _UNKNOWN = -1, -2
_SLACK = 1e-9
"""So that a power of ten, whose logarithm is rounded, begins a bin."""


@dataclass(frozen=True)
class Bins:
    """What the panels of a selection show.

    Attributes
    ----------
    frame
        One row per part, outcome and bin with completions: part, outcome, i and j (the bin's place along
        length and compressed bytes), n, share (of the part's completions drawn in this panel), length and
        compressed (geometric means inside the bin).
    per_decade
        Bins per factor of ten: bin i goes from 10^(i/per_decade) up to 10^((i+1)/per_decade).
    counts
        One row per part and outcome, failed ones too: part, outcome, n, drawn, empty (a response without
        text, or of 0 tokens, has no place on a log axis), no_length, no_size, loops (suspected ones).
    """

    frame: pd.DataFrame
    per_decade: float
    counts: pd.DataFrame

    def edge(self, place: int) -> float:
        """Return where a bin begins."""
        return float(10 ** (place / self.per_decade))


def read_bins(dataset: Dataset, filters: Filters, parts: Parts, length: Length, rule: LoopRule) -> Bins:
    """Count the completions of a selection in bins.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    suspected, bound = suspected_loop(rule, dataset.config)
    fine: pd.DataFrame = dataset.sql(
        f"""
        {parts.ctes}, sized AS (
            SELECT p.part, {OUTCOME_CODE} AS outcome, {suspected} AS suspected,
                c.{length.column} IS NULL AND c.response_bytes IS DISTINCT FROM 0 AS unknown,
                CASE WHEN c.response_bytes = 0 OR c.{length.column} < 1 THEN NULL
                    ELSE ln(c.{length.column}) END AS x,
                ln(nullif(c.compressed_bytes, 0)) AS y
            FROM {completions_of(filters)} c
            JOIN numbered p USING (point_id)
        )
        SELECT part, outcome,
            CASE WHEN x IS NOT NULL THEN floor(x * $per_e + {_SLACK})::SMALLINT
                WHEN unknown THEN {_UNKNOWN} ELSE {_NOT_DRAWN} END AS i,
            coalesce(floor(y * $per_e + {_SLACK})::SMALLINT, {_UNKNOWN}) AS j,
            count(*) AS n, count(*) FILTER (WHERE suspected) AS loops,
            sum(x) AS ln_length, sum(y) AS ln_compressed
        FROM sized
        GROUP BY ALL
        ORDER BY part, outcome, i, j""",
        threshold=filters.threshold or STORED_THRESHOLD,
        per_e=FINEST / math.log(10),
        **parts.parameters,
        **bound,
    ).to_pandas()
    fine["outcome"] = [(*PANELS, FAILED)[code] for code in fine["outcome"]]
    drawn = fine[(fine["i"] >= 0) & (fine["j"] >= 0) & (fine["outcome"] != FAILED)]
    factor = _factor(drawn)
    return Bins(_coarse(drawn, factor), FINEST / factor, _counts(fine))


def _factor(drawn: pd.DataFrame) -> int:
    """Return how many of the finest bins make one, so that the longer side has at most MOST_BINS."""
    if drawn.empty:
        return 1
    span = max(int(drawn[side].max() - drawn[side].min()) + 1 for side in ("i", "j"))
    return next(one for one in (1, 2, 3, 4, 6, 8, 12, 16, 24, 48) if span / one <= MOST_BINS or one == 48)


def _coarse(drawn: pd.DataFrame, factor: int) -> pd.DataFrame:
    keys = ["part", "outcome", "i", "j"]
    grouped = (
        drawn.assign(i=drawn["i"].astype(int) // factor, j=drawn["j"].astype(int) // factor)
        .groupby(keys, as_index=False, sort=True)[["n", "ln_length", "ln_compressed"]]
        .sum()
    )
    total = grouped.groupby(["part", "outcome"])["n"].transform("sum")
    return grouped.assign(
        share=grouped["n"] / total,
        length=(grouped["ln_length"] / grouped["n"]).map(math.exp),
        compressed=(grouped["ln_compressed"] / grouped["n"]).map(math.exp),
    )[[*keys, "n", "share", "length", "compressed"]]


def _counts(fine: pd.DataFrame) -> pd.DataFrame:
    told = pd.DataFrame(
        {
            "part": fine["part"],
            "outcome": fine["outcome"],
            "n": fine["n"],
            "drawn": fine["n"].where((fine["i"] >= 0) & (fine["j"] >= 0), 0),
            "empty": fine["n"].where(fine["i"] == _NOT_DRAWN, 0),
            "no_length": fine["n"].where(fine["i"] == _UNKNOWN, 0),
            "no_size": fine["n"].where(fine["j"] == _UNKNOWN, 0),
            "loops": fine["loops"],
        }
    )
    return told.groupby(["part", "outcome"], as_index=False, sort=True).sum()


def marginal(frame: pd.DataFrame, side: str) -> pd.DataFrame:
    """Return a marginal histogram of bins: part, outcome, the bin's place along a side, n and share.

    Parameters
    ----------
    side : str
        "i" for length, "j" for compressed bytes.
    """
    return frame.groupby(["part", "outcome", side], as_index=False, sort=True)[["n", "share"]].sum()
