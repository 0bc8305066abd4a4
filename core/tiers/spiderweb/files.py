"""Spiderwebs as files: an image per eval or one overlay, JSON and CSV."""

from collections.abc import Sequence
from functools import partial

import altair as alt

from core import charts
from core.export import csv_bytes, file_name, json_bytes
from core.filters import Filters
from core.tiers.files import ResultFile, check_form
from core.tiers.spiderweb.bars import bar_chart
from core.tiers.spiderweb.document import export_frame, to_document
from core.tiers.spiderweb.radar import check_overlay, check_spokes, overlay_chart, radar_chart
from core.tiers.spiderweb.table import Spiders

ENDINGS = {"webpng": "spider", "barpng": "bar"}
"""How the name of an eval's image ends, by form."""


def image_files(
    spiders: Spiders,
    filters: Filters,
    form: str,
    *,
    evals: Sequence[int] | None = None,
    rings: str = "tier",
    tasks: Sequence[str] = (),
    width: int = 1000,
    height: int = 700,
    dark: bool = False,
) -> list[ResultFile]:
    """Return one image per eval (all by default): `{dataset}_eval{id}_{label}_spider.png` or `_bar.png`.

    Parameters
    ----------
    filters : Filters
        Whose values are appended to the names: what the user filtered by.
    form : str
        webpng (radar) or barpng.

    Raises
    ------
    FilterError
        An eval has no cells, or the tasks do not make a radar.
    """
    if form == "webpng":
        check_spokes(spiders, tasks)
    draw = radar_chart if form == "webpng" else bar_chart

    def make(eval_id: int) -> bytes:
        chart: alt.LayerChart = draw(
            spiders, eval_id, rings=rings, tasks=tasks, width=width, height=height, dark=dark
        )
        return charts.to_png(chart)

    return [
        ResultFile(
            eval_file_name(spiders, filters, eval_id, ENDINGS[form], "png"),
            f"eval{eval_id}",
            partial(make, eval_id),
        )
        for eval_id in (spiders.evals if evals is None else evals)
    ]


def overlay_file(
    spiders: Spiders,
    filters: Filters,
    evals: Sequence[int],
    *,
    tasks: Sequence[str] = (),
    width: int = 1000,
    height: int = 700,
    dark: bool = False,
) -> ResultFile:
    """Return up to five evals on one radar as an image. Raises FilterError."""
    check_overlay(spiders, evals, tasks)

    def make() -> bytes:
        return charts.to_png(
            overlay_chart(spiders, evals, tasks=tasks, width=width, height=height, dark=dark)
        )

    named = "-".join(map(str, evals))
    name = file_name(
        spiders.config.name, f"eval{named}", "spider", extension="png",
        filters=filters.without("eval_id").to_dict(),
    )  # fmt: skip
    return ResultFile(name, "", make)


def table_file(
    spiders: Spiders, filters: Filters, form: str, *, evals: Sequence[int] | None = None
) -> ResultFile:
    """Return evals (all by default) as JSON or CSV. Raises FilterError for another form."""
    check_form(form, ("json", "csv"))
    name = file_name(spiders.config.name, "spiderweb", extension=form, filters=filters.to_dict())
    if form == "json":
        return ResultFile(name, "", lambda: json_bytes(to_document(spiders, evals)))
    return ResultFile(name, "", lambda: csv_bytes(export_frame(spiders, evals)))


def eval_file_name(spiders: Spiders, filters: Filters, eval_id: int, ending: str, extension: str) -> str:
    """Return the name of a file of one eval; its own eval_id is not repeated as a filter value."""
    label = spiders.config.evals[eval_id].label
    return file_name(
        spiders.config.name, f"eval{eval_id}", label, ending, extension=extension,
        filters=filters.without("eval_id").to_dict(),
    )  # fmt: skip
