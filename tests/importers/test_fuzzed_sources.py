"""Broken versions of every format: no traceback, no hang; what is good is imported, or nothing is changed."""

import importlib.util
import json
import random
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.errors import ReasonScapeError
from core.importers import import_sources
from core.importers.archive import BOMB, CUT, OVERLAP, read_directory
from core.importers.inspection import inspect_sources
from core.importers.reader import Options
from tests import synthetic
from tests.importers import helm_made, lighteval_made, mutations
from tests.importers.staged import json_lines

VERSIONS = 12
"""Broken versions of each format; each is of one of the mutations, at a place that its number gives."""

SECONDS = 20.0


def records(folder: Path) -> None:
    (folder / "a.jsonl").write_bytes(json_lines(*synthetic.simple("m", 30)))


def table(folder: Path) -> None:
    rows = [{**one, "params": json.dumps(one["params"])} for one in synthetic.simple("m", 30)]
    pd.DataFrame(rows).to_csv(folder / "a.csv", index=False)


def columns(folder: Path) -> None:
    rows = [{key: one[key] for key in ("model", "base_task", "outcome")} for one in synthetic.simple("m", 30)]
    pd.DataFrame(rows).to_parquet(folder / "a.parquet")


def lighteval(folder: Path) -> None:
    lighteval_made.write(folder, {"toy|2": lighteval_made.generated(), "letters|0": lighteval_made.chosen()})


def helm(folder: Path) -> None:
    helm_made.write(folder)


def lm_eval(folder: Path) -> None:
    from tests.importers import lm_eval_runs

    lm_eval_runs.run(folder / "out")
    shutil.rmtree(folder / "tasks")


def inspect_eval(folder: Path) -> None:
    from tests.importers import inspect_runs

    inspect_runs.run(inspect_runs.short(), folder)


def inspect_json(folder: Path) -> None:
    from tests.importers import inspect_runs

    inspect_runs.run(inspect_runs.short(), folder, log_format="json")


MAKERS: dict[str, tuple[Callable[[Path], None], str]] = {
    "records": (records, ""),
    "csv": (table, ""),
    "parquet": (columns, ""),
    "lighteval": (lighteval, ""),
    "helm": (helm, ""),
    "lm_eval": (lm_eval, "lm_eval"),
    "inspect .eval": (inspect_eval, "inspect_ai"),
    "inspect .json": (inspect_json, "inspect_ai"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Sources as their tools write them, made when first asked for."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        make, package = MAKERS[name]
        if package and importlib.util.find_spec(package) is None:
            pytest.skip(f"the package {package} is not installed")
        if name not in made:
            made[name] = tmp_path_factory.mktemp("whole")
            make(made[name])
        return made[name]

    return of


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process whatever the size, so that a fault is this test's."""
    monkeypatch.setattr("core.importers.workers.SMALL", 10**12)


@pytest.mark.parametrize("name", MAKERS)
def test_broken_versions_cost_only_themselves(
    whole: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    source = whole(name)
    before = inspect_sources([source], Options())
    kept = []
    for number in range(VERSIONS):
        chance = random.Random(f"{name} {number}")
        folder = Path(shutil.copytree(source, tmp_path / str(number)))
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        ways = (*mutations.BYTES, *mutations.JSON)
        mutations.mutate(chance.choice(files), ways[number % len(ways)], chance)
        began = time.monotonic()
        try:
            found = inspect_sources([folder], Options())
        except ReasonScapeError:
            kept.append(0)
        else:
            assert found.read == found.kept + sum(found.skipped.values())
            kept.append(found.kept)
        assert time.monotonic() - began < SECONDS
    # A piece that is there twice may hold every record again.
    assert max(kept) <= 2 * before.kept
    # A Parquet file that is hurt anywhere has lost its directory or the column's data.
    assert max(kept) > 0 or name == "parquet"


@pytest.mark.parametrize("name", MAKERS)
def test_an_import_beside_a_good_source(whole: Callable[[str], Path], tmp_path: Path, name: str) -> None:
    """A broken source never costs the good one its records, nor the database what it had."""
    folder = Path(shutil.copytree(whole(name), tmp_path / "sources" / "broken"))
    for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file())):
        mutations.mutate(path, mutations.BYTES[number % 2], random.Random(name))
    (tmp_path / "sources" / "good.jsonl").write_bytes(json_lines(*synthetic.simple("good", 10)))
    report = import_sources([tmp_path / "sources"], name="d", data=tmp_path / "data")
    assert report.kept >= 10
    assert report.read == report.kept + sum(report.skipped.values())


def log(folder: Path, name: str, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / name
    path.write_bytes(mutations.packed({"header.json": b'{"eval": {}}'} | members, method))
    return path


def test_bombs(tmp_path: Path) -> None:
    began = time.monotonic()
    zeros = log(tmp_path, "zeros.eval", {"samples/1_epoch_1.json": bytes(300 * 1024 * 1024)})
    assert zeros.stat().st_size < 1024 * 1024
    assert read_directory(zeros).fault == BOMB
    # A member that says it is small, and is not.
    data = bytearray(zeros.read_bytes())
    size = (300 * 1024 * 1024).to_bytes(4, "little")
    while (place := data.find(size)) >= 0:
        data[place : place + 4] = (1000).to_bytes(4, "little")
    liar = tmp_path / "liar.eval"
    liar.write_bytes(data)
    # The members of this one share their bytes.
    once = log(tmp_path, "once.eval", {"samples/1_epoch_1.json": b"x" * 5000})
    directory = bytearray(once.read_bytes())
    second = directory.rfind(b"PK\x01\x02")
    directory[second + 42 : second + 46] = bytes(4)
    overlap = tmp_path / "overlap.eval"
    overlap.write_bytes(directory)
    assert read_directory(overlap).fault == OVERLAP
    (tmp_path / "frame.jsonl.zst").write_bytes(mutations.zeros(64 * 1024 * 1024))
    with pytest.raises(ReasonScapeError) as error:
        import_sources([tmp_path], name="d", data=tmp_path / "data")
    assert "Traceback" not in str(error.value)
    assert time.monotonic() - began < SECONDS
    assert not (tmp_path / "data").exists()


def test_names_of_members_lead_nowhere(tmp_path: Path) -> None:
    """Nothing of an archive is written to disk, whatever its members are called."""
    log(tmp_path, "a.eval", {"../../evil.json": b"{}", "samples/../../evil_epoch_1.json": b"{}"})
    with pytest.raises(ReasonScapeError):
        import_sources([tmp_path], name="d", data=tmp_path / "data")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.eval"]


def test_an_archive_cut_short_gives_its_whole_members(whole: Callable[[str], Path], tmp_path: Path) -> None:
    (path,) = whole("inspect .eval").iterdir()
    data = path.read_bytes()
    members = read_directory(path).members
    (tmp_path / "cut.eval").write_bytes(data[: members[4].offset + 40])
    archive = read_directory(tmp_path / "cut.eval")
    assert (archive.fault, archive.members) == (CUT, members[:4])
    found = inspect_sources([tmp_path / "cut.eval"], Options())
    assert found.kept == sum(member.name.startswith("samples/") for member in members[:4]) > 0


def wrong(document: Any) -> bytes:
    return mutations.as_json(document)


@pytest.mark.parametrize(
    "header",
    [
        {"eval": []}, {"eval": {"model": 1}}, {"eval": None, "status": 7}, [], "text",
        {"eval": {"created": "never", "task": "t", "dataset": {}, "model": "m", "config": {}}},
    ],
)  # fmt: skip
def test_headers_that_are_none(tmp_path: Path, header: Any) -> None:
    pytest.importorskip("inspect_ai", reason="the optional package inspect-ai is not installed")
    log(tmp_path, "a.eval", {"header.json": wrong(header), "samples/1_epoch_1.json": b"{}"})
    with pytest.raises(ReasonScapeError, match=r"header|not a sample|not scored|no records"):
        import_sources([tmp_path], name="d", data=tmp_path / "data")
