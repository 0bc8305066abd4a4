"""Paired comparison: eval A against B, or against all others, on the items both answered.

items.py reads, rows.py and spent.py estimate, words.py and the charts show; lengths.py asks whether longer
helps.
"""

from core.tiers.compare.chart import forest_chart, pages, screen_height
from core.tiers.compare.document import (
    against_document,
    export_frame,
    length_texts,
    mde_text,
    row_texts,
    spent_texts,
    to_document,
)
from core.tiers.compare.files import FORMATS, name_parts, result_files
from core.tiers.compare.find import find_eval, offered_evals, ranked_evals
from core.tiers.compare.items import MEASURE_NAMES, MEASURES, RULE_NAMES, RULES, check_rule
from core.tiers.compare.length_chart import HEIGHT as LENGTH_HEIGHT
from core.tiers.compare.length_chart import length_chart, length_sentence
from core.tiers.compare.lengths import Lengths, read_lengths
from core.tiers.compare.notes import against_disagreements, against_notes, comparison_notes
from core.tiers.compare.scopes import SCOPE_NAMES
from core.tiers.compare.table import Against, Comparison, read_against, read_comparison
from core.tiers.compare.words import (
    COUNT_WORDS,
    COUNTS,
    against_summary,
    disagreement,
    interval_text,
    needed,
    section_sentence,
    verdict,
)

__all__ = [
    "COUNTS",
    "COUNT_WORDS",
    "FORMATS",
    "LENGTH_HEIGHT",
    "MEASURES",
    "MEASURE_NAMES",
    "RULES",
    "RULE_NAMES",
    "SCOPE_NAMES",
    "Against",
    "Comparison",
    "Lengths",
    "against_disagreements",
    "against_document",
    "against_notes",
    "against_summary",
    "check_rule",
    "comparison_notes",
    "disagreement",
    "export_frame",
    "find_eval",
    "forest_chart",
    "interval_text",
    "length_chart",
    "length_sentence",
    "length_texts",
    "mde_text",
    "name_parts",
    "needed",
    "offered_evals",
    "pages",
    "ranked_evals",
    "read_against",
    "read_comparison",
    "read_lengths",
    "result_files",
    "row_texts",
    "screen_height",
    "section_sentence",
    "spent_texts",
    "to_document",
    "verdict",
]
