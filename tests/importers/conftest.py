"""What all import tests need."""

import sys
import types

import pytest


@pytest.fixture(autouse=True)
def plain_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers start as those of a command do.

    A spawned process runs the file of its parent's `__main__` again, and Streamlit's AppTest leaves the
    app's script there when page tests came before in the same process.
    """
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
