"""A PNG of the leaderboard, of 75 evals and of few; prints JSON."""

import json
import sys
import time
from pathlib import Path

from core import charts
from core.filters import Filters
from core.store.dataset import open_dataset
from core.tiers import scores
from core.tiers.methods import Methods


def measure(config: Path, few: int | None = None) -> float:
    """Return the seconds that an image takes, its board there already; the best of three."""
    filters = Filters() if few is None else Filters(eval_id=tuple(range(few)))
    board = scores.read_scores(open_dataset(config), filters, Methods())
    return min(_timed(board) for _ in range(3))


def _timed(board: scores.Leaderboard) -> float:
    start = time.perf_counter()
    charts.to_png(scores.interval_chart(board))
    return time.perf_counter() - start


if __name__ == "__main__":
    print(json.dumps({"evals_75": measure(Path(sys.argv[1])), "evals_8": measure(Path(sys.argv[1]), 8)}))
