"""A crowd of visitors of the app, each clicking from page to page, and what they saw."""

import os
import random
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.abuse.protocol import Place, Run, Session

Content = Mapping[Place, bytes]
Walk = dict[str, Run]
"""Every page by its title."""

LAST = "Evals"
"""A page without fragments."""


def walk(session: Session) -> Walk:
    """Open every page once, one after the other."""
    session.open()
    return {page: session.open(page) for page in session.pages}


@dataclass
class Crowd:
    """Visitors at once, until they are told to leave.

    Attributes
    ----------
    known
        What each page shows in each version of the data: a run must show one of these, whole.
    pause
        Most seconds that a visitor looks at a page.
    """

    address: str
    known: Mapping[str, Sequence[Content]]
    pause: float
    seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seen: list[tuple[str, int]] = field(default_factory=list)
    _leave: threading.Event = field(default_factory=threading.Event)

    def visit(self, visitors: int) -> list[threading.Thread]:
        """Let them come; returns a thread for each."""
        threads = [threading.Thread(target=self._click, args=(number,)) for number in range(visitors)]
        for thread in threads:
            thread.start()
        return threads

    def leave(self, threads: Sequence[threading.Thread]) -> None:
        """Tell them to leave and wait until they have."""
        self._leave.set()
        for thread in threads:
            thread.join()

    def _click(self, number: int) -> None:
        draw = random.Random(number)
        try:
            with Session(self.address) as session:
                session.open()
                pages = iter(())
                while not self._leave.wait(draw.uniform(0, self.pause)):
                    page = next(pages, None)
                    if page is None:
                        pages = iter(draw.sample(sorted(session.pages), len(session.pages)))
                        continue
                    self._look_at(session, page, draw)
                # The last look: what a page keeps for its fragments goes with the next page.
                self._check(session.open(LAST))
        except Exception as error:
            self.faults.append(f"visitor {number}: {type(error).__name__}: {error}")

    def _look_at(self, session: Session, page: str, draw: random.Random) -> None:
        run = session.open(page)
        self.seconds.append(run.seconds)
        version = self._check(run)
        if run.fragments and draw.random() < 0.3:
            self._leave.wait(draw.uniform(0, self.pause))
            self._check(session.again(run, draw.choice(run.fragments)), version)

    def _check(self, run: Run, version: int | None = None) -> int | None:
        self.faults += [f"{run.page}: {fault}" for fault in run.faults]
        content = run.content()
        found = [number for number, one in enumerate(self.known[run.page]) if one == content]
        if not found or version not in (None, *found):
            self.faults.append(f"{run.page}: {self._mixture(run, content)}")
            return None
        self.seen.append((run.page, found[0]))
        return found[0]

    def _mixture(self, run: Run, content: Content) -> str:
        versions = self.known[run.page]
        lines = []
        for place in sorted({*content, *(place for one in versions for place in one)}):
            fits = [n for n, one in enumerate(versions) if one.get(place) == content.get(place)]
            if len(fits) < len(versions):
                kind = run.elements[place].WhichOneof("type") if place in run.elements else "nothing"
                lines.append(f"{place} {kind} fits {fits or 'none'}")
        return "no version of the data, or not that of its page: " + "; ".join(lines)


def server_pid(address: str) -> int:
    """Return the process of the app at an address."""
    port = address.rpartition(":")[2].encode()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"streamlit" in words and port in words:
            return int(path.parent.name)
    raise AssertionError(f"no app at {address}")


def resident(pid: int) -> int:
    """Return a process's bytes in memory."""
    line = next(
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")
    )
    return int(line.split()[1]) * 1024


def busy(pid: int) -> float:
    """Return the seconds that a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def open_files(pid: int, ending: str) -> list[str]:
    """Return the files with an ending that a process holds; those whose name is gone say (deleted)."""
    found = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(link.readlink())
        except OSError:
            continue
        if target.removesuffix(" (deleted)").endswith(ending):
            found.append(target)
    return found


def settled(pid: int, ending: str, at_most: int, seconds: float = 10) -> list[str]:
    """Return the files that a process still holds when that many are left, or after so many seconds."""
    end = time.monotonic() + seconds
    while len(files := open_files(pid, ending)) > at_most and time.monotonic() < end:
        time.sleep(0.1)
    return files
