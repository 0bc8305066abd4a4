"""The sections of a report, each read on its own: one that fails says why and stops no other."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import altair as alt
import pandas as pd

from core import __version__
from core.config import DatasetConfig
from core.errors import ReasonScapeError
from core.export import file_name
from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers import cluster, hazard, scores, surface
from core.tiers.methods import Methods
from core.tiers.report.command import command_line
from core.tiers.report.provenance import read_provenance
from core.tiers.selection import count_selection
from core.tiers.words import count

MOST_FIGURES = 12
"""Figures per section; a report is read, and the pages of the app have all of them."""

SOURCES = "Methods and sources"
"""The title of the section that says how and of what a report is made: no result."""

Chart = alt.LayerChart | alt.Chart | alt.VConcatChart | alt.HConcatChart | alt.ConcatChart | alt.FacetChart

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Table:
    """A table of text cells, and what it shows."""

    caption: str
    frame: pd.DataFrame


@dataclass(frozen=True)
class Figure:
    """A finished chart; its title and alternative text are its own."""

    chart: Chart


@dataclass(frozen=True)
class Section:
    """One tier's result.

    Attributes
    ----------
    title
        The tier's name.
    sentence
        What came out, in words; "" where the section failed.
    parts
        Tables and figures in reading order.
    notes
        What a reader must know before quoting it, one sentence each.
    fault
        Why there is nothing, "" where there is something.
    """

    title: str
    sentence: str = ""
    parts: tuple[Table | Figure, ...] = ()
    notes: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True)
class Report:
    """All sections of a selection, with what they were made of.

    Attributes
    ----------
    source
        The name of the config's file.
    amounts
        How much is selected, in words; "" where it could not be counted.
    """

    config: DatasetConfig
    source: str
    filters: Filters
    methods: Methods
    amounts: str
    sections: tuple[Section, ...]
    made_at: datetime
    version: str = __version__

    @property
    def title(self) -> str:
        """The heading of the report."""
        return f"{self.config.name}: evaluation report"

    @property
    def summary(self) -> list[str]:
        """What came out, a sentence for each section, and which sections are not there."""
        results = [one for one in self.sections if one.title != SOURCES]
        said = [one.sentence for one in results if one.sentence]
        return said + [f"{one.title}: not in this report. {one.fault}" for one in results if one.fault]

    def command(self, extension: str) -> str:
        """Return the command line that makes it again; its config is named without a folder."""
        named = self.filters.named(self.config)
        output = file_name(self.config.name, "report", extension=extension, filters=named.to_dict())
        return command_line(self.source, named, self.methods, output)


def read_report(dataset: Dataset, filters: Filters, methods: Methods) -> Report:
    """Read every section of a selection.

    Parameters
    ----------
    filters : Filters
        As the user gave them.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have.
    """
    resolved = filters.resolved(dataset.catalog)
    sections = tuple(_read(title, make, dataset, resolved, methods) for title, make in SECTIONS.items())
    source, amounts = dataset.config_path.name, _amounts(dataset, resolved)
    return Report(dataset.config, source, resolved, methods, amounts, sections, datetime.now(UTC))


def _amounts(dataset: Dataset, filters: Filters) -> str:
    try:
        found = count_selection(dataset, filters)
    except Exception:
        # The sections have the same trouble, and say so.
        _LOG.exception("The selection of a report could not be counted")
        return ""
    amounts = [count(found.evals, "eval"), count(found.points, "point"), count(found.items, "item")]
    return ", ".join([*amounts, count(found.completions, "completion")])


Maker = Callable[[Dataset, Filters, Methods], Section]


def _read(title: str, make: Maker, dataset: Dataset, filters: Filters, methods: Methods) -> Section:
    try:
        return make(dataset, filters, methods)
    except ReasonScapeError as fault:
        return Section(title, fault=str(fault))
    except Exception as fault:
        # A fault of ours in one section must not cost the reader the others; the log has the traceback.
        _LOG.exception("The section %s of a report failed", title)
        return Section(title, fault=f"This section could not be made ({type(fault).__name__}).")


def _leaderboard(dataset: Dataset, filters: Filters, methods: Methods) -> Section:
    board = scores.read_scores(dataset, filters, methods)
    drawn = scores.read_draws(dataset, filters, methods) if len(board.rows) > 1 else None
    table = Table(
        "Rank, plain score with its 95% interval and the accuracy per task (center - upper bound,"
        " then the share truncated where it is above 2%)",
        scores.text_frame(board, drawn),
    )
    notes = [*board.notes, *([f"Rank sets and P(first): {drawn.method}."] if drawn else [])]
    return Section(
        "Leaderboard", board.summary(), (Figure(scores.interval_chart(board)), table), tuple(notes)
    )


def _clusters(dataset: Dataset, filters: Filters, methods: Methods) -> Section:
    found = cluster.read_clusters(dataset, filters, methods)
    figures = [Figure(cluster.section_chart(found, one)) for one in found.sections[:MOST_FIGURES]]
    overview = Table(
        "Center of the 95% interval and the letters of the eval's cliques: evals that share a letter are not"
        " separated",
        cluster.overview_frame(found),
    )
    notes = dict.fromkeys(note for one in found.sections for note in one.notes)
    rule = f"{cluster.rule_sentence(found)} {cluster.RULE_WORDS[found.rule]}"
    return Section(
        "Clusters", cluster.summary(found), (overview, *figures),
        (rule, *notes, *_left_out(len(found.sections), "sections")),
    )  # fmt: skip


def _surfaces(dataset: Dataset, filters: Filters, methods: Methods) -> Section:
    grid = surface.read_surfaces(dataset, filters, methods)
    pages = surface.pages(grid)
    figures = tuple(Figure(surface.surface_heatmaps(grid, page)) for page in pages[:MOST_FIGURES])
    notes = (*grid.problems, *grid.notes, *_left_out(len(pages), "pages of heatmaps"))
    return Section("Surfaces", surface.summarise(grid), figures, notes)


def _hazards(dataset: Dataset, filters: Filters, methods: Methods) -> Section:
    resolved = filters.resolved(dataset.catalog)
    grouping = hazard.read_groups(dataset, resolved, hazard.DEFAULT_SPLIT)
    size = hazard.page_bucket_size(hazard.largest_tokens(dataset, resolved))
    some = grouping.groups[:MOST_FIGURES]
    found = hazard.read_page(
        dataset, resolved, methods, grouping, some, bucket_size=size, most_buckets=hazard.MOST_BUCKETS
    )
    if not found.curves:
        raise hazard.NoTokensError(hazard.no_tokens(found.without))
    figures = tuple(Figure(hazard.group_chart(found, curves)) for curves in found.curves)
    notes = (*hazard.notes(found), *_left_out(len(grouping.groups), "groups"))
    return Section("Hazards", hazard.summary(found), figures, notes)


def _left_out(total: int, what: str) -> Iterator[str]:
    if total > MOST_FIGURES:
        yield f"The first {MOST_FIGURES} of {total:,} {what} are shown; the page in the app has all."


def _provenance(dataset: Dataset, filters: Filters, methods: Methods) -> Section:
    found = read_provenance(dataset, filters)
    return Section(
        SOURCES,
        f"{methods.sentence()}. A completion is correct from a score of {filters.threshold:g}.",
        (Table("Source files of the database", found.imports),),
        (found.selected, found.files),
    )


SECTIONS: dict[str, Maker] = {
    "Leaderboard": _leaderboard,
    "Clusters": _clusters,
    "Surfaces": _surfaces,
    "Hazards": _hazards,
    SOURCES: _provenance,
}
"""The sections in reading order."""
