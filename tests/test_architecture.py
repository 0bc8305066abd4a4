"""The import arrows of docs/architecture.md, read from the source."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core"

# Who may import whom inside core. "core" itself is the package root: the version.
ALLOWED: dict[str, set[str]] = {
    "core": set(),
    "errors": set(),
    "whole_file": set(),
    "config": {"errors", "whole_file"},
    "filters": {"config", "errors"},
    "flags": {"errors", "whole_file"},
    "hub": {"errors", "whole_file"},
    "uploads": {"errors"},
    "views": {"errors", "whole_file"},
    "stats": set(),
    "palette": set(),
    "charts": {"palette"},
    "export": {"errors"},
    "store": {"core", "config", "errors", "filters", "flags"},
    "spectra": {"core", "config", "errors", "stats", "store"},
    "importers": {"core", "config", "errors", "spectra", "stats", "store"},
    "tiers": {
        "core",
        "charts",
        "config",
        "errors",
        "export",
        "filters",
        "flags",
        "hub",
        "palette",
        "spectra",
        "stats",
        "store",
    },
    "ui": {
        "core",
        "charts",
        "config",
        "errors",
        "export",
        "filters",
        "hub",
        "importers",
        "palette",
        "spectra",
        "store",
        "tiers",
        "uploads",
        "views",
        "whole_file",
    },
    "cli": {
        "core",
        "charts",
        "config",
        "errors",
        "export",
        "filters",
        "hub",
        "importers",
        "spectra",
        "store",
        "tiers",
        "views",
        "whole_file",
    },
    "__main__": {"cli"},
    "pages": {"charts", "config", "errors", "export", "filters", "palette", "tiers", "ui"},
    "app": {"core", "ui"},
}
STREAMLIT = {"ui", "pages", "app"}
FORBIDDEN_IN_STATS = {"altair", "duckdb", "plotly", "pyarrow", "vl_convert"}


def layer(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] != "core":
        return parts[0]
    return "core" if parts[1] == "__init__" else parts[1]


def imported(path: Path, source: str | None = None) -> Iterator[str]:
    """Yield the dotted names of all imports of a file, wherever in it they stand."""
    text = path.read_text(encoding="utf-8") if source is None else source
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*start, *filter(None, [node.module])))
            yield from (f"{module}.{alias.name}" for alias in node.names)


def target(name: str) -> str | None:
    """Return the layer that an imported name belongs to, None outside the project."""
    first, _, rest = name.partition(".")
    if first in ("pages", "app"):
        return first
    if first != "core":
        return None
    second = rest.partition(".")[0]
    there = (CORE / second).is_dir() or (CORE / f"{second}.py").exists()
    return second if second and there else "core"


def sources() -> list[Path]:
    return [*sorted(CORE.rglob("*.py")), *sorted((ROOT / "pages").glob("*.py")), *ROOT.glob("app.py")]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_follow_the_arrows(path: Path) -> None:
    own = layer(path)
    assert own in ALLOWED, f"{name_of(path)}: a new layer; add its arrows here and in docs/architecture.md"
    found = {layer_of for name in imported(path) if (layer_of := target(name)) not in (None, own)}
    assert found <= ALLOWED[own], f"{own} may not import {sorted(found - ALLOWED[own])}"


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_streamlit_and_sql_stay_where_they_belong(path: Path) -> None:
    packages = {name.partition(".")[0] for name in imported(path)}
    if layer(path) not in STREAMLIT:
        assert "streamlit" not in packages
    if layer(path) == "stats":
        assert not packages & FORBIDDEN_IN_STATS


def test_the_command_line_does_not_load_streamlit() -> None:
    code = "import sys, core.cli; sys.exit('streamlit' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_what_is_seen_first_waits_for_no_library() -> None:
    """app.py draws the navigation and the title before it imports what computes."""
    first = [
        name
        for node in ast.parse((ROOT / "app.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module == "core.ui"
        for name in (f"core.ui.{alias.name}" for alias in node.names)
    ]
    assert first
    code = (
        f"import streamlit, sys; before = set(sys.modules); import {', '.join(first)};"
        f" assert set(sys.modules) - before <= {{'core', 'core.ui', *{first!r}}}"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stderr=subprocess.DEVNULL)


def test_the_reader_of_imports_sees_every_form() -> None:
    source = "import duckdb.sql\nfrom core import store\ndef f():\n    from ..tiers.evals import x\n"
    assert [target(name) for name in imported(CORE / "stats" / "x.py", source)] == [None, "store", "tiers"]
