"""The dataset config: what is refused and how it is said, what is kept, what a filter matches."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import (
    DatasetConfig,
    Tier,
    dump_config,
    is_number,
    load_config,
    matches,
    same_value,
    save_config,
    tier_filter,
)
from core.config import entries as config_module
from core.errors import ConfigError

FULL: dict[str, Any] = {
    "db": "demo.duckdb",
    "name": "demo",
    "threshold": 0.5,
    "evals": [
        {
            "label": "One",
            "hf_id": "org/one",
            "filters": {"model": "one", "template": ["a", "b"]},
            "groups": ["size:small"],
            "hidden": False,
        }
    ],
    "basetasks": {
        "arithmetic": {
            "label": "Arithmetic",
            "category": "math",
            "surfaces": [
                {
                    "id": "s", "label": "S", "x_data": "length", "y_data": "digits", "x_values": [2, 3],
                    "y_bins": [[1.0, 2.5]], "filter": [{"length": 2}, {"kind": ["x", True]}],
                }
            ],
            "projections": [
                {"id": "p", "label": "P", "axis": "length", "values": [2, 2.5, "x", True],
                 "labels": ["2", "2.5", "x", "yes"], "filter": {}}
            ],
        }
    },
    "tiers": [
        {"id": "easy", "label": "Easy", "filters": {"arithmetic": {"length": [2, 3], "digits": 1}}},
        {"id": "all", "label": "All", "filter": {}},
    ],
}  # fmt: skip

SURFACE = {"id": "s", "label": "S", "x_data": "a", "y_data": "b", "x_values": [1], "y_values": [1]}
PROJECTION = {"id": "p", "label": "P", "axis": "a", "values": [1]}


def write(folder: Path, document: Any) -> Path:
    path = folder / "demo.json"
    text = document if isinstance(document, str) else json.dumps(document)
    path.write_text(text, encoding="utf-8")
    return path


def with_task(**task: Any) -> dict[str, Any]:
    return {"db": "x", "basetasks": {"t": {"label": "T", **task}}}


FAULTS = [
    ({"db": "x", "evals": [{}]}, "evals.0.label", "required"),
    ({"db": "x", "evals": {}}, "evals", "valid list"),
    ({"db": "x", "evals": [{"label": "E", "filters": {"modle": "m"}}]}, "evals.0.filters.modle",
     "'model', 'template' or 'sampler'"),
    ({"db": "x", "evals": [{"label": "E", "filters": {"model": 5}}]}, "evals.0.filters.model",
     "valid string or a valid list; given: 5"),
    ({"db": "x", "evals": [{"label": "E", "groups": "g"}]}, "evals.0.groups", "valid list; given: 'g'"),
    ({"db": "x", "evals": [{"label": 7}]}, "evals.0.label", "valid string; given: 7"),
    ({"db": "x", "evals": [{"label": "E", "hidden": "perhaps"}]}, "evals.0.hidden", "valid boolean"),
    ({"db": 5}, "db", "valid string; given: 5"),
    ({"db": "x", "threshold": 0}, "threshold", "greater than 0"),
    ({"db": "x", "threshold": 1.5}, "threshold", "less than or equal to 1"),
    ({"db": "x", "basetasks": []}, "basetasks", "valid dictionary"),
    (with_task(surfaces=[{**SURFACE, "x_bins": [[0, 1]]}]), "basetasks.t.surfaces.0",
     "either x_values or x_bins"),
    (with_task(surfaces=[{**SURFACE, "y_values": None}]), "basetasks.t.surfaces.0",
     "either y_values or y_bins"),
    (with_task(surfaces=[{**SURFACE, "x_values": None, "x_bins": [[3, 1]]}]), "basetasks.t.surfaces.0",
     "low <= high"),
    (with_task(projections=[{**PROJECTION, "bins": [[0, 1]]}]), "basetasks.t.projections.0",
     "either values or bins"),
    (with_task(projections=[{**PROJECTION, "labels": ["a", "b"]}]), "basetasks.t.projections.0",
     "labels has 2 entries for 1 values"),
    (with_task(projections=[{**PROJECTION, "values": [None]}]), "basetasks.t.projections.0.values.0",
     "valid boolean or a valid integer or a valid number or a valid string"),
    ({"db": "x", "tiers": [{"id": "e", "label": "E", "filter": {}, "filters": {}}]}, "tiers.0",
     "not both"),
    ({"db": "x", "tiers": [{"id": "e", "label": "E", "filter": 5}]}, "tiers.0.filter",
     "valid dictionary or a valid list"),
    ({"db": "x", "tiers": [{"id": "e", "label": "E", "filters": {"t": {"a": None}}}]},
     "tiers.0.filters.t.a", "valid string or a valid list; given: None"),
    ({"db": "x", "tiers": [{"id": "e", "label": "E"}, {"id": "e", "label": "F"}]}, "tiers",
     "tier id used twice: e"),
    (with_task(surfaces=[SURFACE, SURFACE]), "(top)", "surface id used twice: s"),
    (with_task(projections=[PROJECTION, PROJECTION]), "(top)", "projection id used twice: p"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "place", "said"), FAULTS, ids=[f"{f[1]} {f[2][:20]}" for f in FAULTS])
def test_a_fault_names_file_place_and_what_is_valid(tmp_path: Path, document, place: str, said: str) -> None:
    path = write(tmp_path, document)
    with pytest.raises(ConfigError) as error:
        load_config(path)
    message = str(error.value)
    assert message.startswith(f"Config {path} is not valid: {place}: ")
    assert said in message
    assert "union" not in message
    assert "pydantic" not in message


def test_several_faults_are_told_one_after_the_other_and_then_counted(tmp_path: Path) -> None:
    path = write(tmp_path, {"db": "x", "evals": [{"label": n} for n in range(8)]})
    with pytest.raises(ConfigError, match=r"evals\.0\.label: .*; evals\.4\.label: .*; and 3 more$"):
        load_config(path)


def test_a_long_value_is_cut_in_the_message(tmp_path: Path) -> None:
    path = write(tmp_path, {"db": "x", "threshold": "y" * 500})
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert len(str(error.value)) < 300 + len(str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Config is not valid JSON: {path}: "),
        ("", "Config is not valid JSON: {path}: "),
        ("[" * 100_000, "Config is not valid JSON: {path}: "),
        ('{"db": "x", "note": NaN}', "Config is not valid JSON: {path}: NaN is not JSON"),
        ('{"db": "x", "note": -Infinity}', "Config is not valid JSON: {path}: -Infinity is not JSON"),
        ("[]", "Config {path} must be a JSON object, not list"),
        ("null", "Config {path} must be a JSON object, not NoneType"),
        ("{}", "Config must specify 'db' path"),
        ('{"db": "", "name": "x"}', "Config must specify 'db' path"),
    ],
)
def test_what_is_no_config_at_all(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert str(error.value).startswith(said.format(path=path))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^Config not found: .*gone\.json$"):
        load_config(tmp_path / "gone.json")
    with pytest.raises(ConfigError, match=f"^Config cannot be read: {tmp_path}: "):
        load_config(tmp_path)
    (tmp_path / "latin.json").write_bytes('{"db": "ä"}'.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"^Config cannot be read: .*latin\.json: "):
        load_config(tmp_path / "latin.json")


def test_the_name_is_the_files_where_there_is_none_and_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('\ufeff{"db": "x"}', encoding="utf-8")
    assert load_config(path).name == "mine"


def test_every_field_survives_load_and_save(tmp_path: Path) -> None:
    path = write(tmp_path, FULL)
    save_config(load_config(path), path)
    assert json.loads(path.read_text(encoding="utf-8")) == FULL


def test_kinds_of_values_survive(tmp_path: Path) -> None:
    values = [1, 1.5, True, "1", "true", 0, False]
    path = write(tmp_path, {"db": "x", "tiers": [{"id": "e", "label": "E", "filter": {"a": values}}]})
    kept = json.loads(dump_config(load_config(path)))["tiers"][0]["filter"]["a"]
    assert [(type(v), v) for v in kept] == [(type(v), v) for v in values]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PLACES = [
    (),
    ("evals", 0),
    ("basetasks", "arithmetic"),
    ("basetasks", "arithmetic", "surfaces", 0),
    ("basetasks", "arithmetic", "projections", 0),
    ("tiers", 1),
]
KNOWN = {key for model in config_module._Entry.__subclasses__() for key in model.model_fields}
# An underscore in front is pydantic's own and no name of a field.
UNKNOWN = st.text(min_size=1).filter(lambda key: key not in KNOWN and not key.startswith(("_", "model_")))


@given(st.dictionaries(UNKNOWN, JSON, min_size=1, max_size=3), st.sampled_from(PLACES))
def test_unknown_keys_survive_load_and_save_wherever_they_stand(extra, place) -> None:
    document = json.loads(json.dumps(FULL))
    target = document
    for step in place:
        target = target[step]
    target |= extra
    assert json.loads(dump_config(DatasetConfig.model_validate(document))) == document


def test_a_failing_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, FULL)
    before = path.read_bytes()
    changed = load_config(path).model_copy(update={"name": "changed"})
    for name in ("fsync", "replace", "chmod"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, lambda *_: (_ for _ in ()).throw(OSError("no space left")))
            with pytest.raises(OSError, match="no space left"):
                save_config(changed, path)
        assert path.read_bytes() == before
        assert [entry.name for entry in tmp_path.iterdir()] == ["demo.json"]
    save_config(changed, path)
    assert load_config(path).name == "changed"
    assert [entry.name for entry in tmp_path.iterdir()] == ["demo.json"]


@pytest.mark.parametrize(
    ("wanted", "params", "expected"),
    [
        ({}, {}, True),
        ({}, {"a": 1}, True),
        ({"a": 2}, {"a": 2.0}, True),
        ({"a": 2.0}, {"a": 2}, True),
        ({"a": 2}, {"a": 3}, False),
        ({"a": 2}, {}, False),
        ({"a": [1, 2]}, {"a": 2}, True),
        ({"a": [1, 2]}, {"a": 3}, False),
        ({"a": []}, {"a": 3}, False),
        ({"a": 1, "b": "x"}, {"a": 1, "b": "x", "c": 9}, True),
        ({"a": 1, "b": "x"}, {"a": 1, "b": "y"}, False),
        ([{"a": 1}, {"b": 1}], {"a": 2, "b": 1}, True),
        ([{"a": 1}, {"b": 1}], {"a": 2, "b": 2}, False),
        ([{}, {"b": 1}], {}, True),
        ([], {"a": 1}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": [0, 1]}, {"a": False}, False),
        ({"a": True}, {"a": True}, True),
        ({"a": "true"}, {"a": True}, False),
        ({"a": "2"}, {"a": 2}, False),
    ],
)
def test_what_a_filter_matches(wanted, params: dict[str, Any], expected: bool) -> None:
    assert matches(wanted, params) is expected


def test_same_value_and_numbers() -> None:
    assert same_value(1, 1.0)
    assert not same_value(True, 1)
    assert not same_value(0, False)
    assert [is_number(v) for v in (1, 1.5, True, "1", None, float("nan"), float("inf"))] == [True] * 2 + [
        False
    ] * 5


def test_a_tier_has_a_filter_per_task_or_one_for_all() -> None:
    by_task = Tier(id="e", label="E", filters={"t": {"a": 1}, "u": {}})
    assert [tier_filter(by_task, task) for task in ("t", "u", "v")] == [{"a": 1}, {}, None]
    assert tier_filter(Tier(id="e", label="E", filter={"a": 1}), "any") == {"a": 1}
    assert tier_filter(Tier(id="e", label="E"), "any") == {}


def test_lookups_and_names() -> None:
    config = DatasetConfig.model_validate(
        FULL | {"evals": [{"label": "A", "groups": ["y", "x"]}, {"label": "B", "groups": ["x", "z"]},
                          {"label": "A"}]}
    )  # fmt: skip
    assert config.groups == ["y", "x", "z"]
    assert config.eval_names == ["A (eval 0)", "B", "A (eval 2)"]
    assert config.task_label("arithmetic") == "Arithmetic"
    assert config.task_label("unheard_of") == "unheard_of"
    task, surface = config.surface("s") or ("", None)
    assert (task, surface and surface.x_data) == ("arithmetic", "length")
    assert (config.projection("p") or ("",))[0] == "arithmetic"
    assert config.surface("p") is None
    assert config.projection("s") is None


def test_entries_are_immutable() -> None:
    config = DatasetConfig.model_validate(FULL)
    with pytest.raises(ValueError, match="frozen"):
        config.name = "other"
    with pytest.raises(ValueError, match="frozen"):
        config.evals[0].label = "other"


@pytest.mark.parametrize(
    "labels",
    [["x", "x", "x (eval 0)"], ["x (eval 1)", "x", "x"], ["a", "a", "a", "a (eval 1)", "a (eval 1)"]],
)
def test_names_of_evals_are_never_the_same(labels: list[str]) -> None:
    config = DatasetConfig.model_validate(
        {"db": "d", "name": "n", "evals": [{"label": one} for one in labels]}
    )
    names = config.eval_names
    assert len(set(names)) == len(labels)
    assert all(name.startswith(label) for name, label in zip(names, labels, strict=True))
