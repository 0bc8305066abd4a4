"""The FFT tier: rows, columns, lines and the comparison, against direct computation and in every state."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from core import charts
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.importers import import_sources
from core.palette import ordered_colours
from core.spectra import compute_spectra
from core.stats.spectrum import indicator_spectrum, signal_spectrum
from core.store import Dataset, open_dataset
from core.tiers import fft
from core.tiers.fft.lines import Line
from core.tiers.scores import read_differences
from tests.synthetic import write_records

FEWSHOT = ("HuggingFaceTB/SmolLM2-135M-Instruct", "google/gemma-3-270m")
SMOL, GEMMA = 3, 5
"""The evals of the demo that read the same few-shot prompts, with the greedy sampler."""

Make = Callable[..., Dataset]


@pytest.fixture(scope="module")
def demo(demo_dataset: Path) -> Iterator[Dataset]:
    dataset = open_dataset(demo_dataset)
    yield dataset
    dataset.close()


@pytest.fixture(scope="module")
def grid(demo: Dataset) -> fft.FftGrid:
    return fft.read_grid(demo, Filters())


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Import records, compute spectra where asked, and change the database or the config."""

    def made(
        records: list[dict[str, Any]], *, compute: bool = False, change: str = "", **config: Any
    ) -> Dataset:
        source = write_records(tmp_path / "records.jsonl", records)
        path = tmp_path / "data" / "d.json"
        import_sources([source], name="d", data=path.parent)
        if compute:
            compute_spectra(path)
        if change:
            with duckdb.connect(str(path.with_suffix(".duckdb"))) as connection:
                connection.execute(change)
        path.write_text(json.dumps(json.loads(path.read_text()) | config))
        return open_dataset(path)

    return made


def record(model: str, number: int, **fields: Any) -> dict[str, Any]:
    ids = [(number * place) % 5 + place % 3 for place in range(20 + number)]
    return {
        "model": model, "base_task": "add", "params": {"size": number % 2}, "item_key": f"{number}",
        "prompt": f"What is {number} + {number}, all told?",
        "outcome": "correct" if number % 3 else "incorrect",
        "prompt_token_ids": ids,
    } | fields  # fmt: skip


def records(model: str, count: int = 6, **fields: Any) -> list[dict[str, Any]]:
    return [record(model, number, **fields) for number in range(count)]


def test_tokenizers_of_the_same_prompts_stand_side_by_side(grid: fft.FftGrid) -> None:
    assert [(one.tokenizer, one.template) for one in grid.columns[:4]] == [
        (tokenizer, template) for template in ("fewshot", "fewshot-cot") for tokenizer in FEWSHOT
    ]
    assert [one.evals for one in grid.columns] == [(3,), (5,), (4,), (6, 7), (0, 1), (2,)]
    projections = [p.id for task in grid.config.basetasks.values() for p in task.projections]
    assert [row.id for row in grid.rows] == projections
    assert grid.without_tokens == ()


def prompts_of(dataset: Dataset, tokenizer: str, template: str, where: str) -> list[dict[str, Any]]:
    return dataset.rows(
        f"""
        SELECT t.ids, q.text, i.base_task, i.key, i.params
        FROM data.prompt_tokens t JOIN data.prompts q USING (prompt_id) JOIN data.items i USING (item_id)
        WHERE t.tokenizer = $tokenizer AND q.template = $template AND {where}""",
        tokenizer=tokenizer,
        template=template,
    )


@pytest.mark.parametrize("kind", ["indicator", "raw"])
def test_a_line_is_the_mean_of_its_prompts(demo: Dataset, grid: fft.FftGrid, kind: str) -> None:
    estimate = indicator_spectrum if kind == "indicator" else signal_spectrum
    row = next(row for row in grid.rows if row.id == "arithmetic_digits")
    lines = fft.read_lines(demo, grid, kind, [row], grid.columns[:2])
    assert [(line.tokenizer, line.label) for line in lines] == [
        (tokenizer, label) for tokenizer in FEWSHOT for label in ("1", "2", "3")
    ]
    for line in lines:
        where = f"i.base_task = 'arithmetic' AND json_extract(i.params, '$.digits')::INTEGER = {line.label}"
        ids = [one["ids"] for one in prompts_of(demo, line.tokenizer, line.template, where)]
        spectra = np.array([estimate(one) for one in ids])
        assert (line.n, line.available, line.without) == (48, 48, 0)
        assert line.mean == pytest.approx(spectra.mean(axis=0), abs=1e-7)
        assert line.error == pytest.approx(spectra.std(axis=0, ddof=1) / math.sqrt(48), abs=1e-7)
        assert abs(line.mean.sum() - 1) < 1e-6
        assert np.isnan(line.lower).all() == (kind == "indicator")


def test_raw_lines_mostly_stay_in_the_band_from_relabelling(demo: Dataset, grid: fft.FftGrid) -> None:
    lines = fft.read_lines(demo, grid, "raw", grid.rows[:2], grid.columns[:4])
    share = sum(line.outside for line in lines) / (64 * len(lines))
    assert 0 < share < 0.15
    assert f"({share:.1%}) leave the band" in " ".join(fft.grid_notes(grid, lines))
    assert all(np.all(line.lower < line.upper) for line in lines)


def test_long_prompts_leave_fewer_on_a_raw_line(
    demo: Dataset, grid: fft.FftGrid, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.tiers.fft.lines.RELABELLED", 20 * 512)
    asked = (demo, grid)
    lines = fft.read_lines(*asked, "raw", grid.rows[:1], grid.columns[:1])
    assert {(line.n, line.available) for line in lines} == {(20, 36)}
    assert {line.n for line in fft.read_lines(*asked, "indicator", grid.rows[:1], grid.columns[:1])} == {36}


def test_a_line_has_at_most_128_prompts_the_same_for_every_tokenizer(make: Make) -> None:
    many = [record("a", 0, item_key=f"{n}", prompt=f"p{n}", params={"size": n % 2}) for n in range(300)]
    for n, one in enumerate(many):
        one["prompt_token_ids"] = [(n * place) % 11 for place in range(30)]
    twins = [one | {"model": "b"} for one in many]
    dataset = make(many + twins, basetasks={})
    grid = fft.read_grid(dataset, Filters())
    first, second = fft.read_lines(dataset, grid, "indicator", grid.rows, grid.columns)
    assert (first.n, first.available) == (128, 300)
    assert first.mean.tolist() == second.mean.tolist()
    assert "2 lines, such as 128 of 300 prompts" in " ".join(fft.grid_notes(grid, [first, second]))


def test_comparison_on_the_same_few_shot_prompts(demo: Dataset, grid: fft.FftGrid) -> None:
    assert fft.default_evals(grid) == (SMOL, GEMMA)
    found = fft.read_comparison(demo, grid, SMOL, GEMMA)
    assert (found.a.tokenizer, found.b.tokenizer) == FEWSHOT
    assert found.a.template == found.b.template == "fewshot"
    assert found.shared == "prompts"
    letters = found.rows[found.rows["task"] == "letters"].iloc[0]
    sides = [prompts_of(demo, tokenizer, "fewshot", "i.base_task = 'letters'") for tokenizer in FEWSHOT]
    means = [np.mean([indicator_spectrum(one["ids"]) for one in side], axis=0) for side in sides]
    assert letters["n_prompts"] == 48
    assert letters["distance"] == pytest.approx(np.abs(means[0] - means[1]).sum() / 2, abs=1e-6)
    assert letters["distance_lower"] < letters["distance"] < letters["distance_upper"]
    for side, name in zip(sides, "ab", strict=True):
        tokens = sum(len(one["ids"]) for one in side)
        size = sum(len(one["text"].encode()) for one in side)
        assert letters[f"tokens_per_byte_{name}"] == pytest.approx(tokens / size)
    tasks = found.rows.iloc[1:]
    assert found.total["distance"] == pytest.approx(tasks["distance"].mean())
    assert found.total["n_prompts"] == tasks["n_prompts"].sum() == 6 * 128 + 48
    assert found.total["distance"] > 10 * found.total["noise"]


def test_accuracy_difference_is_that_of_the_scores_page(demo: Dataset, grid: fft.FftGrid) -> None:
    found = fft.read_comparison(demo, grid, GEMMA, SMOL).total
    expected = read_differences(demo, Filters(), SMOL).set_index("eval_id").loc[GEMMA]
    assert found["difference"] == pytest.approx(expected["difference"])
    assert found["lower"] == pytest.approx(expected["lower"])
    assert found["n_items"] == expected["n_items"]


def test_sentence_has_distance_rate_and_accuracy(demo: Dataset, grid: fft.FftGrid) -> None:
    said = fft.summarise(grid, fft.read_comparison(demo, grid, SMOL, GEMMA))
    assert said.startswith(
        "On the same 816 prompts the spectra of HuggingFaceTB/SmolLM2-135M-Instruct and google/gemma-3-270m"
    )
    for words in (
        "total variation; two tasks under one tokenizer: 0.",
        "tokens per byte",
        "912 common items",
    ):
        assert words in said


def test_other_templates_are_told(demo: Dataset, grid: fft.FftGrid) -> None:
    found = fft.read_comparison(demo, grid, 0, SMOL)
    assert found.shared == "items"
    assert "but the template differs too" in fft.summarise(grid, found)
    assert "The template differs too" in fft.comparison_notes(grid, found)[0]


def test_the_same_texts_under_another_template_are_the_same_prompts(make: Make) -> None:
    dataset = make([*records("a"), *records("b", template="other")])
    grid = fft.read_grid(dataset, Filters())
    assert fft.read_comparison(dataset, grid, 0, 1).shared == "texts"


def test_equal_spectra_are_no_distance(make: Make) -> None:
    dataset = make([*records("a"), *records("b")])
    grid = fft.read_grid(dataset, Filters())
    found = fft.read_comparison(dataset, grid, 0, 1)
    assert (found.total["distance"], found.total["distance_upper"], found.total["noise"]) == (0, 0, 0)
    assert fft.summarise(grid, found).startswith("a and b repeat alike on 6 shared prompts (distance 0)")


def test_one_tokenizer_for_both_cannot_separate_them(make: Make) -> None:
    dataset = make([*records("a", tokenizer="t"), *records("b", tokenizer="t", outcome="incorrect")])
    grid = fft.read_grid(dataset, Filters())
    assert [(one.tokenizer, one.evals) for one in grid.columns] == [("t", (0, 1))]
    found = fft.read_comparison(dataset, grid, 0, 1)
    assert found.shared == "tokens"
    said = fft.summarise(grid, found)
    assert said.startswith("a and b read the same tokens (t), so the tokenizer is not what separates them")
    assert "a minus b is +0.667" in said


def test_bytes_say_nothing_of_tokenizers(make: Make) -> None:
    dataset = make([*records("a", prompt_token_ids=None), *records("b", prompt_token_ids=None)], compute=True)
    grid = fft.read_grid(dataset, Filters())
    found = fft.read_comparison(dataset, grid, 0, 1)
    assert math.isnan(found.total["distance"])
    assert fft.summarise(grid, found).startswith("No tokenizer is known for a and b: UTF-8 bytes")
    png = charts.to_png(fft.comparison_chart(grid, found))
    assert png.startswith(b"\x89PNG")


def test_one_eval_has_nothing_to_compare(make: Make) -> None:
    dataset = make(records("a"))
    grid = fft.read_grid(dataset, Filters())
    assert fft.default_evals(grid) is None
    assert fft.summarise(grid, None) == (
        "a is alone here, read with the tokenizer a: select another to compare."
    )


def test_mistakes_of_a_comparison(demo: Dataset, grid: fft.FftGrid) -> None:
    with pytest.raises(FilterError, match="needs two evals"):
        fft.read_comparison(demo, grid, 3, 3)
    with pytest.raises(FilterError, match="Eval 99 has no spectra in this selection; valid: 0, 1, 2"):
        fft.read_comparison(demo, grid, 3, 99)


def test_filters_leave_their_rows_columns_and_prompts(demo: Dataset) -> None:
    easy = fft.read_grid(demo, Filters(tiers=("easy",), base_task=("sort",), eval_id=(5,)))
    assert {row.base_task for row in easy.rows} == {"sort"}
    assert [one.tokenizer for one in easy.columns] == ["google/gemma-3-270m"]
    lines = fft.read_lines(demo, easy, "indicator", easy.rows, easy.columns)
    whole = fft.read_grid(demo, Filters(base_task=("sort",)))
    assert sum(line.n for line in lines) < sum(
        line.n for line in fft.read_lines(demo, whole, "indicator", whole.rows, easy.columns)
    )
    one = fft.read_grid(demo, Filters(projections=("sort_length",)))
    assert [row.id for row in one.rows] == ["sort_length"]
    shown = fft.read_grid(demo, Filters(), shown=("sort_length", "letters_words"))
    assert [row.id for row in shown.rows] == [row for row in ("letters_words", "sort_length")]
    with pytest.raises(FilterError, match="No projection 'nope' in this selection; valid: arithmetic_length"):
        fft.read_grid(demo, Filters(), shown=("nope",))
    with pytest.raises(FilterError, match="No kind 'cooked'; valid: indicator, raw"):
        fft.read_lines(demo, one, "cooked", one.rows, one.columns)


def test_without_projections_there_is_one_line_and_how_to_get_more(make: Make) -> None:
    short = record("a", 7, prompt_token_ids=[1] * 9)
    dataset = make([*records("a"), short, *records("a", base_task="sub", params={})], basetasks={})
    grid = fft.read_grid(dataset, Filters())
    assert [(row.id, row.steps) for row in grid.rows] == [
        ("task add", ("all prompts",)),
        ("task sub", ("all prompts",)),
    ]
    lines = fft.read_lines(dataset, grid, "indicator", grid.rows, grid.columns)
    assert [(line.label, line.n, line.without, line.available) for line in lines] == [
        ("all prompts", 6, 1, 7),
        ("all prompts", 6, 0, 6),
    ]
    notes = fft.grid_notes(grid, lines)
    assert "add a projection to basetasks.add.projections in the config" in notes[0]
    assert any("one throughout): 1." in note for note in notes)


def why(dataset: Dataset) -> str:
    with pytest.raises(fft.NoSpectraError) as caught:
        fft.read_grid(dataset, Filters())
    assert str(caught.value).startswith(fft.WHY[caught.value.cause])
    return caught.value.cause


def test_no_prompts(make: Make) -> None:
    assert why(make(records("a", prompt=None))) == "prompts"


def test_prompts_of_one_token(make: Make) -> None:
    assert why(make(records("a", prompt_token_ids=[7]))) == "short"


@pytest.mark.parametrize("change", ["", "DROP TABLE identity_tokenizers"])
def test_not_computed_yet(make: Make, change: str) -> None:
    dataset = make(records("a", prompt_token_ids=None), change=change)
    assert why(dataset) == "spectra"
    with pytest.raises(NothingFoundError, match=r"Compute them: python -m core spectra .*d\.json"):
        fft.read_grid(dataset, Filters())


def test_evals_without_tokens_are_named(make: Make) -> None:
    dataset = make([*records("a"), *records("b", prompt_token_ids=None)])
    grid = fft.read_grid(dataset, Filters())
    assert grid.without_tokens == (1,)
    assert fft.grid_notes(grid, [])[0].startswith("No spectra for b: no prompts, prompts too short")


def test_chart_has_a_panel_for_every_column_and_colours_in_order(demo: Dataset, grid: fft.FftGrid) -> None:
    page = fft.pages(grid)[0]
    lines = fft.read_lines(demo, grid, "raw", page.rows, page.columns)
    chart = fft.spectra_chart(grid, page, lines, kind="raw", dark=True)
    spec = chart.to_dict()
    assert len(spec["vconcat"]) == 3
    for row, part in zip(page.rows, spec["vconcat"], strict=True):
        data = spec["datasets"][part["data"]["name"]]
        assert {one["c"] for one in data} == {column.name for column in page.columns}
        colour = part["spec"]["layer"][1]["encoding"]["color"]["scale"]
        assert colour["domain"] == list(row.steps)
        assert colour["range"] == ordered_colours(len(row.steps), dark=True)
    assert fft.RAW_CAPTION in charts.footer_of(chart)
    assert "n = 36 to 48 prompts a line" in charts.footer_of(chart)
    assert "strongest at a period of" in spec["description"]
    assert "Gemma 3 270M base" in json.dumps(spec, ensure_ascii=False)


def test_pages_show_everything_once(grid: fft.FftGrid) -> None:
    shown = [(row.id, one.name) for page in fft.pages(grid) for row in page.rows for one in page.columns]
    assert sorted(shown) == sorted((row.id, one.name) for row in grid.rows for one in grid.columns)


def test_a_logarithmic_axis_has_no_zero(make: Make) -> None:
    dataset = make(records("a"))
    grid = fft.read_grid(dataset, Filters())
    page = fft.pages(grid)[0]
    lines = fft.read_lines(dataset, grid, "indicator", page.rows, page.columns)
    spec = fft.spectra_chart(grid, page, lines, kind="indicator", log=True).to_dict()
    rows = [one for data in spec["datasets"].values() for one in data if one.get("lo") is not None]
    assert min(one["lo"] for one in rows) > 0
    assert '"type": "log"' in json.dumps(spec)


def test_document_holds_lines_bands_and_comparison(demo: Dataset) -> None:
    grid = fft.read_grid(demo, Filters(base_task=("letters",)))
    lines = fft.read_lines(demo, grid, "raw", grid.rows, grid.columns)
    document = fft.to_document(grid, lines, "raw", fft.read_comparison(demo, grid, SMOL, GEMMA))
    assert document == json.loads(json.dumps(document))
    assert (document["bands"]["low"][0], document["bands"]["high"][-1]) == (0, 0.5)
    for line in document["lines"]:
        assert {len(line[name]) for name in ("mean", "standard_error", "lower", "upper")} == {64}
    assert document["lines"][0]["evals"] == [SMOL]
    assert [row["task"] for row in document["comparison"]["rows"]] == [None, "letters"]
    frame = fft.lines_frame(grid, lines, "raw")
    assert len(frame) == 64 * len(lines)
    assert frame["mean"].tolist()[:64] == document["lines"][0]["mean"]


def test_outside_counts_bands_that_leave_on_either_side() -> None:
    flat = np.full(64, 0.5)
    mean = flat.copy()
    mean[:3] = [0.1, 0.9, 0.6]
    line = Line("r", 0, "v", "t", "p", 2, 2, 0, mean, flat, flat - 0.2, flat + 0.2)
    assert line.outside == 2
