"""Datasets that several test files read: each built once per run by the command line, by any worker."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from altair.utils import schemapi
from filelock import FileLock

import core.charts  # noqa: F401  (switches Altair's checks off)
from tests import synthetic
from tests.command import ROOT, import_

schemapi.enable_debug_mode()

DEMO_RECORDS = ROOT / "data" / "demo" / "completions.jsonl.gz"
DEMO_CONFIG = ROOT / "data" / "demo" / "demo.json"
REASONING_GYM = ROOT.parent / "shared" / "data" / "reasoning-gym-eval"

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder that all xdist workers of this run have in common."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "datasets"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def build(shared_folder: Path) -> Build:
    """Import a source once per run; returns the path of the dataset's config."""

    def once(name: str, source: Path | list[dict[str, Any]], config: dict[str, Any] | None = None) -> Path:
        data = shared_folder / name
        path = data / f"{name}.json"
        with FileLock(shared_folder / f"{name}.lock"):
            if not (data / "built").exists():
                shutil.rmtree(data, ignore_errors=True)
                data.mkdir()
                if config is not None:
                    path.write_text(json.dumps(config), encoding="utf-8")
                if not isinstance(source, Path):
                    source = synthetic.write_records(data / "source" / "records.jsonl", source)
                done = import_(data, name, source, alone=True)
                assert done.status == 0, done.said
                (data / "built").write_text(done.said, encoding="utf-8")
        return path

    return once


@pytest.fixture(scope="session")
def demo_dataset(build: Build) -> Path:
    """The demo: real completions with difficulty grids, choices and truncation, no repeats."""
    if not DEMO_RECORDS.exists():
        pytest.skip(f"no demo records at {DEMO_RECORDS.relative_to(ROOT)}")
    config = json.loads(DEMO_CONFIG.read_text(encoding="utf-8")) if DEMO_CONFIG.exists() else None
    return build("demo", DEMO_RECORDS, config)


@pytest.fixture(scope="session")
def rg_source() -> Path:
    """The real Reasoning Gym results."""
    if not REASONING_GYM.exists():
        pytest.skip("the real results are not at ../shared/data/reasoning-gym-eval")
    return REASONING_GYM


@pytest.fixture(scope="session")
def rg_dataset(build: Build, rg_source: Path) -> Path:
    """The real results of six models over 16 tasks, with repeats and partial scores, no token counts."""
    return build("rg", rg_source)


@pytest.fixture(scope="session")
def repeats_dataset(build: Build) -> Path:
    """Ragged repeats, mixed choices, every outcome, overlapping tiers; see tests.synthetic.repeats."""
    records, config = synthetic.repeats()
    return build("repeats", records, config)


@pytest.fixture(scope="session")
def partial_dataset(build: Build) -> Path:
    """Scores between 0 and 1 and no outcomes."""
    return build("partial", synthetic.partial())


@pytest.fixture(scope="session")
def one_model_dataset(build: Build) -> Path:
    """One model, one task, no repeats."""
    return build("one", synthetic.simple("only"))


@pytest.fixture(scope="session")
def no_repeats_dataset(build: Build) -> Path:
    """Two models over the same items, one completion each."""
    return build("norepeats", synthetic.simple("m1") + synthetic.simple("m2", 8))


@pytest.fixture(scope="session")
def bare_dataset(build: Build) -> Path:
    """Records with the required fields only."""
    return build("bare", synthetic.bare())


@pytest.fixture(scope="session")
def strange_dataset(build: Build) -> Path:
    """Names with quotes, slashes, emoji, markup and spreadsheet formulas."""
    return build("strange", synthetic.strange())


@pytest.fixture(scope="session")
def empty_dataset(build: Build) -> Path:
    """A dataset whose config defines an eval that has no points at all."""
    evals = [{"label": "Nobody", "filters": {"model": "nobody"}}]
    config = {"db": "empty.duckdb", "name": "empty", "evals": evals}
    path = build("empty", synthetic.simple("somebody", 2), config)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["evals"] = evals
    with FileLock(path.with_suffix(".lock")):
        path.write_text(json.dumps(document), encoding="utf-8")
    return path
