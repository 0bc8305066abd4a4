"""A comparison in words, as a document and as a chart."""

import csv
import io
import json
import math

import pytest

from core import charts
from core.filters import Filters
from core.tiers import compare as tier
from core.tiers.compare.document import CSV_FIELDS, ROW_FIELDS
from core.tiers.compare.words import amount, interval_text, p_text
from core.tiers.methods import Methods
from tests.store.staging import completion
from tests.tiers.test_compare import CONFIG, single


def known(b, c, n, *, truncated=0, left_out=0):
    """Completions of n common items: b that only a has right, c that only b has right, the rest both wrong.

    Of B another `truncated` items are cut off where A is right, and B lacks another `left_out` of A's.
    """
    kinds = [("correct", "incorrect")] * b + [("incorrect", "correct")] * c
    kinds += [("incorrect", "incorrect")] * (n - b - c) + [("correct", "truncated")] * truncated
    kinds += [("correct", None)] * left_out
    return [
        completion(model=model, item_key=f"{number}", outcome=outcome)
        for number, pair in enumerate(kinds)
        for model, outcome in zip("ab", pair, strict=True)
        if outcome is not None
    ]


def compared(made, rows, **options):
    return tier.read_comparison(made(rows), Filters(), 0, 1, **options)


class TestVerdict:
    def test_a_winner(self, made) -> None:
        found = compared(made, known(30, 10, 100, left_out=4))
        # p1 = 31/102, p2 = 11/102: 20/102 +- 1.96*sqrt((42/102 - (20/102)^2)/102).
        assert tier.verdict(found) == (
            "a is better than b by 20.0 percentage points (95% Bonett-Price interval 7.8 to 31.5; exact"
            " McNemar, p = 0.002; 100 common items; raw accuracy, truncated completions counted as wrong;"
            " items left out: 4 that only a has)."
        )

    def test_b_wins_with_the_interval_its_way_round(self, made) -> None:
        said = tier.verdict(compared(made, known(10, 30, 100)))
        assert said.startswith(
            "b is better than a by 20.0 percentage points (95% Bonett-Price interval 7.8 to 31.5;"
        )

    def test_not_separated(self, made) -> None:
        found = compared(made, known(12, 10, 200))
        said = tier.verdict(found)
        assert said.startswith(
            "a and b are not separated: the first minus the second is +1.0 percentage points ("
        )
        assert said.endswith(
            "; a true difference of 6.6 percentage points would be found with about 80% power."
        )
        assert found.overall("wrong")["mde"] == pytest.approx(0.066, abs=5e-4)

    def test_no_common_items(self, made) -> None:
        rows = [completion(model=m, item_key=m) for m in "ab"]
        assert tier.verdict(compared(made, rows)) == (
            "a and b cannot be compared: they have no common items; items left out: 1 that only a has, 1 that"
            " only b has."
        )

    def test_measures_name_themselves(self, made) -> None:
        rows = single(choices=2, score=None)
        assert "; raw accuracy, " in tier.verdict(compared(made, rows))
        assert "guess-corrected accuracy (difference divided by 1 − 0.500)" in tier.verdict(
            compared(made, rows, measure="skill")
        )
        assert " of mean score (" in tier.verdict(compared(made, rows, measure="score"))

    def test_too_few_to_find_anything(self, made) -> None:
        assert "with so few differing items no true difference" in tier.verdict(
            compared(made, known(1, 0, 8))
        )


class TestTruncation:
    def test_rules_that_disagree_are_told(self, made) -> None:
        found = compared(made, known(2, 8, 60, truncated=20))
        assert tier.verdict(found).startswith("a is better than b")
        assert tier.verdict(found, "left_out").startswith("a and b are not separated")
        assert (
            "with truncated completions left out neither is, and with them counted as wrong a is better"
            in (tier.disagreement(found))
        )

    def test_a_turn_without_an_established_winner_is_told_too(self, made) -> None:
        found = compared(made, known(2, 4, 60, truncated=3))
        assert "points the other way, though neither is established" in tier.disagreement(found)

    def test_rules_that_agree_are_not(self, made) -> None:
        assert tier.disagreement(compared(made, known(30, 10, 100, truncated=2))) == ""
        assert tier.disagreement(compared(made, known(0, 0, 0, truncated=5))) == ""

    def test_tasks_with_another_winner_are_named(self, made) -> None:
        rows = known(2, 8, 60, truncated=20)
        notes = tier.comparison_notes(compared(made, rows), "wrong")
        assert any("1 of the tasks and tiers have another winner or none: add." in note for note in notes)
        against = tier.read_against(made(rows), Filters(), 0)
        assert "1 comparisons have another winner or none: b" in tier.against_disagreements(against)


class TestItemsNeeded:
    def test_separated_already(self, made) -> None:
        assert tier.needed(compared(made, known(30, 10, 100))) == (
            "None: 100 common items separate them already (p = 0.002)."
        )

    def test_how_many_more(self, made) -> None:
        said = tier.needed(compared(made, known(22, 14, 200)))
        # psi = 37/202, d = .04: (1.96 sqrt(psi) + .8416 sqrt(psi - d^2))^2 / d^2.
        psi = 37 / 202
        items = math.ceil((1.959964 * psi**0.5 + 0.8416 * (psi - 0.0016) ** 0.5) ** 2 / 0.0016)
        assert said.startswith(f"About {items - 200:,} more common items, {items:,} in all:")
        assert "if the share of items on which only one is right stays at 18%." in said
        assert said.endswith("and nearer to 0 no number does.")

    def test_none_for_no_difference(self, made) -> None:
        assert tier.needed(compared(made, known(5, 5, 50))).startswith("No number can be given")

    def test_nothing_to_say(self, made) -> None:
        rows = [completion(model=m, item_key=m) for m in "ab"]
        assert tier.needed(compared(made, rows)) == "Nothing can be said: there are no common items."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (amount(-0.0123, "accuracy"), "−1.2 percentage points"),
        (amount(0.0123, "score", signed=True), "+0.012 of mean score"),
        (interval_text(0.0311, -0.0004, 0.0626), "+0.031 [0.000, +0.063]"),
        (interval_text(0.5, math.nan, math.nan), "+0.500"),
        (interval_text(math.nan, 0, 0), "—"),
        (p_text(0.00004), "p < 0.0001"),
        (p_text(0.00042), "p = 0.0004"),
        (p_text(0.0421), "p = 0.042"),
        (p_text(0.5), "p = 0.50"),
        (p_text(math.nan), "p —"),
    ],
)
def test_numbers_as_text(text: str, said: str) -> None:
    assert text == said


class TestDocument:
    def test_rows_have_exactly_the_documented_fields(self, made) -> None:
        dataset = made(single(), **CONFIG)
        found = tier.read_comparison(dataset, Filters(), 0, 1)
        lengths = [tier.read_lengths(dataset, Filters(), Methods(), 0, 1, rule=rule) for rule in tier.RULES]
        document = json.loads(json.dumps(tier.to_document(found, lengths, Methods()), allow_nan=False))
        assert {tuple(row) for row in document["rows"]} == {ROW_FIELDS}
        assert [row["truncated"] for row in document["rows"][:2]] == ["wrong", "left_out"]
        assert {row["scope"] for row in document["rows"]} == {"overall", "task", "tier", "cell"}
        assert document["verdict"]["wrong"] == tier.verdict(found)
        assert [one["truncated"] for one in document["lengths"]] == list(tier.RULES)
        assert len(document["lengths"][0]["fifths"]) == 10

    def test_missing_is_null(self, made) -> None:
        found = compared(made, [completion(model=m, item_key=m) for m in "ab"])
        document = tier.to_document(found, [], Methods())
        row = document["rows"][0]
        assert [row[name] for name in ("difference", "lower", "p_value", "mde")] == [None] * 4
        assert (row["n_items"], row["m"]) == (0, 1)
        assert document["items_needed"]["wrong"]["items"] is None

    def test_csv_has_a_row_per_part_and_rule(self, made) -> None:
        found = tier.read_comparison(made(single(), **CONFIG), Filters(), 0, 1)
        frame = tier.export_frame(found)
        assert tuple(frame.columns) == CSV_FIELDS
        assert len(frame) == len(found.rows)
        data = tier.result_files(found, [], Filters(), Methods(), "csv")[0].make().decode("utf-8-sig")
        assert "inf" not in {cell for row in csv.reader(io.StringIO(data)) for cell in row}

    def test_markdown_shows_what_the_page_says(self, made) -> None:
        found = compared(made, known(2, 8, 60, truncated=20))
        text = tier.result_files(found, [], Filters(), Methods(), "markdown")[0].make().decode()
        assert tier.verdict(found) in text and tier.disagreement(found) in text
        assert "| Overall, truncated left out | 60 |" in text


class TestChart:
    def test_every_scope_but_cells_in_one_forest(self, made) -> None:
        found = tier.read_comparison(made(single(), **CONFIG), Filters(), 0, 1)
        chart = tier.forest_chart(found)
        spec = chart.to_dict()
        names = [
            row["name"]
            for rows in spec["datasets"].values()
            for row in rows
            if "name" in row and "lower" in row
        ]
        assert sorted(set(names)) == ["Overall", "Task: Adding", "Task: sort", "Tier: Far", "Tier: Near"]
        footer = charts.footer_of(chart)
        for said in (
            "small",
            "common items",
            "95% Bonett-Price interval",
            "exact McNemar",
            "Holm over m = 2 tasks",
        ):
            assert said in footer
        assert tier.verdict(found) in spec["description"]
        assert charts.to_png(chart).startswith(b"\x89PNG")

    def test_many_rows_go_on_further_pages(self, made) -> None:
        rows = [completion(model=m, base_task=f"t{n:02d}") for m in "ab" for n in range(30)]
        found = compared(made, rows)
        assert tier.pages(found, "wrong") == 2
        assert "rows 26 to 31 of 31" in str(tier.forest_chart(found, page=1).to_dict()["title"]["text"])
        names = [file.name for file in tier.result_files(found, [], Filters(), Methods(), "png")]
        assert names == ["small_compare_eval0_eval1.png", "small_compare_eval0_eval1-2.png"]

    def test_without_any_number(self, made) -> None:
        found = compared(made, [completion(model=m, item_key=m) for m in "ab"])
        assert charts.to_png(tier.forest_chart(found)).startswith(b"\x89PNG")

    def test_one_against_all(self, made) -> None:
        against = tier.read_against(made(single(models="abc")), Filters(), 0)
        chart = tier.forest_chart(against, "left_out", dark=True)
        assert "Holm over m = 2 evals" in charts.footer_of(chart)
        assert "a against 2 other evals" in str(chart.to_dict()["title"]["text"])
        assert "(paired on common items, Holm at 5%, m = 2;" in tier.against_summary(against)

    def test_lengths(self, made) -> None:
        lengths = tier.read_lengths(made(single()), Filters(), Methods(), 0, 1)
        chart = tier.length_chart(lengths)
        assert "fifths within task" in str(chart.to_dict()["title"]["text"])
        assert "n = 96 a point" in charts.footer_of(chart)
        assert charts.to_png(chart).startswith(b"\x89PNG")
        assert tier.length_sentence(lengths).startswith("Accuracy in the longest fifth of responses against")
