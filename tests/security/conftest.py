"""The hostile dataset, built once per run."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from streamlit.testing.v1 import AppTest

from tests.command import ROOT
from tests.security import hostile

Show = Callable[..., AppTest]


@pytest.fixture(scope="session")
def hostile_dataset(shared_folder: Path) -> Path:
    """The config of the hostile dataset, alone in its data folder; not to be changed."""
    data = shared_folder / "hostile"
    with FileLock(shared_folder / "hostile.lock"):
        if not (data / "built").exists():
            shutil.rmtree(data, ignore_errors=True)
            hostile.make(data)
            (data / "built").touch()
    return data / "hostile.json"


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Show:
    """Open a page of the app on a data folder, no other page before it, with an address."""

    def open_(data: Path, page: str = "scores", **address: str | list[str]) -> AppTest:
        monkeypatch.setattr(sys, "argv", ["app.py", "--data", str(data)])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=90)
        for key, value in address.items():
            app.query_params[key.replace("__", ".")] = value
        return app.switch_page(f"pages/{page}.py").run()

    return open_
