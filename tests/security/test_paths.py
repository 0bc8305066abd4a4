"""No name or entry leads out of the folder that it belongs to."""

import io
import json
import os
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from core.config import load_config
from core.errors import ConfigError, DatasetError, SourceError
from core.hub.names import HubId, HubNameError
from core.importers import import_sources
from core.store import fingerprint, open_dataset
from core.uploads import LIMITS, safe_name, store_upload
from tests import synthetic
from tests.command import ask
from tests.security.conftest import Show

LEADING_OUT = [
    "../evil", "a/../../evil", "/etc/passwd", "//etc/passwd", "~/evil", "..\\evil", "C:\\evil", "C:evil",
    "\\\\host\\share\\evil", "a\x00b", "\x00", "x" * 5000, "./../evil", "..", ".", "a/b", "file:///etc/passwd",
    "http://evil.invalid/x", "data:text/plain,x", "a\nb", "\u2025/evil", "%2e%2e/evil",
]  # fmt: skip
"""Names that lead, or would like to lead, somewhere else."""


def short(name: str) -> str:
    return repr(name) if len(name) < 40 else f"{name[:8]!r} {len(name)}"


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize("name", LEADING_OUT, ids=short)
def test_a_dataset_is_never_made_elsewhere(tmp_path: Path, name: str) -> None:
    source = synthetic.write_records(tmp_path / "in" / "r.jsonl", synthetic.simple("m", 2))
    before = files_below(tmp_path)
    with pytest.raises(SourceError, match="Not a dataset name"):
        import_sources([source], name=name, data=tmp_path / "deep" / "data")
    assert files_below(tmp_path) == before


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder above the data folder of a dataset, and beside it a database that is not for the app."""
    folder = tmp_path_factory.mktemp("one")
    source = synthetic.write_records(folder / "in" / "r.jsonl", synthetic.simple("m", 4))
    import_sources([source], name="mine", data=folder / "data")
    import_sources([source], name="evil", data=folder)
    os.symlink(folder, folder / "data" / "up")
    os.symlink(folder / "evil.duckdb", folder / "data" / "linked.duckdb")
    return folder


OTHER_DATABASES = [
    *LEADING_OUT,
    "../evil.duckdb",
    "up/evil.duckdb",
    "linked.duckdb",
    "data/../../evil.duckdb",
    "mine",
]


@pytest.mark.parametrize("db", OTHER_DATABASES, ids=short)
def test_a_config_opens_no_database_outside_the_data_folder(one: Path, db: str) -> None:
    config = one / "data" / "other.json"
    config.write_text(json.dumps({"db": db, "name": "other"}))
    with pytest.raises((DatasetError, ConfigError)):
        open_dataset(config, one / "data")
    with suppress(DatasetError):
        # What is there and within is known by its state; that it is no database shows when it is opened.
        assert all(
            str(one / "data") in part for part in fingerprint(config, one / "data") if isinstance(part, str)
        )
    # The command line takes any path there is; what is none is refused as well.
    if db in LEADING_OUT:
        with pytest.raises((DatasetError, ConfigError)):
            open_dataset(config)


@pytest.mark.parametrize("name", ["../evil", "../../../etc/passwd", "up/evil", "/etc/passwd"])
def test_an_address_opens_no_dataset_outside_the_data_folder(one: Path, show: Show, name: str) -> None:
    (one / "data" / "other.json").unlink(missing_ok=True)
    app = show(one / "data", "evals", dataset=name)
    assert not app.exception and not app.error
    assert app.selectbox(key="dataset").options == ["mine"]
    assert any("names a dataset that is not here" in warning.value for warning in app.warning)


@pytest.mark.parametrize("text", [name for name in LEADING_OUT if name != "a/b"], ids=short)
def test_an_hf_id_is_a_name_of_the_hub_or_none(text: str) -> None:
    with pytest.raises(HubNameError):
        HubId.parse(text)


DEVICES = ["CON", "con.csv", "NUL", "aux.json", "COM1", "lpt9.txt"]
ODD_MEMBERS = [
    *LEADING_OUT, *DEVICES, "~root/x", "$HOME/x", "．．/x", "a/..b/c", "...", " ", "a/ /b", ".../x", "-rf",
    ".ssh/authorized_keys", "a:stream", "a/b:c", "CON/x", "\u202egpj.exe", "x" * 256, "/".join("a" * 30),
]  # fmt: skip


@pytest.mark.parametrize("member", ODD_MEMBERS, ids=short)
def test_a_member_of_an_archive_stays_in_its_folder_or_is_refused(tmp_path: Path, member: str) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        entry = zipfile.ZipInfo("placeholder")
        entry.filename = entry.orig_filename = member
        archive.writestr(entry, b"model,score\n")
    content.seek(0)
    folder = tmp_path / "deep" / "folder"
    folder.mkdir(parents=True)
    try:
        stored = store_upload(content, "a.zip", folder, LIMITS)
    except SourceError:
        assert files_below(tmp_path) == {"deep", "deep/folder"}
        return
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(found) == 1
    assert found[0].resolve().is_relative_to(stored.resolve())
    assert stored.parent == folder


@pytest.mark.parametrize("name", [*LEADING_OUT, *DEVICES, "a.zip/../../b"], ids=short)
def test_an_upload_is_one_file_of_its_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "deep" / "folder"
    folder.mkdir(parents=True)
    stored = store_upload(io.BytesIO(b"text"), name, folder, LIMITS)
    assert stored.parent == folder and stored.name == safe_name(name)
    assert files_below(tmp_path) == {"deep", "deep/folder", f"deep/folder/{stored.name}"}


def test_files_of_a_hostile_dataset_lie_where_they_were_asked_for(
    hostile_dataset: Path, tmp_path: Path
) -> None:
    here = tmp_path / "deep" / "out"
    for command in (
        ("surface", "--format", "csv"),
        ("hazard", "--split", "base_task,model", "--format", "json"),
        ("cluster", "--split", "model", "--format", "json"),
        ("spiderweb", "--format", "json"),
    ):
        done = ask(command[0], hostile_dataset, *command[1:], "--output-dir", here, cwd=tmp_path)
        assert done.status == 0, done.said
    found = list(tmp_path.rglob("*"))
    assert {path.parent for path in found if path.is_file()} == {here}
    assert len(found) > 20
    assert all(path.name.isascii() and len(path.name) <= 210 for path in found)


def test_a_data_folder_may_be_called_anything(tmp_path: Path) -> None:
    folder = tmp_path / "o'k; DROP TABLE points -- <b> ünï *[a]"
    source = synthetic.write_records(tmp_path / "r.jsonl", synthetic.simple("m", 2))
    import_sources([source], name="mine", data=folder)
    assert load_config(folder / "mine.json").name == "mine"
    assert open_dataset(folder / "mine.json", folder).rows("SELECT count(*) AS n FROM data.completions") == [
        {"n": 2}
    ]
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, "r.jsonl"}
