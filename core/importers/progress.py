"""Saying how far an import is: a protocol, a bar for the terminal, and lines for another program."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import IO, Any, Protocol

from rich import progress as bars
from rich.console import Console

from core.importers.report import ImportReport
from core.importers.sources import path_text


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


LINE_SECONDS = 0.2
"""Least time between two lines that say how much was read."""


class Lines:
    """Progress as JSON objects, one a line: {"step": words}, {"total": bytes}, {"done": bytes}.

    The last one of an import that came to its end is {"report": fields of ImportReport}.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._done = 0
        self._told = 0.0

    def begin(self, total: int) -> None:
        """Write how many bytes of source files will be read."""
        self._write(step="Reading records", total=total, done=0)

    def advance(self, size: int) -> None:
        """Write how many bytes are done, not too often."""
        self._done += size
        if time.monotonic() - self._told > LINE_SECONDS:
            self._told = time.monotonic()
            self._write(done=self._done)

    def step(self, text: str) -> None:
        """Write what is being done now."""
        self._write(step=text)

    def report(self, report: ImportReport) -> None:
        """Write what the import came to."""
        # Not asdict: it takes a Counter for a list of pairs.
        self._write(report={one.name: _plain(getattr(report, one.name)) for one in fields(report)})

    def _write(self, **said: Any) -> None:
        self._stream.write(json.dumps(said, default=path_text) + "\n")
        self._stream.flush()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    return value
