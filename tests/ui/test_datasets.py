"""Which files of a data folder are datasets."""

from pathlib import Path

import pytest

from core.errors import DatasetError
from core.ui.datasets import data_folder, find_configs


def test_configs_are_json_files_with_a_database(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text('{"db": "good.duckdb"}')
    (tmp_path / "other.json").write_text('{"results": []}')
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "notes.txt").write_text('{"db": "x"}')
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "inner.json").write_text('{"db": "x"}')
    assert find_configs(tmp_path) == {"good": tmp_path / "good.json"}


def test_a_broken_config_beside_its_database_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "stray.json").write_text("{")
    (tmp_path / "broken.duckdb").write_bytes(b"")
    assert list(find_configs(tmp_path)) == ["broken"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text('{"db": "x"}')
    data = tmp_path / "data"
    data.mkdir()
    (data / "link.json").symlink_to(outside)
    assert find_configs(data) == {}


def test_missing_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="Data folder not found"):
        find_configs(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("arguments", "folder"), [([], "data"), (["--data", "x/y"], "x/y"), (["-q", "--data=z", "test.py"], "z")]
)
def test_data_folder_from_the_command_line(arguments: list[str], folder: str) -> None:
    assert data_folder(arguments) == Path(folder)
