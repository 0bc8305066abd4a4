"""How every flat chart looks and leaves the app: finished once, the same on screen and in a file."""

from core.charts.files import to_html, to_png, to_svg
from core.charts.look import (
    FONT,
    FOOTER_SIZE,
    HEIGHT,
    LABEL_SIZE,
    MARGIN,
    SUBTITLE_SIZE,
    TITLE_SIZE,
    WIDTH,
    finish,
    footer_of,
    footer_text,
    n_text,
    span_text,
    theme_config,
    to_spec,
)

__all__ = [
    "FONT",
    "FOOTER_SIZE",
    "HEIGHT",
    "LABEL_SIZE",
    "MARGIN",
    "SUBTITLE_SIZE",
    "TITLE_SIZE",
    "WIDTH",
    "finish",
    "footer_of",
    "footer_text",
    "n_text",
    "span_text",
    "theme_config",
    "to_html",
    "to_png",
    "to_spec",
    "to_svg",
]
