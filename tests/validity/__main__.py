"""`python -m tests.validity`: the tables on the screen, and docs/validity.md with its figures on request."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tests.validity import studies
from tests.validity.document import document
from tests.validity.figures import write_figures
from tests.validity.study import SEED, Outcome, run

REPLICATIONS = 1_000


def main(
    replications: Annotated[
        int, typer.Option(help="Of each condition, times what its study takes.")
    ] = REPLICATIONS,
    seed: Annotated[int, typer.Option(help="Of all data.")] = SEED,
    only: Annotated[str | None, typer.Option(help="Studies, with commas.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the page and its figures there.")] = None,
) -> None:
    """Simulate every default interval and test."""
    console = Console(soft_wrap=True)
    chosen = studies.named(only.split(",")) if only else studies.STUDIES
    outcomes = []
    for study in chosen:
        one = run(study, replications, seed)
        outcomes.append(one)
        console.print(_line(one))
        for failure in one.failures():
            console.print(f"    missed: {failure}")
    if markdown is not None:
        figures = write_figures(outcomes, markdown.parent / "validity")
        markdown.write_text(document(outcomes, replications, seed, figures), encoding="utf-8")
        console.print(f"written: {markdown}")


def _line(one: Outcome) -> str:
    kind = "errors" if one.study.errors else "coverage"
    return (
        f"{one.study.key:22} {len(one.cells):4} cells  {kind} {one.mean:.4f}  worst {one.worst.share:.4f}"
        f" ± {one.worst.error:.4f} ({one.worst.label})"
    )


if __name__ == "__main__":
    typer.run(main)
