"""Two evals: how far apart their tokenizers read the same prompts, and their accuracy on the same items."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from core.errors import FilterError
from core.filters import Filters
from core.stats.arrays import FloatArray
from core.stats.clustered_mean import clustered_mean
from core.stats.multiplicity import holm
from core.stats.paired import compare
from core.stats.spectrum_sample import Distance, mean_distance, spectral_distance, total_variation
from core.store.dataset import Dataset
from core.tiers.fft.grid import Column, FftGrid
from core.tiers.fft.shared import Prompts, Shared, read_shared
from core.tiers.points import item_results_at, selected_at

COLUMNS = [
    "task", "label", "n_prompts", "distance", "distance_lower", "distance_upper", "noise",
    "tokens_per_byte_a", "tokens_per_byte_a_lower", "tokens_per_byte_a_upper",
    "tokens_per_byte_b", "tokens_per_byte_b_lower", "tokens_per_byte_b_upper",
    "difference", "lower", "upper", "p", "p_holm", "n_items", "method",
]  # fmt: skip

ALL_TASKS = "All tasks"


@dataclass(frozen=True)
class Comparison:
    """Two evals of a grid compared.

    Attributes
    ----------
    rows
        All tasks first (task None), then a row per task, with COLUMNS. distance: total variation of the
        mean indicator spectra (of all tasks: the mean of the tasks'); difference: accuracy of A minus B,
        paired on items, truncated counted as wrong.
    eval_a, eval_b
        The evals.
    a, b
        Their columns: the ones with the most in common.
    shared
        What the columns have in common.
    between_tasks
        Mean total variation between two tasks under one tokenizer: what a large distance is; NaN with one.
    tests
        Number m of tasks tested.
    """

    rows: pd.DataFrame
    eval_a: int
    eval_b: int
    a: Column
    b: Column
    shared: Shared
    between_tasks: float
    tests: int

    @property
    def total(self) -> Mapping[str, Any]:
        """The row of all tasks."""
        return {name: self.rows[name].iloc[0] for name in COLUMNS}

    @property
    def shown(self) -> pd.DataFrame:
        """The rows without that of all tasks where there is one task."""
        return self.rows.iloc[1:] if len(self.rows) == 2 else self.rows


def columns_of(grid: FftGrid, eval_id: int) -> tuple[Column, ...]:
    """Return the columns of an eval. Raises FilterError where it has none."""
    found = tuple(column for column in grid.columns if eval_id in column.evals)
    if not found:
        valid = sorted({one for column in grid.columns for one in column.evals})
        raise FilterError(
            f"Eval {eval_id} has no spectra in this selection; valid: {', '.join(map(str, valid))}"
        )
    return found


def default_evals(grid: FftGrid) -> tuple[int, int] | None:
    """Return the first two evals with different tokenizers on one template and with one sampler.

    Where there are no such two, those that come nearest; None with one eval.
    """

    def apart(pair: tuple[tuple[int, Column], tuple[int, Column]]) -> tuple[bool, ...]:
        (one, a), (other, b) = pair
        samplers = [grid.config.evals[eval_id].filters.get("sampler") for eval_id in (one, other)]
        return (a.template != b.template, a.tokenizer == b.tokenizer, samplers[0] != samplers[1])

    members = [(eval_id, column) for column in grid.columns for eval_id in column.evals]
    pairs = [pair for pair in combinations(members, 2) if pair[0][0] != pair[1][0]]
    if not pairs:
        return None
    (one, _), (other, _) = min(pairs, key=apart)
    return one, other


def read_comparison(dataset: Dataset, grid: FftGrid, eval_a: int, eval_b: int) -> Comparison:
    """Compare the tokenizers of two evals on the same prompts, and the evals on the same items.

    Raises
    ------
    FilterError
        Twice the same eval, or one without spectra in this selection.
    """
    if eval_a == eval_b:
        raise FilterError(f"A comparison needs two evals, not eval_id {eval_a} twice")
    pairs = [(a, b) for a in columns_of(grid, eval_a) for b in columns_of(grid, eval_b)]
    a, b = min(pairs, key=lambda pair: (pair[0].template != pair[1].template, pair[0] != pair[1]))
    shared, prompts = read_shared(dataset, grid.filters, a, b)
    if a == b and a.origin == "bytes":
        # How far apart two unknown tokenizers are, bytes cannot say.
        prompts = {}
    items = _items(dataset, grid.filters, eval_a, eval_b)
    tasks = [one for one in dataset.catalog.base_tasks if one in prompts or one in set(items["task"])]
    distances = {task: spectral_distance(some.a, some.b) for task, some in prompts.items()}
    tests = int(items.groupby("task")["common"].any().sum())
    whole = None if not prompts else Prompts.together(list(prompts.values()))
    everything = [(None, whole, mean_distance(list(distances.values())), items, 1)]
    parts = [
        (task, prompts.get(task), distances.get(task), items[items["task"] == task], max(tests, 1))
        for task in tasks
    ]
    rows = []
    for task, some, distance, of_task, m in [*everything, *parts]:
        rows.append(
            {
                "task": task,
                "label": _label(grid, task, tasks),
                **_tokens(some, distance),
                **_accuracy(of_task, m),
            }
        )
    frame = pd.DataFrame(rows)
    frame["p_holm"] = np.concatenate([[np.nan], holm(frame["p"].to_numpy(float)[1:])])
    means = [(some.a.mean(axis=0), some.b.mean(axis=0)) for some in prompts.values()]
    return Comparison(frame[COLUMNS], eval_a, eval_b, a, b, shared, _between(means), tests)


def _label(grid: FftGrid, task: str | None, tasks: list[str]) -> str:
    """Return what a row is called; two rows of a chart must not be called the same."""
    if task is None:
        return ALL_TASKS
    label = grid.config.task_label(task)
    taken = [ALL_TASKS, *(grid.config.task_label(one) for one in tasks if one != task)]
    return f"{label} ({task})" if label in taken else label


def _between(means: list[tuple[FloatArray, FloatArray]]) -> float:
    found = [
        total_variation(one[side], other[side]) for one, other in combinations(means, 2) for side in (0, 1)
    ]
    return float(np.mean(found)) if found else float("nan")


def _tokens(prompts: Prompts | None, distance: Distance | None) -> dict[str, Any]:
    """Return what a row says of the prompts."""
    nan = float("nan")
    row: dict[str, Any] = dict.fromkeys(COLUMNS[2:13], nan) | {"n_prompts": 0}
    if prompts is None or distance is None:
        return row
    lower, upper = distance.interval
    row |= {
        "n_prompts": distance.n, "distance": distance.total_variation, "noise": distance.noise,
        "distance_lower": lower, "distance_upper": upper,
    }  # fmt: skip
    for side, tokens, size in (
        ("a", prompts.tokens_a, prompts.bytes_a),
        ("b", prompts.tokens_b, prompts.bytes_b),
    ):
        mean = clustered_mean(
            len(tokens), tokens.sum(), size.sum(), tokens @ tokens, tokens @ size, size @ size
        )
        for name, value in (("", mean.mean), ("_lower", mean.lower), ("_upper", mean.upper)):
            row[f"tokens_per_byte_{side}{name}"] = float(value)
    return row


def _accuracy(items: pd.DataFrame, tests: int) -> dict[str, Any]:
    """Return what a row says of the accuracy."""
    common = items[items["common"]]
    result = compare(common["y_a"], common["tries_a"], common["y_b"], common["tries_b"], tests=tests)
    return {
        "difference": result.d, "lower": result.lower, "upper": result.upper, "p": result.p,
        "n_items": result.n_items, "method": f"{result.test}; {result.interval}" if result.n_items else "",
    }  # fmt: skip


def _items(dataset: Dataset, filters: Filters, a: int, b: int) -> pd.DataFrame:
    """Return one row per item of two evals, with y and tries (truncated included) of both."""
    filters = replace(filters.without("groups"), eval_id=tuple(sorted((a, b))))
    selected, threshold, parameters = selected_at(dataset, filters)
    sums = ", ".join(
        f"coalesce(sum({column}) FILTER (WHERE s.eval_id = ${side}), 0)::DOUBLE AS {name}_{side}"
        for side in ("a", "b")
        for name, column in (("y", "r.y"), ("tries", "r.k + r.truncated"))
    )
    items: pd.DataFrame = dataset.sql(
        f"""
        WITH selected AS ({selected})
        SELECT i.base_task AS task, i.item_id, i.paired, {sums}
        FROM {item_results_at(threshold, filters.flagged)} r
        JOIN selected s USING (point_id)
        JOIN data.items i USING (item_id)
        GROUP BY i.base_task, i.item_id, i.paired
        ORDER BY i.item_id""",
        a=a,
        b=b,
        **parameters,
    ).to_pandas()
    items["common"] = items["paired"] & (items["tries_a"] > 0) & (items["tries_b"] > 0)
    return items
