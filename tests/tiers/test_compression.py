"""Panels and figures of Compression against plain Python over the completions."""

import json
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.store import Dataset
from core.tiers.compression import Panels, figure_frame, read_figures, read_panels
from core.tiers.compression import rows as value_rows
from core.tiers.compression.length import Length
from core.tiers.methods import Methods
from tests.stats.test_auc import by_pairs
from tests.store.recount import effective_outcome
from tests.store.staging import Row, completion
from tests.tiers.direct import in_tier, of_eval

TOKENS = Length("tokens", "tokens")
PANEL = {"correct": "correct", "incorrect": "incorrect", "invalid": "incorrect", "truncated": "truncated"}


def length_of(row: Row, measure: str) -> int | None:
    return row["completion_tokens"] if measure == "tokens" else row["response_bytes"]


def drawn(row: Row, measure: str) -> bool:
    length = length_of(row, measure)
    return bool(length and row["response_bytes"] != 0 and row["compressed_bytes"])


def groups_of(dataset: Dataset, rows: list[Row], *, stacked: bool, series: str) -> list[tuple[Any, Any, Row]]:
    """Every (stack, series label, completion) that counts, a completion once in each."""
    found = []
    shown = [number for number, entry in enumerate(dataset.config.evals) if not entry.hidden]
    for row in rows:
        evals = [number for number in shown if of_eval([row], dataset.config, number)]
        for one in evals if stacked or series == "eval_id" else evals[:1]:
            values: list[str] = ["all"]
            if series == "tier":
                values = [t.label for t in dataset.config.tiers if in_tier(row, t)] or ["no tier"]
            elif series == "eval_id":
                values = [dataset.config.eval_names[one]]
            elif series == "level":
                values = [str(json.loads(row["params"])["level"])]
            elif series != "none":
                values = [row[series]]
            found += [(one if stacked else None, value, row) for value in values]
    return found


def cells(panels: Panels) -> Counter[tuple[Any, ...]]:
    """What the bins say, by stack, series, outcome and bin."""
    bins = panels.bins.frame.merge(panels.parts.rows, on="part")
    columns = (bins[name].tolist() for name in ("stack", "label", "outcome", "i", "j", "n"))
    return Counter({key[:-1]: key[-1] for key in zip(*columns, strict=True)})


@pytest.mark.parametrize("measure", ["tokens", "bytes"])
@pytest.mark.parametrize(
    ("stacked", "series"),
    [
        (False, "tier"),
        (True, "tier"),
        (False, "none"),
        (True, "template"),
        (False, "eval_id"),
        (False, "level"),
    ],
)
def test_bins_count_what_python_counts(
    mixed: Dataset, rows: list[Row], stacked: bool, series: str, measure: str
) -> None:
    length = Length(measure, measure)
    panels = read_panels(mixed, Filters(threshold=0.5), stacked=stacked, series=series, length=length)
    groups = groups_of(mixed, rows, stacked=stacked, series=series)
    per_decade = panels.bins.per_decade
    expected: Counter[tuple[Any, ...]] = Counter()
    for stack, value, row in groups:
        outcome = PANEL.get(effective_outcome(row, 0.5))
        if outcome and drawn(row, measure):
            sizes = (length_of(row, measure), row["compressed_bytes"])
            places = [math.floor(math.log10(size) * per_decade + 1e-9) for size in sizes]
            expected[(stack, value, outcome, *places)] += 1
    assert cells(panels) == expected
    told = [PANEL.get(effective_outcome(row, 0.5), "error") for _, _, row in groups]
    for outcome in ("correct", "incorrect", "truncated", "error"):
        assert panels.counted("n", outcome) == told.count(outcome)
    assert sum(panels.counted("drawn", outcome) for outcome in set(PANEL.values())) == sum(expected.values())
    lengths = [length_of(row, measure) for _, _, row in groups]
    assert panels.counted("no_length") == sum(
        one is None and row["response_bytes"] != 0 for one, (_, _, row) in zip(lengths, groups, strict=True)
    )
    assert panels.counted("no_size") == sum(row["compressed_bytes"] is None for _, _, row in groups)
    shares = panels.bins.frame.groupby(["part", "outcome"])["share"].sum()
    assert shares.to_numpy() == pytest.approx(1)


def test_a_bin_holds_its_powers_of_ten(made: Callable[..., Dataset]) -> None:
    rows = [
        completion(item_key=str(tokens), completion_tokens=tokens, response_bytes=9, compressed_bytes=tokens)
        for tokens in (1, 10, 100, 1000, 10000, 100000)
    ]
    panels = read_panels(made(rows), Filters(), length=TOKENS)
    for row in panels.bins.frame.to_dict("records"):
        assert panels.bins.edge(row["i"]) == pytest.approx(row["length"])
        assert row["i"] == row["j"]


@pytest.mark.parametrize("series", ["tier", "none"])
def test_figures_are_those_of_the_definitions(mixed: Dataset, rows: list[Row], series: str) -> None:
    panels = read_panels(mixed, Filters(), series=series, length=TOKENS)
    figures = read_figures(mixed, panels.filters, panels.parts, TOKENS, Methods()).frame
    groups = groups_of(mixed, rows, stacked=False, series=series)
    labels = panels.parts.rows.set_index("part")["label"]
    assert len(figures) == 4 * len(labels)
    for told in figures.to_dict("records"):
        own = [
            (row, PANEL[effective_outcome(row, 1.0)])
            for _, value, row in groups
            if value == labels[told["part"]] and effective_outcome(row, 1.0) != "error"
            and row["response_bytes"] != 0 and row["completion_tokens"] != 0
        ]  # fmt: skip
        some = [row for row, outcome in own if told["outcome"] in ("all", outcome)]
        assert told["counted"] == len(some)
        sized = [row for row in some if row["compressed_bytes"]]
        ratios = [row["compressed_bytes"] / row["response_bytes"] for row in sized]
        assert told["ratio"] == pytest.approx(np.median(ratios))
        both = [row for row in sized if row["completion_tokens"]]
        tokens, sizes = (
            np.array([row[n] for row in both]) for n in ("completion_tokens", "compressed_bytes")
        )
        assert told["per_token"] == pytest.approx(np.median(sizes / tokens))
        if len(both) < 10:
            assert math.isnan(told["slope"])
        else:
            assert told["slope"] == pytest.approx(np.polyfit(np.log(tokens), np.log(sizes), 1)[0])
            assert told["slope_lower"] <= told["slope"] <= told["slope_upper"]
        assert math.isnan(told["ratio_lower"]) or told["ratio_lower"] <= told["ratio"] <= told["ratio_upper"]
        if told["outcome"] == "all":
            _compare_auc(mixed, own, told, series, labels[told["part"]])
        else:
            assert math.isnan(told["auc_length"])


def _compare_auc(
    dataset: Dataset, own: list[tuple[Row, str]], told: dict[str, Any], series: str, label: str
) -> None:
    """The pairs within an eval, a task and a tier; a completion in two tiers is compared in both."""
    lengths: list[tuple[float, bool, tuple[Any, ...]]] = []
    ratios: list[tuple[float, bool, tuple[Any, ...]]] = []
    for row, outcome in own:
        if outcome == "truncated":
            continue
        one = next(
            n
            for n, e in enumerate(dataset.config.evals)
            if not e.hidden and of_eval([row], dataset.config, n)
        )
        tiers = [t.label for t in dataset.config.tiers if in_tier(row, t)] or [None]
        for tier in tiers if series == "none" else [label]:
            key = (one, row["base_task"], tier)
            if row["completion_tokens"]:
                lengths.append((row["completion_tokens"], outcome == "incorrect", key))
            if row["compressed_bytes"]:
                ratio = row["compressed_bytes"] / row["response_bytes"]
                ratios.append((ratio, outcome == "incorrect", key))
    for name, compared in (("auc_length", lengths), ("auc_ratio", ratios)):
        assert told[name] == pytest.approx(by_pairs(*zip(*compared, strict=True)))
        assert told[f"{name}_lower"] < told[name] < told[f"{name}_upper"]


@pytest.fixture
def many(made: Callable[..., Dataset]) -> Dataset:
    """Some thousand completions of three models over two levels, wrong ones longer and more repetitive."""
    draw = np.random.default_rng(17)
    rows = []
    for item in range(400):
        hard = draw.normal()
        for model in ("a", "b", "c"):
            for repeat in range(2):
                wrong = bool(draw.random() < 1 / (1 + np.exp(-hard)))
                tokens = int(60 * np.exp(0.5 * hard + 0.6 * draw.normal() + 0.3 * wrong)) + 1
                size = 4 * tokens
                rows.append(
                    completion(
                        model=model, item_key=str(item), repeat=repeat, params={"level": item % 2},
                        outcome="incorrect" if wrong else "correct", completion_tokens=tokens,
                        response_bytes=size,
                        compressed_bytes=max(8, int(size**0.9 * (0.8 - 0.1 * wrong + 0.05 * draw.normal()))),
                    )
                )  # fmt: skip
    return made(rows)


def test_above_the_limit_bins_and_a_sample_say_nearly_the_same(
    many: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    panels = read_panels(many, Filters(), series="level", length=TOKENS)
    exact = read_figures(many, panels.filters, panels.parts, TOKENS, Methods())
    monkeypatch.setattr(value_rows, "MOST_EXACT", 1000)
    monkeypatch.setattr(value_rows, "SAMPLE", 800)
    binned = read_figures(many, panels.filters, panels.parts, TOKENS, Methods())
    assert (exact.sampled, binned.sampled) == (False, True)
    assert exact.frame["counted"].tolist() == binned.frame["counted"].tolist()
    for name in ("ratio", "per_token", "slope", "auc_length", "auc_ratio"):
        one, other = exact.frame[name], binned.frame[name]
        assert other.to_numpy() == pytest.approx(one.to_numpy(), abs=0.01, nan_ok=True)
        widths = [found.frame[f"{name}_upper"] - found.frame[f"{name}_lower"] for found in (exact, binned)]
        known = widths[0].notna()
        assert (widths[1][known] / widths[0][known]).to_numpy() == pytest.approx(1, abs=0.4)


def test_independent_repeats_are_narrower(many: Dataset) -> None:
    panels = read_panels(many, Filters(), series="none", length=TOKENS)
    by_item, apart = (
        read_figures(many, panels.filters, panels.parts, TOKENS, Methods(repeats=repeats)).frame.iloc[0]
        for repeats in ("cluster", "independent")
    )
    assert apart["ratio"] == by_item["ratio"]
    for name in ("ratio", "per_token"):
        wide, narrow = (one[f"{name}_upper"] - one[f"{name}_lower"] for one in (by_item, apart))
        assert narrow < wide


def test_room_that_small_parts_leave_goes_to_the_others() -> None:
    assert value_rows.most_per_part([10, 20, 30], 60) is None
    assert value_rows.most_per_part([10, 20, 30], 45) == 17.5
    assert value_rows.most_per_part([100, 100], 100) == 50
    limit = value_rows.most_per_part([5, 1000, 2000, 40], 500)
    assert limit is not None
    assert sum(min(n, limit) for n in (5, 1000, 2000, 40)) == pytest.approx(500)


def test_rows_of_the_table_have_counts_and_labels(mixed: Dataset) -> None:
    panels = read_panels(mixed, Filters(), stacked=True, series="tier", length=TOKENS)
    figures = read_figures(mixed, panels.filters, panels.parts, TOKENS, Methods())
    frame = figure_frame(panels, figures)
    assert list(frame.columns[:8]) == [
        "eval_id", "label", "series", "value", "outcome", "n", "counted", "loops",
    ]  # fmt: skip
    every = frame[frame["outcome"] == "all"]
    assert every["n"].sum() == panels.n == frame[frame["outcome"] != "all"]["n"].sum()
    assert (frame["counted"] <= frame["n"]).all()
    assert set(frame["label"]) == {"One", "One, any", "Two"}


def test_what_is_not_there_is_refused(mixed: Dataset) -> None:
    with pytest.raises(FilterError, match="No dimension 'colour' for the series; valid: model, template"):
        read_panels(mixed, Filters(), series="colour")
    with pytest.raises(NothingFoundError):
        read_panels(mixed, Filters(eval_id=(4,)))
