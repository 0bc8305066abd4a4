"""What the Import page finds out before it asks: columns, guesses, mappings, names, plans."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import SourceError
from core.importers.reader import Options
from core.importers.tables import Table, read_table
from core.ui.imports_columns import fits, guess_mapping, guess_params, mapping_file
from core.ui.imports_look import look, plan, try_records
from core.ui.imports_mapping import problems_of
from core.ui.imports_order import name_for, name_problem, plan_words
from core.ui.imports_run import Order
from core.ui.imports_source import checked_path
from core.ui.imports_tasks import OURS, THEIRS, renamed
from core.ui.imports_watch import report_frame
from tests.synthetic import simple, write_records


def table(**columns: list[Any]) -> Table:
    """A table of these columns."""
    rows = tuple(dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    return Table(Path("t"), tuple(columns), rows)


class TestTables:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("a.csv", "who,what,got\nx,y,1\n"),
            ("b.csv", '"who";"what";"got"\n"x, the first";"y";"1"\n'),
            ("c.tsv", "who\twhat\tgot\nx\ty\t1\n"),
            ("bom.csv", "\ufeffwho,what,got\nx,y,1\n"),
            ("d.jsonl", '{"who": "x", "what": "y"}\n{"who": "x", "got": 1}\n'),
            ("e.json", '[{"who": "x", "what": "y"},\n {"got": 1}]'),
        ],
    )
    def test_columns_of_every_kind_of_table(self, tmp_path: Path, name: str, content: str) -> None:
        (tmp_path / name).write_text(content, encoding="utf-8")
        found = read_table(tmp_path / name)
        assert found is not None and found.columns == ("who", "what", "got")
        assert found.rows[0]["who"] in ("x", "x, the first")

    def test_columns_of_parquet_and_nested_objects(self, tmp_path: Path) -> None:
        rows = [{"who": "x", "usage": {"out": 3, "deep": {"er": 1}}, "list": [1]}]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
        found = read_table(tmp_path / "t.parquet")
        assert found is not None
        assert found.columns == ("who", "usage.out", "usage.deep.er", "list")

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"one column\n1\n",
            b"\x00\xff\xfe,\x01\n",
            b"{broken",
            b"[1, 2]",
            b"PAR1 damaged PAR1",
            b"a,a\n1,2\n",
        ],
    )
    def test_what_is_no_table(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "t").write_bytes(content)
        assert read_table(tmp_path / "t") is None


class TestGuesses:
    def test_usual_names(self) -> None:
        found = guess_mapping([table(
            question_id=[1, 2], model_name=["a", "b"], dataset=["x", "x"], is_correct=["True", "False"],
            completion=["t", "u"], target=["1", "2"], output_tokens=[3, 4], stop_reason=["stop", "length"],
        )])  # fmt: skip
        assert found == {
            "model": "model_name", "base_task": "dataset", "score": "is_correct", "item_key": "question_id",
            "response": "completion", "reference": "target", "completion_tokens": "output_tokens",
            "finish_reason": "stop_reason",
        }  # fmt: skip

    def test_own_names_win_and_a_column_serves_once(self) -> None:
        found = guess_mapping([table(model=["a"], task=["x"], category=["c"], score=[1], correct=["yes"])])
        assert found == {"model": "model", "base_task": "task", "score": "score", "category": "category"}

    def test_a_category_alone_is_the_task(self) -> None:
        assert guess_mapping([table(llm=["a"], category=["c"], acc=[1])])["base_task"] == "category"

    def test_values_must_fit(self) -> None:
        found = guess_mapping([table(llm=["a"], task=["x"], accuracy=[97], correct=["1"], tokens=["many"])])
        assert found == {"model": "llm", "base_task": "task", "score": "correct"}
        assert not fits("model", ["x" * 201]) and fits("repeat", [None, "2"]) and not fits("score", [None])

    def test_params_are_numbers_of_few_values(self) -> None:
        columns = table(
            llm=["a"] * 9, length=[1, 2, 3] * 3, same=[1] * 9, free=list(range(9)), word=["x", "y", "z"] * 3
        )
        assert guess_params([columns], {"model": "llm"}) == ["length"]

    def test_the_mapping_file_names_what_differs(self) -> None:
        fields = {"model": "model", "score": "acc", "outcome": None}
        assert mapping_file(fields, ["len", "a.depth"]) == {
            "score": "acc", "params.len": "len", "params.depth": "a.depth"
        }  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "fixed", "params", "words"),
    [
        ({"model": "a", "base_task": "b", "score": "c"}, {}, [], []),
        ({"score": "c", "item_key": "d"}, {"model": "m", "base_task": "t"}, [], []),
        ({"model": "a", "score": "c"}, {}, [], ["Task: choose"]),
        ({"model": "a", "base_task": "b"}, {}, ["p"], ["Score or outcome"]),
        ({"model": "a", "base_task": "a", "score": "c"}, {}, [], ["Column a is used for Model and Task"]),
        ({"score": "c"}, {"model": "m", "base_task": "t"}, [], ["One column alone"]),
    ],
)
def test_what_keeps_a_mapping_from_use(
    chosen: dict[str, str | None], fixed: dict[str, str], params: list[str], words: list[str]
) -> None:
    problems = problems_of(chosen, fixed, params)
    assert len(problems) == len(words)
    for problem, start in zip(problems, words, strict=True):
        assert problem.startswith(start)


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        ("my results.csv", "my-results"),
        ("/home/me/logs/", "logs"),
        ("run.jsonl.gz", "run"),
        ("2026-11-29.eval", "results-2026-11-29"),
        ("модель.csv", "results"),
        ("3 files", "results-3-files"),
    ],
)
def test_names_for_datasets(shown: str, name: str) -> None:
    assert name_for(shown) == name


@pytest.mark.parametrize("name", ["", "../x", "a b", "-x", "ü", "x" * 101])
def test_names_that_cannot_be(tmp_path: Path, name: str) -> None:
    assert name_problem(name, tmp_path).startswith("A name has letters")
    assert name_problem("results-2.b", tmp_path) == ""


def test_the_order_is_the_command_line() -> None:
    order = Order(
        ("/r/a.csv",), "x", "a.csv", format="records", mapping={"model": "llm"},
        overrides={"base_task": "a=b"}, tasks={"old": "new"}, scorers=("match",), filters=("strict",),
        keep_text=False,
    )  # fmt: skip
    assert order.arguments(Path("data"), Path("m.json")) == [
        *("import", "/r/a.csv", "--format", "records", "--map", "m.json", "--set", "base_task=a=b"),
        *("--task", "old=new", "--scorer", "match", "--filter", "strict"),
        *("--name", "x", "--data", "data", "--no-text"),
    ]


class TestLooking:
    def test_files_by_what_they_are(self, tmp_path: Path) -> None:
        write_records(tmp_path / "a.jsonl", simple())
        (tmp_path / "t.csv").write_text("who,what,got\nx,y,1\n")
        (tmp_path / "README.md").write_text("words")
        found = look([tmp_path])
        assert found.formats == {"records": 1}
        assert [one.path.name for one in found.tables] == ["t.csv"]
        assert {file.path.name: bool(file.format) for file in found.files} == {
            "a.jsonl": True, "t.csv": False, "README.md": False
        }  # fmt: skip

    def test_a_trial_says_what_an_import_would(self, tmp_path: Path) -> None:
        records = [*simple("a", 3), {"model": "a", "base_task": "add"}, {"model": "a", "score": 1}]
        path = write_records(tmp_path / "r.jsonl", records)
        tried = try_records(path, "records", Options(overrides={"model": "b"}, tasks={"add": "sum"}))
        assert (tried.read, tried.kept) == (5, 3)
        assert tried.skipped == {"neither outcome nor score": 1, "no base_task": 1}
        assert tried.tasks == ("sum",)
        assert {row["model"] for row in tried.rows} == {"b"}

    def test_a_plan_compares_with_what_is_there(self, tmp_path: Path, no_repeats_dataset: Path) -> None:
        source = no_repeats_dataset.parent / "source" / "records.jsonl"
        new = write_records(tmp_path / "new.jsonl", simple("other"))
        copy = tmp_path / "copy.jsonl"
        copy.write_bytes(source.read_bytes())
        made = plan([source, new, copy], no_repeats_dataset, format=None, options=Options())
        assert (made.known, made.new, list(made.copies)) == ((source,), (new,), [str(copy)])
        assert plan_words(made) == "1 new file, 1 there already, 1 copy, 1 left out" or plan_words(made) == (
            "1 new file, 1 there already, 1 copy"
        )

    @pytest.mark.parametrize("text", ["/no/such/place", "rel/ative", "~nobody/x", "", "\0"])
    def test_paths_that_are_not_there(
        self, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        if text:
            with pytest.raises(SourceError, match="Not found"):
                checked_path(text)
        (tmp_path / "here").mkdir()
        assert checked_path(" 'here' ") == tmp_path / "here"


def test_renamed_tasks_of_the_table() -> None:
    edited = pd.DataFrame({THEIRS: ["a", " b ", None, "c", ""], OURS: ["a", "x", "y", None, "z"]})
    assert renamed(edited) == {"b": "x"}


def test_a_report_without_the_folder_of_the_upload() -> None:
    report = {
        "files_left_out": {"empty file": ["/d/files/e.csv"]}, "known": 2, "replaced": 0,
        "skipped": {"no model": 3}, "places": {"no model": ["/d/files/r.csv line 2"]},
        "remarks": {"source fields not used": {"x": {"times": 9, "files": 1}}},
        "config_added": ["eval 0: a"],
    }  # fmt: skip
    frame = report_frame(report, prefix="/d/files/")
    assert list(frame["what"]) == [
        "empty file", "there already", "no model", "source fields not used: x", "eval 0: a"
    ]  # fmt: skip
    assert list(frame["times"]) == [1, 2, 3, 9, 1]
    assert frame["first places"].dropna().tolist() == ["e.csv", "r.csv line 2"]


def test_what_a_source_will_be_is_what_the_import_makes_of_it(tmp_path: Path) -> None:
    from core.store.dataset import open_dataset
    from core.tiers.coverage import dataset_facts, page_coverage, source_facts
    from tests.command import ask, import_

    records = [record for model in ("a", "b") for record in simple(model, 12, finish_reason="stop")]
    source = write_records(tmp_path / "r.jsonl", records)
    document = json.loads(ask("inspect-source", source, "--format", "json").out)
    assert import_(tmp_path / "data", "x", source).status == 0
    made = dataset_facts(open_dataset(tmp_path / "data" / "x.json"))
    foreseen = source_facts(document)
    assert (foreseen.completions, foreseen.evals, foreseen.tasks, foreseen.tokens, foreseen.shared) == (
        made.completions, made.evals, made.tasks, made.tokens, made.shared
    )  # fmt: skip
    works = {row.page: row.works for row in page_coverage(made)}
    assert {row.page: row.works for row in page_coverage(foreseen)} == works
