"""Two evals compared: every number of every scope recounted in plain Python, tests against statsmodels."""

import itertools
import json
import math
from collections import Counter
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.flags import Flag, add_flag, flags_path
from core.store import open_dataset
from core.store.membership import surface_place
from core.tiers.compare import RULES, find_eval, offered_evals, read_against, read_comparison
from core.tiers.compare.notes import comparison_notes
from core.tiers.compare.rows import COLUMNS, CORRECTIONS
from core.tiers.completions.query import listing
from core.tiers.completions.wanted import Wanted
from tests.store import recount
from tests.store.staging import completion
from tests.tiers import direct

SURFACE = {
    "id": "plane",
    "label": "Plane",
    "x_data": "x",
    "y_data": "y",
    "x_values": [0, 1, 2],
    "y_bins": [[0, 1]],
}
TIERS = [
    {"id": "near", "label": "Near", "filter": {"x": [0, 1]}},
    {"id": "far", "label": "Far", "filter": {"x": [1, 2]}},
]
CONFIG = {"basetasks": {"add": {"label": "Adding", "surfaces": [SURFACE]}}, "tiers": TIERS}


def single(seed=1, items=40, lift=0.3, models="ab", **fields):
    """One completion of each item by each model; the first is better at a high x only."""
    draw = np.random.default_rng(seed)
    return [
        completion(
            model=model, base_task=task, params={"x": x, "y": y}, item_key=f"{item}",
            outcome="correct" if draw.random() < 0.4 + lift * x * (model == "a") / 2 else "incorrect",
            completion_tokens=int(draw.integers(1, 500)), **fields,
        )
        for task in ("add", "sort")
        for x in range(3)
        for y in range(2)
        for item in range(items)
        for model in models
    ]  # fmt: skip


def outcomes(rows, threshold=1.0, *, rule="wrong", measure="accuracy"):
    """Mean outcome of each item of one eval, as a truncation rule counts it."""
    means = {}
    for item, some in recount.by_item(rows).items():
        values = []
        for row in some:
            outcome = recount.effective_outcome(row, threshold)
            if outcome == "error" or (outcome == "truncated" and rule == "left_out"):
                continue
            right = float(outcome == "correct")
            score = row["score"] if measure == "score" and row["score"] is not None else right
            values.append(0.0 if outcome == "truncated" else score)
        if values:
            means[item] = fmean(values)
    return means


def in_scope(dataset, scope, value, row):
    """Whether a completion is in a part of a scope."""
    if scope == "overall":
        return True
    if scope == "task":
        return row["base_task"] == value
    if scope == "tier":
        return direct.in_tier(row, next(one for one in dataset.config.tiers if one.id == value))
    task, surface = dataset.config.surface(value.partition(":")[0])
    place = surface_place(surface, json.loads(row["params"]))
    if row["base_task"] != task or place is None:
        return False
    x = (surface.x_values or surface.x_bins)[place[0]]
    y = (surface.y_values or surface.y_bins)[place[1]]
    texts = [f"{s[0]:g}–{s[1]:g}" if isinstance(s, tuple) else str(s).lower() for s in (x, y)]
    return value == f"{surface.id}: {surface.x_data} {texts[0]}, {surface.y_data} {texts[1]}"


def recounted(dataset, rows, a, b, scope, value, rule, *, measure="accuracy", threshold=1.0):
    sides = [
        [row for row in direct.of_eval(rows, dataset.config, one) if in_scope(dataset, scope, value, row)]
        for one in (a, b)
    ]
    left, right = (outcomes(side, threshold, rule=rule, measure=measure) for side in sides)
    every = [set(outcomes(side, threshold)) for side in sides]
    common = sorted(left.keys() & right.keys())
    d = [left[item] - right[item] for item in common]
    counts = Counter(
        "gained"
        if x > 1e-12
        else "lost"
        if x < -1e-12
        else "both_right"
        if left[item] >= 0.5
        else "both_wrong"
        for item, x in zip(common, d, strict=True)
    )
    return d, {
        "n_items": len(common),
        **{name: counts[name] for name in ("gained", "lost", "both_right", "both_wrong")},
        "left_out": len(every[0] | every[1]) - len(common),
        "only_a": len(every[0] - every[1]),
        "only_b": len(every[1] - every[0]),
    }


@pytest.mark.parametrize("measure", ["accuracy", "score"])
@pytest.mark.parametrize(("a", "b", "threshold"), [(0, 2, 1.0), (1, 2, 0.5), (2, 3, 1.0), (0, 1, 1.0)])
def test_every_row_is_what_counting_by_hand_gives(mixed, rows, a, b, threshold, measure) -> None:
    found = read_comparison(mixed, Filters(threshold=threshold), a, b, measure=measure)
    assert {"overall", "task", "tier", "cell"} == set(found.rows["scope"])
    for row in found.rows.to_dict(orient="records"):
        d, counts = recounted(
            mixed,
            rows,
            a,
            b,
            row["scope"],
            row["value"],
            row["truncated"],
            measure=measure,
            threshold=threshold,
        )
        assert {name: row[name] for name in counts} == counts
        assert row["left_out"] == row["only_a"] + row["only_b"] + row["unpaired"] + row["all_truncated"]
        if d:
            assert row["difference"] == pytest.approx(fmean(d), abs=1e-9)
            assert row["lower"] - 1e-9 <= row["difference"] or math.isnan(row["lower"])
        else:
            assert math.isnan(row["difference"]) and math.isnan(row["p_value"])
        if row["interval"] == "95% t over items" and len(d) > 1:
            half = stats.t.ppf(0.975, len(d) - 1) * stdev(d) / math.sqrt(len(d))
            assert row["upper"] == pytest.approx(min(fmean(d) + half, 1))


def test_one_completion_each_is_mcnemar_and_the_corrections_are_those_of_statsmodels(made) -> None:
    found = read_comparison(made(single(), **CONFIG), Filters(), 0, 1)
    for scope, part in found.rows[found.rows["truncated"] == "wrong"].groupby("scope"):
        for row in part.to_dict(orient="records"):
            table = [[row["both_right"], row["gained"]], [row["lost"], row["both_wrong"]]]
            assert row["p_value"] == pytest.approx(mcnemar(table, exact=True).pvalue)
            assert row["test"] == "exact McNemar"
            assert row["m"] == len(part)
        method = {"Holm": "holm", "Benjamini-Hochberg": "fdr_bh", "none": "holm"}[CORRECTIONS[str(scope)]]
        differs, adjusted, *_ = multipletests(part["p_value"], 0.05, method)
        assert part["p_adjusted"].to_numpy() == pytest.approx(adjusted)
        assert part["differs"].tolist() == differs.tolist()
    assert found.overall("wrong")["differs"]


def test_sign_flips_of_few_items_are_enumerated(made) -> None:
    draw = np.random.default_rng(8)
    rows = [
        completion(model=model, item_key=f"{item}", repeat=repeat,
                   outcome="correct" if draw.random() < (0.8 if model == "a" else 0.4) else "incorrect")
        for model in "ab" for item in range(11) for repeat in range(3)
    ]  # fmt: skip
    dataset = made(rows)
    row = read_comparison(dataset, Filters(), 0, 1).overall("wrong")
    left, right = (outcomes(direct.of_eval(rows, dataset.config, one)) for one in (0, 1))
    d = [left[item] - right[item] for item in left]
    sums = [
        abs(sum(s * x for s, x in zip(signs, d, strict=True)))
        for signs in itertools.product((-1, 1), repeat=11)
    ]
    assert row["test"] == "sign-flip, enumerated"
    assert row["p_value"] == pytest.approx(np.mean([one >= abs(sum(d)) - 1e-9 for one in sums]))
    assert 0 < row["p_value"] < 0.2


def test_swapped_evals_change_every_sign_and_nothing_else(mixed) -> None:
    one, other = read_comparison(mixed, Filters(), 0, 2).rows, read_comparison(mixed, Filters(), 2, 0).rows
    for name, turned in (("gained", "lost"), ("only_a", "only_b"), ("accuracy_a", "accuracy_b")):
        assert one[name].tolist() == pytest.approx(other[turned].tolist(), nan_ok=True)
    for name, turned in (("difference", "difference"), ("lower", "upper")):
        assert one[name].tolist() == pytest.approx((-other[turned]).tolist(), nan_ok=True)
    for name in ("p_value", "p_adjusted", "mde", "n_items", "both_right", "both_wrong"):
        assert one[name].tolist() == pytest.approx(other[name].tolist(), nan_ok=True)


def test_guess_correction_divides_by_what_is_left_of_one(made) -> None:
    dataset = made(single(choices=4))
    raw = read_comparison(dataset, Filters(), 0, 1).overall("wrong")
    skill = read_comparison(dataset, Filters(), 0, 1, measure="skill").overall("wrong")
    assert raw["gamma"] == skill["gamma"] == 0.25
    for name in ("difference", "lower", "upper", "mde"):
        assert skill[name] == pytest.approx(raw[name] / 0.75)
    for name in ("p_value", "items_needed", "gained", "n_items"):
        assert skill[name] == raw[name]


def test_all_guessing_has_no_skill_to_differ_in(made) -> None:
    row = read_comparison(made(single(choices=1)), Filters(), 0, 1, measure="skill").overall("wrong")
    assert math.isnan(row["difference"]) and row["n_items"] == 480


def test_against_all_is_each_pair_and_holm_over_them(mixed) -> None:
    found = read_against(mixed, Filters(eval_id=(0, 1, 2, 3)), 2)
    for rule in RULES:
        rows = found.of(rule)
        assert sorted(rows["value"]) == [0, 1, 3]
        for row in rows.to_dict(orient="records"):
            alone = read_comparison(mixed, Filters(), 2, row["value"]).overall(rule)
            for name in (
                "n_items",
                "gained",
                "lost",
                "both_right",
                "difference",
                "lower",
                "left_out",
                "gamma",
            ):
                assert row[name] == pytest.approx(alone[name])
        assert rows["p_adjusted"].to_numpy() == pytest.approx(
            multipletests(rows["p_value"], method="holm")[1]
        )
        assert (rows["m"] == 3).all()
    wrong = found.of("wrong")["difference"].tolist()
    assert wrong == sorted(wrong, reverse=True)


def test_against_all_of_evals_that_share_no_point(made) -> None:
    dataset = made(single(models="abc", items=6))
    found = read_against(dataset, Filters(), 1)
    assert sorted(found.of("wrong")["value"]) == [0, 2]
    for row in found.of("wrong").to_dict(orient="records"):
        alone = read_comparison(dataset, Filters(), 1, row["value"]).overall("wrong")
        assert (row["difference"], row["n_items"]) == (alone["difference"], alone["n_items"])


def test_filters_choose_the_items_and_not_the_evals(mixed, rows) -> None:
    found = read_comparison(mixed, Filters(eval_id=(3,), groups=(("size:large",),), base_task=("add",)), 0, 2)
    assert set(found.of("task", "wrong")["value"]) == {"add"}
    some = [row for row in rows if row["base_task"] == "add"]
    _, counts = recounted(mixed, some, 0, 2, "overall", "all", "wrong")
    assert found.overall("wrong")["n_items"] == counts["n_items"]


def test_only_named_tiers_and_surfaces_are_parts(made) -> None:
    dataset = made(single(items=4), **CONFIG)
    near = read_comparison(dataset, Filters(tiers=("near",)), 0, 1)
    assert near.of("tier", "wrong")["value"].tolist() == ["near"]
    assert near.of("cell", "wrong")["value"].tolist() == ["plane: x 0, y 0–1", "plane: x 1, y 0–1"]
    assert near.of("cell", "wrong")["n_items"].tolist() == [8, 8]


@pytest.mark.parametrize("kind", ["gained", "lost", "both_right", "both_wrong"])
def test_the_items_of_a_list_of_completions_are_those_counted(mixed, kind) -> None:
    filters = Filters().resolved(mixed.catalog)
    for a, b in ((0, 2), (2, 1)):
        found = read_comparison(mixed, Filters(), a, b).overall("wrong")
        listed = listing(mixed, filters, Wanted(pair=(a, b, kind)))
        items = mixed.rows(
            f"SELECT count(DISTINCT item_id) AS n FROM data.completions"
            f" WHERE completion_id IN (SELECT completion_id FROM ({listed.ids()}))",
            **listed.parameters,
        )
        assert items == [{"n": found[kind]}]


def test_flagged_completions_can_be_left_out(made) -> None:
    dataset = made([completion(model=m, item_key=f"{n}") for m in "ab" for n in range(6)])
    identity = {"model": "a", "template": "default", "sampler": "default", "base_task": "add", "params": "{}"}
    for item in ("1", "4"):
        add_flag(flags_path(dataset.config_path), Flag(**identity, item_key=item, repeat=0))
    again = open_dataset(dataset.config_path)
    for measure in ("accuracy", "score"):
        every = read_comparison(again, Filters(), 0, 1, measure=measure).overall("wrong")
        some = read_comparison(again, Filters(flagged="exclude"), 0, 1, measure=measure).overall("wrong")
        assert (every["n_items"], every["only_b"]) == (6, 0)
        assert (some["n_items"], some["only_b"]) == (4, 2)
    again.close()


class TestBadInput:
    def test_evals_must_be_two_that_exist(self, mixed) -> None:
        with pytest.raises(FilterError, match="valid: 0 to 4"):
            read_comparison(mixed, Filters(), 0, 9)
        with pytest.raises(FilterError, match="same eval"):
            read_comparison(mixed, Filters(), 2, 2)
        with pytest.raises(FilterError, match="accuracy, skill, score"):
            read_comparison(mixed, Filters(), 0, 2, measure="skilll")

    def test_nothing_at_all(self, mixed) -> None:
        with pytest.raises(NothingFoundError):
            read_comparison(mixed, Filters(tiers=("never",)), 0, 2)
        with pytest.raises(NothingFoundError, match="no other eval"):
            read_against(mixed, Filters(eval_id=(2,)), 2)

    def test_no_common_items(self, made) -> None:
        rows = [completion(model=m, item_key=f"{m}{n}", choices=2) for m in "ab" for n in range(5)]
        found = read_comparison(made(rows), Filters(), 0, 1)
        for rule in RULES:
            row = found.overall(rule)
            assert (row["n_items"], row["only_a"], row["only_b"], row["left_out"]) == (0, 5, 5, 10)
            assert row[["difference", "lower", "p_value", "p_adjusted", "mde"]].isna().all()
            assert not row["differs"]
        assert read_against(made(rows), Filters(), 0).of("wrong")["left_out"].tolist() == [10]

    def test_items_without_a_key_are_never_paired(self, made) -> None:
        rows = [completion(model=m, item_key=f"{m}{n}", paired=False) for m in "ab" for n in range(5)]
        row = read_comparison(made(rows), Filters(), 0, 1).overall("wrong")
        assert (row["n_items"], row["unpaired"], row["left_out"]) == (0, 10, 10)

    def test_one_item(self, made) -> None:
        rows = [completion(model=m, outcome=o) for m, o in (("a", "correct"), ("b", "incorrect"))]
        row = read_comparison(made(rows), Filters(), 0, 1).overall("wrong")
        assert (row["gained"], row["difference"], row["p_value"]) == (1, 1, 1)
        assert math.isnan(row["mde"])

    def test_nothing_differs(self, made) -> None:
        rows = [
            completion(model=m, item_key=f"{n}", repeat=r) for m in "ab" for n in range(30) for r in (0, 1)
        ]
        row = read_comparison(made(rows), Filters(), 0, 1).overall("wrong")
        assert (row["both_right"], row["difference"], row["p_value"]) == (30, 0, 1)
        assert row["lower"] < 0 < row["upper"]
        assert math.isinf(row["items_needed"])

    def test_all_truncated(self, made) -> None:
        rows = [completion(model=m, item_key=f"{n}", outcome="truncated") for m in "ab" for n in range(5)]
        found = read_comparison(made(rows), Filters(), 0, 1)
        wrong, left_out = (found.overall(rule) for rule in RULES)
        assert (wrong["n_items"], wrong["both_wrong"], wrong["left_out"]) == (5, 5, 0)
        assert (left_out["n_items"], left_out["all_truncated"], left_out["left_out"]) == (0, 5, 5)

    def test_failed_completions_are_no_outcome(self, made) -> None:
        rows = [completion(model=m, item_key=f"{n}") for m in "ab" for n in range(5)]
        rows += [completion(model="b", item_key=f"{n}", outcome="error", repeat=1) for n in range(5)]
        rows += [completion(model="a", item_key="5"), completion(model="b", item_key="5", outcome="error")]
        row = read_comparison(made(rows), Filters(), 0, 1).overall("wrong")
        assert (row["both_right"], row["only_a"], row["test"]) == (5, 1, "exact McNemar")


class TestFindingAnEval:
    def test_by_id_label_and_model(self, mixed) -> None:
        config = mixed.config
        assert [find_eval(config, text) for text in ("2", "Two", "two", " One, any ", "three")] == [
            2,
            2,
            2,
            1,
            3,
        ]

    def test_several_or_none(self, mixed, with_config) -> None:
        with pytest.raises(FilterError, match=r"Several evals are called 'one'"):
            find_eval(with_config(evals=[{"label": "x", "filters": {"model": "one"}}] * 2).config, "one")
        with pytest.raises(FilterError, match=r"No eval 'four' in this dataset; valid: 0 \(One\)"):
            find_eval(mixed.config, "four")
        with pytest.raises(FilterError, match="No eval '99'"):
            find_eval(mixed.config, "99")

    def test_offered_are_those_with_points_in_display_order(self, mixed, with_config) -> None:
        assert offered_evals(mixed, Filters().resolved(mixed.catalog)) == [0, 1, 2]
        evals = [
            {"label": m, "filters": {"model": m}, "order": o} for m, o in (("one", 3), ("two", 2), ("no", 1))
        ]
        other = with_config(evals=evals)
        assert offered_evals(other, Filters().resolved(other.catalog)) == [1, 0]


def test_the_columns_are_those_that_are_documented(mixed) -> None:
    rows = read_comparison(mixed, Filters(), 0, 2).rows
    assert [*COLUMNS, "surface", "x", "y"] == rows.columns.tolist()
    assert rows["truncated"].tolist() == list(RULES) * (len(rows) // 2)


@pytest.mark.parametrize("uneven", [False, True])
def test_items_weigh_alike_and_a_note_says_so_where_completions_do_not(made, uneven: bool) -> None:
    rows = single()
    if uneven:
        rows += [{**row, "repeat": 1} for row in rows[:1]]
    found = read_comparison(made(rows), Filters(), 0, 1)
    assert any("every item weighs alike" in note for note in comparison_notes(found, "wrong")) == uneven
