"""One dataset for all tests of this folder, and a way to see its database through another config."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.store import Dataset, open_dataset
from tests.store import recount
from tests.store.staging import Row, build, write_config

ROWS = recount.random_rows(11, points_each=4)

CONFIG: dict[str, Any] = {
    "evals": [
        {"label": "One", "hf_id": "org/One-1B", "filters": {"model": "one", "template": "default"},
         "groups": ["size:small", "family:a"]},
        # Takes two identities, whose completions of an item are repeats of it.
        {"label": "One, any", "filters": {"model": "one"}, "groups": ["size:small"]},
        {"label": "Two", "filters": {"model": ["two"], "template": "default", "sampler": "default"},
         "groups": ["size:large"]},
        {"label": "Three", "filters": {"model": "three"}, "groups": ["size:large"], "hidden": True},
        {"label": "Nobody", "filters": {"model": "nobody"}, "groups": ["size:large", "family:a"]},
    ],
    "basetasks": {
        "sort": {"label": "Sorting", "category": "lists",
                 "projections": [{"id": "by-level", "label": "By level", "axis": "level",
                                  "values": [0, 1, 2, 3]}]},
        "add": {"label": "Addition",
                "surfaces": [{"id": "plane", "label": "Plane", "x_data": "level", "y_data": "deep",
                              "x_values": [0, 1], "y_values": [True, False], "filter": {"deep": True}}]},
    },
    "tiers": [
        {"id": "low", "label": "Low one", "filters": {"add": {"level": [0, 1]}, "sort": {"level": [0, 1]}}},
        {"id": "high", "label": "High one", "filters": {"add": {"level": [1, 2, 3]}, "sort": {"level": 3}}},
        {"id": "never", "label": "Never", "filters": {}},
    ],
}  # fmt: skip


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    build(folder / "mixed.duckdb", ROWS)
    return folder


@pytest.fixture(scope="session")
def rows() -> list[Row]:
    return ROWS


@pytest.fixture(scope="session")
def mixed(folder: Path) -> Iterator[Dataset]:
    """Ragged repeats, choices, every outcome, partial scores, overlapping tiers; see CONFIG."""
    dataset = open_dataset(write_config(folder, "mixed", **CONFIG))
    yield dataset
    dataset.close()


@pytest.fixture(scope="session")
def with_config(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Dataset]:
    """Open the same database through CONFIG with other entries."""

    def reopened(**entries: Any) -> Dataset:
        place = tmp_path_factory.mktemp("config")
        return open_dataset(write_config(place, "mixed", db=str(folder / "mixed.duckdb"), **CONFIG | entries))

    return reopened


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Dataset]:
    """Build a dataset of some completions; without evals in the config, one for each model."""

    def make(rows: list[Row], **config: Any) -> Dataset:
        models = dict.fromkeys(row["model"] for row in rows)
        evals = [{"label": model, "filters": {"model": model}} for model in models]
        build(tmp_path / "small.duckdb", rows, rebuild=True)
        return open_dataset(write_config(tmp_path, **{"evals": evals} | config))

    return make
