"""Spiderwebs: the shape of each eval over the tasks, as a radar and as bars of the same numbers."""

from core.tiers.spiderweb.bars import bar_chart, screen_height
from core.tiers.spiderweb.document import export_frame, text_frame, to_document
from core.tiers.spiderweb.files import eval_file_name, image_files, overlay_file, table_file
from core.tiers.spiderweb.radar import check_overlay, check_spokes, overlay_chart, radar_chart
from core.tiers.spiderweb.table import (
    FEWEST_SPOKES,
    MOST_OVERLAID,
    MOST_SPOKES,
    RINGS,
    Spiders,
    read_spiders,
)
from core.tiers.spiderweb.words import eval_sentence, footer, notes, overlay_sentence, subtitle

__all__ = [
    "FEWEST_SPOKES",
    "MOST_OVERLAID",
    "MOST_SPOKES",
    "RINGS",
    "Spiders",
    "bar_chart",
    "check_overlay",
    "check_spokes",
    "eval_file_name",
    "eval_sentence",
    "export_frame",
    "footer",
    "image_files",
    "notes",
    "overlay_chart",
    "overlay_file",
    "overlay_sentence",
    "radar_chart",
    "read_spiders",
    "screen_height",
    "subtitle",
    "table_file",
    "text_frame",
    "to_document",
]
