"""The Import page: from a path or an upload to a dataset, and everything that can be wrong on the way."""

import io
import json
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.ui import imports_place, imports_run
from core.ui.imports_run import Order
from core.ui.imports_source import PATH
from tests.command import ROOT, rows_of, scores
from tests.pages.conftest import said
from tests.synthetic import simple, write_records

Visit = Callable[..., AppTest]

ODD = "id,llm,benchmark,is_correct,output,difficulty\n" + "".join(
    f"{item},{model},{task},{(item + len(model)) % 2},the answer is {item},{1 + item % 3}\n"
    for model in ("phi", "qwen2")
    for task in ("gsm", "arc")
    for item in range(6)
)
"""A table none of whose columns is called as the importer wants it."""


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Visit:
    """Open the Import page on a data folder, with a path or with files to upload."""

    def open_(data: Path, path: Path | None = None, **files: bytes) -> AppTest:
        monkeypatch.setattr(sys, "argv", ["app.py", "--data", str(data)])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        app.switch_page("pages/imports.py").run()
        assert app.title[0].value == "Import"
        if path is not None:
            app.button_group(key="imports_how").set_value(PATH).run()
            app.text_input(key="imports_path").set_value(str(path)).run()
        if files:
            given = [(name.replace("__", "."), content, "") for name, content in files.items()]
            app.file_uploader[0].set_value(given).run()
        assert not app.exception
        return app

    return open_


def text(app: AppTest) -> str:
    """Everything that the page says, success included."""
    assert not app.exception
    return said(app) + "\n".join(element.value for element in app.success).replace("\\", "")


def wait_for_report(app: AppTest, data: Path) -> str:
    """Run the page again when the import has ended; return what it says."""
    for _ in range(600):
        if all(not imports_place.is_alive(run.folder) for run in imports_run.find_runs(data)):
            break
        time.sleep(0.1)
    app.run()
    return text(app)


def evals_of(config: Path) -> set[str]:
    """The labels on the leaderboard of a dataset."""
    return {row["label"] for row in rows_of(scores(config), "label")}


def place_of(app: AppTest) -> list[Path]:
    """The folders of uploads and imports."""
    data = Path(sys.argv[2])
    return sorted((data / imports_place.FOLDER).glob("*")) if data.exists() else []


class TestWithoutDataset:
    def test_the_empty_app_leads_here(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(sys, "argv", ["app.py", "--data", str(tmp_path)])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        assert "No dataset yet" in said(app)
        assert [link.proto.label for link in app.page_link] == ["Import evaluation results"]

    def test_the_page_works_in_an_empty_folder_and_without_one(self, visit: Visit, tmp_path: Path) -> None:
        for data in (tmp_path, tmp_path / "none"):
            app = visit(data)
            assert "Bring in your own results" in text(app)
            assert list(tmp_path.iterdir()) == []

    def test_a_broken_dataset_does_not_block_it(self, visit: Visit, tmp_path: Path) -> None:
        (tmp_path / "broken.json").write_text('{"db": "gone.duckdb"}')
        app = visit(tmp_path)
        assert "Bring in your own results" in text(app)
        assert "Database not found" in said(app)

    def test_an_upload_becomes_a_dataset(self, visit: Visit, tmp_path: Path) -> None:
        app = visit(tmp_path, odd__csv=ODD.encode())
        assert "1 table with columns of its own" in text(app)
        assert "24 of the first 24 records can be used" in text(app)
        assert "Plan: 1 new file" in text(app)
        assert app.text_input(key="imports_name odd.csv").value == "odd"
        app.button(key="imports_start").click().run()
        # The form is empty again, and the upload is the import's now.
        assert not app.file_uploader[0].value
        done = wait_for_report(app, tmp_path)
        assert "odd.csv: 24 records of 24 imported" in done
        assert "Which pages work with odd" in done
        assert evals_of(tmp_path / "odd.json") == {"phi", "qwen2"}
        # The upload has served; the report stays until it is closed.
        assert [path for place in place_of(app) for path in place.rglob("*.csv")] == []
        closing = next(button for button in app.button if (button.key or "").startswith("close "))
        closing.click().run()
        assert place_of(app) == []


class TestSources:
    def test_a_path_that_is_not_there(self, visit: Visit, tmp_path: Path) -> None:
        write_records(tmp_path / "results" / "mine.jsonl", simple())
        app = visit(tmp_path, tmp_path / "results" / "mime.jsonl")
        assert "Not found" in text(app)
        assert "holds mine.jsonl" in text(app)
        assert not [button for button in app.button if button.key == "imports_start"]

    def test_a_folder_of_records_and_other_things(self, visit: Visit, tmp_path: Path) -> None:
        write_records(tmp_path / "r" / "a.jsonl", simple("a"))
        write_records(tmp_path / "r" / "deep" / "b.jsonl", simple("b"))
        (tmp_path / "r" / "README").write_text("not results")
        (tmp_path / "r" / "empty.csv").write_text("")
        app = visit(tmp_path, tmp_path / "r")
        assert "2 files recognised (2 as records); 2 files left out" in text(app)
        files = app.dataframe[0].value.set_index("file")
        assert files.loc["deep/b.jsonl", "format"] == "records"
        assert files.loc["README", "note"] == "not recognised as any format"
        assert files.loc["empty.csv", "note"] == "empty file"
        assert "10 of the first 10 records can be used" in text(app)

    def test_nothing_usable(self, visit: Visit, tmp_path: Path) -> None:
        app = visit(tmp_path, notes__txt=b"hello\nthere\n")
        assert "nothing is a table" in text(app)

    def test_an_archive_keeps_its_folders(self, visit: Visit, tmp_path: Path) -> None:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as opened:
            for name in ("a", "b"):
                lines = "".join(json.dumps(record) + "\n" for record in simple(name))
                opened.writestr(f"runs/{name}/records.jsonl", lines)
        app = visit(tmp_path, all__zip=file.getvalue())
        assert "2 files recognised" in text(app)
        assert {*app.dataframe[0].value["file"]} == {f"all/runs/{n}/records.jsonl" for n in "ab"}

    def test_an_archive_that_is_refused(self, visit: Visit, tmp_path: Path) -> None:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as opened:
            opened.writestr("../../evil.csv", ODD)
        app = visit(tmp_path, bad__zip=file.getvalue())
        assert "leads out of the archive" in text(app)
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

    def test_an_upload_that_is_taken_away_is_removed(self, visit: Visit, tmp_path: Path) -> None:
        app = visit(tmp_path, odd__csv=ODD.encode())
        assert len(place_of(app)) == 1
        app.file_uploader[0].set_value([]).run()
        assert place_of(app) == []

    def test_text_of_a_file_is_never_markup(self, visit: Visit, tmp_path: Path) -> None:
        evil = "<script>alert(1)</script>"
        table = f"{evil},llm,task,score\n{evil},{evil},{evil},1\n{evil},{evil},{evil},0\n"
        app = visit(tmp_path, odd__csv=table.encode())
        for element in (*app.markdown, *app.caption, *app.warning, *app.success):
            assert not getattr(element.proto, "allow_html", False)
            assert "<script>" not in element.value


class TestMapping:
    def test_what_is_missing_is_said_and_nothing_starts(self, visit: Visit, tmp_path: Path) -> None:
        app = visit(tmp_path, odd__csv=b"who,what,points\na,x,1\nb,y,0\n")
        assert "Model: choose a column" in text(app)
        assert "Task: choose a column" in text(app)
        assert app.button(key="imports_start").disabled
        chosen = {"Model": 0, "Task": 1, "Score": 2}
        for label, column in chosen.items():
            next(box for box in app.selectbox if box.label == label).set_value(column)
        app.run()
        assert "2 of the first 2 records can be used" in text(app)
        assert not app.button(key="imports_start").disabled

    def test_one_value_stands_for_a_column_that_is_not_there(self, visit: Visit, tmp_path: Path) -> None:
        app = visit(tmp_path, odd__csv=b"id,llm,acc\n1,a,1\n1,b,0\n")
        next(box for box in app.selectbox if box.label == "Task").set_value(-1).run()
        assert app.button(key="imports_start").disabled
        next(box for box in app.text_input if box.label == "Task of all records").set_value("gsm8k").run()
        assert not app.button(key="imports_start").disabled
        assert "--set base_task=gsm8k" in app.code[-1].value

    def test_values_that_do_not_fit_are_counted(self, visit: Visit, tmp_path: Path) -> None:
        app = visit(tmp_path, odd__csv=b"llm,task,points\na,x,1\nb,x,7\nc,x,maybe\n")
        next(box for box in app.selectbox if box.label == "Score").set_value(2).run()
        assert "1 of the first 3 records can be used" in text(app)
        assert "1 score outside [0, 1]" in text(app)

    def test_one_column_is_one_field(self, visit: Visit, tmp_path: Path) -> None:
        app = visit(tmp_path, odd__csv=ODD.encode())
        next(box for box in app.selectbox if box.label == "Model").set_value(2).run()
        assert "Column benchmark is used for Model and Task" in text(app)
        assert app.button(key="imports_start").disabled

    def test_the_command_line_does_the_same(self, visit: Visit, tmp_path: Path) -> None:
        app = visit(tmp_path, odd__csv=ODD.encode())
        command = app.code[-1].value
        assert command.startswith("python -m core import odd.csv ")
        assert "--map odd.mapping.json" in command and "--format records" in command
        labels = [button.proto.label for button in app.get("download_button")]
        assert "Mapping file" in labels


class TestOrder:
    def test_names_that_cannot_be(self, visit: Visit, tmp_path: Path) -> None:
        (tmp_path / "odd.json").write_text("[1]")
        app = visit(tmp_path, odd__csv=ODD.encode())
        assert "is no dataset config" in text(app)
        app.text_input(key="imports_name odd.csv").set_value("../x").run()
        assert "A name has letters" in text(app)
        assert not [button for button in app.button if button.key == "imports_start"]

    def test_what_is_there_already_is_planned(
        self, visit: Visit, tmp_path: Path, no_repeats_dataset: Path
    ) -> None:
        app = visit(no_repeats_dataset.parent, no_repeats_dataset.parent / "source" / "records.jsonl")
        app.text_input(key=f"imports_name {no_repeats_dataset.parent}/source/records.jsonl").set_value(
            "norepeats"
        ).run()
        assert "Adds to the dataset norepeats, which has 2 evals" in text(app)
        assert "Plan: nothing new, 1 there already" in text(app)

    def test_values_for_all_records_are_tried(self, visit: Visit, tmp_path: Path) -> None:
        write_records(tmp_path / "r.jsonl", simple("a"))
        app = visit(tmp_path, tmp_path / "r.jsonl")
        app.text_input(key="imports_set model").set_value("after training").run()
        frame = next(f.value for f in app.dataframe if "base_task" in f.value)
        assert {*frame["model"]} == {"after training"}
        assert "--set 'model=after training'" in app.code[-1].value

    def test_tasks_are_matched_with_those_of_the_dataset(
        self, visit: Visit, tmp_path: Path, one_model_dataset: Path
    ) -> None:
        write_records(tmp_path / "r.jsonl", simple("new", task="addition"))
        app = visit(one_model_dataset.parent, tmp_path / "r.jsonl")
        app.text_input(key=f"imports_name {tmp_path}/r.jsonl").set_value("one").run()
        app.session_state["imports_tasks"] = True
        app.run()
        assert "The dataset has add" in text(app)
        assert "Not in the dataset yet: addition" in text(app)
        editor = app.data_editor[0]
        assert list(editor.value["task in the source"]) == ["addition"]
        rows = {0: {"task in the dataset": "add"}}
        app.session_state[editor.key] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
        app.run()
        assert "1 task renamed at import" in text(app)
        assert "--task addition=add" in app.code[-1].value
        frame = next(f.value for f in app.dataframe if "base_task" in f.value)
        assert {*frame["base_task"]} == {"add"}


class TestRuns:
    def test_a_running_import_is_found_by_another_session_and_cancelled(
        self, visit: Visit, tmp_path: Path, one_model_dataset: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = tmp_path / "data"
        data.mkdir()
        for path in (one_model_dataset, one_model_dataset.with_suffix(".duckdb")):
            (data / path.name).write_bytes(path.read_bytes())
        before = (data / "one.duckdb").read_bytes()
        # The dataset's lock is ours: the import waits for it as long as we like.
        import filelock

        with filelock.FileLock(data / "one.lock"):
            write_records(tmp_path / "r.jsonl", simple("new"))
            place = imports_place.new_place(data)
            order = Order((str(tmp_path / "r.jsonl"),), "one", "r.jsonl")
            run = imports_run.start(order, place)
            app = visit(data, tmp_path / "r.jsonl")
            assert "Importing r.jsonl into one" in text(app)
            app.text_input(key=f"imports_name {tmp_path}/r.jsonl").set_value("one").run()
            assert "An import into one is at work" in text(app)
            assert app.button(key="imports_start").disabled
            app.button(key=f"cancel {place.name}").click().run()
            done = wait_for_report(app, data)
        assert "ended early" in done and "Cancelled; the dataset is as it was" in done
        assert not imports_run.state_of(run).alive
        assert (data / "one.duckdb").read_bytes() == before

    def test_an_import_that_fails_says_why(self, visit: Visit, tmp_path: Path) -> None:
        (tmp_path / "r.jsonl").write_text('{"model": "a", "base_task": "t", "score": 7}\n')
        place = imports_place.new_place(tmp_path)
        imports_run.start(Order((str(tmp_path / "r.jsonl"),), "x", "r.jsonl"), place)
        done = wait_for_report(visit(tmp_path), tmp_path)
        assert "ended early" in done and "score outside" in done
        assert "Traceback" not in done
        assert not (tmp_path / "x.duckdb").exists()

    def test_two_imports_into_one_dataset_at_once(self, tmp_path: Path) -> None:
        runs = []
        for model in ("a", "b"):
            write_records(tmp_path / f"{model}.jsonl", simple(model))
            order = Order((str(tmp_path / f"{model}.jsonl"),), "both", model)
            runs.append(imports_run.start(order, imports_place.new_place(tmp_path)))
        while any(imports_place.is_alive(run.folder) for run in runs):
            time.sleep(0.1)
        assert [imports_run.state_of(run).error for run in runs] == [None, None]
        assert evals_of(tmp_path / "both.json") == {"a", "b"}

    def test_folders_that_nobody_looks_at_are_removed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        old, new = imports_place.new_place(tmp_path), imports_place.new_place(tmp_path)
        (old / imports_place.FILES / "x").write_text("x")
        monkeypatch.setattr(imports_place, "FORGOTTEN", -1.0)
        imports_place.sweep(tmp_path)
        assert not old.exists() and not new.exists()
        monkeypatch.undo()
        kept = imports_place.new_place(tmp_path)
        imports_place.sweep(tmp_path)
        assert kept.exists()
