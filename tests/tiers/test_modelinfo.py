"""Results against architecture: where facts come from, ratios and costs, sentences, charts, documents."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import charts
from core.errors import FilterError, NothingFoundError
from core.export import csv_bytes, plain
from core.filters import Filters
from core.hub.architecture import Architecture
from core.hub.index import ModelEntry, Parameters, write_index
from core.store import Dataset
from core.tiers import modelinfo as tier
from core.tiers.methods import Methods
from core.tiers.modelinfo.labels import DODGE, LINE, WIDEST, apart, dodged, frontier, named
from core.tiers.modelinfo.metadata import Metadata
from core.tiers.modelinfo.scales import Scale, across, nice_ticks, short_number, upward
from core.tiers.modelinfo.summary import correlation
from core.tiers.scores import read_scores
from tests.store.staging import Row, completion

Made = Callable[..., Dataset]
METHODS = Methods()
NOTHING = Metadata({})
PARAMETERS = tier.AXES["parameters"]
PLAIN = tier.SCORES["plain"]


def entry(model: str, status: str = "complete", **fields: Any) -> ModelEntry:
    """What was fetched of a model."""
    return ModelEntry(model, model, status, **fields)  # type: ignore[arg-type]


def answers(model: str, right: int, of: int = 20, tokens: int = 100, **fields: Any) -> list[Row]:
    """Completions of as many items, the first ones right, each a token longer than the one before."""
    return [
        completion(
            model=model,
            item_key=str(item),
            outcome="correct" if item < right else "incorrect",
            completion_tokens=tokens + item,
            **fields,
        )
        for item in range(of)
    ]


def evals(**models: dict[str, Any]) -> list[dict[str, Any]]:
    """Config entries of models, with what the config says of each."""
    return [{"label": name, "filters": {"model": name}, **entry} for name, entry in models.items()]


def info(dataset: Dataset, metadata: Metadata = NOTHING, **filters: Any) -> tier.ModelInfo:
    return tier.read_modelinfo(dataset, Filters.from_dict(filters), METHODS, metadata)


def row(found: tier.ModelInfo, label: str) -> pd.Series:
    return found.rows.set_index("label").loc[label]


@pytest.fixture
def three(made: Made) -> Dataset:
    """Big and small are level, tiny is far below; a fourth says nothing of its size."""
    return made(
        answers("big", 15, prompt_tokens=50)
        + answers("small", 14, tokens=20, prompt_tokens=70)
        + answers("tiny", 1, tokens=500)
        + answers("silent", 9),
        evals=evals(
            big={"parameters": "70B", "groups": ["family:a"], "price": {"input": 2.0, "output": 10.0}},
            small={"parameters": 7e9, "groups": ["family:b"], "price": {"output": 1.0, "currency": "EUR"}},
            tiny={"parameters": 500_000_000, "groups": ["family:b"], "price": {"input": 1, "output": 1}},
            silent={"groups": ["family:a"]},
        ),
    )


# Facts


def test_a_typed_count_wins_over_the_hubs_and_the_hubs_over_none(made: Made) -> None:
    dataset = made(
        answers("m", 5),
        evals=[
            {"label": "typed", "hf_id": "o/a", "parameters": "2B", "filters": {"model": "m"}},
            {"label": "counted", "hf_id": "o/a", "filters": {"model": "m"}},
            {"label": "experts", "hf_id": "o/b", "parameters": 9e9, "filters": {"model": "m"}},
            {"label": "active", "hf_id": "o/b", "active_parameters": "1B", "filters": {"model": "m"}},
            {"label": "unknown", "hf_id": "o/c", "filters": {"model": "m"}},
            {"label": "typed alone", "parameters": "3B", "filters": {"model": "m"}},
        ],
    )
    found = info(
        dataset,
        Metadata(
            {
                "o/a": entry("o/a", parameters=Parameters(10**9, "safetensors", 10**9), license="mit"),
                "o/b": entry("o/b", parameters=Parameters(8 * 10**9, "estimated", 2 * 10**9)),
            }
        ),
    )
    names = ("parameters", "parameters_source", "active_parameters")
    assert {one["label"]: tuple(one[name] for name in names) for one in plain(found.rows)} == {
        "typed": (2 * 10**9, "config", 2 * 10**9),
        "counted": (10**9, "safetensors", 10**9),
        "experts": (9 * 10**9, "config", 2 * 10**9),
        "active": (8 * 10**9, "estimated", 10**9),
        "unknown": (None, None, None),
        "typed alone": (3 * 10**9, "config", None),
    }
    assert found.model_ids == ["o/a", "o/b", "o/c"]
    assert list(found.models["status"]) == ["complete", "complete", "absent"]
    assert row(found, "counted")["license"] == "mit"
    assert any("estimated from config.json (1 eval" in note for note in found.notes)
    assert any(
        note.startswith("Without hf_id in the config") and "typed alone" in note for note in found.notes
    )
    assert any(
        note.startswith("Not in a chart against parameters") and "unknown" in note for note in found.notes
    )


def test_scores_are_those_of_the_leaderboard(mixed: Dataset) -> None:
    found, board = info(mixed), read_scores(mixed, Filters(), METHODS, rank_incomplete=True)
    columns = ["eval_id", "plain_score", "plain_lower", "reasonscore", "score_per_token", "n"]
    pd.testing.assert_frame_equal(found.rows[columns], board.rows[columns])
    np.testing.assert_allclose(found.rows["mean_tokens"], board.rows["mean_tokens"])
    counted = found.rows.dropna(subset="tokens_lower")
    assert (counted["tokens_lower"] <= counted["mean_tokens"]).all()
    assert (counted["mean_tokens"] <= counted["tokens_upper"]).all()


def test_score_per_token_and_its_interval_by_hand(three: Dataset) -> None:
    one = row(info(three), "big")
    # Tokens 100 to 119 once each: mean 109.5, variance 35.
    stretch = math.exp(2.093024 * math.sqrt(35 / 20) / 109.5)
    assert one["mean_tokens"] == 109.5
    assert one["tokens_upper"] == pytest.approx(109.5 * stretch, rel=1e-6)
    assert one["plain_per_tokens"] == pytest.approx(1000 * one["plain_score"] / 109.5)
    assert one["plain_per_tokens_lower"] == pytest.approx(1000 * one["plain_lower"] / (109.5 * stretch))
    assert one["plain_per_tokens_upper"] == pytest.approx(1000 * one["plain_upper"] / (109.5 / stretch))
    assert one["score_per_token"] == pytest.approx(one["reasonscore"] / 109.5)


def test_cost_by_hand_and_none_where_a_charged_part_has_no_count(three: Dataset) -> None:
    found = info(three)
    big, small, tiny, silent = (row(found, label) for label in ("big", "small", "tiny", "silent"))
    assert big["cost"] == pytest.approx((50 * 2 + 109.5 * 10) / 1000)
    assert big["cost_lower"] == pytest.approx((50 * 2 + big["tokens_lower"] * 10) / 1000)
    assert big["plain_per_cost"] == pytest.approx(big["plain_score"] / big["cost"])
    assert big["plain_per_cost_upper"] == pytest.approx(big["plain_upper"] / big["cost_lower"])
    # Prompts are not charged.
    assert small["cost"] == pytest.approx(29.5 / 1000)
    assert small["currency"] == "EUR"
    # Prompts are charged, and nobody counted their tokens.
    assert math.isnan(tiny["cost"])
    assert math.isnan(silent["cost"])
    assert any("Prices are in EUR, USD" in note for note in found.notes)
    assert any(
        note.startswith("Priced, but without the token counts") and "tiny" in note for note in found.notes
    )


def test_prompt_tokens_follow_the_filters(made: Made) -> None:
    dataset = made(
        answers("m", 3, prompt_tokens=10, base_task="add")
        + answers("m", 3, prompt_tokens=90, base_task="sort"),
        evals=evals(m={"price": {"input": 1.0}}),
    )
    assert row(info(dataset), "m")["cost"] == pytest.approx(50 / 1000)
    assert row(info(dataset, base_task="sort"), "m")["cost"] == pytest.approx(90 / 1000)


def test_nothing_is_not_zero(made: Made) -> None:
    dataset = made([completion(model="m", item_key=str(i)) for i in range(3)], evals=evals(m={}))
    one = row(info(dataset), "m")
    for name in (
        "mean_tokens",
        "plain_per_tokens",
        "score_per_token",
        "cost",
        "plain_per_cost",
        "parameters",
    ):
        assert pd.isna(one[name]), name
    with pytest.raises(NothingFoundError):
        info(made([completion(model="m")], evals=evals(nobody={})))


# The cache


def test_every_status_is_explained(tmp_path: Path) -> None:
    old = "2026-01-01T00:00:00+00:00"
    metadata = Metadata(
        {
            "o/ok": entry("o/ok", cached_at=old, tried_at=old),
            "o/part": entry(
                "o/part", "incomplete", missing_files=("config.json",), cached_at=old, tried_at=old
            ),
            "o/gate": entry("o/gate", "gated", fetch_errors=("config.json: gated (status 401): accept …",)),
            "o/old": entry(
                "o/old", "failed", fetch_errors=("the hub has a fault",), cached_at=old, tried_at="2026-02-01"
            ),
        }
    )
    assert metadata.explain("o/ok") == ""
    assert metadata.explain("o/part") == "o/part: without config.json."
    assert metadata.explain("o/gate") == "o/gate: config.json: gated (status 401): accept …."
    assert metadata.explain("o/old") == "o/old: the hub has a fault. What was fetched before is still used."
    assert metadata.explain("o/new") == "o/new: not fetched yet."
    assert metadata.explain("../x").endswith("Correct it in the config.")
    assert {metadata.status(one) for one in ("o/ok", "o/new", "../x")} == {"complete", "absent", "invalid"}


def test_the_cache_says_how_old_it_is() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def at(**ago: float) -> str:
        return (now - timedelta(**ago)).isoformat()

    metadata = Metadata(
        {
            "a": entry("a", cached_at=at(days=3, hours=1)),
            "b": entry("b", cached_at=at(minutes=1, seconds=5)),
            "c": entry("c"),
            "d": entry("d", cached_at=at(seconds=-50)),
        }
    )
    assert tier.age_sentence(metadata, "ab", now) == (
        "From the cache: fetched from the hub between 3 days ago and 1 minute ago."
    )
    assert tier.age_sentence(metadata, "d", now) == "From the cache: fetched from the hub just now."
    assert tier.age_sentence(metadata, "cx", now) == ""


def test_a_cache_that_cannot_be_read_is_a_note(three: Dataset, tmp_path: Path) -> None:
    assert tier.mark_of(tmp_path) is None
    (tmp_path / "index.json").write_text("{")
    found = info(three, tier.read_metadata(tmp_path))
    assert "delete it and fetch again" in found.notes[0]
    before = tier.mark_of(tmp_path)
    write_index(tmp_path, {"o/a": entry("o/a")})
    assert before != tier.mark_of(tmp_path) is not None
    assert tier.read_metadata(tmp_path).entries == {"o/a": entry("o/a")}


# Sentences


def test_the_smallest_that_is_not_separated_is_named(three: Dataset) -> None:
    said = tier.summarise(info(three), PARAMETERS)
    assert said.startswith(
        "Of the 3 of 4 evals whose parameters are known, big leads with a plain score of 750 ["
    )
    assert (
        "on 20 items, at 70B parameters; the smallest not separated from it (95% intervals overlap) is"
        in said
    )
    assert "small (700 [" in said
    assert said.endswith("at 7B parameters: the leader has 10 times as many.")


def test_other_leaders(made: Made) -> None:
    rows = answers("big", 2) + answers("small", 19)
    up = made(rows, evals=evals(big={"parameters": 9e9}, small={"parameters": 1e9}))
    assert "; the best with more is big (100 [" in tier.summarise(info(up), PARAMETERS)
    assert tier.summarise(info(up), PARAMETERS).endswith("below it with 9 times as many.")
    alone = made(rows, evals=evals(big={"parameters": 1e9}, small={"parameters": 9e9}))
    assert "every eval with fewer is separated from it (95% intervals do not overlap)" in tier.summarise(
        info(alone), PARAMETERS
    )
    same = made(rows, evals=evals(big={"parameters": 9e9}, small={"parameters": 9e9}))
    assert "all evals have as many" in tier.summarise(info(same), PARAMETERS)
    unknown = made(rows, evals=evals(big={}, small={}))
    said = tier.summarise(info(unknown), PARAMETERS)
    assert said.startswith("Nobody says the parameters of any eval yet")
    assert "small leads with a plain score of 950 [" in said
    assert "per 1,000 tokens small gets furthest with 8,676 [" in said


def test_correlation_takes_each_model_once_by_its_best(made: Made) -> None:
    right = {"a": 2, "b": 5, "c": 4, "d": 9, "e": 12, "f": 15}
    rows = [one for model, n in right.items() for one in answers(model, n)]
    rows += answers("f", 1, template="cot")
    entries = evals(**{m: {"parameters": 10.0**place} for place, m in enumerate(right, 3)})
    entries[-1]["filters"]["template"] = "default"
    entries.append({"label": "f cot", "parameters": 1e8, "filters": {"model": "f", "template": "cot"}})
    found = info(made(rows, evals=entries))
    result = correlation(found, PARAMETERS, PLAIN)
    assert (result.n, round(result.rho, 3)) == (6, 0.943)
    said = tier.correlation_sentence(found, PARAMETERS, PLAIN)
    assert said.startswith("Over 6 models, each by its best eval, Plain score and parameters have a rank")
    assert "0.94 [" in said
    assert tier.correlation_sentence(info(made(answers("a", 3), evals=evals(a={}))), PARAMETERS, PLAIN) == ""


# Axes and charts


def test_choices_that_do_not_exist_name_the_valid_ones(three: Dataset) -> None:
    for ask, words in (
        (lambda: tier.axis("size"), "valid: parameters, active, layers"),
        (lambda: tier.score_kind("elo"), "valid: plain, reasonscore"),
        (lambda: tier.chart_axes("pie", PARAMETERS, PLAIN), "valid: score, per-token, cost, per-cost"),
        (
            lambda: tier.scatter_chart(info(three), PARAMETERS, PLAIN.score, colour_by="nope"),
            "valid: family, eval",
        ),
    ):
        with pytest.raises(FilterError, match=words):
            ask()


def test_colours_come_from_the_first_telling_kind_of_group(three: Dataset, made: Made) -> None:
    found = info(three)
    assert tier.colourings(found) == ["family", "eval"]
    assert tier.default_colouring(found) == "family"
    without = made(
        answers("a", 3) + answers("b", 4), evals=evals(a={"groups": ["x:1"]}, b={"groups": ["x:2"]})
    )
    # A group of one each says no more than the eval.
    assert tier.default_colouring(info(without)) == "eval"


def data_of(chart: Any, *columns: str) -> list[dict[str, Any]]:
    """The rows of the layer that has these columns."""
    sets = list(chart.to_dict()["datasets"].values())
    return max((rows for rows in sets if rows and set(columns) <= set(rows[0])), key=len)


@pytest.mark.parametrize("name", tier.CHARTS)
@pytest.mark.parametrize("score", tier.SCORES)
def test_every_chart_is_an_image(three: Dataset, name: str, score: str) -> None:
    found = info(three)
    against, what = tier.chart_axes(name, PARAMETERS, tier.SCORES[score])
    chart = tier.scatter_chart(found, against, what, colour_by="family", dark=name == "cost")
    rows = data_of(chart, "x_dodged", "y_text")
    assert {one["name"] for one in rows} == set(tier.shown_rows(found, against, what)["name"])
    if score == "plain" or name == "cost":
        assert charts.to_png(chart, scale=1).startswith(b"\x89PNG")
    footer = charts.footer_of(chart)
    assert "n = 20 completions" in footer
    assert ("95% Wilson" in footer) == (score == "plain")
    assert ("parameters as typed in the config" in footer) == (name != "cost")


def test_points_of_one_place_are_apart_and_say_the_true_number(made: Made) -> None:
    rows = answers("m", 9) + answers("m", 8, template="cot")
    both = [
        {"label": name, "parameters": "7B", "filters": {"model": "m", "template": name}}
        for name in ("default", "cot")
    ]
    chart = tier.scatter_chart(info(made(rows, evals=both)), PARAMETERS, PLAIN.score)
    shown = data_of(chart, "x_dodged", "y_text")
    assert {one["x"] for one in shown} == {7e9}
    assert {one["x_text"] for one in shown} == {"7B"}
    assert len({one["x_dodged"] for one in shown}) == 2


def test_ratios_that_differ_widely_are_logarithmic_and_scores_are_not(made: Made) -> None:
    rows = answers("a", 15, tokens=2) + answers("b", 15, tokens=4000)
    found = info(made(rows, evals=evals(a={"parameters": 1e9}, b={"parameters": 2e9})))

    def kind(score: tier.Score) -> str:
        layers = tier.scatter_chart(found, PARAMETERS, score).to_dict()["layer"]
        return str(next(one["encoding"]["y"]["scale"]["type"] for one in layers if "y" in one["encoding"]))

    assert (kind(PLAIN.score), kind(PLAIN.per_tokens)) == ("linear", "log")


def test_strange_names_are_drawn(made: Made) -> None:
    name = "</script>\x00'\"\u2028 модель"
    found = info(made(answers("m", 3), evals=[{"label": name, "parameters": 5e9, "filters": {"model": "m"}}]))
    assert charts.to_png(tier.scatter_chart(found, PARAMETERS, PLAIN.score), scale=1).startswith(b"\x89PNG")


places = st.lists(st.floats(0, 1), min_size=1, max_size=14)


@settings(max_examples=40)
@given(places, places)
def test_names_never_cover_each_other(xs: list[float], ys: list[float]) -> None:
    n = min(len(xs), len(ys))
    x, y = np.array(xs[:n]), np.array(ys[:n])
    found = apart(x, y)
    left = np.where(x < 0.5, x, x - WIDEST)
    for a in range(n):
        for b in range(a):
            if left[a] < left[b] + WIDEST and left[b] < left[a] + WIDEST:
                assert abs(found[a] - found[b]) >= LINE * 0.9


@given(places)
def test_dodging_keeps_order_and_is_small(xs: list[float]) -> None:
    x = np.array(xs)
    moved = dodged(x)
    order = np.argsort(x, kind="stable")
    assert (np.diff(moved[order]) >= min(DODGE, 0.5 / x.size) - 1e-9).all()
    assert np.abs(moved - x).max() <= DODGE * x.size / 2
    assert dodged(np.array([0.5, 0.5, 0.9])).tolist() == pytest.approx(
        [0.5 - DODGE / 2, 0.5 + DODGE / 2, 0.9]
    )


def test_frontier_and_names_of_many() -> None:
    x, y = np.array([1.0, 2, 2, 3, 4]), np.array([5.0, 4, 7, 6, 9])
    assert frontier(x, y) == [0, 2, 4]
    many = named(np.arange(60.0), np.arange(60.0) % 7)
    assert len(many) == len(set(many)) == 14
    assert {0, 6} <= set(many)


def test_scales_go_there_and_back() -> None:
    for scale in (
        across(pd.Series([1e8, 2e8]), "parameters"),
        upward(*[pd.Series([1.0, 3.0])] * 3, ratio=False),
    ):
        assert scale.low < scale.high
        shares = np.array([0.0, 0.3, 1.0])
        np.testing.assert_allclose(scale.shares(scale.values(shares)), shares, atol=1e-12)
    assert across(pd.Series([5.0]), "count") == Scale(2.5, 10.0, True, "count")


@given(st.floats(1e-6, 1e12), st.floats(1.5, 1e5))
def test_ticks_stand_inside(low: float, times: float) -> None:
    ticks = nice_ticks(low, low * times)
    assert all(low <= tick <= low * times for tick in ticks)
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 8
    assert times < 4 or len(ticks) >= 2


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (134_515_008, "parameters", "135M"), (7_615_616_512, "parameters", "7.62B"),
        (7e9, "parameters", "7B"), (999_999_999, "parameters", "1B"), (671e9, "parameters", "671B"),
        (1.6e12, "parameters", "1.6T"),
        (512, "parameters", "512"), (32768, "count", "32,768"), (0.0351, "money", "0.0351"),
        (1234.5, "money", "1,234"), (math.nan, "parameters", "—"),
    ],
)  # fmt: skip
def test_numbers_are_short(value: float, kind: str, text: str) -> None:
    assert short_number(value, kind) == text


# Documents


def test_document_and_frames_hold_the_same(three: Dataset) -> None:
    metadata = Metadata(
        {"o/a": entry("o/a", architecture=Architecture("X", 2, num_experts=8), license="mit")}
    )
    found = replace(info(three), metadata=metadata)
    document = json.loads(json.dumps(tier.to_document(found, ["one"]), allow_nan=False))
    assert document["summary"] == ["one"]
    assert [one["label"] for one in document["rows"]] == list(found.rows["label"])
    by_label = {one["label"]: one for one in document["rows"]}
    assert by_label["big"]["parameters"] == 70 * 10**9
    assert by_label["silent"]["parameters"] is None
    assert by_label["tiny"]["cost"] is None
    assert csv_bytes(tier.export_frame(found)).count(b"\r\n") == 5
    text = tier.text_frame(found)
    assert list(text["parameters"]) == ["70B", "7B", "—", "500M"]
    assert "cost of 1,000" in text


def test_models_as_text(made: Made) -> None:
    dataset = made(answers("m", 5), evals=evals(m={"hf_id": "o/a"}))
    built = Architecture("X", 2, num_experts=8, experts_per_token=2, vocab_size=32000)
    metadata = Metadata(
        {"o/a": entry("o/a", architecture=built, parameters=Parameters(10**9, "estimated", 10**8))}
    )
    text = tier.models_text(["o/a"], dataset.config, metadata).iloc[0]
    assert (text["parameters"], text["experts"], text["vocab size"]) == ("~1B", "2 of 8", "32,000")
    assert (text["license"], text["heads"], text["metadata"]) == ("—", "—", "complete")
    (document,) = tier.models_document(["o/a"], metadata)
    assert document["metadata_complete"] is True
    assert tier.models_document(["o/b"], metadata) == [
        {"model_id": "o/b", "status": "absent", "explanation": "o/b: not fetched yet."}
    ]


def test_an_eval_without_a_right_answer_does_not_get_furthest_on_its_few_tokens(made: Made) -> None:
    rows = answers("mute", 0, tokens=1) + answers("able", 12)
    said = tier.summarise(info(made(rows, evals=evals(mute={}, able={}))), PARAMETERS)
    assert "per 1,000 tokens able gets furthest" in said
