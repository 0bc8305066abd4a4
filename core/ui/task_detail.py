"""What one task is made of: params with their values, surfaces and projections."""

from typing import Any

import pandas as pd
import streamlit as st

from core.config import Projection, Surface
from core.tiers.tasks import TaskRow
from core.ui import drill, linked_table
from core.ui.eval_table import filter_words
from core.ui.filter_state import param_text
from core.ui.sidebar import View
from core.ui.wording import apart, count, escape

KEY = "detail"
"""Name of the choice of a task in the session and in the address."""


def labels(rows: list[TaskRow]) -> dict[str, str]:
    """Return the label of each task, made unique, by base_task."""
    return apart([row.base_task for row in rows], [row.label for row in rows])


def show_table(frame: pd.DataFrame, base_tasks: list[str], chosen: str) -> None:
    """Show the tasks, the one in detail selected."""

    def take(selected: list[str]) -> list[str]:
        # A row that is selected again lets go of it; one task is always in detail.
        if selected:
            st.session_state[KEY] = selected[0]
        return selected

    linked_table.show(
        frame,
        base_tasks,
        [chosen],
        take,
        name="tasks",
        mode="single-row",
        columns=_columns(),
        alt="Tasks: label, category, params, surfaces, projections and number of completions",
    )


def _columns() -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "base_task": text("base_task"),
        "label": text("Label", pinned=True),
        "category": text("Category"),
        "params": text("Params", width="large"),
        "surfaces": text("Surfaces", width="medium"),
        "projections": text("Projections", width="medium"),
        "evals": number("Evals", width="small"),
        "points": number("Points", format="localized"),
        "items": number("Items", format="localized", help="The most that any eval answered."),
        "n": number("n", format="localized", help="Completions that count: correct, incorrect and invalid."),
        "completions": number("Completions", format="localized"),
    }


def show(row: TaskRow) -> None:
    """Show a task's params, surfaces and projections."""
    amounts = count(row.items, "item"), count(row.points, "point"), count(row.completions, "completion")
    st.caption(escape(f"{row.base_task} ({row.category or 'no category'}): {', '.join(amounts)}."))
    _table("Params", params_frame(row), "This task has no params.")
    _table("Surfaces", surfaces_frame(row.config.surfaces), "No surfaces are configured.")
    _table("Projections", projections_frame(row.config.projections), "No projections are configured.")


def show_links(view: View, row: TaskRow, param: str, clicked: dict[str, Any] | None) -> None:
    """Show links to the completions of a task, of one eval at one value where a mark was clicked."""
    filters = drill.narrowed(view.filters, base_task=row.base_task)
    what = f"Completions of {row.label}"
    if clicked:
        eval_id = int(clicked["eval_id"])
        filters = drill.narrowed(filters, eval_id=eval_id)
        what += f" by {view.config.eval_names[eval_id]}"
        # A label of a bin is no value: then all values of the param stay.
        values = [value for value in row.params[param] if str(value) == clicked["value"]]
        if values:
            filters = drill.narrowed(filters, params={param: values})
            what += f", {param} {param_text(values[0])}"
    drill.outcome_links(view, what, key="task", filters=filters)


def _table(heading: str, frame: pd.DataFrame, otherwise: str) -> None:
    st.markdown(f"**{heading}**")
    if frame.empty:
        st.caption(otherwise)
    else:
        st.dataframe(frame, hide_index=True, placeholder="—", alt=f"{heading} of the task")


def params_frame(row: TaskRow) -> pd.DataFrame:
    """Return each param with its values."""
    return pd.DataFrame(
        [
            {"Param": name, "Values": ", ".join(map(param_text, values)), "Number": len(values)}
            for name, values in row.params.items()
        ]
    )


def surfaces_frame(surfaces: list[Surface]) -> pd.DataFrame:
    """Return each surface with its axes, their values and the filter."""
    return pd.DataFrame(
        [
            {
                "Surface": surface.label,
                "x": f"{surface.x_data}: {_axis(surface.x_values, surface.x_bins)}",
                "y": f"{surface.y_data}: {_axis(surface.y_values, surface.y_bins)}",
                "Where": filter_words(surface.filter),
                "id": surface.id,
            }
            for surface in surfaces
        ]
    )


def projections_frame(projections: list[Projection]) -> pd.DataFrame:
    """Return each projection with its axis, its values and the filter."""
    return pd.DataFrame(
        [
            {
                "Projection": projection.label,
                "Axis": f"{projection.axis}: {_axis(projection.values, projection.bins)}",
                "Where": filter_words(projection.filter),
                "id": projection.id,
            }
            for projection in projections
        ]
    )


def _axis(values: list[Any] | None, bins: list[tuple[float, float]] | None) -> str:
    if values is not None:
        return ", ".join(map(param_text, values))
    return ", ".join(f"{low:g}" if low == high else f"{low:g} to {high:g}" for low, high in bins or [])
