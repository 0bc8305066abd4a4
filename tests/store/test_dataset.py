"""Opening a dataset: what is refused, what cannot be done with it, and what happens when files change."""

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from core.errors import ConfigError, DatasetError
from core.store import SCHEMA_VERSION, Dataset, fingerprint, open_dataset
from tests.store.staging import build, completion, imports_of, write_config

ROWS = [
    completion(model=model, base_task=task, params={"a": a, "flag": flag}, item_key=f"{item}")
    for model in ("m", "o'k")
    for task, a, flag in (("sort", 10, True), ("sort", 2, False), ("add", 2.5, "x"))
    for item in range(2)
]
COUNT = "SELECT count(*) AS n FROM data.completions"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset")
    build(folder / "small.duckdb", ROWS)
    write_config(folder, basetasks={"unused": {"label": "U"}, "sort": {"label": "S"}})
    return folder


@pytest.fixture
def dataset(folder: Path) -> Dataset:
    return open_dataset(folder / "small.json")


def test_what_an_open_dataset_knows(dataset: Dataset, folder: Path) -> None:
    assert dataset.config.name == "small"
    assert (dataset.config_path, dataset.db_path) == (folder / "small.json", folder / "small.duckdb")
    assert dataset.rows(COUNT) == [{"n": 12}]
    # Tasks in the order of the config, then those that it does not name.
    assert dataset.catalog.base_tasks == ("sort", "add")
    assert dataset.catalog.params == {"a": (2, 2.5, 10), "flag": ("false", "true", "x")}
    assert [type(value) for value in dataset.catalog.params["a"]] == [int, float, int]


def test_params_that_no_point_has_any_more_are_not_offered(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(path, [completion(params={"a": 1})], [completion(params={"a": 2, "b": 1})])
    changed = [completion(params={"a": 3})]
    build(path, changed, imports=imports_of([changed], key="changed-", first=1))
    assert open_dataset(write_config(tmp_path)).catalog.params == {"a": (1, 3)}


def test_values_are_parameters(dataset: Dataset) -> None:
    query = "SELECT DISTINCT model FROM data.points WHERE model = $model"
    assert dataset.rows(query, model="o'k") == [{"model": "o'k"}]
    assert dataset.rows(query, model="' OR true --") == []


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM data.completions",
        "UPDATE data.points SET correct = 0",
        "CREATE TABLE data.mine (x INTEGER)",
        "DROP TABLE data.points",
        "COPY data.points TO '{folder}/out.csv'",
        "COPY eval_points FROM '{folder}/in.csv'",
        "SELECT * FROM read_csv('{folder}/in.csv')",
        "SELECT * FROM '{folder}/in.csv'",
        "SELECT * FROM read_text('{folder}/in.csv')",
        "SELECT * FROM glob('{folder}/*')",
        "ATTACH '{folder}/other.duckdb' AS other",
        "EXPORT DATABASE '{folder}/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET memory_limit = '9GB'",
    ],
)
def test_nothing_can_be_written_read_elsewhere_or_unlocked(
    dataset: Dataset, folder: Path, statement: str
) -> None:
    (folder / "in.csv").write_text("1,1\n")
    names = set(os.listdir(folder))
    with pytest.raises(duckdb.Error):
        dataset.sql(statement.format(folder=folder))
    assert set(os.listdir(folder)) == names
    assert dataset.rows(COUNT) == [{"n": 12}]


def test_threads_query_at_the_same_time(dataset: Dataset) -> None:
    def count(number: int) -> tuple[int, int]:
        table = dataset.sql(
            "SELECT count(*) AS n, $number::INTEGER AS number FROM data.completions c"
            " JOIN range(2000) ON c.item_id >= 0 WHERE c.point_id % 3 = $rest",
            number=number,
            rest=number % 3,
        )
        row = table.to_pylist()[0]
        return row["number"], row["n"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(count, range(60))) == [(number, 8_000) for number in range(60)]


def test_after_closing_nothing_can_be_read(folder: Path) -> None:
    dataset = open_dataset(folder / "small.json")
    dataset.close()
    with pytest.raises(duckdb.Error):
        dataset.sql(COUNT)


def test_an_open_dataset_goes_on_with_the_old_file_when_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(path, [completion()])
    config = write_config(tmp_path)
    before = open_dataset(config)
    assert before.fingerprint == fingerprint(config)
    second = [completion(item_key=f"{number}") for number in range(1, 500)]
    build(path, second, imports=imports_of([second], first=1))
    assert fingerprint(config) != before.fingerprint
    assert before.rows(COUNT) == [{"n": 1}]
    after = open_dataset(config)
    assert after.rows(COUNT) == [{"n": 500}]
    assert before.rows(COUNT) == [{"n": 1}]
    before.close()
    assert after.rows(COUNT) == [{"n": 500}]


def test_the_fingerprint_is_of_database_and_config(tmp_path: Path) -> None:
    build(tmp_path / "small.duckdb", [completion()])
    config = write_config(tmp_path)
    marks = [fingerprint(config), fingerprint(config)]
    assert marks[0] == marks[1]
    write_config(tmp_path, note="an edit")
    marks.append(fingerprint(config))
    os.utime(config, ns=(1, 1))
    marks.append(fingerprint(config))
    os.utime(tmp_path / "small.duckdb", ns=(1, 1))
    marks.append(fingerprint(config))
    assert len(set(marks)) == 4


def test_a_missing_database_says_so_in_reasonscapes_words(tmp_path: Path) -> None:
    config = write_config(tmp_path, db="gone.duckdb")
    for ask in (open_dataset, fingerprint):
        with pytest.raises(DatasetError) as error:
            ask(config)
        assert str(error.value) == f"Database not found: {tmp_path / 'gone.duckdb'}"
    with pytest.raises(ConfigError, match="Config not found"):
        open_dataset(tmp_path / "gone.json")


def test_what_is_no_points_database(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    config = write_config(tmp_path)

    def refusal() -> str:
        with pytest.raises(DatasetError) as error:
            open_dataset(config)
        message = str(error.value)
        assert "\n" not in message
        return message

    rebuild = f"rebuild it with: python -m core import SOURCE... --name small --data {tmp_path} --rebuild"
    for content in (b"", b"text " * 1_000, b"\x00" * 10_000, os.urandom(5_000)):
        path.write_bytes(content)
        assert refusal().startswith(f"Not a points database: {path} (")
        assert refusal().endswith(f"; {rebuild}")
        assert path.read_bytes() == content
    path.unlink()
    sqlite3.connect(path).execute("CREATE TABLE meta (schema_version INTEGER)").connection.close()
    assert refusal().startswith(f"Not a points database: {path} (")
    path.unlink()
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mine (x INTEGER)")
    assert refusal() == f"Not a points database: {path} (it has no schema version); {rebuild}"
    path.unlink()
    path.mkdir()
    assert refusal() == f"Database not found: {path}"


@pytest.mark.parametrize("version", [SCHEMA_VERSION - 1, SCHEMA_VERSION + 1, None])
def test_another_schema_version_names_both_and_how_to_rebuild(tmp_path: Path, version: int | None) -> None:
    path = tmp_path / "small.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE meta (schema_version INTEGER, written_by VARCHAR)")
        if version is not None:
            connection.execute("INSERT INTO meta VALUES (?, 'another')", [version])
    with pytest.raises(DatasetError) as error:
        open_dataset(write_config(tmp_path))
    assert str(error.value) == (
        f"{path} has schema version {'none' if version is None else version}, this program reads version"
        f" {SCHEMA_VERSION}; rebuild it with: python -m core import SOURCE... --name small"
        f" --data {tmp_path} --rebuild"
    )


def test_a_cut_off_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(path, ROWS)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(DatasetError, match=f"{path}"):
        open_dataset(write_config(tmp_path))


def test_only_databases_in_the_data_folder_with_a_root(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    outside = write_config(data, "outside", db=str(folder / "small.duckdb"))
    upward = write_config(data, "upward", db=f"../{os.path.relpath(folder, tmp_path)}/small.duckdb")
    (data / "link.duckdb").symlink_to(folder / "small.duckdb")
    link = write_config(data, "link")
    for config in (outside, upward, link):
        with pytest.raises(DatasetError, match="lies outside the data folder") as error:
            open_dataset(config, root=data)
        assert config.name in str(error.value)
        with pytest.raises(DatasetError, match="lies outside the data folder"):
            fingerprint(config, root=data)
        # The command line opens whatever path it is given.
        assert open_dataset(config).rows(COUNT) == [{"n": 12}]
    assert open_dataset(folder / "small.json", root=folder).rows(COUNT) == [{"n": 12}]
    assert open_dataset(folder / "small.json", root=folder.parent).rows(COUNT) == [{"n": 12}]


def test_a_database_of_another_folder_is_found_from_the_config(folder: Path, tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "there.duckdb").write_bytes((folder / "small.duckdb").read_bytes())
    config = write_config(deep, "mine", db="../../there.duckdb")
    assert open_dataset(config).db_path == tmp_path / "there.duckdb"
