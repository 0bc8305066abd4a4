"""What the length of a response is measured in: tokens, or bytes where tokens do not tell of the text."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import FilterError
from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.points import completions_of, points_at
from core.tiers.selection import selected_points
from core.tiers.words import listed

TOKENS, BYTES = "tokens", "bytes"
LENGTHS = ("auto", TOKENS, BYTES)

HIDDEN_SHARE = 0.01
"""Share of an eval's completions whose reported tokens are not in the text, above which bytes are used."""

SPARE_TOKENS = 16
"""No token is shorter than a byte, so that a text has at most its bytes in tokens, and a few special ones."""


@dataclass(frozen=True)
class Length:
    """How long a response is.

    Attributes
    ----------
    measure
        "tokens" or "bytes".
    name
        The measure in words, for axes: "tokens", "visible tokens" or "response bytes".
    why
        Why it is not what one would expect, or what it leaves out; "" where there is nothing to say.
    """

    measure: str
    name: str
    why: str = ""

    @property
    def column(self) -> str:
        """The column of completions."""
        return "completion_tokens" if self.measure == TOKENS else "response_bytes"


def read_length(dataset: Dataset, filters: Filters, wanted: str = "auto") -> Length:
    """Return what lengths of a selection are measured in.

    "auto" takes tokens, and bytes where no completion has a token count, or where reported tokens of some
    eval include reasoning that its text lacks: the source counts reasoning apart, or reports more tokens
    than the text has bytes.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.

    Raises
    ------
    FilterError
        There is no such measure.
    """
    if wanted not in LENGTHS:
        raise FilterError(f"No length {wanted!r}; valid: {', '.join(LENGTHS)}")
    if wanted == BYTES:
        return Length(BYTES, "response bytes")
    selected, parameters = selected_points(dataset, filters)
    counted = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT s.eval_id, sum(p.token_n)::BIGINT AS tokens, sum(p.tokenized_n)::BIGINT AS visible
        FROM selected s
        JOIN {points_at(STORED_THRESHOLD, filters.flagged)} p USING (point_id)
        GROUP BY s.eval_id
        ORDER BY s.eval_id""",
        **parameters,
    )
    if not sum(row["tokens"] for row in counted):
        if wanted == TOKENS:
            return Length(TOKENS, TOKENS)
        return Length(BYTES, "response bytes", "No completion has a token count, so length is in bytes.")
    hidden = _hidden(dataset, filters, selected, parameters)
    reasoning = [
        dataset.config.eval_names[row["eval_id"]]
        for row in counted
        if row["tokens"] and hidden.get(row["eval_id"], 0) / row["tokens"] > HIDDEN_SHARE
    ]
    if reasoning and wanted == "auto":
        return Length(
            BYTES,
            "response bytes",
            f"Length is in bytes, because reported tokens of {_some(reasoning)} include reasoning that the"
            " text lacks.",
        )
    why = ""
    if reasoning:
        why = f"Tokens of {_some(reasoning)} include reasoning that the text lacks."
    if not any(row["visible"] for row in counted):
        return Length(TOKENS, TOKENS, why)
    told = "Tokens were counted from the visible text; hidden reasoning is not included."
    return Length(TOKENS, "visible tokens", " ".join(filter(None, [told, why])))


def _hidden(
    dataset: Dataset, filters: Filters, selected: str, parameters: dict[str, object]
) -> dict[int, int]:
    """Return completions whose reported tokens are not in their text, for each eval that has any."""
    rows = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT s.eval_id, count(*) AS n
        FROM {completions_of(filters)} c
        JOIN selected s USING (point_id)
        WHERE c.token_source = 'reported'
          AND (c.reasoning_tokens > 0 OR c.completion_tokens > c.response_bytes + $spare)
        GROUP BY s.eval_id""",
        spare=SPARE_TOKENS,
        **parameters,
    )
    return {row["eval_id"]: row["n"] for row in rows}


def _some(names: Sequence[str]) -> str:
    return listed(names, 3)
