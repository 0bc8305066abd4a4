"""Edits of a config: what changes, what stays, what is refused; saving, undoing, others' changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from core.config import DatasetConfig, Tier, dump_config, load_config
from core.config.edits import (
    EvalEdit,
    differences,
    edit_evals,
    eval_edit,
    label_task,
    move_tier,
    put_tier,
    remove_tier,
)
from core.config.history import edits, history_path, merge, save_edit, text_mark, undo
from core.errors import ConfigError

DOCUMENT: dict[str, Any] = {
    "db": "d.duckdb",
    "name": "d",
    "threshold": 1.0,
    "note": "mine",
    "evals": [
        {"label": "A", "filters": {"model": "a"}, "groups": ["size:small"], "hidden": False, "colour": "red"},
        {"label": "B", "filters": {"model": "b"}, "groups": []},
        {"label": "C", "filters": {"model": "c"}, "groups": []},
    ],
    "basetasks": {"sum": {"label": "Sum", "surfaces": [], "own": {"deep": [1, 2]}}},
    "tiers": [
        {"id": "easy", "label": "Easy", "filters": {"sum": {"length": [1, 2]}}, "since": 2024},
        {"id": "hard", "label": "Hard", "filter": {"length": 3}},
    ],
}


@pytest.fixture
def config() -> DatasetConfig:
    return DatasetConfig.model_validate(DOCUMENT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "d.json"
    file.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    return file


def document(config: DatasetConfig) -> Any:
    return json.loads(dump_config(config))


class TestEvals:
    def test_an_edit_changes_what_it_says_and_nothing_else(self, config: DatasetConfig) -> None:
        edited = edit_evals(config, {0: EvalEdit(" A  one ", "org/a", ("kind:x", " kind:x ", ""), True, 9)})
        expected = json.loads(json.dumps(DOCUMENT))
        expected["evals"][0] |= {
            "label": "A one", "hf_id": "org/a", "groups": ["kind:x"], "hidden": True, "order": 9
        }  # fmt: skip
        assert document(edited) == expected
        assert differences(config, edited) == ["eval 0 (A one): label, hf_id, groups, hidden, order"]

    def test_an_eval_edited_to_what_it_is_changes_nothing(self, config: DatasetConfig) -> None:
        edited = edit_evals(config, {place: eval_edit(config, place) for place in range(3)})
        assert document(edited) == DOCUMENT
        assert differences(config, edited) == []

    def test_taking_back_a_field_takes_its_key_away(self, config: DatasetConfig) -> None:
        edited = edit_evals(config, {1: EvalEdit("B", "org/b", (), False, 1.0)})
        assert document(edit_evals(edited, {1: EvalEdit("B", "", (), False, None)})) == DOCUMENT

    @pytest.mark.parametrize("label", ["", "  ", "x" * 201])
    def test_a_label_is_needed(self, config: DatasetConfig, label: str) -> None:
        with pytest.raises(ConfigError, match="label of eval 1"):
            edit_evals(config, {1: EvalEdit(label, None, (), False)})

    def test_one_eval_stays_in_sight(self, config: DatasetConfig) -> None:
        hidden = {place: EvalEdit("x", None, (), True) for place in range(3)}
        with pytest.raises(ConfigError, match="at least one"):
            edit_evals(config, hidden)

    @pytest.mark.parametrize(
        ("orders", "shown"),
        [
            ({}, [0, 1, 2]),
            ({2: 1.0}, [2, 0, 1]),
            ({0: 2.5}, [1, 0, 2]),
            ({0: 9.0, 1: -1.0}, [1, 2, 0]),
            ({1: 3.0}, [0, 1, 2]),
        ],
    )
    def test_order_of_display(
        self, config: DatasetConfig, orders: dict[int, float], shown: list[int]
    ) -> None:
        changes = {n: EvalEdit(config.evals[n].label, None, (), False, orders[n]) for n in orders}
        edited = edit_evals(config, changes)
        assert edited.eval_order == shown
        # The ids are where they were.
        assert [entry.filters["model"] for entry in edited.evals] == ["a", "b", "c"]


class TestTasksAndTiers:
    def test_a_task_is_labelled(self, config: DatasetConfig) -> None:
        edited = label_task(config, "sum", "Adding", "arithmetic")
        entry = document(edited)["basetasks"]["sum"]
        assert entry == {"label": "Adding", "category": "arithmetic", "surfaces": [], "own": {"deep": [1, 2]}}
        assert document(label_task(edited, "sum", "Sum", None)) == DOCUMENT

    def test_a_task_that_the_config_does_not_know_is_added(self, config: DatasetConfig) -> None:
        edited = label_task(config, "new", "New one", "")
        assert document(edited)["basetasks"]["new"] == {"label": "New one"}
        assert differences(config, edited) == ["task new: label, category"]

    def test_a_tier_is_defined_anew_under_its_id(self, config: DatasetConfig) -> None:
        edited = put_tier(config, "easy", "Simple", filter=[{"length": [1]}, {"depth": [1, 2]}])
        assert document(edited)["tiers"][0] == {
            "id": "easy", "label": "Simple", "since": 2024, "filter": [{"length": 1}, {"depth": [1, 2]}],
        }  # fmt: skip
        assert differences(config, edited) == ["tier Simple: label"]

    def test_a_new_tier_gets_an_id_of_its_label(self, config: DatasetConfig) -> None:
        edited = put_tier(config, None, "Very hard!", filters={"sum": {"length": [4]}})
        assert edited.tiers[-1] == Tier(id="very-hard", label="Very hard!", filters={"sum": {"length": 4}})
        again = put_tier(remove_tier(config, "hard"), None, "easy", filter={})
        assert [tier.id for tier in again.tiers] == ["easy", "easy-2"]

    @pytest.mark.parametrize(
        ("label", "rule", "words"),
        [
            ("", {"filter": {}}, "empty"),
            ("Hard", {"filter": {}}, "Another tier"),
            ("X", {}, "no rule"),
            ("X", {"filters": {}}, "no rule"),
            ("X", {"filter": {"length": float("nan")}}, "not valid"),
        ],
    )
    def test_what_is_no_tier_is_refused(
        self, config: DatasetConfig, label: str, rule: dict[str, Any], words: str
    ) -> None:
        with pytest.raises(ConfigError, match=words):
            put_tier(config, None, label, **rule)

    def test_tiers_are_moved_within_the_list_and_removed(self, config: DatasetConfig) -> None:
        moved = move_tier(config, "hard", -5)
        assert [tier.id for tier in moved.tiers] == ["hard", "easy"]
        assert differences(config, moved) == ["order of the tiers"]
        assert [tier.id for tier in remove_tier(moved, "hard").tiers] == ["easy"]
        with pytest.raises(ConfigError, match="no tier 'x'; the config has: easy, hard"):
            remove_tier(config, "x")


class TestSaving:
    def test_saved_and_undone_to_the_letter(self, path: Path) -> None:
        before = path.read_text()
        edited = label_task(load_config(path), "sum", "Adding", None)
        save_edit(edited, path, seen=text_mark(path), what="task sum: label")
        assert load_config(path).basetasks["sum"].label == "Adding"
        assert [edit.what for edit in edits(path)] == ["task sum: label"]
        assert undo(path) == "task sum: label"
        assert path.read_text() == before
        assert edits(path) == []
        with pytest.raises(ConfigError, match="no edit to undo"):
            undo(path)

    def test_several_edits_are_undone_one_by_one(self, path: Path) -> None:
        texts = [path.read_text()]
        for label in ("one", "two", "three"):
            save_edit(
                label_task(load_config(path), "sum", label, None), path, seen=text_mark(path), what=label
            )
            texts.append(path.read_text())
        for text in texts[-2::-1]:
            undo(path)
            assert path.read_text() == text

    def test_a_file_changed_meanwhile_is_not_overwritten(self, path: Path) -> None:
        seen, edited = text_mark(path), label_task(load_config(path), "sum", "Adding", None)
        changed = json.dumps(DOCUMENT | {"name": "other"})
        path.write_text(changed)
        with pytest.raises(ConfigError, match="changed by something else"):
            save_edit(edited, path, seen=seen, what="x")
        assert path.read_text() == changed
        assert not history_path(path).exists()

    def test_an_undo_keeps_what_an_import_has_appended(self, path: Path) -> None:
        edited = edit_evals(load_config(path), {0: EvalEdit("Renamed", None, (), False)})
        save_edit(edited, path, seen=text_mark(path), what="eval 0")
        appended = json.loads(path.read_text())
        appended["evals"].append({"label": "D", "filters": {"model": "d"}})
        appended["basetasks"]["new"] = {"label": "New"}
        path.write_text(json.dumps(appended))
        undo(path)
        now = json.loads(path.read_text())
        assert now["evals"][:3] == DOCUMENT["evals"]
        assert now["evals"][3]["label"] == "D"
        assert list(now["basetasks"]) == ["sum", "new"]

    def test_an_undo_of_what_was_changed_again_is_refused(self, path: Path) -> None:
        save_edit(
            label_task(load_config(path), "sum", "one", None), path, seen=text_mark(path), what="task sum"
        )
        path.write_text(path.read_text().replace('"one"', '"by hand"'))
        with pytest.raises(ConfigError, match="by hand"):
            undo(path)
        assert load_config(path).basetasks["sum"].label == "by hand"
        assert len(edits(path)) == 1

    def test_nothing_is_saved_while_an_import_has_the_dataset(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("core.config.history.WAIT", 0.05)
        edited = label_task(load_config(path), "sum", "Adding", None)
        with (
            FileLock(path.with_suffix(".lock")),
            pytest.raises(ConfigError, match="import into d is at work"),
        ):
            save_edit(edited, path, seen=text_mark(path), what="x")
        assert load_config(path).basetasks["sum"].label == "Sum"

    def test_a_damaged_history_is_an_empty_one(self, path: Path) -> None:
        history_path(path).write_text('{"at": 1}\nnonsense\n\xff')
        assert edits(path) == []
        save_edit(label_task(load_config(path), "sum", "x", None), path, seen=text_mark(path), what="x")
        assert len(edits(path)) == 1

    def test_old_edits_are_forgotten(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("core.config.history.MOST", 3)
        for number in range(5):
            edited = label_task(load_config(path), "sum", f"{number}", None)
            save_edit(edited, path, seen=text_mark(path), what=f"{number}")
        assert [edit.what for edit in edits(path)] == ["2", "3", "4"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_a_change_of_one_side_alone_is_taken(base: Any, changed: Any) -> None:
    assert merge(base, changed, base) == changed
    assert merge(base, base, changed) == changed
    assert merge(base, changed, changed) == changed
