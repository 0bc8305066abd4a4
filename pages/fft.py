"""FFT: what the tokenizer makes of the prompts, and whether that goes with a difference in accuracy."""

import functools
from dataclasses import replace

import streamlit as st

from core.errors import ReasonScapeError
from core.tiers import fft as tier
from core.ui import download, fft_cache, fft_charts, fft_compute, figure, sidebar, states, surface_charts
from core.ui.fragment import fragment
from core.ui.wording import capital, escape

view = sidebar.current()
dark = figure.is_dark()

summary = st.container()
fft_compute.say()
try:
    grid = fft_cache.grid(view.dataset, view.filters, ())
    shown = fft_charts.choose_rows(grid)
    if shown:
        grid = fft_cache.grid(view.dataset, view.filters, shown)
except tier.NoSpectraError as fault:
    summary.info(escape(tier.WHY[fault.cause]), icon=":material/graphic_eq:")
    if fault.cause == "spectra":
        fft_compute.show(view, first=True)
    st.stop()
except ReasonScapeError as fault:
    states.stop(fault)
asked = (view.dataset.fingerprint, view.filters, shown)


@fragment
def show_grid() -> None:
    """Show the spectra, a page of projections and tokenizers at a time."""
    with st.container(horizontal=True):
        kind, log = fft_charts.choose_kind(), fft_charts.choose_log()
    pages = tier.pages(grid)
    number = st.pagination(len(pages), key="fft_page", bind="query-params") if len(pages) > 1 else 1
    lines = fft_cache.lines(asked, view.dataset, grid, kind, number - 1)
    spec = fft_cache.chart(asked, view.dataset, grid, kind, number - 1, log=log, dark=dark)
    surface_charts.show_spec(spec, key="spectra")
    st.caption(tier.HOW_TO_READ)
    if kind == "raw":
        st.markdown(f"*{escape(capital(tier.RAW_CAPTION))}.*")
    page = pages[number - 1]
    draw = functools.partial(tier.spectra_chart, grid, page, lines, kind=kind, log=log, dark=dark)
    table = functools.partial(tier.lines_frame, grid, lines, kind)
    parts = (*tier.name_parts(kind), *([f"page-{number}"] if number > 1 else []))
    download.row(
        replace(download.csv(view, "fft", table, parts=parts), label="Spectra CSV"),
        replace(download.png(view, "fft", draw, parts=parts), label="Spectra PNG"),
    )
    fft_charts.show_notes(tier.grid_notes(grid, lines))


def show_comparison(pair: tuple[int, int] | None) -> tier.Comparison | None:
    """Compare two evals and return the comparison; nothing where there is one eval, or twice the same."""
    if pair is None:
        st.caption("With two evals, their tokenizers and their accuracy are compared here.")
        return None
    try:
        found = fft_cache.comparison(asked, view.dataset, grid, *pair)
    except ReasonScapeError as fault:
        states.error(fault)
        return None
    spec = fft_cache.comparison_chart(asked, view.dataset, grid, *pair, dark=dark)
    surface_charts.show_spec(spec, key="comparison")
    table = fft_charts.comparison_table(found)
    st.dataframe(table, hide_index=True, placeholder="—", alt=f"Comparison by task, {len(table)} rows")
    fft_charts.show_links(view, found)
    parts = tuple(tier.name_parts("indicator", found))
    draw = functools.partial(tier.comparison_chart, grid, found, dark=dark)
    download.row(
        replace(download.csv(view, "fft", tier.comparison_frame(found), parts=parts), label="Comparison CSV"),
        replace(download.png(view, "fft", draw, parts=parts), label="Comparison PNG"),
    )
    fft_charts.show_notes(tier.comparison_notes(grid, found))
    return found


show_grid()
st.subheader("Two evals on the same prompts")
compared = show_comparison(fft_charts.choose_evals(grid))
summary.markdown(f"**{escape(tier.summarise(grid, compared))}**")
fft_charts.show_formula()
st.subheader("Tokenizers")
fft_charts.show_columns(grid)
fft_compute.show(view, first=False)
