"""`python -m tests.bench`: a table of every page at several sizes, and the same as JSON."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tests.bench import bare
from tests.bench.measure import ROOT
from tests.bench.scale import build

SMALL = 100_000
BUDGET_FIRST, BUDGET_REPEAT, BUDGET_BYTES, BUDGET_MB = 1.0, 0.15, 2_000_000, 1536
SLACK = 0.15
"""Seconds that a first run may take beyond 1.5 times the bare query."""

Result = dict[str, Any]


def _in_process(module: str, *arguments: str) -> dict[str, float]:
    """Run a module of the benchmark in a process of its own: peak memory belongs to a process."""
    command = [sys.executable, "-m", f"tests.bench.{module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _pages(chosen: str | None) -> list[str]:
    there = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
    return [page for page in there if page in bare.QUERIES and (chosen is None or page in chosen.split(","))]


def _over(result: Result) -> list[str]:
    over = []
    if result["first"] > BUDGET_FIRST and result["first"] > 1.5 * result["bare"] + SLACK:
        over.append("first")
    if result["repeat"] > BUDGET_REPEAT:
        over.append("repeat")
    if result["bytes"] > BUDGET_BYTES:
        over.append("bytes")
    if result["peak_mb"] > BUDGET_MB:
        over.append("memory")
    return over


def _table(completions: int, results: list[Result]) -> Table:
    table = Table(title=f"{completions:,} completions")
    for name in (
        "page",
        "open s",
        "first s",
        "bare s",
        "first/bare",
        "repeat s",
        "kB sent",
        "peak MB",
        "over",
    ):
        table.add_column(name, justify="left" if name in ("page", "over") else "right")
    for one in results:
        table.add_row(
            one["page"], f"{one['open']:.2f}", f"{one['first']:.2f}", f"{one['bare']:.2f}",
            f"{one['first'] / one['bare']:.1f}", f"{one['repeat']:.3f}", f"{one['bytes'] / 1000:.0f}",
            f"{one['peak_mb']:.0f}", ", ".join(_over(one)) or "-",
        )  # fmt: skip
    return table


def main(
    folder: Annotated[Path, typer.Option(help="Where the datasets are built and kept.")] = Path(".bench"),
    sizes: Annotated[str, typer.Option(help="Completions, separated by commas.")] = "15000000",
    pages: Annotated[str | None, typer.Option(help="Pages, separated by commas; all by default.")] = None,
    by_hand: Annotated[bool, typer.Option(help="Also rank the models in plain pandas.")] = True,
    output: Annotated[Path | None, typer.Option(help="JSON file of the figures.")] = None,
) -> None:
    """Measure every page at every size against the bare query, and the leaderboard against plain pandas."""
    console = Console()
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    warm = build(folder, SMALL)
    document: list[Result] = []
    for size in (int(text) for text in sizes.split(",")):
        config = build(folder, size)
        database = str(config.with_suffix(".duckdb"))
        bare_seconds = _in_process("bare", database)
        results = [
            {
                "page": page,
                "bare": bare_seconds[page],
                **_in_process("measure", str(config), str(warm), f"pages/{page}.py"),
            }
            for page in _pages(pages)
        ]
        console.print(_table(size, results))
        entry: Result = {"completions": size, "pages": results}
        if by_hand:
            entry["pandas"] = _in_process("by_hand", database)
            console.print(
                f"The leaderboard in plain pandas: {entry['pandas']['total']:.1f} s,"
                f" {entry['pandas']['peak_mb']:,.0f} MB"
            )
        document.append(entry)
    if output is not None:
        output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
