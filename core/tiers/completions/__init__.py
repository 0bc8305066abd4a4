"""Completions: the evidence behind a number, as a list, one by one, and one item across evals.

No statistic is computed here; texts leave this room as data, never as markup.
"""

from core.flags import NOTE_LENGTH
from core.tiers.completions.export import FIELDS, FORMATS, joined, lines, records
from core.tiers.completions.flagging import flag_completion, unflag_completion
from core.tiers.completions.hardest import (
    FEWEST_EVALS,
    KIND_NAMES,
    KINDS,
    HardestItems,
    read_hardest,
)
from core.tiers.completions.item import NO_ANSWER, ItemAnswers, read_item
from core.tiers.completions.one import Completion, read_completion, why
from core.tiers.completions.rows import (
    EXCERPT,
    MOST_LISTED,
    PAGE_ROWS,
    count_completions,
    pages_of,
    read_page,
)
from core.tiers.completions.summary import read_outcomes, summary
from core.tiers.completions.wanted import (
    OUTCOMES,
    PAIR_NAMES,
    PAIRS,
    SEARCHED,
    SEARCHED_NAMES,
    SORT_NAMES,
    SORTS,
    Wanted,
)

__all__ = [
    "EXCERPT",
    "FEWEST_EVALS",
    "FIELDS",
    "FORMATS",
    "KINDS",
    "KIND_NAMES",
    "MOST_LISTED",
    "NOTE_LENGTH",
    "NO_ANSWER",
    "OUTCOMES",
    "PAGE_ROWS",
    "PAIRS",
    "PAIR_NAMES",
    "SEARCHED",
    "SEARCHED_NAMES",
    "SORTS",
    "SORT_NAMES",
    "Completion",
    "HardestItems",
    "ItemAnswers",
    "Wanted",
    "count_completions",
    "flag_completion",
    "joined",
    "lines",
    "pages_of",
    "read_completion",
    "read_hardest",
    "read_item",
    "read_outcomes",
    "read_page",
    "records",
    "summary",
    "unflag_completion",
    "why",
]
