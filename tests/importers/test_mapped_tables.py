"""Tables as other people write them: mapped params have types, truth values are scores."""

import json
from pathlib import Path

import pytest

from core.importers.reader import Options
from core.ui.imports_look import try_records

TABLE = "llm,bench,ok,len,flag,name\na,x,True,2,true,007\na,x,false,2.5,false,b\na,x,1,,true,c\n"
MAPPING = {
    "model": "llm",
    "base_task": "bench",
    "score": "ok",
    "params.length": "len",
    "params.flag": "flag",
    "params.name": "name",
}


def test_a_mapped_csv_column_is_a_param_with_its_type(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    tried = try_records(path, "records", Options(MAPPING))
    assert [json.loads(row["params"]) for row in tried.rows] == [
        {"flag": True, "length": 2, "name": "007"},
        {"flag": False, "length": 2.5, "name": "b"},
        {"flag": True, "name": "c"},
    ]
    assert [row["outcome"] for row in tried.rows] == ["correct", "incorrect", "correct"]


@pytest.mark.parametrize("word", ["t", "pass", "yess", "nan", "inf"])
def test_other_words_are_no_scores(tmp_path: Path, word: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"llm,bench,ok\na,x,{word}\n")
    tried = try_records(path, "records", Options({"model": "llm", "base_task": "bench", "score": "ok"}))
    assert (tried.kept, tried.skipped) == (0, {"score is not a number": 1})
