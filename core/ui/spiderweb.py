"""The Spiderweb page's cached results, its panels and its downloads."""

import functools

import streamlit as st

from core import charts
from core.filters import Filters
from core.store.dataset import Dataset, Fingerprint
from core.tiers import spiderweb as tier
from core.tiers.files import ResultFile, zipped
from core.tiers.methods import Methods
from core.tiers.spiderweb import Spiders
from core.ui import download, drill, figure
from core.ui.cache import Spec, kept
from core.ui.download import Download
from core.ui.sidebar import View

FORMS = {"radar": "webpng", "bars": "barpng"}
"""The form of the exported images, by view of the page."""
MOST_PANELS = 6
LARGE, SMALL = 440, 290
"""Heights of a radar in pixels: alone, and among others."""

_ALL_IN_ROW = 10


@kept("Reading the shape of each eval …")
def spiders(dataset: Dataset, filters: Filters, methods: Methods) -> Spiders:
    """Return the evals of a selection, task by task."""
    return tier.read_spiders(dataset, filters, methods)


@kept("Drawing the shapes …")
def _drawn(
    asked: tuple[Fingerprint, Filters, Methods], _found: Spiders, eval_id: int, *, form: str, rings: str,
    tasks: tuple[str, ...], small: bool, dark: bool,
) -> Spec:  # fmt: skip
    draw = tier.radar_chart if form == "radar" else tier.bar_chart
    chart = draw(_found, eval_id, rings=rings, tasks=tasks, small=small, dark=dark)
    return charts.to_spec(chart)


@kept("Drawing the shapes …")
def _overlaid(
    asked: tuple[Fingerprint, Filters, Methods], _found: Spiders, evals: list[int], *,
    tasks: tuple[str, ...], dark: bool,
) -> Spec:  # fmt: skip
    return charts.to_spec(tier.overlay_chart(_found, evals, tasks=tasks, dark=dark))


def _asked(view: View) -> tuple[Fingerprint, Filters, Methods]:
    """Return what tells the shapes of one selection from another's."""
    return view.dataset.fingerprint, view.filters, view.methods


def show_panels(
    view: View, found: Spiders, evals: list[int], *, form: str, rings: str, tasks: tuple[str, ...]
) -> None:
    """Show one eval large or several side by side, each with its downloads."""
    if len(evals) == 1:
        _panel(view, found, evals[0], form=form, rings=rings, tasks=tasks, small=False)
        return
    # Bars and many labels need the width; three radars with few labels fit beside each other.
    columns = 3 if form == "radar" and len(tasks or found.tasks) <= _ALL_IN_ROW and len(evals) > 2 else 2
    for start in range(0, len(evals), columns):
        for place, column in enumerate(st.columns(columns)):
            if start + place < len(evals):
                with column:
                    eval_id = evals[start + place]
                    _panel(view, found, eval_id, form=form, rings=rings, tasks=tasks, small=True)


def _panel(
    view: View, found: Spiders, eval_id: int, *, form: str, rings: str, tasks: tuple[str, ...], small: bool
) -> None:
    chart = _drawn(
        _asked(view), found, eval_id, form=form, rings=rings, tasks=tasks, small=small, dark=figure.is_dark()
    )
    height = (
        (SMALL if small else LARGE)
        if form == "radar"
        else tier.screen_height(found, rings=rings, tasks=tasks)
    )
    fields = ("task", "ring") if form == "radar" else ("task", "tier")
    clicked = figure.show(chart, key=f"spider {form} {eval_id}", height=height, fields=fields)
    _links(view, found, eval_id, *(clicked.values() if clicked else ()))
    named = view.named_filters
    (image,) = tier.image_files(
        found, named, FORMS[form], evals=[eval_id], rings=rings, tasks=tasks, dark=figure.is_dark()
    )
    rows = tier.table_file(found, named, "csv", evals=[eval_id])
    name = tier.eval_file_name(found, named, eval_id, "spider", "csv")
    download.row(
        Download("PNG", image.name, image.make, "image/png"), Download("CSV", name, rows.make, "text/csv")
    )


def _links(view: View, found: Spiders, eval_id: int, task: str = "", ring: str = "") -> None:
    """Show links to the completions of an eval; task and ring are labels of the mark that was clicked."""
    tasks = {view.config.task_label(one): one for one in found.tasks}
    tiers = {found.tier_label(one.id): one.id for one in view.config.tiers}
    filters = drill.narrowed(view.filters, eval_id=eval_id, base_task=tasks.get(task), tier=tiers.get(ring))
    words = [view.config.eval_names[eval_id], *([task] if task in tasks else [])]
    words += [ring] if ring in tiers else []
    drill.outcome_links(view, f"Completions of {', '.join(words)}", key=f"spider {eval_id}", filters=filters)


def show_overlay(view: View, found: Spiders, evals: list[int], tasks: tuple[str, ...]) -> None:
    """Show up to five evals on one radar."""
    dark = figure.is_dark()
    chart = _overlaid(_asked(view), found, evals, tasks=tasks, dark=dark)
    clicked = figure.show(chart, key="spider overlay", height=LARGE, fields=("ring", "task"))
    if clicked:
        names = {view.config.eval_names[one]: one for one in evals}
        if clicked["ring"] in names:
            _links(view, found, names[clicked["ring"]], clicked["task"])
    named = view.named_filters
    image = tier.overlay_file(found, named, evals, tasks=tasks, dark=dark)
    rows = tier.table_file(found, named, "csv", evals=evals)
    name = image.name.removesuffix(".png") + ".csv"
    download.row(
        Download("PNG", image.name, image.make, "image/png"), Download("CSV", name, rows.make, "text/csv")
    )


def downloads(view: View, found: Spiders, *, form: str, rings: str, tasks: tuple[str, ...]) -> list[Download]:
    """Return all evals of the selection: images as one ZIP, JSON and CSV."""
    named = view.named_filters
    json, csv = (tier.table_file(found, named, kind) for kind in ("json", "csv"))
    images = tier.image_files(found, named, FORMS[form], rings=rings, tasks=tasks, dark=figure.is_dark())
    archive = download.name_of(view, "spiderweb", form, extension="zip")
    files: list[ResultFile] = [*images, csv]
    return [
        Download("All evals (ZIP)", archive, functools.partial(zipped, files), "application/zip"),
        Download("JSON", json.name, json.make, "application/json"),
        Download("CSV", csv.name, csv.make, "text/csv"),
    ]
