"""Two figures of the page: coverage over the chance of being right, and over the correlation of repeats."""

from collections.abc import Sequence
from pathlib import Path

import altair as alt
import pandas as pd

from core import charts
from tests.validity.study import Outcome

SCALE = alt.Scale(domain=[0.5, 1.0])


def write_figures(outcomes: Sequence[Outcome], folder: Path) -> list[str]:
    """Write the figures that the outcomes allow; return lines of Markdown that show them, with captions."""
    by_key = {one.study.key: one for one in outcomes}
    lines = []
    folder.mkdir(parents=True, exist_ok=True)
    if "cell" in by_key:
        _write(
            over_chance(by_key["cell"]), folder / "coverage.png",
            "Coverage of a cell's 95% interval",
        )  # fmt: skip
        lines.append(
            "![Coverage of the interval of a cell over the chance of being right, by items and repeats]"
            "(validity/coverage.png)"
        )
    if {"cell", "independent"} <= by_key.keys():
        _write(
            over_repeats(by_key["cell"], by_key["independent"]), folder / "repeats.png",
            "Coverage with repeated completions",
        )  # fmt: skip
        lines.append(
            "![Coverage with repeats clustered by item, the default, and taken as independent]"
            "(validity/repeats.png)"
        )
    return lines


def _write(chart: alt.Chart, path: Path, title: str) -> None:
    path.write_bytes(charts.to_png(charts.finish(chart, title=title, width=760, height=360), scale=1))


def frame(one: Outcome) -> pd.DataFrame:
    """Return the cells of a study as rows."""
    return pd.DataFrame([{**cell.at, "coverage": cell.share} for cell in one.cells])


def over_chance(one: Outcome) -> alt.Chart:
    """Coverage of a cell over p: a line per number of repeats, a panel per number of items."""
    rows = frame(one)
    rows["completions"] = [
        "once each" if k == 1 else f"{k:g} times, correlation {rho:g}"
        for k, rho in zip(rows["repeats"], rows["correlation"], strict=True)
    ]
    rows = rows[
        rows["completions"].isin(["once each", "4 times, correlation 0.3", "8 times, correlation 0.7"])
    ]
    return (
        alt.Chart(rows)
        .mark_line(point=True)
        .encode(
            x=alt.X("p:Q", title="chance of being right"),
            y=alt.Y(
                "coverage:Q", title="coverage", scale=alt.Scale(domain=[0.88, 1.0]), axis=alt.Axis(format="%")
            ),
            color=alt.Color("completions:N", title=None),
            facet=alt.Facet("items:O", title="items", columns=2),
        )
        .properties(width=300, height=160)
    )


def over_repeats(clustered: Outcome, independent: Outcome) -> alt.Chart:
    """Mean coverage over p and items, by repeats and correlation, with either way of taking repeats."""
    parts = {"clustered by item (default)": clustered, "taken as independent": independent}
    rows = pd.concat([frame(one).assign(repeats_are=name) for name, one in parts.items()])
    rows = rows[(rows["repeats"] > 1) & rows["items"].isin([30, 100]) & rows["p"].isin([0.1, 0.5, 0.9])]
    rows["kind"] = [
        f"{k:g} times, {rho:g}" for k, rho in zip(rows["repeats"], rows["correlation"], strict=True)
    ]
    rows = rows.groupby(["kind", "repeats_are"], sort=False)["coverage"].mean().reset_index()
    return (
        alt.Chart(rows)
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("coverage:Q", title="mean coverage", scale=SCALE, axis=alt.Axis(format="%")),
            y=alt.Y("kind:N", title="completions of an item, correlation", sort=None),
            color=alt.Color("repeats_are:N", title="repeats"),
        )
        .properties(width=420, height=200)
    )
