"""Compression where something is missing: what length is measured in, what is said, and the list of loops."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.flags import Flag, add_flag, flags_path
from core.store import Dataset, open_dataset
from core.tiers.compression import (
    count_loops,
    figure_frame,
    figures_of,
    has_texts,
    list_loops,
    panel_chart,
    panel_notes,
    problems,
    read_answer,
    read_figures,
    read_length,
    read_panels,
    read_response,
)
from core.tiers.loops import LoopRule
from core.tiers.methods import Methods
from tests.store.staging import Row, build, completion, write_config

Made = Callable[..., Dataset]

ALL = Filters()


def texts(*responses: str | None, **fields: object) -> list[Row]:
    return [
        completion(item_key=str(place), response=text, **({"completion_tokens": 7} | fields))
        for place, text in enumerate(responses)
    ]


def resolved(dataset: Dataset, **fields: object) -> Filters:
    return Filters.from_dict(dict(fields)).resolved(dataset.catalog)


def test_length_is_tokens_where_they_are_of_the_text(made: Made) -> None:
    dataset = made(texts("one two three", "four five six"))
    found = read_length(dataset, resolved(dataset))
    assert (found.measure, found.name, found.why) == ("tokens", "tokens", "")
    visible = made(texts("one two", token_source="tokenized:o200k_base"))
    found = read_length(visible, resolved(visible))
    assert (found.measure, found.name) == ("tokens", "visible tokens")
    assert "hidden reasoning is not included" in found.why


def test_length_is_bytes_without_token_counts(made: Made) -> None:
    dataset = made(texts("one", "two", completion_tokens=None))
    found = read_length(dataset, resolved(dataset))
    assert (found.measure, found.name) == ("bytes", "response bytes")
    assert "No completion has a token count" in found.why


@pytest.mark.parametrize(
    "hidden", [{"completion_tokens": 900, "reasoning_tokens": 890}, {"completion_tokens": 900}]
)
def test_length_is_bytes_where_tokens_hide_reasoning(made: Made, hidden: dict[str, int]) -> None:
    rows = texts("a" * 30, model="plain") + texts("a short answer", model="thinker", **hidden)
    dataset = made(rows)
    found = read_length(dataset, resolved(dataset))
    assert found.measure == "bytes"
    assert "reported tokens of thinker include reasoning that the text lacks" in found.why
    assert read_length(dataset, resolved(dataset), "tokens").measure == "tokens"
    assert "thinker" in read_length(dataset, resolved(dataset), "tokens").why
    assert read_length(dataset, resolved(dataset, eval_id=[0])).measure == "tokens"


def test_a_stray_count_does_not_change_the_measure(made: Made) -> None:
    dataset = made([*texts(*["a normal response"] * 150), *texts("x", completion_tokens=99, repeat=1)])
    assert read_length(dataset, resolved(dataset)).measure == "tokens"


def test_unknown_length_is_refused(made: Made) -> None:
    dataset = made(texts("a"))
    with pytest.raises(FilterError, match="No length 'words'; valid: auto, tokens, bytes"):
        read_length(dataset, resolved(dataset), "words")


def said(dataset: Dataset, wanted: str = "auto") -> tuple[str, str]:
    length = read_length(dataset, resolved(dataset), wanted)
    panels = read_panels(dataset, ALL, length=length)
    # Whatever is missing, figures and chart are made.
    assert len(read_figures(dataset, panels.filters, panels.parts, length, Methods()).frame) >= 4
    assert panel_chart(panels).to_dict()["hconcat"]
    return " ".join(problems(panels)), " ".join(panel_notes(panels))


def test_each_kind_of_nothing_says_what_to_do(made: Made) -> None:
    problem, _ = said(made(texts(None, None)))
    assert "No completion of this selection has a response" in problem
    assert "field response" in problem
    problem, _ = said(made(texts("a", "b", completion_tokens=None)), "tokens")
    assert "measure length in bytes" in problem
    problem, _ = said(made(texts("", "", "")))
    assert "All 3 responses are empty or have 0 tokens" in problem
    problem, _ = said(made(texts("a", "b", completion_tokens=0)), "tokens")
    assert "All 2 responses are empty or have 0 tokens" in problem
    problem, _ = said(made(texts("a", "b", outcome="error")))
    assert "All 2 completions failed" in problem
    problem, _ = said(made(texts("a single one")))
    assert "There is one completion only" in problem
    problem, notes = said(made(texts("a", "b", "c")))
    assert problem == ""
    assert "Incorrect includes" in notes


def test_notes_count_what_is_not_drawn(made: Made) -> None:
    rows = [
        *texts("some text", "more text"),
        *texts("", repeat=1),
        *texts("no count", repeat=2, completion_tokens=None),
        *texts(None, repeat=3),
        *texts("x", repeat=4, outcome="error"),
    ]
    _, notes = said(made(rows))
    for words in (
        "1 completion with an empty response or 0 tokens",
        "1 completion without token count: not drawn; measure length in bytes",
        "1 completion without response text or size",
        "1 completion that failed for other reasons than the model",
    ):
        assert words in notes


def test_a_megabyte_is_one_dot(made: Made) -> None:
    dataset = made(texts("A" * 1_000_000, "", "short"))
    panels = read_panels(dataset, ALL)
    assert sum(panels.counted("drawn", outcome) for outcome in ("correct", "incorrect")) == 2
    assert panels.bins.frame["length"].tolist() == pytest.approx([7, 7])
    found = list_loops(dataset, panels.filters, LoopRule())
    assert found["characters"].tolist() == [1_000_000]
    assert len(found["begins"][0]) == len(found["ends"][0]) == 160
    assert read_response(dataset, int(found["completion_id"][0])) == "A" * 1_000_000


@pytest.fixture
def loops(made: Made) -> Dataset:
    rows = [
        completion(
            model=model, base_task=task, item_key=f"{place}", outcome=outcome, response=text * times,
            completion_tokens=tokens, finish_reason="length",
        )
        for place, (model, task, outcome, text, times, tokens) in enumerate([
            ("a", "sort", "incorrect", "fire\nplace, ", 200, 900),
            ("a", "sort", "invalid", "<b>L</b>", 900, 300),
            ("b", "hanoi", "correct", "move disk 1; ", 400, 2000), ("b", "sort", "correct", "short ", 3, 4),
            ("b", "sort", "error", "crash ", 500, 800),
        ])
    ]  # fmt: skip
    return made(rows)


def test_loops_are_counted_sorted_and_paged(loops: Dataset) -> None:
    filters, rule = resolved(loops), LoopRule()
    counts = count_loops(loops, filters, rule)
    assert (counts.loops, counts.completions, counts.sized) == (4, 5, True)
    assert counts.of("correct") == 1
    for sort, order in (
        ("largest", ["1", "2", "4", "0"]),
        ("most repetitive", None),
        ("most tokens", ["2", "0", "4", "1"]),
    ):
        whole = list_loops(loops, filters, rule, sort=sort)
        pages = [list_loops(loops, filters, rule, sort=sort, first=first, most=2) for first in (0, 2, 4)]
        assert [len(page) for page in pages] == [2, 2, 0]
        assert [*pages[0]["item"], *pages[1]["item"]] == whole["item"].tolist()
        if order:
            assert whole["item"].tolist() == order
    ratios = list_loops(loops, filters, rule, sort="most repetitive")["ratio"].tolist()
    assert ratios == sorted(ratios)
    with pytest.raises(FilterError, match="No order 'newest' of loops; valid: largest"):
        list_loops(loops, filters, rule, sort="newest")
    left = count_loops(loops, filters, LoopRule(left_out=("hanoi",)))
    assert (left.loops, left.of("correct")) == (3, 0)
    only = list_loops(loops, resolved(loops, base_task="hanoi"), rule)
    assert only[["eval", "task", "outcome"]].iloc[0].tolist() == ["b", "hanoi", "correct"]


def test_excerpts_are_on_one_line_and_data(loops: Dataset) -> None:
    found = list_loops(loops, resolved(loops), LoopRule()).set_index("item")
    assert found.loc["0", "begins"].startswith("fire place, fire place")
    assert found.loc["1", "begins"].startswith("<b>L</b><b>L")


def test_without_texts_sizes_still_tell(tmp_path: Path) -> None:
    build(tmp_path / "small.duckdb", texts("word " * 400, "other"), keep_text=False)
    dataset = open_dataset(write_config(tmp_path, evals=[{"label": "m", "filters": {}}]))
    filters = resolved(dataset)
    assert not has_texts(dataset)
    found = list_loops(dataset, filters, LoopRule())
    assert found["bytes"].tolist() == [2000]
    assert found["begins"].isna().all()
    assert read_response(dataset, int(found["completion_id"][0])) is None
    assert read_panels(dataset, ALL).counted("loops", "correct") == 1


def test_the_answer_says_what_differs_and_how_sure(made: Made) -> None:
    rows = [
        completion(
            item_key=str(item), outcome="incorrect" if item % 2 else "correct",
            completion_tokens=10 + item + 60 * (item % 2),
            response_bytes=1000 + item, compressed_bytes=300 + 37 * item % 100,
        )
        for item in range(80)
    ]  # fmt: skip
    dataset = made(rows)
    filters = resolved(dataset)
    length = read_length(dataset, filters)
    counts = count_loops(dataset, filters, LoopRule())
    words = read_answer(dataset, filters, Methods(), length, counts)
    assert "incorrect responses are longer (AUC 0." in words
    assert "95% [0." in words
    assert "; none of 80 responses is a suspected loop." in words
    bare = made([completion(item_key=str(item)) for item in range(3)])
    filters = resolved(bare)
    nothing = read_answer(
        bare, filters, Methods(), read_length(bare, filters), count_loops(bare, filters, LoopRule())
    )
    assert "AUC" not in nothing
    assert nothing.startswith("There are no two responses")


def test_responses_of_one_length_are_about_as_long(made: Made) -> None:
    rows = [
        completion(item_key=str(item), outcome="incorrect" if item % 2 else "correct", completion_tokens=10)
        for item in range(20)
    ]
    dataset = made(rows)
    filters = resolved(dataset)
    length, counts = read_length(dataset, filters), count_loops(dataset, filters, LoopRule())
    assert "are about as long (AUC 0.50" in read_answer(dataset, filters, Methods(), length, counts)
    assert not counts.sized
    panels = read_panels(dataset, filters)
    # Nobody could look for loops: that is no 0.
    assert figure_frame(panels, figures_of(dataset, panels, Methods()))["loops"].isna().all()


def test_flagged_completions_can_be_left_out(loops: Dataset) -> None:
    flag = Flag("b", "default", "default", "hanoi", "{}", "2", 0, note="right, and repetitive")
    add_flag(flags_path(loops.config_path), flag)
    dataset = open_dataset(loops.config_path)
    for flagged, expected in (("include", (4, 5, 5)), ("exclude", (3, 4, 4))):
        filters = resolved(dataset, flagged=flagged)
        counts = count_loops(dataset, filters, LoopRule())
        panels = read_panels(dataset, filters)
        assert (counts.loops, counts.completions, panels.counted("n")) == expected
        assert panels.parts.cells["n"].sum() == expected[1] - 1
