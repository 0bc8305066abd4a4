"""`python -m core inspect-source`: what a source is, before it is imported."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.tiers.coverage import NOT_SHARED
from tests import synthetic
from tests.command import ask
from tests.importers import helm_made, lighteval_made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of several formats, and a file of none."""
    path = tmp_path_factory.mktemp("sources")
    synthetic.write_records(
        path / "deep" / "a.jsonl", [*synthetic.simple("m", 10), {"model": "m", "score": 7}]
    )
    helm_made.write(path / "helm")
    lighteval_made.write(path / "lighteval", {"toy|2": lighteval_made.generated()})
    (path / "notes.txt").write_text("Dear reader")
    return path


@pytest.fixture(scope="module")
def document(folder: Path) -> Any:
    return ask("inspect-source", folder, "--format", "json").document()


def test_a_folder_may_mix_formats(document: Any, folder: Path) -> None:
    assert document["formats"] == {"records": 1, "helm": 1, "lighteval": 1}
    assert document["left_out"]["not recognised as any format"] == [str(folder / "notes.txt")]
    assert (document["read"], document["kept"]) == (26, 25)
    assert list(document["skipped"].values()) == [1]
    assert document["models"] == {"m": 10, "org/model-a": 15}
    assert document["base_tasks"] == {"add": 10, "toy": 15}
    assert document["evals"] == 2


def test_fields_and_pages(document: Any) -> None:
    fields, pages = document["fields"], {one["page"]: one for one in document["pages"]}
    assert (fields["prompt_token_ids"], fields["choices"], fields["finish_reason"]) == (10, 5, 4)
    assert (pages["Hazard"]["works"], pages["Completions"]["works"]) == ("partly", "yes")
    assert (pages["Compare"]["works"], pages["Compare"]["lacks"]) == ("no", [NOT_SHARED])


def test_what_is_missing_for_a_page(tmp_path: Path) -> None:
    source = synthetic.write_records(
        tmp_path / "a.jsonl", [{"model": "m", "base_task": "t", "outcome": "correct", "item_key": "1"}]
    )
    pages = {
        one["page"]: one for one in ask("inspect-source", source, "--format", "json").document()["pages"]
    }
    for page, why in (
        ("Hazard", "no token counts"), ("Compression", "no responses"), ("FFT", "no prompts"),
        ("Surface", "no task has two numeric params"), ("Cluster", "no two evals"),
    ):  # fmt: skip
        assert pages[page]["works"] == "no"
        assert why in pages[page]["lacks"][0]
    assert pages["Scores"]["works"] == "partly"


def test_the_table_says_the_same(folder: Path, document: Any) -> None:
    done = ask("inspect-source", folder)
    assert done.status == 0
    for part in (
        "Format helm: 1 file", "notes.txt", "Records: 26 read, 25 usable", "org/model-a (15)",
        "Fields:", "Pages:",
        "does not work: no two evals share an item",
    ):  # fmt: skip
        assert part in done.out
    for name, count in document["fields"].items():
        (line,) = [text for text in done.out.splitlines() if text.startswith(f"  {name} ")]
        assert line.split()[-1] in ("all", "none", str(count))


def test_it_reads_as_an_import_would(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text('{"who": "m", "what": "t", "ok": 1}\n')
    mapping = tmp_path / "map.json"
    mapping.write_text('{"model": "who", "base_task": "what", "score": "ok"}')
    assert "not recognised" in ask("inspect-source", source).out
    found = ask("inspect-source", source, "--map", mapping, "--task", "t=ours", "--format", "json").document()
    assert (found["kept"], found["base_tasks"]) == (1, {"ours": 1})
    forced = ask("inspect-source", source, "--source-format", "records", "--format", "json").document()
    assert forced["skipped"] == {"no model": 1}


def test_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    before = sorted(folder.rglob("*"))
    ask("inspect-source", folder, "--output", tmp_path / "said.json", "--format", "json")
    assert sorted(folder.rglob("*")) == before
    assert json.loads((tmp_path / "said.json").read_text())["kept"] == 25


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--task", "x"), "--task takes THEIRS=OURS"),
        (("--set", "outcome=correct"), "--set cannot change 'outcome'"),
        (("--scorer", "nothing"), "--scorer nothing: no such metric; valid: "),
        (("--format", "csv"), "No format 'csv' here"),
        (("--source-format", "xml"), "Unknown format 'xml'"),
    ],
)
def test_mistakes(folder: Path, flags: tuple[str, ...], message: str) -> None:
    assert message in ask("inspect-source", folder, *flags).refused()


def test_no_such_source(tmp_path: Path) -> None:
    assert "Source not found" in ask("inspect-source", tmp_path / "nowhere").refused()


def test_a_table_of_other_column_names_is_told_what_to_give(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("system,benchmark,passed\na,sort,1\n")
    said = " ".join(ask("inspect-source", tmp_path).out.split())
    assert "not recognised as any format" in said
    assert "give --source-format records and --map FILE." in said
    assert f"Columns of {tmp_path / 'odd.csv'}: system, benchmark, passed" in said
