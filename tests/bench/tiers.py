"""What each page computes, without the page: the tier's own functions, to compare with the bare query."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.filters import Filters
from core.store.dataset import Dataset, open_dataset
from core.tiers import (
    cluster,
    compare,
    completions,
    compression,
    evals,
    hazard,
    scores,
    spiderweb,
    surface,
    tasks,
)
from core.tiers.methods import Methods
from core.tiers.modelinfo import read_modelinfo
from core.tiers.modelinfo.metadata import read_metadata

METHODS = Methods()
ONE_TASK = "task_00"
"""Pages that show groups a few at a time read one task here, as the bare query does."""


def _hazard(dataset: Dataset, filters: Filters) -> object:
    some = replace(filters, base_task=(ONE_TASK,))
    grouping = hazard.read_groups(dataset, some, hazard.DEFAULT_SPLIT)
    size = hazard.page_bucket_size(hazard.largest_tokens(dataset, some))
    return hazard.read_page(dataset, some, METHODS, grouping, grouping.groups[:4], bucket_size=size)


def _compression(dataset: Dataset, filters: Filters) -> object:
    some = replace(filters, base_task=(ONE_TASK,))
    length = compression.read_length(dataset, some, "tokens")
    return compression.panels_of(dataset, some, compression.Options(), length)


READS: dict[str, Callable[[Dataset, Filters], object]] = {
    "scores": lambda dataset, filters: scores.read_scores(dataset, filters, METHODS),
    "cluster": lambda dataset, filters: cluster.read_clusters(dataset, filters, METHODS, tokens=False),
    "spiderweb": lambda dataset, filters: spiderweb.read_spiders(dataset, filters, METHODS),
    "modelinfo": lambda dataset, filters: read_modelinfo(
        dataset, filters, METHODS, read_metadata(dataset.config_path.parent)
    ),
    "evals": lambda dataset, filters: evals.read_evals(dataset, filters),
    "tasks": lambda dataset, filters: tasks.read_tasks(dataset, filters),
    "surface": lambda dataset, filters: surface.read_surfaces(dataset, filters, METHODS),
    "hazard": _hazard,
    "compression": _compression,
    "compare": lambda dataset, filters: compare.read_comparison(dataset, filters, 0, 1),
    "completions": lambda dataset, filters: completions.read_page(dataset, filters, completions.Wanted(), 1),
}
"""By the name of the page's script, as in tests.bench.bare."""


def measure(config: Path) -> dict[str, float]:
    """Return the seconds of each tier, the best of three."""
    dataset = open_dataset(config)
    filters = Filters().resolved(dataset.catalog)
    return {page: min(_timed(read, dataset, filters) for _ in range(3)) for page, read in READS.items()}


def _timed(read: Callable[[Dataset, Filters], object], dataset: Dataset, filters: Filters) -> float:
    start = time.perf_counter()
    read(dataset, filters)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
