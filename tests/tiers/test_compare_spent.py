"""What two evals spend, by length, and whether they were run alike: recounted, and for known inputs."""

import math
from statistics import fmean, stdev

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from core.errors import FilterError
from core.filters import Filters
from core.tiers.compare import read_against, read_comparison, read_lengths
from core.tiers.compare.repeats import Repeats, read_repeats
from core.tiers.methods import Methods
from tests.store import recount
from tests.store.recount import OUTCOMES
from tests.store.staging import completion
from tests.tiers import direct
from tests.tiers.test_compare import TIERS, single


def mean_tokens(rows):
    """Mean tokens of each item that has a count."""
    means = {}
    for item, some in recount.by_item(rows).items():
        tokens = [row["completion_tokens"] for row in some if row["completion_tokens"] is not None]
        if tokens:
            means[item] = fmean(tokens)
    return means


class TestSpent:
    def test_tokens_are_paired_by_item(self, mixed, rows) -> None:
        spent = read_comparison(mixed, Filters(), 0, 2).spent.set_index(["scope", "value"])
        assert "cell" not in spent.index.get_level_values("scope")
        for (scope, value), row in spent.iterrows():
            some = [r for r in rows if scope != "task" or r["base_task"] == value]
            if scope == "tier":
                tier = next(one for one in mixed.config.tiers if one.id == value)
                some = [r for r in rows if direct.in_tier(r, tier)]
            left, right = (mean_tokens(direct.of_eval(some, mixed.config, one)) for one in (0, 2))
            d = [left[item] - right[item] for item in left.keys() & right.keys()]
            assert row["token_items"] == len(d)
            assert row["tokens_difference"] == pytest.approx(fmean(d))
            assert row["tokens_a"] - row["tokens_b"] == pytest.approx(row["tokens_difference"])
            if len(d) == 1:
                assert math.isnan(row["tokens_upper"])
                continue
            half = stats.t.ppf(0.975, len(d) - 1) * stdev(d) / math.sqrt(len(d))
            assert row["tokens_upper"] == pytest.approx(fmean(d) + half)

    def test_truncated_completions(self, made) -> None:
        rows = [
            completion(model=model, item_key=f"{n}", outcome="truncated" if n < cut else "correct")
            for model, cut in (("a", 6), ("b", 2))
            for n in range(20)
        ]
        spent = read_comparison(made(rows), Filters(), 0, 1).spent.iloc[0]
        assert (spent["truncated_a"], spent["truncated_b"]) == (0.3, 0.1)
        assert spent["truncated_difference"] == pytest.approx(0.2)
        assert spent["truncated_interval"] == "95% Bonett-Price"
        assert spent["truncated_lower"] < 0.2 < spent["truncated_upper"]
        assert math.isnan(spent["tokens_a"]) and spent["token_items"] == 0

    def test_where_nobody_says_what_was_cut_off_there_is_no_share(self, made) -> None:
        rows = [
            completion(model=model, item_key=f"{n}", truncation="unknown" if model == "a" else "reported")
            for model in "ab"
            for n in range(5)
        ]
        spent = read_comparison(made(rows), Filters(), 0, 1).spent.iloc[0]
        assert spent["truncated_items"] == 5
        assert spent[["truncated_a", "truncated_b", "truncated_difference"]].isna().all()


def lengths_of(dataset, **options):
    return read_lengths(dataset, Filters(), Methods(), 0, 1, **options)


class TestLengths:
    def test_fifths_of_different_lengths(self, made) -> None:
        # The longer, the more often wrong; B has the same lengths and is always right.
        rows = [
            completion(model=m, item_key=f"{n}", completion_tokens=10 * n + 1,
                       outcome="correct" if m == "b" or n < 50 or n % 4 == 0 else "incorrect")
            for m in "ab" for n in range(100)
        ]  # fmt: skip
        found = lengths_of(made(rows))
        cells = found.cells[found.cells["eval_id"] == 0].set_index("part")
        assert cells["n"].tolist() == [20] * 5
        assert cells["accuracy"].tolist() == pytest.approx([1, 1, 0.6, 0.25, 0.25], abs=1e-9)
        assert cells["tokens_from"].tolist() == [1, 201, 401, 601, 801]
        assert cells["tokens"].iloc[0] == pytest.approx(96)
        low, high = direct.wilson(0.25, 20)
        assert (cells.at[5, "lower"], cells.at[5, "upper"]) == pytest.approx((low, high))
        gap = found.gaps.set_index("eval_id").loc[0]
        expected = confint_proportions_2indep(5, 20, 20, 20, method="newcomb", compare="diff")
        assert (gap["lower"], gap["upper"]) == pytest.approx(expected, abs=1e-4)
        assert found.gaps.set_index("eval_id").at[1, "difference"] == 0
        assert found.without_tokens == 0

    def test_equal_lengths_are_shared_out(self, made) -> None:
        # Task "long" is hard and long: fifths over both tasks together would be its fifths.
        rows = [
            completion(model=m, base_task=task, item_key=f"{n}", completion_tokens=tokens,
                       outcome="correct" if n < right else "incorrect")
            for m in "ab" for task, tokens, right in (("long", 900, 10), ("short", 7, 40)) for n in range(50)
        ]  # fmt: skip
        cells = lengths_of(made(rows)).cells
        assert cells["n"].tolist() == pytest.approx([20] * 10)
        assert cells["accuracy"].tolist() == pytest.approx([0.5] * 10)

    def test_tiers_are_strata_and_items_must_be_common(self, made) -> None:
        rows = [
            completion(model=m, params={"x": x}, item_key=f"{n}", completion_tokens=100 * x + 10,
                       outcome="incorrect" if x else "correct")
            for m in "ab" for x in (0, 1) for n in range(10)
        ]  # fmt: skip
        rows.append(completion(model="a", params={"x": 0}, item_key="lonely", completion_tokens=5))
        tiers = [{"id": f"t{x}", "label": f"T{x}", "filter": {"x": x}} for x in (0, 1)]
        found = lengths_of(made(rows, tiers=tiers))
        assert found.by_tier
        assert found.cells["accuracy"].tolist() == pytest.approx([0.5] * 10)
        assert found.cells["n"].sum() == pytest.approx(40)
        assert not lengths_of(made(rows)).by_tier

    def test_truncated_count_as_wrong_or_not_at_all(self, made) -> None:
        rows = [
            completion(model=m, item_key=f"{n}", completion_tokens=n + 1,
                       outcome="truncated" if m == "a" and n >= 8 else "correct")
            for m in "ab" for n in range(10)
        ]  # fmt: skip
        dataset = made(rows)
        wrong, left_out = lengths_of(dataset), lengths_of(dataset, rule="left_out")
        assert wrong.cells.loc[wrong.cells["eval_id"] == 0, "accuracy"].tolist() == pytest.approx(
            [1, 1, 1, 1, 0]
        )
        assert left_out.cells["accuracy"].tolist() == pytest.approx([1] * 10)
        assert left_out.cells["n"].sum() == pytest.approx(16)

    def test_without_token_counts(self, made) -> None:
        found = lengths_of(made([completion(model=m, item_key=f"{n}") for m in "ab" for n in range(4)]))
        assert found.cells.empty and found.gaps.empty and found.without_tokens == 8

    def test_repeats_are_one_cluster(self, made) -> None:
        draw = np.random.default_rng(3)
        rows = [
            completion(model=m, item_key=f"{n}", repeat=r, completion_tokens=int(draw.integers(1, 99)),
                       outcome="correct" if n % 2 else "incorrect")
            for m in "ab" for n in range(30) for r in range(6)
        ]  # fmt: skip
        dataset = made(rows)
        one = read_lengths(dataset, Filters(), Methods(), 0, 1).cells
        other = read_lengths(dataset, Filters(), Methods(repeats="independent"), 0, 1).cells
        assert (one["upper"] - one["lower"] > 1.1 * (other["upper"] - other["lower"])).all()

    def test_bad_input(self, mixed) -> None:
        with pytest.raises(FilterError, match="wrong, left_out"):
            read_lengths(mixed, Filters(), Methods(), 0, 2, rule="maybe")
        with pytest.raises(FilterError, match="same eval"):
            read_lengths(mixed, Filters(), Methods(), 2, 2)


def setup_of(made, a, b, count=3, **both):
    """How two evals of some items were run, the fields of each given."""
    rows = [
        completion(model=model, item_key=f"{n}", **{"completion_tokens": 5, **both, **fields})
        for model, fields in (("a", a), ("b", b))
        for n in range(count)
    ]
    return read_comparison(made(rows), Filters(), 0, 1).setup


class TestSetup:
    @pytest.mark.parametrize(
        ("a", "b", "said"),
        [
            ({"template": "cot"}, {"template": "direct"}, "Templates differ: cot (A), direct (B)."),
            ({"sampler": "t1"}, {"sampler": "t0"}, "Samplers differ: t1 (A), t0 (B)."),
            (
                {"token_limit": 1024},
                {"token_limit": 256},
                "Token limits differ: 1,024 (A), 256 (B). The eval",
            ),
            ({"scorer": "exact"}, {"scorer": "judge"}, "Scorers differ: exact (A), judge (B)."),
            ({"prompt": "Add!"}, {"prompt": "Please add."}, "The prompts of 3 of 3 common items differ."),
            (
                {"token_source": "reported"},
                {"token_source": "tokenized:o200k_base"},
                "Token counts differ: reported (A), tokenized:o200k_base (B).",
            ),
        ],
        ids=str,
    )
    def test_what_differs_is_said(self, made, a, b, said) -> None:
        assert any(one.startswith(said) for one in setup_of(made, a, b).mismatches)

    def test_run_alike(self, made) -> None:
        found = setup_of(
            made, {}, {}, prompt="Add!", token_limit=512, token_source="reported", scorer="exact"
        )
        assert found.mismatches == () and found.unknown == ()
        assert "prompts of 3 common items" in found.alike and "token limits: 512" in found.alike

    def test_the_same_prompt_under_two_templates_is_no_other_prompt(self, made) -> None:
        found = setup_of(made, {"template": "x"}, {"template": "y"}, prompt="Add!")
        assert found.mismatches == ("Templates differ: x (A), y (B).",)
        assert "prompts of 3 common items" in found.alike

    def test_what_is_not_known(self, made) -> None:
        found = setup_of(made, {"token_limit": 5}, {"truncation": "unknown"}, completion_tokens=None)
        assert found.unknown == (
            "The prompts of A and B are not stored.",
            "Token limits of B are not known.",
            "There are no token counts of both evals, so what they spend is not compared.",
            "The source does not say which responses of B were cut off: truncated ones count as they were"
            " graded.",
        )

    def test_some_prompts_are_not_stored(self, made) -> None:
        rows = [
            completion(
                model=m, item_key=f"{n}", prompt=None if (m, n) == ("b", 0) else f"{n}{m if n == 1 else ''}"
            )
            for m in "ab"
            for n in range(4)
        ]
        found = read_comparison(made(rows), Filters(), 0, 1).setup
        assert "The prompts of 1 of 3 common items differ." in found.mismatches
        assert "Of 1 of 4 common items the prompts are not stored." in found.unknown

    def test_repeats_differ(self, made) -> None:
        rows = [completion(model=m, repeat=r) for m, many in (("a", 1), ("b", 3)) for r in range(many)]
        found = read_comparison(made(rows), Filters(), 0, 1).setup
        assert "Completions per item differ: 1 (A), 3 (B); an item counts its mean." in found.mismatches

    def test_points_of_both(self, mixed) -> None:
        shared = [
            one for one in read_comparison(mixed, Filters(), 0, 1).setup.mismatches if "both evals" in one
        ]
        assert shared and "the same completions stand on both sides" in shared[0]


class TestRepeats:
    def test_what_is_known_of_a_selection(self, made, mixed) -> None:
        def of(dataset):
            return read_repeats(dataset, Filters().resolved(dataset.catalog))

        alone = [
            completion(model=m, item_key=f"{n}", outcome=o) for m in "ab" for n, o in enumerate(OUTCOMES[:4])
        ]
        assert of(made(alone)) == Repeats(shared=False, single=True)
        assert of(made([*alone, completion(repeat=1, model="a", item_key="0")])) == Repeats(False, False)
        # A failed completion is no outcome, but it may have tokens.
        assert not of(made([*alone, completion(repeat=1, model="a", item_key="0", outcome="error")])).single
        assert of(mixed) == Repeats(shared=True, single=False)

    def test_the_short_way_and_the_long_way_agree(self, made, monkeypatch: pytest.MonkeyPatch) -> None:
        dataset = made(single(items=9, models="abc"), tiers=TIERS)

        def everything():
            found = read_comparison(dataset, Filters(), 0, 1)
            lengths = lengths_of(dataset)
            return (
                found.rows,
                found.spent,
                lengths.cells,
                lengths.gaps,
                read_against(dataset, Filters(), 0).rows,
            )

        short = everything()
        for place in ("items", "spent", "lengths"):
            monkeypatch.setattr(f"core.tiers.compare.{place}.read_repeats", lambda *_: Repeats(True, False))
        for one, other in zip(short, everything(), strict=True):
            pd.testing.assert_frame_equal(one, other, rtol=1e-6)
