"""Hazard: when completions end, and whether rightly: survival analysis with tokens as time.

Correct and incorrect are competing ends, truncated completions are censored. No Streamlit in here.
"""

from core.tiers.hazard.aids import budget_cost, correct_by, wrong_past
from core.tiers.hazard.chart import footer, group_chart, screen_specs
from core.tiers.hazard.compare import (
    MOST_COMPARED,
    WARNING,
    Comparison,
    Difference,
    differences,
    logranks,
    read_comparison,
    rest_of,
)
from core.tiers.hazard.compare_chart import compare_chart
from core.tiers.hazard.curves import MOST_BUCKETS, Curves
from core.tiers.hazard.document import comparison_frame, export_frame, json_text, to_document
from core.tiers.hazard.groups import DEFAULT_SPLIT, Group, Grouping, read_groups
from core.tiers.hazard.read import largest_tokens
from core.tiers.hazard.table import (
    BUCKET_SIZE,
    Hazard,
    NoTokensError,
    no_tokens,
    page_bucket_size,
    read_hazard,
    read_page,
)
from core.tiers.hazard.words import (
    FORMULAS,
    aids_sentence,
    explanations,
    n_words,
    notes,
    summary,
    token_range,
)

__all__ = [
    "BUCKET_SIZE",
    "DEFAULT_SPLIT",
    "FORMULAS",
    "MOST_BUCKETS",
    "MOST_COMPARED",
    "WARNING",
    "Comparison",
    "Curves",
    "Difference",
    "Group",
    "Grouping",
    "Hazard",
    "NoTokensError",
    "aids_sentence",
    "budget_cost",
    "compare_chart",
    "comparison_frame",
    "correct_by",
    "differences",
    "explanations",
    "export_frame",
    "footer",
    "group_chart",
    "json_text",
    "largest_tokens",
    "logranks",
    "n_words",
    "no_tokens",
    "notes",
    "page_bucket_size",
    "read_comparison",
    "read_groups",
    "read_hazard",
    "read_page",
    "rest_of",
    "screen_specs",
    "summary",
    "to_document",
    "token_range",
    "wrong_past",
]
