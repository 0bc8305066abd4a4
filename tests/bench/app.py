"""The running app on one dataset: how long it takes to be there, and its memory with ten sessions."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.abuse.protocol import Session
from tests.bench.measure import ROOT

SESSIONS = 10


def measure(config: Path) -> dict[str, float | None]:
    """Return the seconds until the server answers and of the slowest run of a page, and memory in MB.

    `title` and `paint` are the times from the answer until Chromium, just started, shows the first page's
    title and its chart; None without Chromium.
    """
    began = time.perf_counter()
    with serving(config.parent) as (address, process):
        answered = time.perf_counter() - began
        title, painted = _paint(f"{address}/?dataset={config.stem}")
        with ExitStack() as stack:
            query = f"dataset={config.stem}"
            sessions = [stack.enter_context(Session(address, query)) for _ in range(SESSIONS)]
            slowest = 0.0
            for session in sessions:
                session.open()
                for page in session.pages:
                    run = session.open(page)
                    assert not run.faults, run.faults
                    slowest = max(slowest, run.seconds)
            memory, peak = (_megabytes(process.pid, name) for name in ("VmRSS", "VmHWM"))
    return {
        "answers": answered,
        "title": title,
        "paint": painted,
        "slowest_run": slowest,
        "ten_sessions_mb": memory,
        "ten_sessions_peak_mb": peak,
    }


@contextmanager
def serving(data: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the app as `make run` starts it; gives its address and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    process = subprocess.Popen([*command, "--", "--data", str(data)], cwd=ROOT, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.02)
        yield address, process
    finally:
        process.terminate()
        process.wait(20)


def _paint(url: str) -> tuple[float | None, float | None]:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM

    if CHROMIUM is None:
        return None, None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        began = time.perf_counter()
        page.goto(url)
        page.locator("h1").wait_for()
        title = time.perf_counter() - began
        page.locator("[data-testid=stVegaLiteChart] svg.marks").first.wait_for()
        chart = time.perf_counter() - began
        browser.close()
    return title, chart


def _megabytes(pid: int, name: str) -> float:
    lines = (Path("/proc") / str(pid) / "status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"{name}:"))) / 1024


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
