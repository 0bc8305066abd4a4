"""A crowd clicks through all pages while rebuilds replace the database: no error, no mixed data, no leak."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from tests.abuse import versions
from tests.abuse.crowd import LAST, Crowd, busy, resident, server_pid, settled, walk
from tests.abuse.protocol import Session
from tests.browser.conftest import serving
from tests.command import import_

MOST_MEMORY = 1.5e9
PAGES = 14


@dataclass(frozen=True)
class Served:
    """The app on a dataset of which there are several versions."""

    address: str
    pid: int
    data: Path
    sources: list[Path]

    def rebuild(self, version: int, *, alone: bool = True) -> None:
        done = import_(self.data, "crowd", self.sources[version], "--rebuild", alone=alone)
        assert done.status == 0, done.said


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    data = folder / "data"
    data.mkdir()
    (data / "crowd.json").write_text(json.dumps(versions.CONFIG), encoding="utf-8")
    log = folder / "log"
    with serving(data, log) as address:
        yield Served(address, server_pid(address), data, versions.write(folder))
    said = log.read_text().lower()
    assert "error" not in said and "exception" not in said, said[-4000:]


def storm(
    app: Served, guide: Session, *, used: int, visitors: int, seconds: float, pause: float, every: float
) -> Crowd:
    """Let a crowd in while the database is replaced, again and again by the next of the versions used."""
    walks = []
    for version in range(used):
        app.rebuild(version, alone=False)
        walks.append(walk(guide))
    assert len(walks[0]) == PAGES
    known = {page: [one[page].content() for one in walks] for page in walks[0]}
    for page, contents in known.items():
        assert not [fault for one in walks for fault in one[page].faults]
        assert all(a != b for place, a in enumerate(contents) for b in contents[:place]), (
            f"{page} shows the same of all versions"
        )
    crowd = Crowd(app.address, known, pause)
    threads = crowd.visit(visitors)
    end = time.monotonic() + seconds
    try:
        for turn in count():
            app.rebuild(turn % used)
            left = end - time.monotonic()
            time.sleep(max(0.0, min(every, left)))
            if left <= 0 and turn:
                break
    finally:
        crowd.leave(threads)
    assert not crowd.faults, "\n".join(sorted(set(crowd.faults))[:20])
    return crowd


def leaves_nothing_behind(app: Served, guide: Session) -> None:
    """Only the present database is open once every session has seen it, and memory is within bounds."""
    guide.open(LAST)
    held = settled(app.pid, ".duckdb", at_most=1)
    assert held == [str(app.data / "crowd.duckdb")]
    assert resident(app.pid) < MOST_MEMORY


def test_six_visitors_while_the_database_is_replaced(tmp_path: Path) -> None:
    with served(tmp_path) as app, Session(app.address) as guide:
        crowd = storm(app, guide, used=2, visitors=6, seconds=10, pause=0.5, every=1)
        assert {version for _, version in crowd.seen} == {0, 1}
        leaves_nothing_behind(app, guide)


@pytest.mark.slow
def test_twenty_visitors_for_two_minutes(tmp_path: Path) -> None:
    with served(tmp_path) as app, Session(app.address) as guide:
        before = busy(app.pid)
        crowd = storm(app, guide, used=3, visitors=20, seconds=120, pause=8, every=30)
        computed = busy(app.pid) - before
        assert {version for _, version in crowd.seen} == {0, 1, 2}
        assert {page for page, _ in crowd.seen} == set(crowd.known)
        leaves_nothing_behind(app, guide)
        times = sorted(crowd.seconds)
        p95 = times[int(0.95 * len(times))]
        median, worst = times[len(times) // 2], times[-1]
        print(
            f"{len(times)} runs: median {median:.2f} s, p95 {p95:.2f} s, worst {worst:.2f} s;"
            f" the server computed for {computed:.0f} s"
        )
        assert p95 < 2


@pytest.mark.slow
def test_ten_sessions_on_the_demo_fit_into_memory(tmp_path: Path, demo_dataset: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for path in (demo_dataset, demo_dataset.with_suffix(".duckdb")):
        shutil.copy(path, data)
    with serving(data, tmp_path / "log") as address:
        pid = server_pid(address)
        sessions = [Session(address) for _ in range(10)]
        for session in sessions:
            session.open()
            for page in session.pages:
                assert not session.open(page).faults
        megabytes = resident(pid) / 1e6
        print(f"ten sessions on the demo: {megabytes:.0f} MB")
        for session in sessions:
            session.close()
    assert megabytes * 1e6 < MOST_MEMORY
