"""Results against architecture: the scores of evals beside what is known of their models."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.config import DatasetConfig
from core.filters import Filters
from core.stats.quotient import quotient_interval
from core.stats.stratified_mean import stratified_mean
from core.store.dataset import Dataset
from core.tiers.methods import Methods
from core.tiers.modelinfo.cost import read_costs
from core.tiers.modelinfo.facts import eval_facts, model_facts
from core.tiers.modelinfo.metadata import Metadata, hf_ids
from core.tiers.modelinfo.notes import info_notes
from core.tiers.points import read_points
from core.tiers.scores import read_scores

TOKENS = 1000
"""Scores per token are per so many tokens."""

_SCORES = [
    "eval_id", "name", "label", "model", "template", "sampler", "groups", "plain_score", "plain_lower",
    "plain_upper", "reasonscore", "score_per_token", "visible_tokens", "complete", "n", "n_items", "correct",
]  # fmt: skip


@dataclass(frozen=True)
class ModelInfo:
    """Results against architecture.

    Attributes
    ----------
    rows
        One row per eval, best plain score first: the scores of core.tiers.scores; mean_tokens with
        tokens_lower and tokens_upper; plain_per_tokens (plain score per TOKENS tokens) with _lower and
        _upper; what `eval_facts` and `read_costs` have; plain_per_cost (plain score per unit of currency for
        core.tiers.modelinfo.cost.COMPLETIONS completions) with _lower and _upper, reasonscore_per_cost.
    models
        One row per hf_id; see `model_facts`.
    metadata
        The cache that the facts come from.
    notes
        What a reader must know before quoting the numbers, one sentence each.
    """

    rows: pd.DataFrame
    models: pd.DataFrame
    metadata: Metadata
    config: DatasetConfig
    filters: Filters
    methods: Methods
    notes: tuple[str, ...]

    @property
    def priced(self) -> bool:
        """Whether any eval has a cost."""
        return bool(self.rows["cost"].notna().any())

    @property
    def model_ids(self) -> list[str]:
        """The models of the evals shown."""
        return list(self.models["model_id"])


def read_modelinfo(dataset: Dataset, filters: Filters, methods: Methods, metadata: Metadata) -> ModelInfo:
    """Set the scores of a selection against what is known of its models.

    Parameters
    ----------
    filters
        As the user gave them.
    metadata
        Of core.tiers.modelinfo.metadata.read_metadata.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have.
    NothingFoundError
        Nothing matches.
    """
    board = read_scores(dataset, filters, methods, rank_incomplete=True)
    config = dataset.config
    rows = board.rows[_SCORES].reset_index(drop=True)
    rows = rows.join(_tokens(dataset, board.filters, rows["eval_id"]))
    low, high = quotient_interval(
        *(rows[c] for c in ("plain_lower", "plain_upper", "tokens_lower", "tokens_upper"))
    )
    rows["plain_per_tokens"] = (
        TOKENS * rows["plain_score"] / rows["mean_tokens"].where(rows["mean_tokens"] > 0)
    )
    rows["plain_per_tokens_lower"], rows["plain_per_tokens_upper"] = TOKENS * low, TOKENS * high
    evals = [int(eval_id) for eval_id in rows["eval_id"]]
    rows = rows.join(eval_facts(config, evals, metadata).drop(columns="eval_id"))
    rows = rows.join(read_costs(dataset, board.filters, rows))
    low, high = quotient_interval(
        *(rows[c] for c in ("plain_lower", "plain_upper", "cost_lower", "cost_upper"))
    )
    for score in ("plain", "reasonscore"):
        value = rows["plain_score" if score == "plain" else score]
        rows[f"{score}_per_cost"] = value / rows["cost"].where(rows["cost"] > 0)
    rows["plain_per_cost_lower"], rows["plain_per_cost_upper"] = low, high
    models = hf_ids(config, evals)
    return ModelInfo(
        rows=rows,
        models=model_facts(config, models, metadata),
        metadata=metadata,
        config=config,
        filters=board.filters,
        methods=methods,
        notes=info_notes(rows, metadata),
    )


def _tokens(dataset: Dataset, filters: Filters, evals: pd.Series) -> pd.DataFrame:
    """Return mean completion tokens with interval, in the order of the evals, from point statistics only."""
    points = read_points(dataset, filters)
    place = {eval_id: number for number, eval_id in enumerate(evals)}
    tries = points[["correct", "incorrect", "invalid", "truncated"]].sum(axis=1)
    means = stratified_mean(
        points["eval_id"].map(place).to_numpy(np.int64),
        points["token_n"],
        points["token_sum"],
        points["token_squares"],
        (points["all_kk"] / tries.where(tries > 0)).fillna(1.0),
        len(place),
    )
    return pd.DataFrame(
        {"mean_tokens": means.mean, "tokens_lower": means.lower, "tokens_upper": means.upper},
        index=evals.index,
    )
