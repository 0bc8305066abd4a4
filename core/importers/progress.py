"""Saying how far an import is: a protocol, and a bar for the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich import progress as bars
from rich.console import Console


class Progress(Protocol):
    """What an import tells whoever watches it."""

    def begin(self, total: int) -> None:
        """Take in how many bytes of source files will be read."""

    def advance(self, size: int) -> None:
        """Take in that so many more bytes are done."""

    def step(self, text: str) -> None:
        """Take in what is being done now."""


class Silent:
    """Progress that nobody watches."""

    def begin(self, total: int) -> None:
        """Do nothing."""

    def advance(self, size: int) -> None:
        """Do nothing."""

    def step(self, text: str) -> None:
        """Do nothing."""


class _Bar:
    def __init__(self, bar: bars.Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("Looking for files", total=None)

    def begin(self, total: int) -> None:
        self._bar.reset(self._task, total=total, description="Reading records")

    def advance(self, size: int) -> None:
        self._bar.advance(self._task, size)

    def step(self, text: str) -> None:
        self._bar.update(self._task, description=text)


@contextmanager
def terminal_progress() -> Iterator[Progress]:
    """Show a bar on stderr with bytes, rate and time left; nothing where stderr is no terminal."""
    console = Console(stderr=True)
    bar = bars.Progress(
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.DownloadColumn(),
        bars.TransferSpeedColumn(),
        bars.TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        yield _Bar(bar)
