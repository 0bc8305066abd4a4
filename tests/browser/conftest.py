"""The real server on a free port and real Chromium, for what only a browser can show."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.command import ROOT

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SIZE = {"width": 1440, "height": 1200}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium without a window."""
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window; of a module, since Playwright's event loop runs while it is open."""
    if CHROMIUM is None:
        if os.environ.get("REQUIRE_CHROMIUM"):
            pytest.fail("REQUIRE_CHROMIUM is set and there is no Chromium on the PATH")
        pytest.skip("no Chromium on the PATH; `make chromium` installs it where apt is available")
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory, demo_dataset: Path, repeats_dataset: Path) -> Path:
    """A data folder with two datasets, which tests may change."""
    folder = tmp_path_factory.mktemp("data")
    for config in (demo_dataset, repeats_dataset):
        shutil.copy(config, folder)
        shutil.copy(config.with_suffix(".duckdb"), folder)
    return folder


@contextmanager
def serving(data: Path, log: Path) -> Iterator[str]:
    """Run the app as a user starts it; gives its address, and fails where it logged a traceback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = ["--server.port", str(port), "--server.fileWatcherType", "none"]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", *flags, "--", "--data", str(data)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_for(f"{address}/_stcore/health", process, log)
            yield address
        finally:
            process.terminate()
            process.wait(20)
    assert "Traceback" not in log.read_text(), log.read_text()[-4000:]


@pytest.fixture(scope="session")
def server(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app."""
    with serving(data_folder, tmp_path_factory.mktemp("server") / "log") as address:
        yield address


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
    raise AssertionError(f"the server did not answer\n{log.read_text()}")


@pytest.fixture
def new_page(browser: Browser, server: str) -> Iterator[Callable[[str], Page]]:
    """Open an address of the app, or a path of it, as somebody else would: in a browser of their own."""
    contexts: list[BrowserContext] = []

    def open_(address: str) -> Page:
        context = browser.new_context(viewport=SIZE, accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.goto(address if address.startswith("http") else f"{server}{address}")
        settle(page)
        return page

    yield open_
    for context in contexts:
        context.close()


def settle(page: Page) -> None:
    """Wait until the script has run and the page shows its title."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.locator("h1")).to_be_visible()
