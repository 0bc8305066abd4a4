"""The prompts that two columns have in common, each with its spectrum under both tokenizers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from core.filters import Filters
from core.spectra.sample import MOST, sample_order
from core.stats.arrays import FloatArray
from core.stats.spectrum import BANDS
from core.store.dataset import Dataset
from core.tiers.fft.grid import Column
from core.tiers.selection import selected_points

Shared = Literal["tokens", "prompts", "texts", "items", "nothing"]
"""What two columns share: one column, so the tokens themselves; the prompts; the same texts under another
template; the items alone, so that the template differs too."""

MATCHES: dict[Shared, str] = {
    "prompts": "a.prompt_id = b.prompt_id",
    "texts": "a.item_id = b.item_id AND a.text = b.text",
    "items": "a.item_id = b.item_id",
}


@dataclass(frozen=True)
class Prompts:
    """Prompts under two tokenizers; every array has one entry per prompt.

    Attributes
    ----------
    a, b
        Shape (n, 64): indicator spectra.
    tokens_a, tokens_b, bytes_a, bytes_b
        Tokens of the prompt, and bytes of its text.
    """

    a: FloatArray
    b: FloatArray
    tokens_a: FloatArray
    tokens_b: FloatArray
    bytes_a: FloatArray
    bytes_b: FloatArray

    @classmethod
    def together(cls, parts: Sequence["Prompts"]) -> "Prompts":
        """Return the prompts of several parts as one."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([getattr(one, name) for one in parts]) for name in names})


def read_shared(
    dataset: Dataset, filters: Filters, a: Column, b: Column
) -> tuple[Shared, dict[str, Prompts]]:
    """Return what two columns share and, by task, up to MOST prompts matched as closely as can be.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    for match in MATCHES:
        found = _by_task(_matched(dataset, filters, a, b, match))
        if found:
            return ("tokens" if a == b else match), found
    return "nothing", {}


def _matched(dataset: Dataset, filters: Filters, a: Column, b: Column, match: Shared) -> pa.Table:
    selected, parameters = selected_points(dataset, filters)
    random = sample_order("i", "q").partition(",")[0]
    sides = ", ".join(
        f"""{side} AS (
            SELECT q.prompt_id, q.item_id, q.text, i.base_task, s.n_tokens, s.bands, {random} AS random
            FROM data.spectra s
            JOIN data.prompts q USING (prompt_id)
            JOIN data.items i USING (item_id)
            SEMI JOIN sets USING (params_id)
            WHERE s.kind = 'indicator' AND s.bands IS NOT NULL
                AND s.tokenizer = $tokenizer_{side} AND q.template = $template_{side}
        )"""
        for side in ("a", "b")
    )
    return dataset.sql(
        f"""
        WITH sets AS (
            SELECT DISTINCT p.params_id FROM ({selected}) s JOIN data.points p USING (point_id)
        ), {sides}, placed AS (
            SELECT a.base_task AS task, a.n_tokens AS tokens_a, b.n_tokens AS tokens_b,
                strlen(a.text) AS bytes_a, strlen(b.text) AS bytes_b, a.bands AS a, b.bands AS b,
                row_number() OVER (
                    PARTITION BY a.base_task ORDER BY a.random, a.prompt_id, b.prompt_id
                ) AS place
            FROM a JOIN b ON {MATCHES[match]}
        )
        SELECT * EXCLUDE (place) FROM placed WHERE place <= {MOST} ORDER BY task, place""",
        tokenizer_a=a.tokenizer,
        template_a=a.template,
        tokenizer_b=b.tokenizer,
        template_b=b.template,
        **parameters,
    )


def _by_task(table: pa.Table) -> dict[str, Prompts]:
    if not table.num_rows:
        return {}
    tasks = np.array(table["task"].to_pylist(), dtype=object)
    values: dict[str, FloatArray] = {
        side: table[side].combine_chunks().flatten().to_numpy().astype(np.float64).reshape(-1, BANDS)
        for side in ("a", "b")
    }
    for name in ("tokens_a", "tokens_b", "bytes_a", "bytes_b"):
        values[name] = table[name].to_numpy().astype(np.float64)
    return {
        task: Prompts(**{name: some[tasks == task] for name, some in values.items()})
        for task in dict.fromkeys(tasks.tolist())
    }
