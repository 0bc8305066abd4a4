"""The geometry of a radar: rings, spokes, bands and labels as points of a plane; rim 1, center 0."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.tiers.notes import TRUNCATION_TOLD
from core.tiers.spiderweb.table import Spiders

GRID = (0.25, 0.5, 0.75, 1.0)
LABEL_AT = 1.07
FIELDS = ("accuracy", "lower", "upper", "n", "n_items", "truncated_ratio")

Cells = Mapping[str, Mapping[str, float]]
"""FIELDS by task."""


@dataclass(frozen=True)
class Ring:
    """One closed line of the radar: the cells of an eval in a tier, with how it is drawn."""

    name: str
    cells: Cells
    colour: str
    dash: list[int]
    shape: str

    def known(self, task: str) -> bool:
        """Whether the ring has a number at a task."""
        return task in self.cells and not math.isnan(self.cells[task]["accuracy"])

    def runs(self, spokes: Sequence[str]) -> list[list[int]]:
        """Return the unbroken runs of spokes, each in order; a whole ring ends where it began."""
        known = [self.known(task) for task in spokes]
        count = len(spokes)
        if all(known):
            return [[*range(count), 0]]
        # Begin after a gap, so that a run over the first spoke stays whole.
        start = known.index(False)
        runs: list[list[int]] = [[]]
        for step in range(1, count + 1):
            place = (start + step) % count
            if known[place]:
                runs[-1].append(place)
            elif runs[-1]:
                runs.append([])
        return [run for run in runs if run]


def cells_of(cells: pd.DataFrame, tier: str | None) -> dict[str, dict[str, float]]:
    """Return the cells of a tier, or of the pool, by task."""
    rows = cells[cells["tier"].isna() if tier is None else cells["tier"] == tier]
    return {
        str(row["task"]): {field: float(row[field]) for field in FIELDS}
        for row in rows.to_dict(orient="records")
    }


def _at(place: float, spokes: int, radius: float) -> tuple[float, float]:
    """Return the point of a spoke at a radius; the first spoke points up, the others follow clockwise."""
    angle = math.tau * place / spokes
    return radius * math.sin(angle), radius * math.cos(angle)


def _frame(rows: list[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(columns))


def grid(spokes: tuple[str, ...]) -> pd.DataFrame:
    """Return the rings of the scale and the spokes, as lines."""
    count = len(spokes)
    rows = []
    for value in GRID:
        for place in range(count + 1):
            px, py = _at(place, count, value)
            rows.append({"x": px, "y": py, "line": f"ring {value}", "order": place})
    for place in range(count):
        px, py = _at(place, count, 1.0)
        rows += [
            {"x": 0.0, "y": 0.0, "line": f"spoke {place}", "order": 0},
            {"x": px, "y": py, "line": f"spoke {place}", "order": 1},
        ]
    return _frame(rows, ("x", "y", "line", "order"))


def scale_labels() -> pd.DataFrame:
    """Return where the scale is written."""
    return _frame([{"x": 0.0, "y": value, "text": f"{value:g}"} for value in GRID[:-1]], ("x", "y", "text"))


def labels(spiders: Spiders, spokes: tuple[str, ...], pooled: Cells | None, small: bool) -> pd.DataFrame:
    """Return the labels of the spokes, with the share truncated where it is marked."""
    rows = []
    # A second line would reach into the next label where there are many.
    most = 12 if small and len(spokes) <= 10 else 16
    for place, task in enumerate(spokes):
        px, py = _at(place, len(spokes), LABEL_AT)
        share = 0.0 if pooled is None or task not in pooled else pooled[task]["truncated_ratio"]
        told = f"{share:.0%} truncated" if share > TRUNCATION_TOLD else ""
        label = spiders.config.task_label(task)
        rows.append(
            {
                "x": px,
                "y": py,
                "task": label,
                "told": told or f"less than {TRUNCATION_TOLD:.0%}",
                "text": "\n".join(filter(None, [_wrapped(label, most), "" if small else told])),
                "align": "center" if abs(px) < 0.2 else "left" if px > 0 else "right",
                "baseline": "middle" if abs(py) < 0.3 else "bottom" if py > 0 else "top",
            }
        )
    return _frame(rows, ("x", "y", "task", "told", "text", "align", "baseline"))


def _wrapped(label: str, most: int) -> str:
    """Return a label in lines of up to `most` characters where it has spaces or underscores to break at."""
    lines = [""]
    for word in label.replace("_", " ").split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    lines = [line if len(line) <= most + 4 else line[: most + 3] + "…" for line in lines]
    return "\n".join(lines[:3])


def points(spiders: Spiders, drawn: list[Ring], spokes: tuple[str, ...]) -> pd.DataFrame:
    """Return a point per ring and task that it has."""
    rows = []
    for ring in drawn:
        for place, task in enumerate(spokes):
            if not ring.known(task):
                continue
            cell = ring.cells[task]
            px, py = _at(place, len(spokes), cell["accuracy"])
            marked = cell["truncated_ratio"] > TRUNCATION_TOLD
            rows.append(
                {"x": px, "y": py, "ring": ring.name, "task": spiders.config.task_label(task),
                 "marked": marked, **cell}
            )  # fmt: skip
    return _frame(rows, ("x", "y", "ring", "task", "marked", *FIELDS))


def lines(drawn: list[Ring], spokes: tuple[str, ...]) -> pd.DataFrame:
    """Return the lines of the rings, with how each is drawn."""
    rows = []
    for ring in drawn:
        for number, run in enumerate(ring.runs(spokes)):
            for order, place in enumerate(run):
                px, py = _at(place, len(spokes), ring.cells[spokes[place]]["accuracy"])
                rows.append(
                    {"x": px, "y": py, "ring": ring.name, "run": f"{ring.name} {number}", "order": order,
                     "colour": ring.colour, "dash": ring.dash}
                )  # fmt: skip
    return _frame(rows, ("x", "y", "ring", "run", "order", "colour", "dash"))


def bands(drawn: list[Ring], spokes: tuple[str, ...]) -> pd.DataFrame:
    """Return per run the outline of its band: out along the upper bounds, back along the lower ones."""
    rows = []
    for ring in drawn:
        for number, run in enumerate(ring.runs(spokes)):
            outline = [(place, "upper") for place in run] + [(place, "lower") for place in reversed(run)]
            for order, (place, bound) in enumerate(outline):
                px, py = _at(place, len(spokes), ring.cells[spokes[place]][bound])
                rows.append(
                    {"x": px, "y": py, "ring": ring.name, "run": f"{ring.name} {number}", "order": order}
                )
    return _frame(rows, ("x", "y", "ring", "run", "order"))
