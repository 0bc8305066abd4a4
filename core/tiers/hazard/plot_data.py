"""What a group's plots are drawn from: the rows and the parameters that the specification leaves open."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.tiers.hazard.aids import SHARE, correct_by, wrong_past
from core.tiers.hazard.axis import tick_size, ticks, waiting_texts
from core.tiers.hazard.curves import Curves, Estimate
from core.tiers.hazard.lines import Lines, read_lines
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
        lines: a row per token of core.tiers.hazard.lines; hazards: one per bucket; aids: where the dashed
        lines stand; ends: the labels at the right end.
    params
        reach: where the axis ends; edges and waiting: its labels; highest: where the axis of hazards ends.
    """

    datasets: dict[str, list[Row]]
    params: dict[str, Any]

    def into(self, spec: dict[str, Any], *names: str) -> dict[str, Any]:
        """Return a specification with the datasets of these names."""
        named = [{"name": name, "value": value} for name, value in self.params.items()]
        data = {name: self.datasets[name] for name in names}
        return {**spec, "datasets": {**spec.get("datasets", {}), **data}, "params": named}


def plot_data(curves: Curves, methods: Methods) -> PlotData:
    """Return the data of a group's plots."""
    edges = ticks(curves.reach, tick_size(curves.reach, curves.buckets.size))
    return PlotData(
        {
            "lines": _lines(curves, methods),
            "hazards": _hazards(curves),
            "aids": _aids(curves, methods),
            "ends": _ends(curves),
        },
        {
            "reach": curves.reach,
            "edges": edges,
            "waiting": waiting_texts(curves, edges),
            "highest": _highest(curves),
        },
    )


def line_columns(lines: Lines) -> dict[str, list[Any]]:
    """Return the columns of the lines, rounded to what can be seen."""
    named = {"survival": lines.survival} | {f"cif_{name}": one for name, one in lines.incidence.items()}
    return {"end": lines.end.tolist(), "censored": lines.censored.tolist(), **_estimates(named)}


def _estimates(named: dict[str, Estimate]) -> dict[str, list[float]]:
    return {
        f"{name}{side}": values.round(5).tolist()
        for name, one in named.items()
        for side, values in (("", one.value), ("_lower", one.lower), ("_upper", one.upper))
    }


def _lines(curves: Curves, methods: Methods) -> list[Row]:
    found = line_columns(read_lines(curves, methods))
    rows = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
    if found["end"][0] > 0:
        # Nothing has ended before the first token.
        start = {name: int(name.startswith("survival")) for name in found}
        rows.insert(0, start)
    for row in rows:
        for side in ("", "_lower", "_upper"):
            row[f"top{side}"] = round(1 - row[f"cif_incorrect{side}"], 5)
        row["middle"] = round((row["cif_correct"] + row["top"]) / 2, 5)
    return rows


def _hazards(curves: Curves) -> list[Row]:
    buckets = curves.buckets
    end = np.minimum(buckets.end, curves.reach)
    found: dict[str, Any] = {
        "start": buckets.start.tolist(),
        "end": end.tolist(),
        # Intervals of both hazards stand beside each other in the bucket: they often overlap.
        "at_correct": (buckets.start + (end - buckets.start) / 3).round(1).tolist(),
        "at_incorrect": (buckets.start + (end - buckets.start) * 2 / 3).round(1).tolist(),
        "at_risk": buckets.at_risk.tolist(),
        "few": curves.few.tolist(),
    }
    for place, name in enumerate(curves.hazard):
        found[f"{name}_n"] = buckets.events[place].tolist()
    found |= _estimates({f"hazard_{name}": one for name, one in curves.hazard.items()})
    return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]


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
