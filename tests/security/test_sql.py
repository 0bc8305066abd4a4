"""SQL in names and values stays text, and a database file of somebody else reads nothing of this machine."""

import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.errors import DatasetError, FilterError, NothingFoundError, SourceError
from core.filters import Filters
from core.importers import import_sources
from core.store import Dataset, known_imports, open_dataset
from core.tiers import compare, completions
from core.tiers.evals import read_evals
from core.tiers.selection import count_selection
from core.tiers.split import dimensions, read_splits
from core.tiers.tasks import read_tasks
from tests.security import hostile

KEYS = ("groups", "tiers", "base_task", "surfaces", "projections")


@pytest.fixture(scope="module")
def dataset(hostile_dataset: Path) -> Dataset:
    return open_dataset(hostile_dataset)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_every_hostile_value_that_is_there_is_found_by_itself(
    dataset: Dataset, hostile_dataset: Path
) -> None:
    before = digest(hostile_dataset.with_suffix(".duckdb"))
    config = dataset.config
    tasks = config.basetasks.values()
    offered: dict[str, list[Any]] = {
        "groups": config.groups,
        "tiers": [tier.id for tier in config.tiers],
        "base_task": list(dataset.catalog.base_tasks),
        "surfaces": [s.id for task in tasks for s in task.surfaces],
        "projections": [p.id for task in tasks for p in task.projections],
    }
    found = 0
    for key, values in offered.items():
        for value in values:
            selected = count_selection(dataset, Filters.from_dict({key: [value]}))
            assert 0 < selected.completions <= 144
            found += value in (hostile.SQL, f"kind:{hostile.SQL}")
    assert found
    for name, values in dataset.catalog.params.items():
        counts = [
            count_selection(dataset, Filters.from_dict({"params": {name: [value]}})).completions
            for value in values
        ]
        assert sum(counts) == 144
    for dimension in dimensions(dataset):
        splits = read_splits(dataset, Filters(), dimension)
        assert all(count_selection(dataset, one.filters).points for one in splits)
    assert digest(hostile_dataset.with_suffix(".duckdb")) == before


@pytest.mark.parametrize(
    "text", [hostile.SQL, "' OR true --", "$threshold", "?", "%", "\\", "a\x00b", "x" * 10_000]
)
def test_a_value_that_is_not_there_is_refused_or_finds_nothing(dataset: Dataset, text: str) -> None:
    for document in [*({key: [f"{text}!"]} for key in KEYS), {"params": {f"{text}!": [1]}}]:
        with pytest.raises(FilterError):
            count_selection(dataset, Filters.from_dict(document))
    name = next(iter(dataset.catalog.params))
    with pytest.raises(FilterError):
        count_selection(dataset, Filters.from_dict({"params": {name: [f"{text}!"]}}))
    with pytest.raises(FilterError):
        read_splits(dataset, Filters(), f"{text}!")
    with pytest.raises(FilterError):
        compare.find_eval(dataset.config, f"{text}!")
    with pytest.raises(FilterError):
        completions.Wanted(ranges=((f"{text}!", (1, 2)),)).checked(dataset.catalog)
    for wanted in (
        completions.Wanted(search=f"{text}!"),
        completions.Wanted(search=f"{text}!", searched="prompts", match_case=True),
    ):
        assert completions.count_completions(dataset, Filters(), wanted) == 0
    for field in ("sort", "searched"):
        with pytest.raises(FilterError):
            completions.Wanted(**{field: text}).checked(dataset.catalog)
    with pytest.raises(FilterError):
        completions.Wanted(outcomes=(text,)).checked(dataset.catalog)
    assert read_evals(dataset, Filters(), search=f"{text}!").frame.empty
    assert read_tasks(dataset, Filters(), search=f"{text}!") == []
    assert count_selection(dataset, Filters()).completions == 144


def test_a_search_for_sql_finds_the_texts_that_have_it(dataset: Dataset) -> None:
    wanted = completions.Wanted(search=hostile.SQL, searched="responses")
    with_it = [row for row in hostile.records() if hostile.SQL in row["response"]]
    assert completions.count_completions(dataset, Filters(), wanted) == len(with_it) > 0


def test_columns_of_a_table_and_words_of_a_mapping_are_text(tmp_path: Path) -> None:
    columns = ["m'; DROP TABLE points; --", 'task"); DELETE FROM items; --', "params.x'); --", "outcome"]
    rows = [[hostile.SQL, "t'--", "1", "correct"], ["m", "t'--", "2", "x'; DROP TABLE points"]]
    import csv

    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    mapping = tmp_path / "map.json"
    mapping.write_text(json.dumps({"model": columns[0], "base_task": columns[1], "outcome": "outcome"}))
    report = import_sources([tmp_path / "a.csv"], name="d", data=tmp_path, mapping=mapping)
    assert (report.kept, list(report.skipped.values())) == (1, [1])
    opened = open_dataset(tmp_path / "d.json")
    (row,) = completions.records(opened, Filters(), completions.Wanted())
    assert (row["model"], row["base_task"], row["outcome"]) == (hostile.SQL, "t'--", "correct")
    assert row["params"] == {"x'); --": "1"} or row["params"] == {"x'); --": 1}
    with pytest.raises(SourceError):
        import_sources([tmp_path / "a.csv"], name=hostile.SQL, data=tmp_path)


def somebody_elses(path: Path, source: Path, statement: str) -> Path:
    """A points database in which somebody put something of their own, with its config."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(source.with_suffix(".duckdb").read_bytes())
    with duckdb.connect(str(path)) as connection:
        for one in statement.split(";"):
            connection.execute(one)
    config = path.with_suffix(".json")
    config.write_text(json.dumps({"db": path.name, "name": "theirs"}))
    return config


STATEMENTS = [
    "DROP TABLE meta; CREATE VIEW meta AS SELECT content::INTEGER AS schema_version"
    " FROM read_text('{secret}')",
    "ALTER TABLE param_sets RENAME TO old; CREATE VIEW param_sets AS SELECT 0 AS params_id,"
    " content AS base_task, '{{}}' AS params FROM read_text('{secret}')",
    "ALTER TABLE points RENAME TO old; CREATE VIEW points AS SELECT o.* REPLACE (r.content AS model)"
    " FROM old o, read_text('{secret}') r",
    "CREATE MACRO starts_with(a, b) AS (SELECT content FROM read_text('{secret}'))",
    "CREATE MACRO mine(a) AS TABLE SELECT * FROM read_text(a)",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_database_that_would_read_other_files_is_refused(
    hostile_dataset: Path, tmp_path: Path, statement: str
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret of this machine")
    config = somebody_elses(
        tmp_path / "data" / "theirs.duckdb", hostile_dataset, statement.format(secret=secret)
    )
    for use in (open_dataset, lambda path: known_imports(path.with_suffix(".duckdb"))):
        with pytest.raises(DatasetError) as refusal:
            use(config)
        assert "a secret" not in str(refusal.value)
        assert "views or macros" in str(refusal.value)
    with pytest.raises(DatasetError, match="views or macros"):
        records = tmp_path / "r.jsonl"
        records.write_text(json.dumps({"model": "m", "base_task": "t", "outcome": "correct"}) + "\n")
        import_sources([records], name="theirs", data=tmp_path / "data")


def test_an_open_dataset_reads_no_file_but_its_own(hostile_dataset: Path, tmp_path: Path) -> None:
    opened = open_dataset(hostile_dataset)
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    for query in (
        f"SELECT * FROM read_text('{secret}')",
        f"SELECT * FROM read_blob('{tmp_path}/*')",
        "SELECT * FROM glob('/etc/*')",
        f"SELECT * FROM '{hostile_dataset}'",
        "SELECT getenv('PATH')",
        "SELECT * FROM duckdb_secrets()" + " WHERE name = ''",
        "SET allowed_paths = ['/etc/passwd']",
        "SET allowed_directories = ['/']",
        "RESET enable_external_access",
        "PRAGMA enable_external_access",
        f"ATTACH '{tmp_path / 'new.duckdb'}'",
    ):
        try:
            assert opened.rows(query) == []
        except (duckdb.Error, DatasetError):
            continue
    assert list(tmp_path.iterdir()) == [secret]


def test_nothing_found_is_told_and_nothing_changed(dataset: Dataset) -> None:
    with pytest.raises(NothingFoundError):
        completions.read_completion(dataset, Filters(), 10**9)
    assert count_selection(dataset, Filters()).completions == 144
