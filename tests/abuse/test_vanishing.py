"""Databases that vanish, come back, are cut short, or are replaced under a clock that was set back."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import DatasetError
from core.store import Dataset, fingerprint, open_dataset
from core.store import dataset as dataset_module
from tests.abuse.conftest import Mount
from tests.command import ROOT, import_
from tests.store.contents import query
from tests.synthetic import simple, write_records

ITEMS = (20, 30)
"""Completions of the old and of the new version."""

Open = Callable[[Path], AppTest]


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folders of two versions of a dataset."""
    folders = []
    for items in ITEMS:
        folder = tmp_path_factory.mktemp(f"version-{items}-")
        records = simple("only", items, prompt="What is it?", response="It is what it is. " * 5)
        source = write_records(folder / "source" / "records.jsonl", records)
        assert import_(folder, "d", source).status == 0
        folders.append(folder)
    return folders[0], folders[1]


@pytest.fixture
def data(tmp_path: Path, versions: tuple[Path, Path]) -> Path:
    """A data folder with the old version."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("d.json", "d.duckdb"):
        shutil.copy(versions[0] / name, folder)
    return folder


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open the app on a data folder."""

    def open_(folder: Path) -> AppTest:
        monkeypatch.setattr(sys, "argv", ["app.py", "--data", str(folder)])
        return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()

    return open_


def shows(app: AppTest, items: int) -> bool:
    """Whether the page and its sidebar are about so many completions, and nothing is wrong."""
    assert not app.exception
    assert not app.error
    assert app.dataframe
    return f"{items} completions" in "\n".join(caption.value for caption in app.caption)


def refusal(app: AppTest) -> str:
    """The one message of a page that shows nothing else."""
    assert not app.exception
    assert not app.dataframe
    (error,) = app.error
    return str(error.value).replace("\\", "")


def replace(folder: Path, version: Path, *, at: int | None = None) -> None:
    """Move another version into place as an import does, its time of change set to a clock's."""
    aside = folder / "aside"
    shutil.copyfile(version / "d.duckdb", aside)
    if at is not None:
        os.utime(aside, ns=(at, at))
    os.replace(aside, folder / "d.duckdb")


def test_a_new_database_is_seen_whatever_its_clock_said(
    open_app: Open, data: Path, versions: tuple[Path, Path]
) -> None:
    """Of the same size, and written at the same moment, earlier, a year earlier or in the future."""
    there = (data / "d.duckdb").stat()
    assert there.st_size == (versions[1] / "d.duckdb").stat().st_size, "the size must not tell them apart"
    app = open_app(data)
    assert shows(app, ITEMS[0])
    day = 86_400 * 10**9
    for number, back in enumerate((0, 0, 10**9, 365 * day, -day, -day), 1):
        replace(data, versions[number % 2], at=there.st_mtime_ns - back)
        assert shows(app.run(), ITEMS[number % 2]), back


def test_a_database_that_goes_and_comes_back(open_app: Open, data: Path, versions: tuple[Path, Path]) -> None:
    app = open_app(data)
    assert shows(app, ITEMS[0])
    (data / "d.duckdb").rename(data / "elsewhere")
    assert f"Database not found: {data / 'd.duckdb'}" in refusal(app.run())
    (data / "elsewhere").rename(data / "d.duckdb")
    assert shows(app.run(), ITEMS[0])
    (data / "d.duckdb").unlink()
    assert "Database not found" in refusal(app.run())
    replace(data, versions[1])
    assert shows(app.run(), ITEMS[1])


def test_a_data_folder_that_goes_and_comes_back(open_app: Open, data: Path) -> None:
    app = open_app(data)
    data.rename(data.with_name("gone"))
    assert "Data folder not found" in refusal(app.run())
    data.with_name("gone").rename(data)
    assert shows(app.run(), ITEMS[0])


def test_a_disk_that_is_unmounted_and_mounted_again(
    open_app: Open, data: Path, tmp_path: Path, mount: Mount
) -> None:
    place = mount(tmp_path / "mounted", "--bind", data)
    app = open_app(place)
    assert shows(app, ITEMS[0])
    subprocess.run(["umount", "-l", place], check=True)
    app.run()
    assert not app.exception
    assert not app.dataframe
    assert "No dataset yet" in [heading.value for heading in app.subheader]
    mount(place, "--bind", data)
    assert shows(app.run(), ITEMS[0])


def test_a_database_that_is_cut_short_while_it_is_open(data: Path, open_app: Open) -> None:
    """As a copy over it does, where writing stopped halfway."""
    path = data / "d.duckdb"
    whole = path.read_bytes()
    app = open_app(data)
    opened = open_dataset(data / "d.json")
    os.truncate(path, 16_384)
    with pytest.raises(DatasetError, match=r"can no longer be read \(.*\); see that its disk is there"):
        opened.rows("SELECT * FROM data.completions JOIN data.responses USING (completion_id)")
    assert opened.broken
    opened.close()
    assert f"Not a points database: {path}" in refusal(app.run())
    path.write_bytes(whole)
    assert shows(app.run(), ITEMS[0])


def test_a_dataset_that_broke_is_opened_again(
    data: Path, open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that was away for a moment: neither the file nor its state has changed."""
    app = open_app(data)

    def lost(self: Dataset, query: str, **parameters: object) -> None:
        self.broken = True
        raise DatasetError("The database can no longer be read")

    with monkeypatch.context() as patch:
        patch.setattr(Dataset, "sql", lost)
        # What is on screen already comes from what is kept; another page must ask.
        app.switch_page("pages/tasks.py").run()
        assert "can no longer be read" in refusal(app)
    assert shows(app.run(), ITEMS[0])


def test_a_database_replaced_while_it_is_opened_keeps_its_own_fingerprint(
    data: Path, versions: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = data / "d.json"
    attach = dataset_module.attach
    left = [versions[1]]

    def slow(*words: object) -> None:
        if left:
            replace(data, left.pop())
        attach(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(dataset_module, "attach", slow)
    opened = open_dataset(config)
    assert opened.rows("SELECT count(*) AS n FROM data.completions") == [{"n": ITEMS[1]}]
    assert opened.fingerprint == fingerprint(config)
    opened.close()
    assert query(data / "d.duckdb", "SELECT count(*) FROM completions") == [(ITEMS[1],)]


def test_a_database_replaced_all_the_time_is_refused(
    data: Path, versions: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    attach = dataset_module.attach

    def slow(*words: object) -> None:
        replace(data, versions[0])
        attach(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(dataset_module, "attach", slow)
    with pytest.raises(DatasetError, match="change all the time"):
        open_dataset(data / "d.json")
