"""Imports that are killed, and what they leave."""

import os
import random
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from core.config import load_config
from core.store import open_dataset
from tests.command import import_, start
from tests.store.contents import Rows, everything

NAME = "d"
KEPT = {f"{NAME}.json", f"{NAME}.duckdb"}
LEAVINGS = (".building", ".building.wal", ".new")


@dataclass(frozen=True)
class State:
    """What a dataset says: every row of every table, and its config."""

    tables: dict[str, Rows]
    config: bytes


def state(folder: Path) -> State:
    """Read a dataset, as the app opens it and whole."""
    dataset = open_dataset(folder / f"{NAME}.json")
    dataset.close()
    return State(everything(folder / f"{NAME}.duckdb"), (folder / f"{NAME}.json").read_bytes())


class Killing:
    """Imports of a source into copies of a folder, each killed at some moment of its work."""

    def __init__(self, old: Path, source: Path, place: Path, *flags: str) -> None:
        self.old, self.source, self.place, self.flags = old, source, place, flags
        self.before = state(old)
        folder = self._copy("whole")
        self.seconds = self._run(folder, None)
        self.after = state(folder)
        assert self.after.tables != self.before.tables
        assert self.after.config != self.before.config
        self.seen: list[str] = []

    def kill(self, moment: float) -> None:
        """Kill an import at a share of its work, and find all whole: at once, and after the next import."""
        folder = self._copy(f"{moment:.4f}")
        self._run(folder, moment * self.seconds)
        found = state(folder)
        load_config(folder / f"{NAME}.json")
        if found.tables == self.before.tables:
            assert found.config == self.before.config
            self.seen.append("old")
        else:
            assert found.tables == self.after.tables, "neither the old nor the new database"
            assert found.config in (self.before.config, self.after.config)
            self.seen.append("new")
        for name in self._left(folder):
            assert name.startswith(f".{NAME}.import-") or name.endswith(LEAVINGS), name
        done = import_(folder, NAME, self.source, *self.flags)
        assert done.status == 0, done.said
        assert state(folder) == self.after
        assert not self._left(folder), "the next import clears what a killed one left"
        shutil.rmtree(folder)

    def _copy(self, name: str) -> Path:
        folder = self.place / name
        shutil.copytree(self.old, folder)
        return folder

    @staticmethod
    def _left(folder: Path) -> set[str]:
        return {path.name for path in folder.iterdir()} - KEPT - {f"{NAME}.lock"}

    def _run(self, folder: Path, seconds: float | None) -> float:
        """Import; returns how long its work took, or kills it so many seconds after that began."""
        words = ["import", self.source, "--name", NAME, "--data", folder, "--progress", "json", *self.flags]
        process = start(*words, stderr=subprocess.PIPE)
        assert process.stderr is not None
        with process.stderr as said:
            # Until it first says something it has loaded Python's modules, and touched nothing.
            first = said.readline()
            began = time.perf_counter()
            if seconds is None:
                rest = said.read()
                assert process.wait() == 0, first + rest
                return time.perf_counter() - began
            time.sleep(seconds)
            # Its whole process group: it and its workers, as a machine that loses power.
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return seconds


def moments(count: int, draw: random.Random) -> list[float]:
    """Return random shares of a duration, one in each of so many equal parts of it and a little beyond."""
    return [1.1 * (number + draw.random()) / count for number in range(count)]
