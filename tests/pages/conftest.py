"""The app in this process, on a dataset or a data folder."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.command import ROOT

Open = Callable[..., AppTest]

PAGES = {
    "Scores": "pages/scores.py",
    "Evals": "pages/evals.py",
    "Tasks": "pages/tasks.py",
    "Cluster": "pages/cluster.py",
    "Spiderweb": "pages/spiderweb.py",
    "Completions": "pages/completions.py",
    "Compression": "pages/compression.py",
    "Model info": "pages/modelinfo.py",
}


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page of the app on a data folder, with an address."""

    def open_(data: Path, page: str = "Scores", **address: str | list[str]) -> AppTest:
        monkeypatch.setattr(sys, "argv", ["app.py", "--data", str(data)])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for key, value in address.items():
            app.query_params[key] = value
        app.run()
        if page != "Scores":
            app.switch_page(PAGES[page]).run()
        return app

    return open_


def said(app: AppTest) -> str:
    """Everything that a page says outside tables, widgets and charts."""
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.error, app.warning, app.info, app.code)
    return "\n".join(element.value for kind in kinds for element in kind).replace("\\", "")
