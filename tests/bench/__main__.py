"""`python -m tests.bench`: every page at several sizes, the app, an import, an image; tables and JSON."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tests.bench import tables
from tests.bench.machine import machine
from tests.bench.measure import ROOT
from tests.bench.scale import build

SMALL = 100_000

Result = dict[str, Any]


def _in_process(module: str, *arguments: str) -> Result:
    """Run a module of the benchmark in a process of its own: peak memory belongs to a process."""
    command = [sys.executable, "-m", f"tests.bench.{module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    figures: Result = json.loads(done.stdout.splitlines()[-1])
    return figures


def _pages(chosen: str | None) -> list[str]:
    there = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
    return [page for page in there if chosen is None or page in chosen.split(",")]


def _size(folder: Path, size: int, warm: Path, pages: list[str]) -> Result:
    config = build(folder, size)
    queries = _in_process("bare", str(config.with_suffix(".duckdb")))
    reads = _in_process("tiers", str(config))
    return {
        "completions": size,
        "pages": [
            {
                "page": page,
                "bare": queries.get(page),
                "tier": reads.get(page),
                **_in_process("measure", str(config), str(warm), f"pages/{page}.py"),
            }
            for page in pages
        ],
    }


def main(
    folder: Annotated[Path, typer.Option(help="Where the datasets are built and kept.")] = Path(".bench"),
    sizes: Annotated[str, typer.Option(help="Completions, separated by commas.")] = "15000000",
    pages: Annotated[str | None, typer.Option(help="Pages, separated by commas; all by default.")] = None,
    by_hand: Annotated[bool, typer.Option(help="Also rank the models in plain pandas.")] = True,
    whole: Annotated[bool, typer.Option(help="Also the running app, an import and an image.")] = True,
    output: Annotated[Path | None, typer.Option(help="JSON file of the figures.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Markdown file of the tables.")] = None,
) -> None:
    """Measure every page at every size against the bare query, and the leaderboard against plain pandas.

    The first size is the one that the budgets are for; the app and plain pandas are measured with it.
    """
    # Off a terminal Rich takes 80 columns, in which the numbers are cut.
    console = Console(width=max(Console().width, 120))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    warm = build(folder, SMALL)
    document: Result = {"machine": machine(), "sizes": []}
    for size in map(int, sizes.split(",")):
        document["sizes"].append(_size(folder, size, warm, _pages(pages)))
        console.print(tables.rich_table(document["sizes"][-1]))
    first = build(folder, document["sizes"][0]["completions"])
    if by_hand:
        document["pandas"] = _in_process("by_hand", str(first.with_suffix(".duckdb")))
    if whole:
        document["app"] = _in_process("app", str(first))
        document["image"] = _in_process("image", str(first))
        document["import"] = _in_process("importing", str(folder))
    for line in tables.sentences(document):
        console.print(line)
    if output is not None:
        output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if markdown is not None:
        markdown.write_text(tables.markdown(document), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
