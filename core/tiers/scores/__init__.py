"""The leaderboard: scores, shared ranks, rank sets, differences to a baseline, and their explanation."""

from core.tiers.scores.chart import interval_chart
from core.tiers.scores.difference import read_differences
from core.tiers.scores.document import export_frame, text_frame, to_document
from core.tiers.scores.draws import DrawsTable, read_draws
from core.tiers.scores.explain import explain_cell, explain_score
from core.tiers.scores.image import leaderboard_image
from core.tiers.scores.table import Leaderboard, cell_text, read_scores

__all__ = [
    "DrawsTable",
    "Leaderboard",
    "cell_text",
    "explain_cell",
    "explain_score",
    "export_frame",
    "interval_chart",
    "leaderboard_image",
    "read_differences",
    "read_draws",
    "read_scores",
    "text_frame",
    "to_document",
]
