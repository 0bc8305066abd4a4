"""The leaderboard as people compute it today: all completions in pandas, a loop over evals and cells."""

import json
import resource
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint


def leaderboard(completions: pd.DataFrame) -> pd.DataFrame:
    """Return accuracy with its interval per (model, task, tier), and the geometric mean per model."""
    rows = []
    for (model, task, tier), cell in completions.groupby(["model", "base_task", "tier"], observed=True):
        counted = cell[~cell["outcome"].isin(["truncated", "error"])]
        correct = int((counted["outcome"] == "correct").sum())
        lower, upper = proportion_confint(correct, len(counted), method="wilson")
        rows.append((model, task, tier, len(counted), correct / len(counted), lower, upper,
                     cell["completion_tokens"].mean()))  # fmt: skip
    names = ["model", "task", "tier", "n", "accuracy", "lower", "upper", "tokens"]
    cells = pd.DataFrame(rows, columns=names)
    cells["log"] = np.log(cells["accuracy"].clip(0.01))
    return np.exp(cells.groupby("model", observed=True)["log"].mean()).sort_values(ascending=False).to_frame()


def measure(database: Path) -> dict[str, float]:
    """Return seconds and peak memory in MB of loading a database's completions and ranking its models."""
    start = time.perf_counter()
    with duckdb.connect(str(database), read_only=True) as connection:
        completions = connection.execute("""
            SELECT p.model, p.base_task, p.params, c.outcome, c.completion_tokens
            FROM completions c JOIN points p USING (point_id)""").df()
    # What a careful analyst would do: labels as categories, and the params parsed once per value.
    for name in ("model", "base_task", "outcome"):
        completions[name] = completions[name].astype("category")
    tiers = {params: json.loads(params)["difficulty"] for params in completions["params"].unique()}
    completions["tier"] = completions["params"].map(tiers).astype("category")
    loaded = time.perf_counter() - start
    leaderboard(completions)
    return {
        "load": loaded,
        "total": time.perf_counter() - start,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
