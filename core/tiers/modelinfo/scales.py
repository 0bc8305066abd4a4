"""The scales of a chart's axes: from numbers to shares of the plot and back, and the ticks there."""

import math
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from core.stats.arrays import FloatArray
from core.tiers.words import EM_DASH

WIDE = 15
"""Ratios of scores that differ by more than this factor stand on a logarithmic axis."""

MOST_TICKS = 8


@dataclass(frozen=True)
class Scale:
    """An axis from low to high, logarithmic or not; `kind` says how its numbers are written."""

    low: float
    high: float
    log: bool
    kind: str

    def shares(self, values: FloatArray) -> FloatArray:
        """Return where numbers stand: 0 at the low end, 1 at the high one."""
        if self.log:
            return np.asarray(np.log(values / self.low) / math.log(self.high / self.low))
        return np.asarray((values - self.low) / (self.high - self.low))

    def values(self, shares: FloatArray) -> FloatArray:
        """Return the numbers that stand at some shares."""
        if self.log:
            return np.asarray(self.low * (self.high / self.low) ** shares)
        return np.asarray(self.low + shares * (self.high - self.low))

    def altair(self) -> alt.Scale:
        """Return the scale as Altair takes it."""
        return alt.Scale(
            type="log" if self.log else "linear", domain=[self.low, self.high], nice=False, zero=False
        )

    def axis(self) -> alt.Axis:
        """Return the axis: its ticks chosen and written here where it is logarithmic."""
        ticks = nice_ticks(self.low, self.high) if self.log else []
        if not ticks:
            return alt.Axis(grid=True)
        names = " : ".join(f"datum.value === {tick!r} ? '{short_number(tick, self.kind)}'" for tick in ticks)
        return alt.Axis(values=ticks, labelExpr=f"{names} : ''", grid=True)


def across(values: pd.Series, kind: str) -> Scale:
    """Return the logarithmic scale around some quantities, its ends at least a factor of four apart."""
    numbers = values.to_numpy(float)
    low, high = float(numbers.min()), float(numbers.max())
    room = max(1.12, (4 * low / high) ** 0.5, (high / low) ** 0.06)
    return Scale(low / room, high * room, True, kind)


def upward(values: pd.Series, lower: pd.Series, upper: pd.Series, *, ratio: bool) -> Scale:
    """Return the scale around scores and their intervals; logarithmic for ratios that differ widely."""
    low = float(np.nanmin([values.min(), lower.min()]))
    high = float(np.nanmax([values.max(), upper.max()]))
    if ratio and low > 0 and values.max() > WIDE * values.min():
        room = (high / low) ** 0.06
        return Scale(low / room, high * room, True, "count")
    room = 0.07 * (high - low) or max(1.0, 0.1 * abs(high))
    return Scale(max(0.0, low - room), high + room, False, "count")


def nice_ticks(low: float, high: float) -> list[float]:
    """Return places of a logarithmic axis: powers of ten, and as many between them as make three or more."""
    if not (0 < low <= high):
        return []
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inside: list[float] = []
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        ticks = [float(f"{step}e{power}") for power in decades for step in steps]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) >= 3:
            break
    return inside[:: math.ceil(len(inside) / MOST_TICKS)] if inside else []


def short_number(value: float, kind: str = "parameters") -> str:
    """Return a number as it stands on an axis: 135M or 7.62B of parameters, 0.035 of money, 32,768 else."""
    if pd.isna(value):
        return EM_DASH
    if kind == "money":
        return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
    if kind != "parameters":
        return f"{value:,.0f}" if value >= 10 else f"{value:,.3g}"
    for size, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if value >= size * 0.9995:
            number = value / size
            text = f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f}"
            return f"{text.rstrip('0').rstrip('.') if '.' in text else text}{unit}"
    return f"{value:.0f}"
