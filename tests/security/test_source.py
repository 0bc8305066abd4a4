"""What the source may not do at all: load or run what data say, write HTML that is not its own."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.test_architecture import imported, name_of, sources

LOADERS = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "joblib",
    "shelve",
    "marshal",
    "yaml",
    "jsonpickle",
    "torch",
}
"""Packages that make more of bytes than values."""

CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {
    "extractall", "read_pickle", "to_pickle", "allow_pickle", "system", "popen", "import_module", "getoutput",
    "unsafe_load", "full_load", "load_module", "spec_from_file_location",
}  # fmt: skip
FORBIDDEN_ARGUMENTS = {
    "unsafe_allow_html",
    "unsafe_allow_javascript",
    "allow_pickle",
    "trust_remote_code",
    "shell",
}

PROCESSES = {"core/ui/imports_inspect.py", "core/ui/imports_run.py"}
"""Who starts processes: of this program, as lists of arguments."""

BY_NAME = {"core/cli/main.py": "modules of the commands, by a table of its own"}
"""Who loads modules by a name that is computed, and which."""

OWN_HTML = {
    "core/ui/drill.py": "labels and addresses through html.escape",
    "core/ui/saved_views.py": "names and addresses through html.escape",
    "core/ui/surface_charts.py": "a constant",
    "core/ui/style.py": "a constant",
}
"""Who writes HTML into a page, and why nothing of the data can be markup in it."""


def calls(path: Path) -> Iterator[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_nothing_is_loaded_or_run_that_data_say(path: Path) -> None:
    packages = {name.partition(".")[0] for name in imported(path)}
    assert not packages & LOADERS
    assert "subprocess" not in packages or name_of(path) in PROCESSES
    for call in calls(path):
        assert not (isinstance(call.func, ast.Name) and call.func.id in CALLS), ast.unparse(call)
        if isinstance(call.func, ast.Attribute):
            by_name = call.func.attr == "import_module" and name_of(path) in BY_NAME
            assert by_name or call.func.attr not in METHODS, ast.unparse(call)
        assert not {word.arg for word in call.keywords} & FORBIDDEN_ARGUMENTS, ast.unparse(call)


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_html_is_written_in_few_places_and_escaped_there(path: Path) -> None:
    written = [call for call in calls(path) if called(call) == "html" and "st" in ast.unparse(call.func)]
    assert not written or name_of(path) in OWN_HTML
    text = path.read_text(encoding="utf-8")
    assert "components.v1" not in text and "components.v2" not in text
    if written and "escape" in OWN_HTML[name_of(path)]:
        assert "from html import escape" in text


def test_the_lists_above_name_files_that_are_there() -> None:
    for name in (*PROCESSES, *BY_NAME, *OWN_HTML):
        assert (ROOT / name).is_file(), name


def test_a_call_hidden_in_an_expression_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text("y = [eval(one) for one in z]\nst.markdown(y, unsafe_allow_html=True)\n")
    found = list(calls(path))
    assert sorted(map(called, found)) == ["eval", "markdown"]
    assert any(word.arg in FORBIDDEN_ARGUMENTS for call in found for word in call.keywords)
