"""What a completion costs, from its tokens and the price of an eval; nobody's price is guessed."""

import pandas as pd

from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers.counted import completions_of
from core.tiers.selection import selected_points

COMPLETIONS = 1000
"""Costs are per so many completions."""


def read_prompt_tokens(dataset: Dataset, filters: Filters) -> pd.Series:
    """Return mean prompt tokens per eval_id, over the completions that have a count; absent without any.

    Parameters
    ----------
    filters : Filters
        Resolved against the dataset's catalog.
    """
    selected, parameters = selected_points(dataset, filters)
    frame: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected}), by_point AS (
            SELECT c.point_id, sum(c.prompt_tokens)::DOUBLE AS total, count(c.prompt_tokens)::DOUBLE AS n
            FROM {completions_of(filters)} c
            WHERE c.point_id IN (SELECT point_id FROM selected)
            GROUP BY c.point_id
        )
        SELECT s.eval_id, sum(b.total) / sum(b.n) AS prompt_tokens
        FROM by_point b
        JOIN selected s USING (point_id)
        GROUP BY s.eval_id
        HAVING sum(b.n) > 0
        ORDER BY s.eval_id""",
        **parameters,
    ).to_pandas()
    return frame.set_index("eval_id")["prompt_tokens"]


def read_costs(dataset: Dataset, filters: Filters, rows: pd.DataFrame) -> pd.DataFrame:
    """Return what COMPLETIONS completions of each eval cost.

    Parameters
    ----------
    rows
        One row per eval: eval_id, mean_tokens, tokens_lower, tokens_upper.

    Returns
    -------
    DataFrame
        In the order of `rows`: price_input, price_output (per million tokens), currency, prompt_tokens (a
        mean), cost, cost_lower, cost_upper. A cost is missing where a part that is charged has no token
        count. Its interval is that of the completion tokens: prompts are given.
    """
    prices = [dataset.config.evals[eval_id].price for eval_id in rows["eval_id"]]
    frame = pd.DataFrame(
        {
            "price_input": [None if price is None else price.input for price in prices],
            "price_output": [None if price is None else price.output for price in prices],
            "currency": [None if price is None else price.currency for price in prices],
        },
        index=rows.index,
    ).astype({"price_input": float, "price_output": float})
    charged = frame["price_input"] > 0
    # Only a price of prompts makes the completions worth reading for their prompt tokens.
    means = read_prompt_tokens(dataset, filters) if charged.any() else pd.Series(dtype=float)
    frame["prompt_tokens"] = rows["eval_id"].map(means).astype(float)
    prompt = (frame["prompt_tokens"] * frame["price_input"]).where(charged, 0.0)
    for column, tokens in (
        ("cost", "mean_tokens"),
        ("cost_lower", "tokens_lower"),
        ("cost_upper", "tokens_upper"),
    ):
        answer = (rows[tokens] * frame["price_output"]).where(frame["price_output"] > 0, 0.0)
        cost = (prompt + answer) * (COMPLETIONS / 1e6)
        frame[column] = cost.where(frame["currency"].notna())
    return frame
