"""The evals and tasks of a config as tables that can be edited."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.config import DatasetConfig
from core.config.edits import EvalEdit, edit_evals, eval_edit, label_task
from core.errors import ConfigError
from core.store.dataset import Dataset
from core.ui import edit_save
from core.ui.edit_save import Editing


def evals_frame(config: DatasetConfig) -> pd.DataFrame:
    """Return the evals as they are edited, in the order of their ids; `place` is where each is shown."""
    places = {eval_id: place + 1 for place, eval_id in enumerate(config.eval_order)}
    return pd.DataFrame(
        {
            "eval_id": range(len(config.evals)),
            "place": [float(places[eval_id]) for eval_id in range(len(config.evals))],
            "label": [entry.label for entry in config.evals],
            "groups": [list(entry.groups) for entry in config.evals],
            "hidden": [entry.hidden for entry in config.evals],
            "hf_id": [entry.hf_id or "" for entry in config.evals],
            "takes": [_takes(entry.filters) for entry in config.evals],
        }
    )


def _takes(filters: Mapping[Any, str | list[str]]) -> str:
    parts = [" or ".join(value) if isinstance(value, list) else value for value in filters.values()]
    return " · ".join(parts) or "everything"


def edited_evals(config: DatasetConfig, shown: pd.DataFrame, edited: pd.DataFrame) -> DatasetConfig:
    """Return the config with the rows that differ from those shown.

    An eval with a new place is shown there, before the one that has it; the others keep their order.

    Raises
    ------
    ConfigError
        A row is no valid eval.
    """
    edits = {}
    moved = {}
    for eval_id, (old, new) in enumerate(zip(_rows(shown), _rows(edited), strict=True)):
        if new["place"] != old["place"]:
            if new["place"] is None:
                raise ConfigError(f"The place of eval {eval_id} is empty: give a number")
            moved[eval_id] = float(new["place"]) - (0.5 if new["place"] < old["place"] else -0.5)
        if new != old:
            edits[eval_id] = EvalEdit(
                new["label"] or "", new["hf_id"], tuple(new["groups"]), bool(new["hidden"]),
                eval_edit(config, eval_id).order,
            )  # fmt: skip
    if moved:
        edits = _ordered(config, edits, moved)
    return edit_evals(config, edits)


def _ordered(
    config: DatasetConfig, edits: dict[int, EvalEdit], moved: Mapping[int, float]
) -> dict[int, EvalEdit]:
    places = {eval_id: place + 1.0 for place, eval_id in enumerate(config.eval_order)} | dict(moved)
    order = sorted(places, key=lambda eval_id: (places[eval_id], eval_id))
    result = dict(edits)
    for place, eval_id in enumerate(order):
        # An eval that stands where its id says needs no entry.
        wanted = None if place == eval_id else float(place + 1)
        edit = result.get(eval_id) or eval_edit(config, eval_id)
        if edit.order != wanted:
            result[eval_id] = EvalEdit(edit.label, edit.hf_id, edit.groups, edit.hidden, wanted)
    return result


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for row in frame.to_dict("records"):
        groups = row["groups"]
        listed = [] if groups is None or isinstance(groups, float) else [str(group) for group in groups]
        plain = {
            str(name): None if _absent(value) else value for name, value in row.items() if name != "groups"
        }
        rows.append(
            plain | {"groups": listed, "hf_id": plain["hf_id"] or "", "hidden": bool(plain["hidden"])}
        )
    return rows


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and pd.isna(value))


def show_evals(editing: Editing) -> None:
    """Show the evals to edit, and the button that saves them."""
    st.caption(
        "An eval keeps its eval_id for good; its place says where it is shown. A hidden eval counts only"
        " where it is chosen by name. Groups read best as kind\\:name, such as size\\:small."
    )
    frame = evals_frame(editing.config)
    column = st.column_config
    edited = st.data_editor(
        frame,
        key=editing.key("evals"),
        hide_index=True,
        num_rows="fixed",
        disabled=["eval_id", "takes"],
        column_config={
            "eval_id": column.NumberColumn("eval_id", width=65),
            "place": column.NumberColumn("place", width=75, min_value=0, required=True),
            "label": column.TextColumn("label", required=True, max_chars=200, width="medium"),
            "groups": column.MultiselectColumn(
                "groups", options=editing.config.groups, accept_new_options=True, width="large"
            ),
            "hidden": column.CheckboxColumn("hidden", width=85),
            "hf_id": column.TextColumn("hf_id", max_chars=200, width="medium"),
            "takes": column.TextColumn("model · template · sampler", width="medium"),
        },
        alt="Evals of the dataset, to be edited",
    )
    edit_save.save_button(
        editing, lambda: edited_evals(editing.config, frame, edited), label="Save evals", key="evals"
    )


def tasks_frame(config: DatasetConfig, dataset: Dataset) -> pd.DataFrame:
    """Return the tasks as they are edited; those that the config does not name have no label yet."""
    tasks = dict.fromkeys([*dataset.catalog.base_tasks, *config.basetasks])
    entries = [config.basetasks.get(task) for task in tasks]
    return pd.DataFrame(
        {
            "base_task": list(tasks),
            "label": [entry.label if entry else task for task, entry in zip(tasks, entries, strict=True)],
            "category": [(entry.category if entry else None) or "" for entry in entries],
        }
    )


def edited_tasks(config: DatasetConfig, shown: pd.DataFrame, edited: pd.DataFrame) -> DatasetConfig:
    """Return the config with the tasks that were named anew. Raises ConfigError where a label is empty."""
    for old, new in zip(shown.to_dict("records"), edited.to_dict("records"), strict=True):
        label, category = (None if _absent(new[name]) else str(new[name]) for name in ("label", "category"))
        if (label, category or "") != (old["label"], old["category"]):
            config = label_task(config, str(old["base_task"]), label or "", category)
    return config


def show_tasks(editing: Editing, dataset: Dataset) -> None:
    """Show the tasks to label, and the button that saves them."""
    st.caption("What a task is called on every page, and the category that it stands under.")
    frame = tasks_frame(editing.config, dataset)
    column = st.column_config
    edited = st.data_editor(
        frame,
        key=editing.key("tasks"),
        hide_index=True,
        num_rows="fixed",
        disabled=["base_task"],
        column_config={
            "label": column.TextColumn("label", required=True, max_chars=200),
            "category": column.TextColumn("category", max_chars=200),
        },
        alt="Tasks of the dataset, to be labelled",
    )
    edit_save.save_button(
        editing, lambda: edited_tasks(editing.config, frame, edited), label="Save tasks", key="tasks"
    )
