"""Tasks: what each is made of, and how accuracy runs along one param."""

from core.tiers.tasks.params import accuracy_by_param, param_chart
from core.tiers.tasks.table import (
    TaskRow,
    projection_frame,
    read_tasks,
    surface_text,
    task_document,
    task_frame,
    value_range,
)
from core.tiers.tasks.words import summary

__all__ = [
    "TaskRow",
    "accuracy_by_param",
    "param_chart",
    "projection_frame",
    "read_tasks",
    "summary",
    "surface_text",
    "task_document",
    "task_frame",
    "value_range",
]
