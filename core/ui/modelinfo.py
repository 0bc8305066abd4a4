"""The Model info page's cached results, its choices, charts and tables."""

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from core import charts
from core.config import DatasetConfig
from core.errors import ReasonScapeError
from core.filters import Filters
from core.hub.names import HubNameError, inside
from core.store.dataset import Dataset
from core.tiers import modelinfo as tier
from core.tiers.methods import Methods
from core.tiers.modelinfo import ModelInfo
from core.tiers.modelinfo.metadata import FOLDER, Mark
from core.tiers.modelinfo.scales import short_number
from core.ui import download, drill, figure, linked_table, states
from core.ui.cache import Spec, kept
from core.ui.sidebar import View
from core.ui.wording import escape

EXAMPLE = """\
{
  "label": "...",
  "hf_id": "org/name",
  "parameters": "7B",
  "price": {"input": 0.15, "output": 0.60}
}"""
"""What an entry of the config may say of its model."""

Asked = tuple[Filters, Methods, Path, Mark]
"""What results are of, besides the dataset: filters, methods, the metadata folder and its state."""

Choices = tuple[str, str, str]
"""Names of the score, of what it is set against, and of the colouring."""


def folder(view: View) -> Path | None:
    """Return the metadata folder, None where a link leads out of the data folder."""
    try:
        return inside(view.dataset.config_path.parent, FOLDER)
    except HubNameError as fault:
        states.error(f"{fault}.")
        return None


@kept("Setting results against architecture …")
def info(dataset: Dataset, filters: Filters, methods: Methods, place: Path, mark: Mark) -> ModelInfo:
    """Return results against architecture, kept per state of the cache (`mark`) too."""
    return tier.read_modelinfo(dataset, filters, methods, tier.read_metadata(place))


def choose(found: ModelInfo) -> Choices:
    """Show the choices and return them."""
    colourings = tier.colourings(found)
    with st.container(horizontal=True):
        score = st.selectbox(
            "Score",
            list(tier.SCORES),
            format_func=lambda name: tier.SCORES[name].label,
            key="scored_by",
            bind="query-params",
            width=200,
            help="Plain score has an interval. ReasonScore is an upper bound and has none.",
        )
        against = st.selectbox(
            "Against",
            list(tier.AXES),
            format_func=lambda name: tier.AXES[name].label.capitalize(),
            key="against",
            bind="query-params",
            width=240,
            help="Active parameters are those that a token passes through: fewer, in a mixture of experts.",
        )
        colour = st.selectbox(
            "Colour by",
            colourings,
            index=colourings.index(tier.default_colouring(found)),
            key="coloured_by",
            bind="query-params",
            width=200,
            help="The kinds of groups that evals have in the config; or a colour for each eval.",
        )
    return score or "plain", against or "parameters", colour or tier.BY_EVAL


@kept("Drawing results against architecture …")
def chart(dataset: Dataset, asked: Asked, name: str, choices: Choices, *, dark: bool) -> Spec | None:
    """Return the specification of one of core.tiers.modelinfo.CHARTS, None where it has no point."""
    found = info(dataset, *asked)
    against, score = tier.chart_axes(name, tier.axis(choices[1]), tier.score_kind(choices[0]))
    if tier.shown_rows(found, against, score).empty:
        return None
    drawn = tier.scatter_chart(found, against, score, colour_by=choices[2], dark=dark)
    return charts.to_spec(drawn)


def show_chart(view: View, asked: Asked, name: str, choices: Choices, *, dark: bool) -> None:
    """Show one of core.tiers.modelinfo.CHARTS with its download; nothing where it has no point."""
    try:
        spec = chart(view.dataset, asked, name, choices, dark=dark)
    except ReasonScapeError as fault:
        states.error(fault)
        return
    if spec is None:
        if name == "score":
            against = tier.axis(choices[1]).label
            st.caption(escape(f"No chart: of no eval are both a score and the {against} known."))
        return
    clicked = figure.show(spec, key=f"modelinfo {name}", height=420, fields=("eval_id",))
    if clicked:
        show_way_to_texts(view, int(clicked["eval_id"]), name)
    make = functools.partial(image, view.dataset, asked, name, choices, dark=dark)
    file = download.png(view, "modelinfo", make, parts=(name,))
    download.row(replace(file, label=f"{name.replace('-', ' ').capitalize()} PNG"))


def image(dataset: Dataset, asked: Asked, name: str, choices: Choices, *, dark: bool) -> alt.LayerChart:
    """Return a chart for its image: made on the click, in another thread, without what is kept."""
    filters, methods, place, _ = asked
    found = tier.read_modelinfo(dataset, filters, methods, tier.read_metadata(place))
    against, score = tier.chart_axes(name, tier.axis(choices[1]), tier.score_kind(choices[0]))
    return tier.scatter_chart(found, against, score, colour_by=choices[2], dark=dark)


def show_results(view: View, found: ModelInfo) -> None:
    """Show results beside sizes as a table, with its download; a selected row leads to its completions."""
    frame = results_frame(found)
    st.caption("**Select a row to read what the eval answered.**")
    event = st.dataframe(
        frame,
        column_config=_result_columns(found),
        hide_index=True,
        height=linked_table.height(len(frame)),
        placeholder="—",
        on_select="rerun",
        selection_mode="single-row",
        # Another table is another widget: a selection never stays on a row that has moved.
        key=f"modelinfo {hash((view.dataset.fingerprint, view.filters, view.methods))}",
        alt=f"Scores, tokens, parameters and cost of {len(frame)} evals",
    )
    if (eval_id := selected_eval(event, found)) is not None:
        show_way_to_texts(view, eval_id, "table")
    download.row(download.csv(view, "modelinfo", functools.partial(tier.export_frame, found)))


def show_way_to_texts(view: View, eval_id: int, place: str) -> None:
    """Show links to what an eval answered; `place` is unique on the page."""
    chosen = drill.narrowed(view.filters, eval_id=eval_id)
    name = view.config.eval_names[eval_id]
    drill.outcome_links(view, f"Completions of {name}", key=f"modelinfo {place}", filters=chosen)


def selected_eval(event: Any, found: ModelInfo) -> int | None:
    """Return the eval of the row that a selection names."""
    rows = event.selection.rows
    if not rows or not 0 <= rows[0] < len(found.rows):
        return None
    return int(found.rows["eval_id"].iloc[rows[0]])


def results_frame(found: ModelInfo) -> pd.DataFrame:
    """Return results for the screen: numbers that sort, intervals as text beside them."""
    rows = found.rows
    frame = pd.DataFrame(
        {
            "eval": rows["name"],
            "parameters": rows["parameters"],
            "counted": rows["parameters_source"],
            "plain_score": rows["plain_score"],
            "plain interval": _spans(rows, "plain_lower", "plain_upper"),
            "mean_tokens": rows["mean_tokens"],
            "plain_per_tokens": rows["plain_per_tokens"],
            "per token interval": _spans(rows, "plain_per_tokens_lower", "plain_per_tokens_upper"),
            "score_per_token": rows["score_per_token"],
            "architecture": rows["architecture"],
            "quantisation": rows["quantisation"],
        }
    )
    if found.priced:
        frame["cost"] = rows["cost"]
        frame["currency"] = rows["currency"]
        frame["plain_per_cost"] = rows["plain_per_cost"]
        frame["per cost interval"] = _spans(rows, "plain_per_cost_lower", "plain_per_cost_upper")
    frame["n"], frame["n_items"] = rows["n"], rows["n_items"]
    always = ("eval", "parameters", "plain_score", "n")
    return frame[[name for name in frame if name in always or frame[name].notna().any()]]


def _spans(rows: pd.DataFrame, lower: str, upper: str) -> list[str | None]:
    pairs = zip(rows[lower], rows[upper], strict=True)
    return [None if pd.isna(low) or pd.isna(high) else f"{low:,.0f} to {high:,.0f}" for low, high in pairs]


def _result_columns(found: ModelInfo) -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    tokens = "visible tokens" if found.rows["visible_tokens"].any() else "tokens"
    return {
        "eval": text("Eval", pinned=True, width=min(260, 30 + 8 * max(map(len, found.rows["name"])))),
        "parameters": number("Parameters", format="compact"),
        "counted": text("Counted", help="By whom: config (typed), safetensors or gguf (the hub), estimated."),
        "plain_score": number("Plain score", format="%.0f"),
        "plain interval": text("95% interval"),
        "mean_tokens": number(f"Mean {tokens}", format="%.0f", help="Per completion."),
        "plain_per_tokens": number(f"Plain per 1,000 {tokens}", format="localized", step=1),
        "per token interval": text(
            "95% at least", help="Covers at least 95%, whatever ties score to tokens."
        ),
        "score_per_token": number("Score/token", format="%.2f", help="ReasonScore per mean token."),
        "architecture": text("Architecture"),
        "quantisation": text("Quantisation"),
        "cost": number("Cost of 1,000", format="%.4g", help="Of 1,000 completions, prompts included."),
        "currency": text("Currency"),
        "plain_per_cost": number("Plain per cost", format="localized", step=1),
        "per cost interval": text("95% at least "),
        "n": number("n", format="localized", help="Completions that count: correct, incorrect and invalid."),
        "n_items": number("Items", format="localized"),
    }


def show_models(view: View, found: ModelInfo) -> None:
    """Show the architectures as a table, with its download."""
    frame = tier.models_frame(found.model_ids, found.config, found.metadata)
    st.dataframe(
        models_screen(frame),
        column_config=_model_columns(),
        hide_index=True,
        height=linked_table.height(len(frame)),
        placeholder="—",
        alt=f"Architecture of {len(frame)} models",
    )
    download.row(download.csv(view, "models", frame))


def models_screen(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the architectures for the screen: without columns that say nothing of any model."""
    always = ("model_id", "status", "architecture", "parameters")
    shown = [name for name in frame if name in always or frame[name].notna().any()]
    counts = [None if pd.isna(n) else short_number(float(n)) for n in frame["parameters"]]
    return frame[shown].assign(parameters=pd.Series(counts, index=frame.index, dtype=object))


def _model_columns() -> dict[str, Any]:
    number, text, tick = (
        st.column_config.NumberColumn,
        st.column_config.TextColumn,
        st.column_config.CheckboxColumn,
    )
    return {
        "model_id": text("Model", pinned=True),
        "status": text("Metadata"),
        "architecture": text("Architecture"),
        "parameters": text("Parameters"),
        "parameters_source": text("Counted"),
        "active_parameters": number("Active", format="compact"),
        "num_layers": number("Layers"),
        "hidden_size": number("Hidden size", format="localized"),
        "num_heads": number("Heads"),
        "num_kv_heads": number("KV heads"),
        "vocab_size": number("Vocabulary", format="localized"),
        "context_length": number("Context", format="localized"),
        "tied_embeddings": tick("Tied embeddings"),
        "dtype": text("Data type"),
        "quantisation": text("Quantisation"),
        "license": text("License"),
        "tokenizer_class": text("Tokenizer"),
        "num_experts": number("Experts"),
        "experts_per_token": number("Experts used"),
        "gated": tick("Gated"),
        "cached_at": text("Fetched at"),
    }


def explain_missing(found: ModelInfo) -> None:
    """Say of each model why its metadata are not complete and what to do."""
    absent = [one for one in found.model_ids if found.metadata.status(one) == "absent"]
    others = [one for one in found.model_ids if one not in absent]
    reasons = [reason for one in others if (reason := found.metadata.explain(one))]
    if reasons:
        st.warning("  \n".join(escape(reason) for reason in reasons), icon=":material/lock:")


def show_what_to_type(config: DatasetConfig) -> None:
    """Say what to put into the config where it says nothing of its models; nothing where it does."""
    if any(entry.hf_id or entry.parameters or entry.price for entry in config.evals):
        return
    st.info(
        "The config names no model of the hub. Any of these keys may stand in an eval's entry: an `hf_id` to"
        " fetch what its makers say, `parameters` to type them, a `price` per million tokens.",
        icon=":material/edit_note:",
    )
    st.code(EXAMPLE, language="json")
