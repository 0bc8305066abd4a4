"""Saved views: what is taken in, kept beside the config, and told on the command line."""

import ast
import importlib
import os
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.views as views
from core.ui import filter_state
from core.views import ViewError, Views
from core.views.parameters import FILTERS, PARAM, known
from tests.command import ROOT, ask

EASY = views.view_of("Easy", "scores", {"tier": ["Easy"], "eval": ["A, b", "ü & c"], "by_tier": ["true"]})
HARD = views.view_of("Hard", "cluster", {"tier": ["Hard"]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return views.views_path(tmp_path / "my.results.json")


def names(path: Path) -> list[str]:
    return [view.name for view in views.read_views(path).views]


def test_the_sidecar_file_is_named_after_the_config(path: Path) -> None:
    assert path.name == "my.results.views.json"
    assert views.read_views(path) == Views()


def test_a_view_is_the_address_of_its_page() -> None:
    parts = urlsplit(HARD.address("demo"))
    assert parts.path == "cluster"
    assert parse_qs(parts.query) == {"dataset": ["demo"], "tier": ["Hard"]}
    assert EASY.address("a b").startswith("?dataset=a+b&tier=Easy")
    assert parse_qs(urlsplit(EASY.address("demo")).query)["eval"] == ["A, b", "ü & c"]
    assert EASY.words() == "Scores · tier Easy · eval A, b, ü & c · 1 option"


def test_saved_views_are_read_as_they_were_saved(path: Path) -> None:
    for view in (EASY, HARD):
        views.save_view(path, view)
    assert views.read_views(path).views == (EASY, HARD)
    assert path.stat().st_mode & 0o077 == 0o044


@given(
    st.dictionaries(
        st.one_of(st.sampled_from(FILTERS), st.from_regex(r"param\.[a-z|\"]{1,8}", fullmatch=True)),
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30), min_size=1, max_size=4
        ),
        max_size=5,
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=90),
)
def test_any_view_that_is_taken_survives_a_file_and_an_address(
    parameters: dict[str, list[str]], name: str
) -> None:
    try:
        view = views.view_of(name, "surface", parameters)
    except ViewError:
        return
    shared = views.read_shared(views.shared_bytes([view], "demo"))
    assert (shared.views, shared.dataset) == ((view,), "demo")
    query = parse_qs(urlsplit(view.address("demo")).query, keep_blank_values=True, strict_parsing=True)
    assert query == {"dataset": ["demo"], **parameters}
    assert 1 <= len(view.name) <= views.NAME_LENGTH
    assert view.name.isprintable()


def test_parameters_that_no_page_has_are_not_kept() -> None:
    view = views.view_of(
        "x", "tasks", {"tier": ["Easy"], "utm_source": ["mail"], "dataset": ["demo"], "group": []}
    )
    assert view.parameters == {"tier": ("Easy",)}


FAULTS = {
    "no page 'admin'": {"page": "admin"},
    "no page has a parameter 'dataset'": {"parameters": {"dataset": ["../x"]}},
    "no page has a parameter 'embed'": {"parameters": {"embed": ["true"]}},
    "the name is empty": {"name": " \u200b\n"},
    "longer than 80": {"name": "x" * 81},
    "at most 2000": {"parameters": {"tier": ["x" * 2001]}},
    "address is longer": {"parameters": {"tier": ["x" * 2000] * 10}},
    "at most 500": {"parameters": {"tier": ["x"] * 501}},
    "should be a valid string": {"name": 3},
    "should be a valid tuple": {"parameters": {"tier": "Easy"}},
    "not permitted": {"script": "alert(1)"},
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_file_with_a_view_that_will_not_do_is_refused_as_a_whole(message: str) -> None:
    document = orjson.loads(views.shared_bytes([HARD, EASY], "demo"))
    document["views"][1] |= FAULTS[message]
    with pytest.raises(ViewError, match="View 2 of the file") as caught:
        views.read_shared(orjson.dumps(document))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"db": "demo.duckdb", "views": []}', "not a file of saved views"),
        (b'{"format": "reasonscape-views", "version": 2, "views": []}', "version"),
        (b'{"format": "reasonscape-views", "version": 1, "views": {}}', "must be a list"),
        (b'{"format": "reasonscape-views", "version": 1, "views": []}', "no views"),
        (b'{"format": "reasonscape-views", "version": 1, "views": ["\\ud800"]}', "not valid JSON"),
        (b" " * 2_000_001, "larger than"),
        (views.shared_bytes([HARD] * 201, ""), "more than 200"),
    ],
    ids=["broken", "deep", "config", "version", "object", "none", "surrogate", "large", "many"],
)
def test_what_is_no_file_of_views_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ViewError, match=message):
        views.read_shared(data)


def test_a_name_that_is_taken_is_replaced_only_when_asked(path: Path) -> None:
    views.save_view(path, EASY)
    other = HARD.model_copy(update={"name": "EASY"})
    with pytest.raises(views.NameTakenError):
        views.save_view(path, other)
    assert views.save_view(path, other, replace=True) == EASY
    assert views.read_views(path).views == (other,)


def test_renaming_keeps_the_place_and_refuses_what_is_taken_or_gone(path: Path) -> None:
    for view in (EASY, HARD):
        views.save_view(path, view)
    assert views.rename_view(path, "Easy", "  Light\n") == "Light"
    assert views.rename_view(path, "Light", "LIGHT") == "LIGHT"
    assert names(path) == ["LIGHT", "Hard"]
    for old, new, message in (
        ("Hard", "Light", "already"),
        ("Easy", "x", "any more"),
        ("Hard", " ", "empty"),
    ):
        with pytest.raises(ViewError, match=message):
            views.rename_view(path, old, new)
    assert names(path) == ["LIGHT", "Hard"]


def test_a_deleted_view_comes_back_where_it_stood(path: Path) -> None:
    for view in (EASY, HARD):
        views.save_view(path, view)
    gone = views.delete_view(path, "Easy")
    assert names(path) == ["Hard"]
    views.save_view(path, HARD.model_copy(update={"name": "Easy"}))
    assert views.restore_view(path, *gone) == "Easy (2)"
    assert names(path) == ["Easy (2)", "Hard", "Easy"]
    with pytest.raises(ViewError, match="any more"):
        views.delete_view(path, "nothing")


def test_views_from_a_file_take_free_names_and_come_once(path: Path) -> None:
    views.save_view(path, EASY)
    other = HARD.model_copy(update={"name": "easy"})
    assert views.add_views(path, [other, EASY, HARD]) == views.Added(("easy (2)", "Hard"), ("Easy",))
    assert views.add_views(path, [other, EASY, HARD]) == views.Added((), ("easy", "Easy", "Hard"))
    assert names(path) == ["Easy", "easy (2)", "Hard"]


def test_two_writers_lose_nothing(path: Path) -> None:
    def save(who: int) -> None:
        for number in range(10):
            views.save_view(path, HARD.model_copy(update={"name": f"{who} {number}"}))

    writers = [threading.Thread(target=save, args=(who,)) for who in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(names(path)) == sorted(f"{who} {number}" for who in range(4) for number in range(10))


def test_a_dataset_keeps_so_many_views(path: Path) -> None:
    views.add_views(
        path, [HARD.model_copy(update={"name": f"{n}", "parameters": {"a": (f"{n}",)}}) for n in range(200)]
    )
    with pytest.raises(ViewError, match="at most 200"):
        views.save_view(path, EASY)
    assert len(names(path)) == 200


def test_an_entry_of_a_newer_version_is_named_and_kept(path: Path) -> None:
    views.save_view(path, EASY)
    document = orjson.loads(path.read_bytes())
    newer = {"name": "Newer", "page": "galaxy", "parameters": {}}
    document["views"] = [newer, 7, *document["views"], {**newer, "name": "easy", "page": "scores"}]
    path.write_bytes(orjson.dumps(document))
    found = views.read_views(path)
    assert found.views == (EASY,)
    assert [one.name for one in found.unusable] == ["Newer", "7", "easy"]
    assert "galaxy" in found.unusable[0].fault
    views.save_view(path, HARD)
    assert orjson.loads(path.read_bytes())["views"][:2] == [newer, 7]


def test_no_word_of_a_file_steers_the_terminal(path: Path) -> None:
    sent = HARD.model_copy(update={"parameters": {"tier": ("\x1b[2J\nHard",)}})
    path.write_bytes(views.shared_bytes([sent], ""))
    document = orjson.loads(path.read_bytes())
    document["views"] += [{"name": "\x1b]0;x\x07Newer\n", "page": "tasks", "parameters": {"\x1b[1m": 3}}]
    path.write_bytes(orjson.dumps(document))
    found = views.read_views(path)
    assert found.views[0].words() == "Cluster · tier [2J Hard"
    assert found.unusable[0].name == "]0;xNewer"
    assert found.unusable[0].fault.isprintable()


def test_what_a_killed_writer_left_is_cleared(path: Path) -> None:
    left = path.with_name(f".{path.name}.abcd_123.new")
    left.touch()
    views.save_view(path, EASY)
    assert not left.exists()
    assert names(path) == ["Easy"]


@pytest.mark.parametrize("text", ["", "{", '{"db": "x.duckdb"}'])
def test_a_file_that_cannot_be_read_is_not_written_over(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(ViewError, match=r"my\.results\.views\.json"):
        views.read_views(path)
    with pytest.raises(ViewError, match="move it away"):
        views.save_view(path, EASY)
    assert path.read_text() == text


def test_a_folder_that_cannot_be_written_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert views.writable(path)
    views.save_view(path, EASY)
    before = path.read_bytes()
    # Root may write anywhere, so the system's refusals are put in.
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert not views.writable(path)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("core.views.file.write_whole", refuse)
    with pytest.raises(ViewError, match="nothing was changed: Permission denied; see that"):
        views.save_view(path, HARD)
    assert path.read_bytes() == before


def test_the_command_line_lists_what_the_pages_list(demo_dataset: Path, tmp_path: Path) -> None:
    config = tmp_path / "demo.json"
    config.write_bytes(demo_dataset.read_bytes())
    done = ask("views", config)
    assert done.status == 2
    assert "No saved views" in done.said
    for view in (EASY, HARD):
        views.save_view(views.views_path(config), view)
    document = ask("views", config, "--format", "json").document()
    assert [row["name"] for row in document] == ["Easy", "Hard"]
    assert document[1] == {"name": "Hard", "page": "Cluster", "address": "/cluster?dataset=demo&tier=Hard",
                           "of": "Cluster · tier Hard"}  # fmt: skip
    assert "/cluster?dataset=demo&tier=Hard" in ask("views", config).out
    assert ask("views", config, "--format", "png").status == 2


def test_the_pages_are_those_of_the_app() -> None:
    tree = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    calls = [
        node
        for node in ast.walk(tree)
        # The other one leads to the first page by its name.
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.Page" and not is_hidden(node)
    ]
    found = {}
    for call in calls:
        keywords = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
        path = Path(ast.literal_eval(call.args[0])).stem
        found[path] = keywords["title"]
        assert keywords.get("default", False) == (path == views.DEFAULT_PAGE)
    assert found == views.PAGES


def is_hidden(call: ast.Call) -> bool:
    return any(one.arg == "visibility" for one in call.keywords)


def bound_keys() -> set[str]:
    """The parameters that widgets name, as far as their names are constants."""
    found = set()
    for path in [*(ROOT / "core" / "ui").glob("*.py"), *(ROOT / "pages").glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        scope = (
            vars(importlib.import_module(f"core.ui.{path.stem}"))
            if path.parent.name == "ui"
            else constants(text)
        )
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                given = {one.arg: one.value for one in node.keywords}
                if "bind" in given:
                    found |= texts(given["key"], scope)
    return found


def constants(text: str) -> dict[str, object]:
    """What a page imports from core.ui: a page itself only runs in the app."""
    imports = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    names = [one.name for node in imports if node.module == "core.ui" for one in node.names]
    return {name: importlib.import_module(f"core.ui.{name}") for name in names}


def texts(key: ast.expr, scope: dict[str, object]) -> set[str]:
    if isinstance(key, ast.IfExp):
        return texts(key.body, scope) | texts(key.orelse, scope)
    if isinstance(key, ast.Call):
        return texts(key.args[0], scope)
    try:
        value = eval(compile(ast.Expression(key), "key", "eval"), dict(scope))
    except NameError:
        return set()
    return {value} if isinstance(value, str) else set()


def test_every_parameter_that_a_page_binds_is_known() -> None:
    found = bound_keys()
    assert len(found) > 60
    assert {key for key in found if not known(key)} == {"dataset"}


def test_the_filters_are_those_of_the_sidebar() -> None:
    state = dict.fromkeys([*FILTERS, "param.length", "other"])
    assert filter_state.keys_of(state) == [*FILTERS, "param.length"]
    assert PARAM == filter_state.PARAM
