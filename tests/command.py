"""Running the command line as a user does, and reading what it leaves behind."""

import contextlib
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
"""The project's root, where `python -m core` runs."""


@dataclass(frozen=True)
class Outcome:
    """What one run of a command gave."""

    status: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Everything printed."""
        return self.out + self.err

    def document(self) -> Any:
        """The whole of standard output as one JSON document, after the run was found to be a success."""
        assert self.status == 0, self.err
        return json.loads(self.out)

    def refused(self) -> str:
        """The message of a refusal: exit status 2, nothing on standard output, no traceback."""
        assert self.status == 2, f"exit status {self.status}\n{self.said[-2000:]}"
        assert "Traceback" not in self.said, self.said[-2000:]
        assert self.out == ""
        assert self.err.strip()
        return " ".join(self.err.split())


def environment() -> dict[str, str]:
    """The environment of a fresh terminal of 200 columns without colours, in which core can be found."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
        "COLUMNS": "200",
        "TERM": "dumb",
    }


def run(*arguments: str | Path, cwd: Path = ROOT, **options: Any) -> Outcome:
    """Run `python -m core ...` as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "core", *map(str, arguments)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        timeout=240,
        check=False,
        **options,
    )
    return Outcome(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def start(*arguments: str | Path, stderr: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start `python -m core ...` in a process group of its own and return at once."""
    return subprocess.Popen(
        [sys.executable, "-m", "core", *map(str, arguments)],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )


def ask(*arguments: str | Path, cwd: Path = ROOT, columns: int = 200) -> Outcome:
    """Run `python -m core ...` inside this process: two seconds faster."""
    argv = ["core", *map(str, arguments)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with _streams(out.fileno(), err.fileno()), contextlib.chdir(cwd), _terminal(argv, columns):
            status = _run_module()
        out.seek(0)
        err.seek(0)
        return Outcome(status, out.read().decode("utf-8"), err.read().decode("utf-8"))


def _run_module() -> int:
    try:
        runpy.run_module("core", run_name="__main__", alter_sys=False)
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else 0 if exit_.code is None else 1
    except Exception:
        traceback.print_exc()
        return 1
    return 0


@contextlib.contextmanager
def _terminal(argv: list[str], columns: int) -> Iterator[None]:
    before, sys.argv = sys.argv, argv
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("COLUMNS", str(columns)), ("NO_COLOR", "1"), ("TERM", "dumb")):
            patch.setenv(name, value)
        # Spawned workers run the file of `__main__` again, and AppTest leaves the app's script there.
        patch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
        try:
            yield
        finally:
            sys.argv = before


@contextlib.contextmanager
def _streams(out: int, err: int) -> Iterator[None]:
    """Point standard output and error at two files, for Python and for libraries beneath it."""
    kept = os.dup(1), os.dup(2)
    python = sys.stdout, sys.stderr
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdout = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(os.fdopen(os.dup(2), "wb"), encoding="utf-8", write_through=True)
    try:
        yield
    finally:
        sys.stdout.close()
        sys.stderr.close()
        sys.stdout, sys.stderr = python
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for number in kept:
            os.close(number)


def import_(data: Path, name: str, *sources: str | Path, alone: bool = False, **options: Any) -> Outcome:
    """Import sources into a dataset and return what was said; flags may stand among the sources.

    `alone`, or any option for its start, gives the import a process of its own.
    """
    command = ("import", *sources, "--name", name, "--data", data)
    return run(*command, **options) if alone or options else ask(*command)


def scores(config: Path, *flags: str | Path) -> Any:
    """The scores document of a dataset."""
    return ask("scores", config, "--format", "json", *flags).document()


def as_json(value: Any) -> str | None:
    """The same test id in every process, which the texts of sets and functions are not."""
    return json.dumps(value) if isinstance(value, dict | list) else None


def rows_of(document: Any, key: str) -> list[dict[str, Any]]:
    """The outermost objects of a document that have a key."""
    if isinstance(document, dict):
        return [document] if key in document else [r for v in document.values() for r in rows_of(v, key)]
    if isinstance(document, list):
        return [row for value in document for row in rows_of(value, key)]
    return []
