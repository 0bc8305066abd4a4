"""Several 3-D surfaces as one image: each drawn by the browser alone, set on a page with title and footer."""

import base64
import textwrap
from collections.abc import Sequence
from html import escape

import vl_convert

from core import __version__, charts
from core.palette import theme
from core.tiers.surface.browser_png import figure_png, figures_html
from core.tiers.surface.scene import Choice, surface_scene
from core.tiers.surface.table import SurfaceGrid
from core.tiers.surface.view import View

SCENES = 12
"""Most surfaces of one image: each takes the browser a good part of a second."""

COLUMNS = 3
_LINE = 1.3
_HEADING, _GAP = 44, 14


def scene_pages(grid: SurfaceGrid) -> tuple[tuple[Choice, ...], ...]:
    """Return the evals and surfaces of a grid, cut into images of at most SCENES, a row an eval."""
    choices = grid.choices
    return tuple(choices[start : start + SCENES] for start in range(0, len(choices), SCENES))


def scenes_png(
    grid: SurfaceGrid,
    choices: Sequence[Choice],
    view: View,
    *,
    width: int = 1200,
    dark: bool = False,
    scale: float = 2,
) -> bytes:
    """Return surfaces beside each other as PNG, all seen from the same side.

    Raises
    ------
    BrowserError
        There is no browser to draw with.
    """
    surfaces = len({surface for _, surface in choices})
    columns = min(len(choices), COLUMNS if surfaces > 1 and len(choices) > 4 else 2)
    across = (width - 2 * charts.MARGIN - _GAP * (columns - 1)) // columns
    high = round(across * (0.6 if columns == 1 else 0.75))
    top = _Text(
        [
            *_lines(_title(grid, choices), width, charts.TITLE_SIZE, 2),
            *_lines(grid.filters.sentence(grid.config), width, charts.SUBTITLE_SIZE, 2),
        ],
        dark,
    )
    drawn = []
    for place, choice in enumerate(choices):
        figure = surface_scene(grid, choice, view, width=across, height=high, dark=dark)
        left = charts.MARGIN + (place % columns) * (across + _GAP)
        upper = top.height + (place // columns) * (high + _HEADING + _GAP)
        png = figure_png(figure, scale=scale)
        drawn.append(_placed(grid, choice, png, left=left, top=upper, size=(across, high), dark=dark))
    body = top.height + -(-len(choices) // columns) * (high + _HEADING + _GAP)
    foot = _lines(_footer(grid, choices), width, charts.FOOTER_SIZE, 2)
    return _page([*top.svg(), *drawn], foot, width, body, dark, scale)


def scenes_html(grid: SurfaceGrid, choices: Sequence[Choice], view: View, *, dark: bool = False) -> bytes:
    """Return surfaces as one HTML file that can be turned with the mouse and needs no network."""
    figures = {
        f"{grid.name(eval_id)} · {grid.panel(surface).title}": surface_scene(
            grid, (eval_id, surface), view, height=560, dark=dark
        )
        for eval_id, surface in choices
    }
    return figures_html(figures, title=_title(grid, choices), footer=_footer(grid, choices)).encode()


class _Text:
    """Lines of the head of an image, (text, size) from above."""

    def __init__(self, lines: list[tuple[str, int]], dark: bool) -> None:
        self._lines, self._colours = lines, theme(dark)
        self.height = charts.MARGIN + round(sum(size * _LINE for _, size in lines)) + _GAP

    def svg(self) -> list[str]:
        placed, base = [], float(charts.MARGIN)
        for text, size in self._lines:
            base += size * _LINE
            title = size == charts.TITLE_SIZE
            colour = self._colours.text if title else self._colours.muted
            placed.append(_text(text, charts.MARGIN, base - size * 0.3, size, colour, bold=title))
        return placed


def _lines(text: str, width: int, size: int, most: int) -> list[tuple[str, int]]:
    letters = max(10, int((width - 2 * charts.MARGIN) / (0.56 * size)))
    return [(line, size) for line in textwrap.wrap(text, letters, max_lines=most, placeholder="…")]


def _title(grid: SurfaceGrid, choices: Sequence[Choice]) -> str:
    panels = {surface: grid.panel(surface) for _, surface in choices}
    if len(panels) == 1:
        surface = next(iter(panels.values()))
        return f"Accuracy by {surface.surface.x_data} and {surface.surface.y_data}, {surface.task_label}"
    return f"Accuracy by two params of the task, {len(panels)} surfaces"


def _footer(grid: SurfaceGrid, choices: Sequence[Choice]) -> str:
    n = sum(int(grid.of(*choice)["n"].sum()) for choice in choices)
    return charts.footer_text(
        grid.config.name,
        f"n = {n:,} completions",
        "grey veil: lower bound of the interval",
        grid.methods.sentence(),
        version=__version__,
    )


def _placed(
    grid: SurfaceGrid, choice: Choice, png: bytes, *, left: int, top: int, size: tuple[int, int], dark: bool
) -> str:
    colours = theme(dark)
    heading = [grid.name(choice[0]), grid.panel(choice[1]).title]
    letters = max(10, int(size[0] / (0.56 * 14)))
    name, title = (textwrap.shorten(line, letters, placeholder="…") for line in heading)
    texts = [
        _text(name, left, top + 16, 14, colours.text, bold=True),
        _text(title, left, top + 34, 14, colours.muted),
    ]
    data = base64.b64encode(png).decode("ascii")
    image = (
        f'<image x="{left}" y="{top + _HEADING}" width="{size[0]}" height="{size[1]}"'
        f' href="data:image/png;base64,{data}"/>'
    )
    return image + "".join(texts)


def _text(text: str, x: float, y: float, size: int, colour: str, *, bold: bool = False) -> str:
    printable = "".join(c for c in text if c.isprintable())
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{colour}" font-family="{charts.FONT}" font-size="{size}"{weight}>'
        f"{escape(printable)}</text>"
    )


def _page(
    parts: list[str], foot: list[tuple[str, int]], width: int, body: int, dark: bool, scale: float
) -> bytes:
    colours = theme(dark)
    texts = [
        _text(line, charts.MARGIN, body + size * _LINE * (place + 1), size, colours.muted)
        for place, (line, size) in enumerate(foot)
    ]
    height = body + round(sum(size * _LINE for _, size in foot)) + charts.MARGIN
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="{colours.background}"/>'
        f"{''.join(parts)}{''.join(texts)}</svg>"
    )
    return bytes(vl_convert.svg_to_png(svg, scale=scale))
