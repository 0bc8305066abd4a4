"""Fetching model metadata with a bar on the terminal, or a line per model where stderr is none."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

import typer
from rich import progress as bars
from rich.console import Console
from rich.markup import escape

from core.config import DatasetConfig
from core.tiers.modelinfo import hf_ids

PAUSE = 0.5
"""Seconds between two requests."""


class _Watch(Protocol):
    def tell(self, sentence: str) -> None:
        """Take in what is being done."""

    def done(self, number: int, sentence: str, *, whole: bool) -> None:
        """Take in that so many models are done, and how the last went."""


def fetch_all(config: DatasetConfig, folder: Path, *, pause: float, refresh: bool) -> None:
    """Fetch the metadata of every model of a config; what goes wrong with one is said on stderr.

    Raises
    ------
    FetchError, CacheError, HubError
        Nothing can be fetched, or not written.
    """
    models = hf_ids(config)
    if not models:
        print("Note: no eval of the config has an hf_id, so there is nothing to fetch", file=sys.stderr)
        return
    # The hub's library takes half a second to load, which no other command should pay.
    from core.hub.fetch import fetch_models
    from core.hub.request import Hub, Patience, default_endpoint

    with _watching(len(models)) as watch:
        hub = Hub(default_endpoint(os.environ), Patience(pause=pause), watch.tell)
        with closing(fetch_models(models, folder, hub, refresh=refresh, tell=watch.tell)) as run:
            try:
                for step in run:
                    if step.model is not None:
                        whole = step.entry is not None and step.entry.complete
                        watch.done(step.done, step.sentence, whole=whole)
            except KeyboardInterrupt:
                print("Interrupted; what was fetched stays, and the next run goes on.", file=sys.stderr)
                raise typer.Exit(130) from None


class _Lines:
    def tell(self, sentence: str) -> None:
        """Say nothing: a log is for what is done."""

    def done(self, number: int, sentence: str, *, whole: bool) -> None:
        print(sentence if whole else f"Note: {sentence}", file=sys.stderr)


class _Bar:
    def __init__(self, bar: bars.Progress, total: int) -> None:
        self._bar = bar
        self._task = bar.add_task("Fetching", total=total)

    def tell(self, sentence: str) -> None:
        self._bar.update(self._task, description=escape(sentence))

    def done(self, number: int, sentence: str, *, whole: bool) -> None:
        self._bar.update(self._task, completed=number, description=escape(sentence))
        if not whole:
            self._bar.console.print(f"Note: {sentence}", markup=False, highlight=False)


@contextmanager
def _watching(total: int) -> Iterator[_Watch]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    columns = (
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("{task.description}"),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar, total)
