"""Panels on screen, and their figures as a table."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from core import charts
from core.export import part
from core.filters import Filters
from core.tiers import compression as tier
from core.tiers.compression import Length, Options, Panels
from core.tiers.compression.bins import PANELS
from core.tiers.split import Split
from core.tiers.words import EM_DASH
from core.ui import compression, download, drill, linked_table, surface_charts
from core.ui.download import Download
from core.ui.sidebar import View
from core.ui.wording import escape

HOW = r"""
**Panels.** Each completion has a length and a compressed size: its UTF-8 bytes through zlib at level 6. The
database counts them in bins of both on log scales; a dot is a bin, its area the share of its colour in the
panel, and the histograms along the edges are the same bins summed. A text that says new things all the time
stays on the upper diagonal; one that repeats itself falls to the right of it.

**Ratio** is compressed bytes / bytes (short texts exceed 1: zlib adds a header). **Slope** is that of
$\ln$(compressed bytes) on $\ln$(length), least squares: 1 where twice as long says twice as much, below 1
where longer responses repeat more.

**AUC** is P(an incorrect response is larger than a correct one), ties half, within the same eval, task and
tier, because harder items are both longer and more often wrong:
$\sum_s w_s A_s / \sum_s w_s$, $A_s = U_s/(n_1 n_2)$, $w_s = n_1 n_2/(n_1 + n_2 + 1)$. 0.5: no difference.
Above 0.5 on length: incorrect ones are longer; below 0.5 on the ratio: they are more repetitive.
"""


def show_rows(
    view: View,
    groups: Sequence[tuple[Split | None, Filters]],
    options: Options,
    length: Length,
    *,
    dark: bool,
) -> list[Panels]:
    """Show the panels of some selections, or why there are none, and return them."""
    found = [compression.panels(view.dataset, filters, options, length) for _, filters in groups]
    told: list[str] = []
    for (split, filters), panels in zip(groups, found, strict=True):
        of = split.label if split else ""
        reasons = tier.problems(panels)
        for reason in reasons:
            if reason not in told:
                st.info(escape(reason), icon=":material/info:")
        told += reasons
        if not sum(panels.counted("drawn", outcome) for outcome in PANELS):
            continue
        key = "_".join(["panels", *compression.place_of(split), *map(str, panels.stacks)])
        spec = compression.chart(view.dataset, filters, options, length, of, dark=dark)
        surface_charts.show_spec(spec, key=key)
        _row_links(view, filters, panels, split, key, dark=dark)
    return found


def _row_links(
    view: View, filters: Filters, panels: Panels, split: Split | None, key: str, *, dark: bool
) -> None:
    """Show the download of one chart, and links to the completions in its panels."""
    of = split.label if split else ""
    place = compression.place_of(split)
    if panels.stacked:
        place = (*place, part("evals", "-".join(map(str, panels.stacks))))

    def chart() -> alt.VConcatChart | alt.HConcatChart:
        return tier.panel_chart(panels, of=of, dark=dark)

    with st.container(horizontal=True, vertical_alignment="center"):
        name = download.name_of(view, "compression", *place, extension="png")
        label = f"{of or 'Compression'} PNG"
        download.row(Download(label, name, lambda: charts.to_png(chart()), "image/png"))
        if type(filters) is not Filters:
            # A model, template or sampler that no eval stands for cannot be said in an address.
            return
        for outcome in PANELS:
            if n := panels.counted("n", outcome):
                outcomes = ("incorrect", "invalid") if outcome == "incorrect" else (outcome,)
                label = f"{n:,} {' or '.join(outcomes)}"
                drill.link(view, label, key=f"{key} {outcome}", filters=filters, outcomes=outcomes)


def show_figures(
    view: View,
    groups: Sequence[tuple[Split | None, Filters]],
    options: Options,
    length: Length,
    found: Sequence[Panels],
) -> None:
    """Show the figures of the panels in sight, with their download and how their intervals are made.

    They take as long as the panels do, so that the page opens them unasked only where that is soon done.
    """
    frames, sampled = [], False
    for (split, filters), panels in zip(groups, found, strict=True):
        figures = compression.figures(view.dataset, filters, options, length, view.methods)
        sampled = sampled or figures.sampled
        frame = tier.figure_frame(panels, figures)
        if split is not None:
            frame.insert(0, split.dimension, split.label)
        frames.append(frame)
    rows = pd.concat(frames, ignore_index=True)
    st.dataframe(
        figure_table(rows, length, options),
        hide_index=True,
        placeholder=EM_DASH,
        height=linked_table.height(len(rows)),
        alt=f"Medians, slopes and comparisons of correct with incorrect responses, {len(rows)} rows",
    )
    st.caption(escape(tier.method_sentence(view.methods, sampled=sampled)))
    download.row(download.csv(view, "compression-figures", rows))


def figure_table(rows: pd.DataFrame, length: Length, options: Options) -> pd.DataFrame:
    """Return the figures as they are shown: each with its interval as text."""
    first = list(rows.columns[: list(rows.columns).index("series")])
    table = rows[[one for one in first if one != "eval_id"]].rename(columns={"label": "eval"})
    if options.series != tier.NO_SERIES:
        table[str(options.series)] = rows["value"]
    table = table.assign(outcome=rows["outcome"], n=rows["n"], loops=rows["loops"])
    table["median ratio"] = _texts(rows, "ratio", 3)
    if length.measure == "tokens":
        table[f"bytes per {length.name.removesuffix('s')}"] = _texts(rows, "per_token", 2)
    table["slope"] = _texts(rows, "slope", 2)
    table[f"AUC on {length.name}"] = _texts(rows, "auc_length", 2)
    table["AUC on ratio"] = _texts(rows, "auc_ratio", 2)
    return table


def _texts(rows: pd.DataFrame, name: str, digits: int) -> list[str | None]:
    return [
        None
        if pd.isna(value)
        else f"{value:.{digits}f}"
        if pd.isna(low)
        else f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
        for value, low, high in zip(rows[name], rows[f"{name}_lower"], rows[f"{name}_upper"], strict=True)
    ]
