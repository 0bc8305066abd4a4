"""Imports that the app starts: a process of its own each, found again by whoever opens the page.

An import is `python -m core import`, so that the app and the command line do the same. What it says goes to
files in a folder of its own under the data folder; the process holds a lock there as long as it lives, also
when the app or the browser does not. No Streamlit here.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from core.errors import SourceError
from core.ui.imports_place import ALIVE, FILES, FOLDER, ORDER, is_alive
from core.whole_file import write_whole

MAPPING, SAID, REPORT, CANCELLED = "mapping.json", "progress.jsonl", "report.txt", "cancelled"
"""In the folder of an import, beside what core.ui.imports_place says."""

GRACE = 5.0
"""Seconds that a cancelled import has to clear up before it is killed."""

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Order:
    """What to import, and as what.

    Attributes
    ----------
    sources
        Absolute paths of files and folders.
    shown
        What the page calls the sources.
    mapping
        Content of the mapping file; none where it is empty.
    overrides
        Fields that get one value, as `--set` has them.
    tasks
        The sources' names of tasks to those of the dataset, as `--task` has them.
    scorers, filters
        Which score and which answer filter to take, as `--scorer` and `--filter` have them.
    """

    sources: tuple[str, ...]
    name: str
    shown: str
    format: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, str] = field(default_factory=dict)
    scorers: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    keep_text: bool = True

    def reading(self, mapping: Path, *, format_flag: str = "--format") -> list[str]:
        """Return the arguments that say how the sources are read."""
        flags = [format_flag, self.format] if self.format else []
        if self.mapping:
            flags += ["--map", str(mapping)]
        for key, value in self.overrides.items():
            flags += ["--set", f"{key}={value}"]
        for theirs, ours in self.tasks.items():
            flags += ["--task", f"{theirs}={ours}"]
        for scorer in self.scorers:
            flags += ["--scorer", scorer]
        for one in self.filters:
            flags += ["--filter", one]
        return [*self.sources, *flags]

    def arguments(self, data: Path, mapping: Path) -> list[str]:
        """Return the command's arguments."""
        text = [] if self.keep_text else ["--no-text"]
        return ["import", *self.reading(mapping), "--name", self.name, "--data", str(data), *text]


@dataclass(frozen=True)
class State:
    """How far an import is.

    Attributes
    ----------
    step
        What is being done, in words.
    total, done
        Bytes of source files; total is 0 until it is known.
    seconds
        Since it was started, or that it took.
    report
        Fields of ImportReport, where it came to its end.
    error
        Why it did not.
    """

    alive: bool
    step: str = "Starting"
    total: int = 0
    done: int = 0
    seconds: float = 0.0
    report: Mapping[str, Any] | None = None
    error: str | None = None
    cancelled: bool = False


@dataclass(frozen=True)
class Run:
    """An import that was started: its folder, its order, when (seconds since 1970) and its process."""

    folder: Path
    order: Order
    started: float
    pid: int


def start(order: Order, place: Path) -> Run:
    """Start an import in a process group of its own.

    Raises
    ------
    SourceError
        The process cannot be started.
    """
    data = place.parents[1]
    mapping = place / MAPPING
    if order.mapping:
        write_whole(mapping, json.dumps(order.mapping, indent=2, ensure_ascii=False).encode())
    command = [sys.executable, "-m", "core", *order.arguments(data, mapping), "--progress", "json"]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
    try:
        with (
            (place / REPORT).open("wb") as out,
            (place / SAID).open("wb") as err,
            (place / ALIVE).open("wb") as alive,
        ):
            # The lock belongs to the open file, which the process inherits: it ends with the process.
            fcntl.flock(alive, fcntl.LOCK_EX)
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                pass_fds=[alive.fileno()],
            )
    except OSError as error:
        raise SourceError(f"The import could not be started: {error.strerror or error}") from error
    run = Run(place, order, time.time(), process.pid)
    note = {"order": asdict(order), "started": run.started, "pid": run.pid}
    write_whole(place / ORDER, json.dumps(note, ensure_ascii=False).encode())
    threading.Thread(target=_see_off, args=(process, place), daemon=True).start()
    return run


def _see_off(process: "subprocess.Popen[bytes]", place: Path) -> None:
    # Waited for, so that no dead process stays; then the upload has served.
    process.wait()
    shutil.rmtree(place / FILES, ignore_errors=True)


def find_runs(data: Path) -> list[Run]:
    """Return the imports whose folders are there, the newest first."""
    found = []
    for path in (data / FOLDER).glob(f"*/{ORDER}"):
        try:
            note = json.loads(path.read_text(encoding="utf-8"))
            lists = {key: tuple(note["order"][key]) for key in ("sources", "scorers", "filters")}
            order = Order(**{**note["order"], **lists})
            found.append(Run(path.parent, order, float(note["started"]), int(note["pid"])))
        except (OSError, ValueError, TypeError, KeyError):
            continue
    return sorted(found, key=lambda run: run.started, reverse=True)


def state_of(run: Run) -> State:
    """Return how far an import is, from what its process has written."""
    # In this order: a process that ends in between has written all that it had to say.
    alive = is_alive(run.folder)
    told, other = _said(run.folder / SAID)
    cancelled = (run.folder / CANCELLED).exists()
    with suppress(OSError):
        last = (run.folder / SAID).stat().st_mtime
        seconds = (time.time() if alive else last) - run.started
    report = told.get("report")
    error = None
    if not alive and report is None:
        error = "Cancelled; the dataset is as it was" if cancelled else _why(other)
    return State(
        alive=alive,
        step=str(told.get("step", "Starting")),
        total=int(told.get("total", 0)),
        done=int(told.get("done", 0)),
        seconds=max(0.0, seconds),
        report=report,
        error=error,
        cancelled=cancelled,
    )


def _said(path: Path) -> tuple[dict[str, Any], str]:
    """Return the newest value of everything a process told, and what it wrote besides."""
    told: dict[str, Any] = {}
    other = []
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}, ""
    for line in text.splitlines():
        try:
            fields = json.loads(line) if line.startswith("{") else None
        except ValueError:
            fields = None
        if isinstance(fields, dict):
            told |= fields
        else:
            other.append(line)
    return told, "\n".join(other)


def _why(other: str) -> str:
    """Return why a process ended, from what it wrote at its end."""
    message = other.rpartition("Error: ")[2].strip()
    if "Traceback" in other:
        return f"The import failed by a fault of the program; the dataset is as it was:\n\n{other[-3000:]}"
    return message or "The import was ended from outside; the dataset is as it was"


def report_text(run: Run) -> str:
    """Return the report as the command line prints it, without the folder of an upload."""
    try:
        text = (run.folder / REPORT).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text.replace(f"{run.folder / FILES}/", "")


def cancel(run: Run) -> None:
    """End an import: it may clear up for a moment, then it is killed; the old database stays whole."""
    if not is_alive(run.folder):
        return
    (run.folder / CANCELLED).touch()
    _signal(run, signal.SIGINT)
    threading.Thread(target=_insist, args=(run,), daemon=True).start()


def _insist(run: Run) -> None:
    end = time.monotonic() + GRACE
    while time.monotonic() < end and is_alive(run.folder):
        time.sleep(0.1)
    _signal(run, signal.SIGKILL)


def _signal(run: Run, number: signal.Signals) -> None:
    # Only while its lock is held: after that the number of the process may be another's.
    if is_alive(run.folder):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(run.pid, number)


def running_into(data: Path, name: str) -> Run | None:
    """Return the import into a dataset that is at work, if there is one."""
    return next((run for run in find_runs(data) if run.order.name == name and is_alive(run.folder)), None)
