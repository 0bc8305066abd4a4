"""Model info: results set against the architecture, the size and the price of the models behind them."""

from core.tiers.modelinfo.axes import (
    AXES,
    BY_EVAL,
    CHARTS,
    COST,
    SCORES,
    Axis,
    Score,
    ScoreKind,
    axis,
    chart_axes,
    colourings,
    default_colouring,
    score_kind,
)
from core.tiers.modelinfo.chart import scatter_chart, shown_rows
from core.tiers.modelinfo.document import (
    export_frame,
    models_document,
    models_frame,
    models_text,
    text_frame,
    to_document,
)
from core.tiers.modelinfo.metadata import (
    STATUS_WORDS,
    Metadata,
    age_sentence,
    folder_of,
    hf_ids,
    mark_of,
    read_metadata,
)
from core.tiers.modelinfo.summary import correlation_sentence, summarise
from core.tiers.modelinfo.table import ModelInfo, read_modelinfo

__all__ = [
    "AXES",
    "BY_EVAL",
    "CHARTS",
    "COST",
    "SCORES",
    "STATUS_WORDS",
    "Axis",
    "Metadata",
    "ModelInfo",
    "Score",
    "ScoreKind",
    "age_sentence",
    "axis",
    "chart_axes",
    "colourings",
    "correlation_sentence",
    "default_colouring",
    "export_frame",
    "folder_of",
    "hf_ids",
    "mark_of",
    "models_document",
    "models_frame",
    "models_text",
    "read_metadata",
    "read_modelinfo",
    "scatter_chart",
    "score_kind",
    "shown_rows",
    "summarise",
    "text_frame",
    "to_document",
]
