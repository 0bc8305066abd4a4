"""Compression as files and as a chart: names, JSON, CSV, images, and what the browser receives."""

import csv
import io
import json
from typing import Any

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.store import Dataset
from core.tiers.compression import (
    Options,
    Panels,
    figure_frame,
    figures_of,
    panel_chart,
    result_files,
    split_panels,
    stack_pages,
)
from core.tiers.compression.chart import MOST_SERIES
from core.tiers.files import ResultFile
from core.tiers.methods import Methods
from tests.store.staging import Row

PNG = b"\x89PNG\r\n\x1a\n"


def files(dataset: Dataset, form: str, dimension: str | None, **options: Any) -> list[ResultFile]:
    return [
        file
        for one, panels in split_panels(dataset, Filters(), Options(**options), dimension)
        for file in result_files(dataset, panels, Filters(), Methods(), form, split=one)
    ]


def only(dataset: Dataset, **options: Any) -> Panels:
    [(_, panels)] = split_panels(dataset, Filters(), Options(length="tokens", **options), None)
    return panels


def test_a_file_per_split_value(mixed: Dataset) -> None:
    made = files(mixed, "csv", "base_task")
    assert [file.name for file in made] == [
        "mixed_compression_base_task-sort.csv",
        "mixed_compression_base_task-add.csv",
        "mixed_compression_base_task-word-s.csv",
    ]
    assert [file.suffix for file in made][1] == "base_task-add"
    assert [file.name for file in files(mixed, "json", None)] == ["mixed_compression.json"]
    assert len(files(mixed, "png", "template")) == 2


def test_images_have_three_rows_of_panels(mixed: Dataset) -> None:
    assert stack_pages([0, 1, 2, 3], 3) == [(0, 1, 2), (3,)]
    made = files(mixed, "png", "tier", stacked=True)
    assert [file.name for file in made] == [
        "mixed_compression_tier-low.png",
        "mixed_compression_tier-high.png",
    ]
    assert made[0].make().startswith(PNG)


def test_csv_is_the_table(mixed: Dataset) -> None:
    panels = only(mixed, stacked=True)
    frame = figure_frame(panels, figures_of(mixed, panels, Methods()))
    [file] = result_files(mixed, panels, Filters(), Methods(), "csv")
    rows = list(csv.DictReader(io.StringIO(file.make().decode("utf-8-sig"))))
    assert len(rows) == len(frame)
    assert [row["label"] for row in rows] == frame["label"].tolist()
    assert [float(row["ratio"]) if row["ratio"] else None for row in rows] == pytest.approx(
        [None if value != value else value for value in frame["ratio"].tolist()]
    )


def test_json_has_figures_bins_and_loops(mixed: Dataset, rows: list[Row]) -> None:
    panels = only(mixed, series="template", stacked=True)
    [file] = result_files(mixed, panels, Filters(), Methods(), "json")
    document = json.loads(file.make())
    assert (document["series"], document["stack"], document["length"]) == ("template", "eval_id", "tokens")
    assert document["methods"]["level"] == 0.95
    frame = figure_frame(panels, figures_of(mixed, panels, Methods()))
    for group in document["groups"]:
        own = frame[(frame["eval_id"] == group["eval_id"]) & (frame["value"] == group["label"])]
        told = {one["outcome"]: one for one in group["outcomes"]}
        for figure in own.to_dict("records"):
            assert told[figure["outcome"]]["n"] == figure["n"]
            assert told[figure["outcome"]]["ratio"] == pytest.approx(figure["ratio"], nan_ok=True)
        assert told["all"]["n"] == sum(told[one]["n"] for one in ("correct", "incorrect", "truncated"))
        bins = told["correct"]["bins"]
        assert len({len(array) for array in bins.values()}) == 1
        assert all(low < high for low, high in zip(bins["length_from"], bins["length_to"], strict=True))
    drawn = sum(sum(one.get("bins", {}).get("n", [])) for g in document["groups"] for one in g["outcomes"])
    assert drawn == sum(panels.counted("drawn", one) for one in ("correct", "incorrect", "truncated"))
    loops = document["loops"]
    assert (loops["least_bytes"], loops["ratio"], loops["loops"], loops["listed"]) == (1000, 0.1, 0, [])
    assert loops["of"] == sum(row["model"] != "three" for row in rows)


def test_split_values_are_measured_alike(mixed: Dataset) -> None:
    measures = {panels.length.measure for _, panels in split_panels(mixed, Filters(), Options(), "base_task")}
    assert len(measures) == 1


def test_the_chart_holds_bins_and_words(mixed: Dataset) -> None:
    panels = only(mixed, series="tier")
    chart = panel_chart(panels, of="Everything").to_dict()
    assert chart["title"]["text"] == ["Compressed bytes by visible tokens: Everything"]
    assert f"n = {panels.n:,} completions" in chart["usermeta"]["footer"]
    rows = [row for rows in chart["datasets"].values() for row in rows if "i" in row]
    assert sum(row["n"] for row in rows) == sum(
        panels.counted("drawn", one) for one in ("correct", "incorrect", "truncated")
    )
    assert len(rows) == len(panels.bins.frame)
    tooltips = json.dumps(chart)
    for words in ("share of the series in this panel", "compressed bytes"):
        assert words in tooltips


def test_an_empty_panel_says_so(mixed: Dataset) -> None:
    [(_, panels)] = split_panels(mixed, Filters(), Options(length="tokens"), None)
    none = panels.bins.frame[panels.bins.frame["outcome"] != "truncated"]
    bare = Panels(
        panels.parts, panels.length, type(panels.bins)(none, panels.bins.per_decade, panels.bins.counts),
        stacked=False, config=panels.config, filters=panels.filters, rule=panels.rule,
    )  # fmt: skip
    assert "none with a length and a size" in json.dumps(panel_chart(bare).to_dict())


def test_no_more_series_than_colours(mixed: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    panels = only(mixed, series="level")
    assert len(panels.series) <= MOST_SERIES
    monkeypatch.setattr("core.tiers.compression.chart.MOST_SERIES", 2)
    chart = panel_chart(panels).to_dict()
    drawn = {row["series"] for rows in chart["datasets"].values() for row in rows if "series" in row}
    assert drawn == set(panels.series[:2])
    assert f"{len(panels.series) - 2} more level series not drawn" in chart["usermeta"]["footer"]


def test_unknown_format_is_refused(mixed: Dataset) -> None:
    with pytest.raises(FilterError, match="No format 'gif'; valid: png, json, csv"):
        result_files(mixed, only(mixed), Filters(), Methods(), "gif")
