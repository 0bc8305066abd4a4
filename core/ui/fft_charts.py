"""Spectra on screen: the choices, the columns with their evals, and the comparison as a table."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.tiers import fft as tier
from core.tiers.fft import Comparison, FftGrid
from core.ui import drill
from core.ui.sidebar import View
from core.ui.wording import apart, escape

PROJECTIONS, EVAL_A, EVAL_B = "fft_projections", "fft_a", "fft_b"

SCALES = {"linear": "Linear", "log": "Logarithmic"}


def choose_rows(grid: FftGrid) -> tuple[str, ...]:
    """Show the choice of projections and return their ids; none means all."""
    labels = apart([row.id for row in grid.rows], [row.title for row in grid.rows])
    if chosen := st.session_state.get(PROJECTIONS):
        st.session_state[PROJECTIONS] = [one for one in chosen if one in labels]
    return tuple(
        st.multiselect(
            "Projections",
            list(labels),
            format_func=lambda one: labels.get(one, one),
            key=PROJECTIONS,
            bind="query-params",
            placeholder="All, a page at a time",
        )
    )


def choose_kind() -> str:
    """Show the choice of the spectrum and return it."""
    chosen = st.segmented_control(
        "Spectrum of",
        list(tier.KINDS),
        default=tier.KINDS[0],
        required=True,
        format_func=tier.KIND_NAMES.__getitem__,
        key="fft_kind",
        bind="query-params",
        help="The indicator spectrum asks where the same token recurs, whatever its id. Raw ids are labels.",
    )
    return chosen or tier.KINDS[0]


def choose_log() -> bool:
    """Show the choice of the axis of power and return whether it is logarithmic."""
    chosen = st.segmented_control(
        "Axis of power",
        list(SCALES),
        default="linear",
        required=True,
        format_func=SCALES.__getitem__,
        key="fft_scale",
        bind="query-params",
    )
    return chosen == "log"


def choose_evals(grid: FftGrid) -> tuple[int, int] | None:
    """Show the choice of two evals and return them; None where there is one only."""
    default = tier.default_evals(grid)
    if default is None:
        return None
    offered = sorted({one for column in grid.columns for one in column.evals})
    labels = apart(offered, [grid.name(one) for one in offered])
    chosen = []
    with st.container(horizontal=True):
        for label, key, one in (("Eval A", EVAL_A, default[0]), ("minus eval B", EVAL_B, default[1])):
            if st.session_state.get(key) not in offered:
                st.session_state.pop(key, None)
            chosen.append(
                st.selectbox(
                    label,
                    offered,
                    index=offered.index(one),
                    format_func=lambda one: labels.get(one, str(one)),
                    key=key,
                    bind="query-params",
                    width=340,
                )
            )
    return chosen[0], chosen[1]


def show_columns(grid: FftGrid) -> None:
    """List which evals share which tokenizer and template."""
    origins = {"source": "token ids of the source", "hub": "fetched tokenizer", "bytes": "no tokenizer"}
    frame = pd.DataFrame(
        {
            "Tokenizer": [column.tokenizer for column in grid.columns],
            "Template": [column.template for column in grid.columns],
            "Tokens from": [origins[column.origin] for column in grid.columns],
            "Evals that share it": [
                ", ".join(grid.name(one) for one in column.evals) for column in grid.columns
            ],
        }
    )
    st.dataframe(frame, hide_index=True, alt=f"Tokenizers with their evals, {len(frame)} rows")


def comparison_table(comparison: Comparison) -> pd.DataFrame:
    """Return a comparison as texts: a row per task, all tasks first."""
    rows = comparison.shown
    return pd.DataFrame(
        {
            "Task": rows["label"],
            "Prompts": rows["n_prompts"].where(rows["n_prompts"] > 0).astype("Int64"),
            "Distance [95%]": _texts(rows, "distance", "distance_lower", "distance_upper", ".3f"),
            "Noise": _numbers(rows["noise"]),
            "Tokens per byte, A": _numbers(rows["tokens_per_byte_a"]),
            "Tokens per byte, B": _numbers(rows["tokens_per_byte_b"]),
            "Accuracy A − B [95%]": _texts(rows, "difference", "lower", "upper", "+.3f"),
            "p (Holm)": [None if pd.isna(p) else f"{p:.2g}" for p in rows["p_holm"].fillna(rows["p"])],
            "Common items": rows["n_items"],
        }
    )


def show_links(view: View, comparison: Comparison) -> None:
    """Link to the completions behind the difference in accuracy."""
    if not comparison.total["n_items"]:
        return
    pair = (comparison.eval_a, comparison.eval_b)
    filters = replace(view.filters.without("groups"), eval_id=tuple(sorted(pair)))
    with st.container(horizontal=True):
        for words, kind in (("Items that only A has right", "lost"), ("only B", "gained")):
            with st.container(width="content"):
                drill.link(view, words, key=f"fft {kind}", filters=filters, pair=(*pair, kind))


def show_notes(notes: Sequence[str]) -> None:
    """List what a reader must know; nothing where there is nothing."""
    if notes:
        st.markdown("\n".join(f"- {escape(note)}" for note in notes))


def show_formula() -> None:
    """Show how a spectrum is computed."""
    with st.expander("How this is computed", icon=":material/function:"):
        st.markdown(
            "The prompt's token ids $x$, a periodic Hann window $w$. For every token value $v$ the"
            " positions that hold it are a signal of 0 and 1; their spectra are added, so that no numbering"
            " of the tokens can change the result:"
        )
        st.latex(tier.FORMULA)
        st.markdown(
            "zero-padded to $n = 512 \\lceil N / 512 \\rceil$ and summed into 64 bands of 0 to 0.5 cycles per"
            " token, which add up to 1. A line is the mean over at most 128 prompts, chosen by a fixed seed"
            " and the same for every tokenizer; its band is ± 1 standard error. Prompts of fewer than 16"
            " tokens, or of one token repeated, have no spectrum.\n\n"
            "**Raw ids** put the ids themselves in place of the indicators. Behind each line stands the 95%"
            " band of its mean under 100 shuffled vocabularies, each applied to all its prompts at once:"
            f" *{escape(tier.RAW_CAPTION)}*.\n\n"
            "Spectra of symbols: Silverman and Linsker 1986, Journal of Theoretical Biology 118:295."
        )


def _texts(rows: pd.DataFrame, value: str, lower: str, upper: str, form: str) -> list[str | None]:
    return [
        None if pd.isna(one) else f"{one:{form}}".replace("-", "−") + _bounds(low, high, form)
        for one, low, high in zip(rows[value], rows[lower], rows[upper], strict=True)
    ]


def _bounds(low: float, high: float, form: str) -> str:
    return "" if pd.isna(low) else f" [{low:{form}}, {high:{form}}]".replace("-", "−")


def _numbers(values: pd.Series) -> list[str | None]:
    return [None if pd.isna(value) else f"{value:.3f}" for value in values]
