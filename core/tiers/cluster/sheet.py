"""Several sections on one sheet, for slides and the command line; as many sheets as rows make needed."""

import altair as alt

from core import charts
from core.tiers.cluster.chart import (
    PAGE_ROWS,
    ROW_HEIGHT,
    footer,
    legend,
    page_words,
    pages,
    panel,
    plan_of,
    section_chart,
)
from core.tiers.cluster.stack import STACK_NAMES
from core.tiers.cluster.table import Clusters, Section
from core.tiers.cluster.words import summary

IMAGE_ROWS = 60
"""Rows of evals above each other in one image, before the next image begins."""


def image_count(clusters: Clusters, *, width: int = 1200) -> int:
    """Return how many images all sections take."""
    return len(_groups(clusters, width))


def image(
    clusters: Clusters, number: int = 0, *, width: int = 1200, dark: bool = False
) -> alt.VConcatChart | alt.LayerChart:
    """Return one image of several sections, side by side where they fit; rows keep their height."""
    groups = _groups(clusters, width)
    group = groups[number]
    if len(groups) == len(group) == 1:
        section, _ = group[0]
        return section_chart(clusters, section, width=width, dark=dark)
    return _image(clusters, group, _columns(width), width=width, dark=dark, part=(number + 1, len(groups)))


def _groups(clusters: Clusters, width: int) -> list[list[tuple[Section, int]]]:
    """Return the (section, page) panels of each image."""
    groups: list[list[tuple[Section, int]]] = [[]]
    for section in clusters.sections:
        rows = min(len(section.members), PAGE_ROWS)
        for page in range(pages(section)):
            before = sum(min(len(one.members), PAGE_ROWS) + 4 for one, _ in groups[-1]) / _columns(width)
            if groups[-1] and before + rows > IMAGE_ROWS:
                groups.append([])
            groups[-1].append((section, page))
    return groups


def _columns(width: int) -> int:
    return 2 if width >= 1100 else 1


def _image(
    clusters: Clusters, group: list[tuple[Section, int]], columns: int, *, width: int, dark: bool,
    part: tuple[int, int],
) -> alt.VConcatChart:  # fmt: skip
    plot = (width - 2 * charts.MARGIN - 60 * (columns - 1)) / columns - 20
    cells = []
    for section, page in group:
        plan = plan_of(section, page)
        cell = panel(plan, clusters, dark=dark)
        cell["width"], cell["height"] = plot, ROW_HEIGHT * len(plan.rows)
        cell["title"] = alt.TitleParams(
            f"{section.label}{page_words(section, page)}", fontSize=17, anchor="start", offset=26
        )
        cells.append(cell)
    rows = [
        alt.hconcat(*cells[start : start + columns], spacing=60) for start in range(0, len(cells), columns)
    ]
    title = f"{clusters.config.name}: who is not separated, by {STACK_NAMES[clusters.stack]}"
    number, total = part
    return charts.finish(
        alt.vconcat(*rows, spacing=36),
        title=title + (f" ({number} of {total})" if total > 1 else ""),
        subtitle=f"{clusters.filters.sentence(clusters.config)} · {legend(clusters)}",
        footer=footer(clusters, [section for section, _ in group]),
        description=f"{title}. {summary(clusters)}",
        width=width,
        dark=dark,
    )
