"""The chart for a slide and the leaderboard as a picture, with names that break what is done badly."""

import json
import re
import struct

import pytest

from core import charts
from core.filters import Filters
from core.store import Dataset, open_dataset
from core.tiers.methods import Methods
from core.tiers.scores import Leaderboard, cell_text, interval_chart, leaderboard_image, read_scores
from tests.store.staging import build, completion, write_config

NAMES = [
    "<script>alert(1)</script>",
    "模型 🤖 e\u0301 \u202eright to left",
    'o\'brien "the" model & co; \\n {brace} %s $x$',
    "x" * 200,
    "a\nnew line\tand more",
    "",
]


def size(png: bytes) -> tuple[int, int]:
    """Width and height from the header of a PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


def svg_size(svg: str) -> tuple[int, int]:
    """Width and height of an SVG, in pixels of scale 1."""
    width, height = re.findall(r'^<svg [^>]*?width="(\d+)" height="(\d+)"', svg)[0]
    return int(width), int(height)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Leaderboard:
    """Hostile names of evals, tasks and tiers; more tasks than fit beside each other."""
    folder = tmp_path_factory.mktemp("hostile")
    tasks = [*NAMES[:3], *(f"task number {number}" for number in range(9))]
    rows = [
        completion(model=f"m{number}", base_task=task, item_key=f"{item}", params={"a": item % 2},
                   outcome="correct" if item * number % 7 < 4 else "truncated")
        for number in range(len(NAMES)) for task in tasks for item in range(6)
        if (number, task) != (3, tasks[-1])
    ]  # fmt: skip
    build(folder / "small.duckdb", rows)
    evals = [{"label": name, "filters": {"model": f"m{number}"}} for number, name in enumerate(NAMES)]
    tiers = [
        {"id": "t", "label": NAMES[0], "filter": {"a": 0}},
        {"id": "u", "label": NAMES[1], "filter": {"a": 1}},
    ]
    dataset = open_dataset(write_config(folder, evals=evals, tiers=tiers))
    board = read_scores(dataset, Filters(), Methods())
    dataset.close()
    return board


def test_the_chart_has_the_size_that_was_asked_for(hostile: Leaderboard) -> None:
    height = max(300, 190 + 46 * len(NAMES))
    assert size(charts.to_png(interval_chart(hostile))) == (2 * 960, 2 * height)
    assert svg_size(charts.to_svg(interval_chart(hostile, width=1400))) == (1400, height)
    wide = svg_size(charts.to_svg(interval_chart(hostile, dark=True), widescreen=True))
    assert wide[0] / wide[1] == pytest.approx(16 / 9, abs=0.01)


def test_the_picture_has_the_width_that_was_asked_for_however_many_columns(hostile: Leaderboard) -> None:
    width, height = size(charts.to_png(leaderboard_image(hostile), scale=1))
    assert width == 1400
    width, tiered = svg_size(charts.to_svg(leaderboard_image(hostile, by_tier=True, dark=True)))
    assert width == 1400
    width, narrow = svg_size(charts.to_svg(leaderboard_image(hostile, width=1000)))
    assert width == 1000
    # What does not fit in the width goes on beneath.
    assert height < min(tiered, narrow)


def test_the_picture_shows_every_cell_of_every_eval(hostile: Leaderboard) -> None:
    texts = [
        row["text"]
        for rows in leaderboard_image(hostile).to_dict()["datasets"].values()
        for row in rows
    ]  # fmt: skip
    pooled = hostile.cells[hostile.cells["tier"].isna()]
    expected = [cell_text(cell) for _, cell in pooled.iterrows()]
    assert len(pooled) == 12 * len(NAMES) - 1
    for text in set(expected):
        assert texts.count(text) >= expected.count(text)
    # The eval that lacks a cell has a star there and at its name.
    assert "*" in texts
    assert any(text.endswith("… *") and text.startswith("xxx") for text in texts)


def test_names_are_text_and_nothing_else(hostile: Leaderboard) -> None:
    for chart in (interval_chart(hostile), leaderboard_image(hostile)):
        svg = charts.to_svg(chart)
        assert "<script" not in svg
        assert "&lt;script&gt;" in svg


def test_words_around_the_chart(mixed: Dataset) -> None:
    board = read_scores(mixed, Filters.from_dict({"eval_id": [0, 2]}), Methods("jeffreys"))
    for chart in (interval_chart(board), leaderboard_image(board)):
        document = chart.to_dict()
        assert document["description"] == board.summary()
        assert "evals One, Two" in " ".join(document["title"]["subtitle"])
        footer = charts.footer_of(chart)
        counted = board.rows["n"]
        assert f"mixed · n = {counted.min():,} to {counted.max():,} completions" in footer
        assert board.methods.sentence() in footer


def test_the_chart_has_the_numbers_best_first(mixed: Dataset) -> None:
    board = read_scores(mixed, Filters(), Methods())
    spec = interval_chart(board).to_dict()
    (rows,) = spec["datasets"].values()
    assert [row["name"] for row in rows] == board.rows["name"].tolist()
    for row, shown in zip(board.rows.to_dict(orient="records"), rows, strict=True):
        for field in ("plain_score", "plain_lower", "plain_upper", "n"):
            assert shown[field] == pytest.approx(row[field])
        assert shown["rank_label"] == f"rank {row['rank']}"
    assert "NaN" not in json.dumps(spec)


def test_evals_without_rank_or_score_are_drawn_too(made) -> None:
    rows = [completion(model=model, base_task=task) for model in "ab" for task in "xy"]
    rows += [completion(model="c", base_task="x"), completion(model="d", base_task="x", outcome="error")]
    dataset = made(rows)
    board = read_scores(dataset, Filters(), Methods())
    (shown,) = interval_chart(board).to_dict()["datasets"].values()
    assert [row["rank_label"] for row in shown] == ["rank 1", "rank 1", "not ranked", "not ranked"]
    for chart in (interval_chart(board), leaderboard_image(board)):
        assert size(charts.to_png(chart, scale=1))[0] in (960, 1400)
    dataset.close()


@pytest.mark.parametrize(("evals", "height"), [(20, 190 + 46 * 20), (21, 190 + 30 * 21)])
def test_many_evals_have_lower_rows(made, evals: int, height: int) -> None:
    rows = [completion(model=f"m{number}", item_key=f"{item}") for number in range(evals) for item in (1, 2)]
    board = read_scores(made(rows), Filters(), Methods())
    assert svg_size(charts.to_svg(interval_chart(board))) == (960, height)
