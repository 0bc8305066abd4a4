"""`python -m core report`."""

from pathlib import Path

from tests.command import ask

EASY = '{"tiers": ["easy"], "base_task": "arithmetic"}'


def test_html_goes_to_a_file_of_its_own_name(demo_dataset: Path, tmp_path: Path) -> None:
    done = ask("report", demo_dataset, "--filters", EASY, "--output-dir", tmp_path)
    assert done.status == 0, done.said
    (made,) = tmp_path.iterdir()
    assert made.name.startswith("demo_report_")
    assert made.suffix == ".html"
    assert made.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_markdown_goes_to_stdout(demo_dataset: Path) -> None:
    done = ask("report", demo_dataset, "--filters", EASY, "--format", "markdown")
    assert done.status == 0, done.said
    assert done.out.startswith("# demo: evaluation report")


def test_other_formats_and_filters_that_name_nothing_are_refused(demo_dataset: Path) -> None:
    for flags in (("--format", "png"), ("--filters", '{"base_task": "nothing"}')):
        done = ask("report", demo_dataset, *flags)
        assert done.status == 2
        assert "valid" in done.said
        assert "Traceback" not in done.said
