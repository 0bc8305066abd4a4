"""`import --progress json`: what another program reads while an import runs and when it has ended."""

import json
from pathlib import Path

from tests.command import ask
from tests.synthetic import simple, write_records


def test_lines_say_the_steps_the_bytes_and_the_report(tmp_path: Path) -> None:
    records = [*simple("a", 5), {"model": "a", "base_task": "add", "score": 7}]
    source = write_records(tmp_path / "in" / "r.jsonl", records)
    (tmp_path / "in" / "notes.txt").write_text("no results")
    done = ask("import", tmp_path / "in", "--name", "x", "--data", tmp_path / "data", "--progress", "json")
    assert done.status == 0
    told = [json.loads(line) for line in done.err.splitlines()]
    steps = [line["step"] for line in told if "step" in line]
    assert steps[0] == "Looking for files" and steps[-1] == "Writing the config"
    size = source.stat().st_size
    assert [line["total"] for line in told if "total" in line] == [size]
    amounts = [line["done"] for line in told if "done" in line]
    assert amounts == sorted(amounts) and amounts[-1] <= size
    report = told[-1]["report"]
    assert (report["read"], report["kept"], report["completions"]) == (6, 5, 5)
    assert report["skipped"] == {"score outside [0, 1]": 1}
    assert report["places"]["score outside [0, 1]"][0].endswith("r.jsonl line 6")
    assert [paths for paths in report["files_left_out"].values()] == [[str(tmp_path / "in" / "notes.txt")]]
    # Standard output is the report as ever.
    assert done.out.startswith("Files: 2 found")


def test_another_form_is_refused(tmp_path: Path) -> None:
    write_records(tmp_path / "r.jsonl", simple())
    done = ask("import", tmp_path / "r.jsonl", "--name", "x", "--data", tmp_path, "--progress", "xml")
    assert "--progress is bar or json" in done.refused()
    assert not (tmp_path / "x.duckdb").exists()
