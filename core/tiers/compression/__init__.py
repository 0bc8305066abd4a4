"""Compression: what failures look like as information, by length and by how far zlib compresses a response.

Panels are binned in SQL; figures compare correct with incorrect; suspects lists the suspected loops.
"""

from core.tiers.compression.chart import panel_chart
from core.tiers.compression.document import figure_frame, to_document
from core.tiers.compression.figures import Figures, overall_auc, read_figures
from core.tiers.compression.files import Options, figures_of, panels_of, result_files, split_panels
from core.tiers.compression.length import LENGTHS, Length, read_length
from core.tiers.compression.notes import NO_TEXTS, method_sentence, panel_notes, problems
from core.tiers.compression.panels import Panels, read_panels, stack_pages
from core.tiers.compression.parts import NO_SERIES, default_series, offered_series, read_parts
from core.tiers.compression.summary import answer, read_answer
from core.tiers.compression.suspects import (
    SORTS,
    LoopCounts,
    count_loops,
    has_texts,
    list_loops,
    read_response,
)

__all__ = [
    "LENGTHS",
    "NO_SERIES",
    "NO_TEXTS",
    "SORTS",
    "Figures",
    "Length",
    "LoopCounts",
    "Options",
    "Panels",
    "answer",
    "count_loops",
    "default_series",
    "figure_frame",
    "figures_of",
    "has_texts",
    "list_loops",
    "method_sentence",
    "offered_series",
    "overall_auc",
    "panel_chart",
    "panel_notes",
    "panels_of",
    "problems",
    "read_answer",
    "read_figures",
    "read_length",
    "read_panels",
    "read_parts",
    "read_response",
    "result_files",
    "split_panels",
    "stack_pages",
    "to_document",
]
