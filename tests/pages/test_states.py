"""What a page says where something is missing, broken, impossible or asked for in vain."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import PAGES, Open, said
from tests.synthetic import simple


@pytest.fixture
def copied(tmp_path: Path, repeats_dataset: Path) -> Path:
    """The folder of a dataset that a test may break."""
    for path in (repeats_dataset, repeats_dataset.with_suffix(".duckdb")):
        shutil.copy(path, tmp_path)
    return tmp_path


def refused(app: AppTest) -> str:
    """The one error of a page that shows nothing else."""
    assert not app.exception
    assert not app.dataframe
    assert len(app.error) == 1
    return str(app.error[0].value).replace("\\", "")


def test_empty_folder_says_what_to_type(open_app: Open, tmp_path: Path) -> None:
    app = open_app(tmp_path)
    assert not app.exception
    assert f"--data {tmp_path}" in said(app)


def test_missing_folder(open_app: Open, tmp_path: Path) -> None:
    assert "Data folder not found" in refused(open_app(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("text", "message"), [("{", "not valid JSON"), ('{"db": "repeats.duckdb", "evals": 3}', "evals")]
)
def test_broken_config(open_app: Open, copied: Path, text: str, message: str) -> None:
    (copied / "repeats.json").write_text(text)
    assert message in refused(open_app(copied))


def test_missing_database(open_app: Open, copied: Path) -> None:
    (copied / "repeats.duckdb").unlink()
    assert "Database not found" in refused(open_app(copied))


def test_file_that_is_no_database(open_app: Open, copied: Path) -> None:
    (copied / "repeats.duckdb").write_text("not a database")
    assert "repeats.duckdb" in refused(open_app(copied))


def test_database_of_another_version(open_app: Open, copied: Path) -> None:
    with duckdb.connect(copied / "repeats.duckdb") as connection:
        connection.execute("UPDATE meta SET schema_version = 99")
    assert "--rebuild" in refused(open_app(copied))


def test_database_elsewhere(open_app: Open, copied: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "x.duckdb"
    shutil.move(copied / "repeats.duckdb", other)
    config = json.loads((copied / "repeats.json").read_text()) | {"db": str(other)}
    (copied / "repeats.json").write_text(json.dumps(config))
    assert "outside the data folder" in refused(open_app(copied))


def test_broken_dataset_leaves_the_others_usable(open_app: Open, copied: Path) -> None:
    (copied / "broken.json").write_text('{"db": "gone.duckdb"}')
    app = open_app(copied)
    assert "Database not found" in refused(app)
    app.selectbox(key="dataset").set_value("repeats").run()
    assert not app.error
    assert app.dataframe


def test_address_that_asks_in_vain_is_told_so(open_app: Open, repeats_dataset: Path) -> None:
    app = open_app(repeats_dataset.parent, dataset="gone", eval=["Alpha", "Omega"])
    assert not app.exception
    assert app.multiselect(key="eval").value == [0]
    warnings = " ".join(warning.value for warning in app.warning).replace("\\", "")
    assert "gone" in warnings
    assert "eval Omega" in warnings
    app.button(key="clear_filters").click().run()
    assert "Omega" not in said(app)


def test_filters_come_from_the_address(open_app: Open, repeats_dataset: Path) -> None:
    app = open_app(
        repeats_dataset.parent,
        eval=["Beta", "Alpha"],
        tier="Easy one",
        any_groups="family:a | family:b",
        **{"param.length": ["1", "3"]},
    )
    assert not app.exception
    assert app.multiselect(key="eval").value == [1, 0]
    assert app.multiselect(key="param.length").value == [1, 3]
    assert "length is 1 or 3" in said(app)
    assert "2 evals" in said(app)


def test_impossible_filters_name_the_one_to_lift(open_app: Open, repeats_dataset: Path) -> None:
    app = open_app(repeats_dataset.parent, eval="Alpha", group=["size:large"], tier="Easy one")
    assert not app.exception
    assert "Nothing matches these filters" in said(app)
    assert {button.key for button in app.button} == {
        "clear_filters",
        "clear from empty",
        "lift eval_id",
        "lift groups",
    }
    app.button(key="lift groups").click().run()
    assert app.dataframe
    assert app.multiselect(key="group").value == []
    assert app.multiselect(key="eval").value == [0]


def test_unreadable_groups_are_refused(open_app: Open, repeats_dataset: Path) -> None:
    app = open_app(repeats_dataset.parent)
    app.text_input(key="any_groups").set_value("family:a | nonsense").run()
    assert "nonsense" in refused(app)
    app.button(key="clear_filters").click().run()
    assert not app.error


def test_search_that_finds_nothing(open_app: Open, repeats_dataset: Path) -> None:
    for page, key in (("Evals", "evals_search"), ("Tasks", "tasks_search")):
        app = open_app(repeats_dataset.parent, page)
        app.text_input(key=key).set_value("no such thing").run()
        assert not app.exception
        assert "no such thing" in said(app)
        assert not app.dataframe


def test_search_finds_in_any_case(open_app: Open, repeats_dataset: Path) -> None:
    app = open_app(repeats_dataset.parent, "Evals")
    app.text_input(key="evals_search").set_value("ALPH").run()
    assert list(app.dataframe[0].value["label"]) == ["Alpha"]


def test_other_dataset_starts_without_filters(open_app: Open, copied: Path, partial_dataset: Path) -> None:
    for path in (partial_dataset, partial_dataset.with_suffix(".duckdb")):
        shutil.copy(path, copied)
    app = open_app(copied, dataset="repeats", eval="Alpha", tier="Easy one", **{"param.length": "3"})
    assert app.multiselect(key="eval").value == [0]
    app.selectbox(key="dataset").set_value("partial").run()
    assert not app.exception
    assert app.multiselect(key="eval").value == []
    assert "All evals, all tasks" in said(app)


def test_threshold_only_where_scores_are_partial(
    open_app: Open, partial_dataset: Path, no_repeats_dataset: Path
) -> None:
    app = open_app(partial_dataset.parent)
    strict = app.dataframe[0].value["plain_score"].tolist()
    app.number_input(key="threshold").set_value(0.5).run()
    assert not app.exception
    assert app.dataframe[0].value["plain_score"].tolist() != strict
    assert "Correct from a score of 0.5" in said(app)
    assert "threshold" not in {widget.key for widget in open_app(no_repeats_dataset.parent).number_input}


def test_rebuilt_database_is_shown(
    open_app: Open, tmp_path: Path, one_model_dataset: Path, no_repeats_dataset: Path
) -> None:
    def install(config: Path) -> None:
        document = json.loads(config.read_text()) | {"db": "d.duckdb"}
        shutil.copy(config.with_suffix(".duckdb"), tmp_path / "aside")
        (tmp_path / "aside").replace(tmp_path / "d.duckdb")
        (tmp_path / "d.json").write_text(json.dumps(document))

    install(one_model_dataset)
    app = open_app(tmp_path)
    assert "1 eval," in said(app)
    install(no_repeats_dataset)
    app.run()
    assert not app.exception
    assert "2 evals," in said(app)


def test_a_param_filter_stays_when_another_task_is_chosen(open_app: Open, repeats_dataset: Path) -> None:
    app = open_app(repeats_dataset.parent, **{"param.depth": "2"})
    app.multiselect(key="task").set_value(["free"]).run()
    assert not app.exception
    assert "Nothing matches these filters" in said(app)
    assert app.multiselect(key="param.depth").value == [2]
    app.button(key="lift params").click().run()
    assert app.dataframe
    assert "param.depth" not in {widget.key for widget in app.multiselect}


def test_nothing_but_errors(open_app: Open, build: Callable[..., Path]) -> None:
    config = build("failed", [record | {"outcome": "error"} for record in simple("only")])
    for page in PAGES:
        app = open_app(config.parent, page)
        assert not app.exception
        assert app.dataframe
