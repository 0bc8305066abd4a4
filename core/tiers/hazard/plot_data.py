"""What a group's plots are drawn from: the rows and the parameters that the specification leaves open."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.tiers.hazard.aids import SHARE, correct_by, wrong_past
from core.tiers.hazard.axis import ticks, waiting_texts
from core.tiers.hazard.curves import Curves
from core.tiers.methods import Methods

Row = dict[str, Any]

_LEAST_GAP = 0.1
"""Of two labels at the right end, in shares of the height."""


@dataclass(frozen=True)
class PlotData:
    """The data of a group's plots.

    Attributes
    ----------
    datasets
        curves: a row for the start and one per bucket; aids: where the dashed lines stand; ends: the labels
        at the right end.
    params
        reach: where the axis ends; edges and waiting: its labels; highest: where the axis of hazards ends.
    """

    datasets: dict[str, list[Row]]
    params: dict[str, Any]

    def into(self, spec: dict[str, Any]) -> dict[str, Any]:
        """Return a specification with this data."""
        named = [{"name": name, "value": value} for name, value in self.params.items()]
        return {**spec, "datasets": {**spec.get("datasets", {}), **self.datasets}, "params": named}


def plot_data(curves: Curves, methods: Methods) -> PlotData:
    """Return the data of a group's plots."""
    edges = ticks(curves.reach, curves.buckets.size)
    return PlotData(
        {"curves": _rows(curves), "aids": _aids(curves, methods), "ends": _ends(curves)},
        {
            "reach": curves.reach,
            "edges": edges,
            "waiting": waiting_texts(curves, edges),
            "highest": _highest(curves),
        },
    )


def columns(curves: Curves) -> dict[str, list[Any]]:
    """Return the columns of the plots over buckets, rounded to what can be seen."""
    buckets = curves.buckets
    end = np.minimum(buckets.end, curves.reach)
    found: dict[str, Any] = {
        "start": buckets.start,
        "end": end,
        # Intervals of both hazards stand beside each other in the bucket: they often overlap.
        "at_correct": (buckets.start + (end - buckets.start) / 3).round(1),
        "at_incorrect": (buckets.start + (end - buckets.start) * 2 / 3).round(1),
        "at_risk": buckets.at_risk,
        "censored": buckets.censored,
        "few": curves.few,
    }
    named = {"survival": curves.survival}
    for place, name in enumerate(curves.incidence):
        found[f"{name}_n"] = buckets.events[place]
        named |= {f"cif_{name}": curves.incidence[name], f"hazard_{name}": curves.hazard[name]}
    for name, estimate in named.items():
        found |= {
            name: estimate.value.round(5),
            f"{name}_lower": estimate.lower.round(5),
            f"{name}_upper": estimate.upper.round(5),
        }
    return {name: values.tolist() for name, values in found.items()}


def _rows(curves: Curves) -> list[Row]:
    found = columns(curves)
    start: Row = {name: None for name in found}
    start |= {"start": 0, "end": 0, "censored": 0}
    for side in ("", "_lower", "_upper"):
        start |= {f"survival{side}": 1, f"cif_correct{side}": 0, f"cif_incorrect{side}": 0}
    rows = [start, *(dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True))]
    for row in rows:
        for side in ("", "_lower", "_upper"):
            row[f"top{side}"] = round(1 - row[f"cif_incorrect{side}"], 5)
        row["middle"] = round((row["cif_correct"] + row["top"]) / 2, 5)
    return rows


def _aids(curves: Curves, methods: Methods) -> list[Row]:
    arrival, turn = correct_by(curves, methods), wrong_past(curves, methods)
    marks = []
    if arrival is not None:
        marks.append((arrival.value, f"{100 * SHARE:.0f}% of the correct by {arrival.value:,.0f}", 0))
    if turn is not None and turn.told:
        words = f"past {turn.tokens:,}" if turn.tokens else "from the start"
        marks.append((turn.tokens, f"{words} more often wrong than right", 1))
    return [
        {"end": at, "words": words, "line": line, "left": at <= curves.reach / 2} for at, words, line in marks
    ]


def _ends(curves: Curves) -> list[Row]:
    """Return the three shares at the right end, each beside its area, apart from each other."""
    right, wrong = (float(curves.incidence[name].value[-1]) for name in ("correct", "incorrect"))
    waiting = float(curves.survival.value[-1])
    low, high = max(right / 2, _LEAST_GAP / 2), min(1 - wrong / 2, 1 - _LEAST_GAP / 2)
    middle = min(max(right + waiting / 2, low + _LEAST_GAP), high - _LEAST_GAP)
    low = min(low, middle - _LEAST_GAP)
    return [
        {"end": curves.reach, "spot": spot, "words": f"{percent(share)} {name}\u2002"}
        for share, spot, name in (
            (right, low, "correct"), (waiting, middle, "no answer"), (wrong, high, "incorrect")
        )
        if share > 0
    ]  # fmt: skip


def percent(share: float) -> str:
    """Return a share in percent; never 0% or 100% where it is not."""
    text = f"{share:.0%}"
    if text == "0%" and share > 0:
        return "<1%"
    return ">99%" if text == "100%" and share < 1 else text


def _highest(curves: Curves) -> float:
    """Return the highest bound of the hazards that are not faded."""
    shown = ~curves.few if not curves.few.all() else np.ones_like(curves.few)
    bounds = np.array([estimate.upper[shown].max() for estimate in curves.hazard.values()])
    return float(np.clip(bounds.max(), 0.05, 1))
