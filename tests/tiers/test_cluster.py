"""Clusters: sections, both rules against plain Python, tokens, words, documents and charts."""

import json
import math
import random
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from core import charts
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.stats.multiplicity import holm
from core.stats.paired import compare
from core.store import Dataset
from core.tiers import cluster as tier
from core.tiers.cells import read_cells
from core.tiers.cluster import Clusters, Section, read_clusters
from core.tiers.cluster.files import result_files, split_clusters
from core.tiers.methods import Methods
from tests.store import recount
from tests.store.staging import Row, completion
from tests.tiers import direct

METHODS = Methods()
PNG = b"\x89PNG\r\n\x1a\n"


def clusters(dataset: Dataset, document=None, **options) -> Clusters:
    return read_clusters(dataset, Filters.from_dict(document or {}), METHODS, **options)


def answers(model: str, right: int, wrong: int, **fields) -> list[Row]:
    """One completion of each item, the first ones right."""
    return [
        completion(
            model=model, item_key=str(item), outcome="correct" if item < right else "incorrect", **fields
        )
        for item in range(right + wrong)
    ]


def oracle(linked: dict[tuple[int, int], bool], members: list[int]) -> set[frozenset[int]]:
    graph = nx.Graph()
    graph.add_nodes_from(members)
    graph.add_edges_from(pair for pair, yes in linked.items() if yes)
    return {frozenset(clique) for clique in nx.find_cliques(graph)}


def test_members_are_the_cells_of_the_leaderboard(mixed: Dataset) -> None:
    cells = read_cells(mixed, Filters().resolved(mixed.catalog), METHODS)
    for stack, column in (("base_task", "task"), ("tier", "tier")):
        found = clusters(mixed, {"base_task": ["add"]} if stack == "tier" else {}, stack=stack)
        for section in found.sections:
            wanted = cells[(cells[column] == section.value) & (cells["task"] == "add")]
            if stack == "base_task":
                wanted = cells[(cells[column] == section.value) & cells["tier"].isna()]
            wanted = wanted.set_index("eval_id")
            for row in section.members.to_dict(orient="records"):
                for name in ("center", "margin", "lower", "upper", "n", "n_items", "truncated_ratio"):
                    assert row[name] == pytest.approx(wanted.at[row["eval_id"], name], nan_ok=True)


def test_sections_stand_in_display_order_best_members_first(mixed: Dataset) -> None:
    assert [section.value for section in clusters(mixed).sections] == ["sort", "add", "word's"]
    assert [section.value for section in clusters(mixed, stack="tier").sections] == ["low", "high"]
    (plane,) = clusters(mixed, stack="surface").sections
    assert (plane.value, plane.label) == ("plane", "Addition: Plane")
    for section in clusters(mixed).sections:
        assert section.members["center"].is_monotonic_decreasing


@pytest.mark.parametrize("stack", ["base_task", "tier"])
def test_overlap_equals_the_definition(mixed: Dataset, stack: str) -> None:
    found = clusters(mixed, {"eval_id": [0, 1, 2, 3]}, stack=stack)
    for section in found.sections:
        rows = section.members.set_index("eval_id")
        known = [int(one) for one in rows.index[rows["center"].notna()]]
        linked = {
            (a, b): abs(rows.at[a, "center"] - rows.at[b, "center"])
            <= rows.at[a, "margin"] + rows.at[b, "margin"]
            for a, b in combinations(known, 2)
        }
        assert set(map(frozenset, section.cliques)) == oracle(linked, known)
        assert section.m == len(linked)
        assert section.pairs is None and section.complete


@pytest.mark.parametrize("threshold", [1.0, 0.5])
def test_paired_equals_each_pair_by_hand(mixed: Dataset, rows, threshold: float) -> None:
    found = clusters(mixed, {"eval_id": [0, 1, 2, 3], "threshold": threshold}, rule="paired")
    for section in found.sections:
        own = {
            one: recount.item_counts(
                [
                    row
                    for row in direct.of_eval(rows, mixed.config, one)
                    if row["base_task"] == section.value and row["paired"]
                ],
                threshold,
            )
            for one in map(int, section.members["eval_id"])
        }
        assert section.pairs is not None
        tests = int(section.pairs["p"].notna().sum())
        assert section.m == tests
        for pair in section.pairs.to_dict(orient="records"):
            for wrong, suffix in ((True, ""), (False, "_untruncated")):
                a, b = (vectors(own[pair[which]], own, wrong) for which in ("eval_a", "eval_b"))
                alone = compare(*a, *b, tests=tests)
                assert pair[f"difference{suffix}"] == pytest.approx(alone.d, nan_ok=True)
                if wrong:
                    assert (pair["lower"], pair["upper"]) == pytest.approx((alone.lower, alone.upper))
                    assert pair["n_items"] == alone.n_items
                    assert pair["test"] == alone.test
                    assert pair["p"] == pytest.approx(alone.p, abs=0.02)
        assert section.pairs["p_adjusted"].to_numpy() == pytest.approx(holm(section.pairs["p"]))
        linked = {
            (pair["eval_a"], pair["eval_b"]): not pair["p_adjusted"] < 0.05
            for pair in section.pairs.to_dict(orient="records")
        }
        assert set(map(frozenset, section.cliques)) == oracle(linked, list(own))


def vectors(counts, everyone, truncated_as_wrong: bool) -> tuple[list[int], list[int]]:
    """Correct and counted completions of one eval on every item that any eval has."""
    items = sorted({item for one in everyone.values() for item in one})
    none = recount.Counter()
    y = [counts.get(item, none)["correct"] for item in items]
    k = [
        recount.counted(counts.get(item, none))
        + (counts.get(item, none)["truncated"] if truncated_as_wrong else 0)
        for item in items
    ]
    return y, k


def test_tokens_are_clustered_by_item(mixed: Dataset, rows) -> None:
    section = clusters(mixed, {"eval_id": [0, 1]}).section("add")
    for row in section.members.to_dict(orient="records"):
        own = [r for r in direct.of_eval(rows, mixed.config, row["eval_id"]) if r["base_task"] == "add"]
        by_item = [
            [r["completion_tokens"] for r in some if r["completion_tokens"] is not None]
            for some in recount.by_item(own).values()
        ]
        by_item = [some for some in by_item if some]
        mean = sum(map(sum, by_item)) / sum(map(len, by_item))
        squares = sum((sum(some) - mean * len(some)) ** 2 for some in by_item)
        count = len(by_item)
        error = math.sqrt(count / (count - 1) * squares) / sum(map(len, by_item))
        half = direct.stats.t.ppf(0.975, count - 1) * error
        upper = mean * math.exp(half / mean) if count >= 10 else mean + half
        assert row["mean_tokens"] == pytest.approx(mean)
        assert row["tokens_upper"] == pytest.approx(upper)
    for place, clique in enumerate(section.cliques):
        own = [
            r for one in clique for r in direct.of_eval(rows, mixed.config, one) if r["base_task"] == "add"
        ]
        tokens = [r["completion_tokens"] for r in own if r["completion_tokens"] is not None]
        assert section.groups["mean_tokens"].iloc[place] == pytest.approx(np.mean(tokens))


def test_the_top_clique_is_sorted_by_tokens(made: Callable[..., Dataset]) -> None:
    rows = (
        answers("best", 90, 10, completion_tokens=500)
        + answers("frugal", 85, 15, completion_tokens=40)
        + answers("middle", 80, 20, completion_tokens=200)
        + answers("worst", 10, 90, completion_tokens=5)
    )
    section = clusters(made(rows)).sections[0]
    assert section.cliques == ((0, 1, 2), (3,))
    assert list(section.top()["name"]) == ["frugal", "middle", "best"]
    assert list(section.members["cliques"]) == ["a", "a", "a", "b"]
    assert section.groups["saver"].tolist() == ["frugal", "worst"]
    words = tier.recommendation(section)
    assert words.startswith("frugal: it spends the fewest tokens of the top clique, 40.0")
    assert "not separated from best" in words


def test_rules_can_disagree(made: Callable[..., Dataset]) -> None:
    # The intervals overlap, but every one of the 12 discordant items is the first one's.
    dataset = made(answers("a", 60, 40) + answers("b", 48, 52))
    assert clusters(dataset).sections[0].cliques == ((0, 1),)
    paired = clusters(dataset, rule="paired").sections[0]
    assert paired.cliques == ((0,), (1,))
    assert paired.pairs is not None
    assert paired.pairs["p_adjusted"].iloc[0] == pytest.approx(2 / 2**12)


def test_truncation_can_change_the_winner_and_the_section_says_so(made: Callable[..., Dataset]) -> None:
    cut = [
        completion(model="cut", item_key=str(item), outcome="correct" if item < 50 else "truncated")
        for item in range(100)
    ]
    section = clusters(made(cut + answers("whole", 70, 30)), rule="paired").sections[0]
    assert section.pairs is not None
    assert section.pairs["difference"].iloc[0] == pytest.approx(-0.2)
    assert section.pairs["difference_untruncated"].iloc[0] == pytest.approx(0.0)
    notes = " ".join(section.notes)
    assert "With truncated completions left out instead of wrong, 1 of 1 pairs have another winner" in notes
    assert "cut 50%" in notes


def test_one_eval_is_alone(made: Callable[..., Dataset]) -> None:
    for rule in tier.RULES:
        found = clusters(made(answers("only", 5, 5)), rule=rule)
        assert found.sections[0].cliques == ((0,),)
        assert found.sections[0].m == 0
        assert "nothing to compare" in found.sections[0].notes[0]
        assert tier.summary(found) == "add: only is the only eval; n = 10 an eval."


def test_all_tied_and_none_tied(made: Callable[..., Dataset]) -> None:
    tied = clusters(made([row for name in "abc" for row in answers(name, 5, 5)]))
    assert tied.sections[0].cliques == ((0, 1, 2),)
    assert "all 3 evals are in one clique" in tier.summary(tied)
    rows = [row for name in "ab" for task in ("one", "two") for row in answers(name, 5, 5, base_task=task)]
    assert "; a, b are most often in the top clique (2 of 2 tasks)" in tier.summary(clusters(made(rows)))
    lone = [*answers("a", 9, 9, base_task="one"), *(row for name in "ab" for row in answers(name, 9, 9))]
    assert tier.summary(clusters(made(lone))).startswith("In none of 2 tasks is one eval separated from all")
    apart = clusters(made(answers("a", 200, 0) + answers("b", 100, 100) + answers("c", 0, 200)))
    assert apart.sections[0].cliques == ((0,), (1,), (2,))
    assert tier.summary(apart) == "add: a is separated from all 2 others; n = 200 an eval."


def test_nothing_counted_is_in_no_clique_and_missing_is_null(made: Callable[..., Dataset]) -> None:
    cut = [completion(model="cut", item_key=str(item), outcome="truncated") for item in range(5)]
    found = clusters(made(answers("a", 5, 5) + cut))
    (section,) = found.sections
    assert section.cliques == ((0,),)
    (document,) = tier.to_document(found)["sections"]
    assert document["members"][1] == {
        "eval_id": 1, "label": "cut", "center": None, "margin": None, "n": 0, "mean_tokens": None
    }  # fmt: skip
    assert "cut" in " ".join(section.notes)
    assert charts.to_svg(tier.section_chart(found, section)).count("cut")
    only = clusters(made(cut))
    assert only.sections[0].cliques == ()
    assert "no cliques" in tier.summary(only)
    assert tier.recommendation(only.sections[0]) == "No eval has a counted completion here."


def test_no_common_items_are_not_separated_and_told(made: Callable[..., Dataset]) -> None:
    other = [row | {"item_key": f"x{row['item_key']}"} for row in answers("b", 0, 30)]
    section = clusters(made(answers("a", 30, 0) + other), rule="paired").sections[0]
    assert section.cliques == ((0, 1),)
    assert section.m == 0
    assert "No common items, so they cannot be separated: a and b." in section.notes


def test_documents_are_what_the_issue_says(mixed: Dataset) -> None:
    for rule in tier.RULES:
        document = tier.to_document(clusters(mixed, rule=rule, pairs=True))
        assert json.loads(json.dumps(document)) == document
        assert list(document) == ["sections"]
        for section in document["sections"]:
            assert list(section) == ["stack", "value", "rule", "m", "members", "cliques"]
            for member in section["members"]:
                assert list(member) == ["eval_id", "label", "center", "margin", "n", "mean_tokens"]
            ids = {member["eval_id"] for member in section["members"]}
            assert all(set(clique) <= ids for clique in section["cliques"])
    with_pairs = tier.to_document(clusters(mixed, pairs=True), pairs=True)["sections"][0]
    assert {"eval_a", "eval_b", "difference", "p_adjusted"} <= set(with_pairs["pairs"][0])


def test_markdown_and_csv_have_every_section(mixed: Dataset) -> None:
    found = clusters(mixed, rule="paired")
    text = tier.markdown(found, pairs=True)
    for section in found.sections:
        assert f"## {section.label}" in text
    assert "m = " in text and "Holm" in text and "95% Wilson" in text
    frame = tier.export_frame(found)
    assert len(frame) == sum(len(section.members) for section in found.sections)
    assert {"stack", "value", "rule", "m", "center", "margin", "mean_tokens", "cliques"} <= set(frame)


def test_labels_are_no_markup(made: Callable[..., Dataset]) -> None:
    evals = [
        {"label": "<b>*x*</b> | y", "filters": {"model": "a"}},
        {"label": "=z", "filters": {"model": "b"}},
    ]
    text = tier.markdown(clusters(made(answers("a", 5, 5) + answers("b", 5, 5), evals=evals)), pairs=True)
    assert "<b>" not in text


def test_the_matrix_is_antisymmetric(made: Callable[..., Dataset]) -> None:
    section = clusters(made(answers("a", 60, 40) + answers("b", 48, 52)), pairs=True).sections[0]
    matrix = tier.pairs_matrix(section).set_index("row minus column")
    assert matrix.at["a", "b"].startswith("+0.120 [+0.0") and matrix.at["a", "b"].endswith(" *")
    assert matrix.at["b", "a"].startswith("-0.120 [-0.1")
    assert matrix.at["a", "a"] == "—"


def test_splits_have_a_file_each(mixed: Dataset) -> None:
    parts = dict(
        (one.value, found)
        for one, found in split_clusters(
            mixed, Filters(), METHODS, "template", stack="base_task", rule="overlap", pairs=False
        )
    )
    assert list(parts) == ["cot", "default"]
    assert [int(one) for one in parts["cot"].section("add").members["eval_id"]] == [1]
    whole = clusters(mixed).section("add").members.set_index("eval_id")["n"]
    assert (
        sum(found.section("add").members.set_index("eval_id")["n"][1] for found in parts.values()) == whole[1]
    )
    names = [
        file.name
        for one, found in split_clusters(
            mixed, Filters(), METHODS, "tier", stack="base_task", rule="overlap", pairs=False
        )
        for file in result_files(found, Filters(), "json", split=one)
    ]
    assert names == ["mixed_cluster_base_task_tier-low.json", "mixed_cluster_base_task_tier-high.json"]


def test_what_is_asked_in_vain(mixed: Dataset, made: Callable[..., Dataset]) -> None:
    with pytest.raises(FilterError, match="No rule 'x'; valid: overlap, paired"):
        clusters(mixed, rule="x")
    with pytest.raises(FilterError, match="No stack 'x'; valid: base_task, tier, surface"):
        clusters(mixed, stack="x")
    bare = made(answers("a", 5, 5))
    for stack in ("tier", "surface"):
        with pytest.raises(FilterError, match=f"no {stack}s to stack by; valid: base_task"):
            clusters(bare, stack=stack)
    with pytest.raises(NothingFoundError):
        clusters(mixed, {"eval_id": [4]})


class TestChart:
    def test_has_title_axis_n_method_and_alternative_text(self, mixed: Dataset) -> None:
        for rule in tier.RULES:
            found = clusters(mixed, rule=rule)
            chart = tier.section_chart(found, found.section("add"))
            svg = charts.to_svg(chart)
            assert "Addition: evals that are not separated" in svg
            assert "accuracy, guess-corrected" in svg
            assert "95% Wilson intervals" in svg and "m = 3 pairs" in svg and "n = " in svg
            assert chart["description"].startswith("Addition: evals that are not separated")

    def test_many_evals_go_on_pages_and_keep_their_height(self, made: Callable[..., Dataset]) -> None:
        draw = random.Random(1)
        right = {f"m{number:02}": draw.randrange(21) for number in range(60)}
        rows = [row for model, some in right.items() for row in answers(model, some, 20 - some)]
        found = clusters(made(rows))
        (section,) = found.sections
        assert tier.pages(section) == 3
        heights = [tier.section_chart(found, section, page=page)["height"] for page in range(3)]
        assert heights[0] == heights[1] > heights[2]
        pictures = [charts.to_svg(tier.section_chart(found, section, page=page)) for page in range(3)]
        for place, name in enumerate(section.members["name"]):
            assert [f">{name}<" in picture for picture in pictures] == [place // 25 == n for n in range(3)]

    def test_bands_may_share_members(self, made: Callable[..., Dataset]) -> None:
        dataset = made(answers("a", 95, 5) + answers("b", 17, 3) + answers("c", 70, 30))
        found = clusters(dataset)
        assert found.sections[0].cliques == ((0, 1), (1, 2))
        letters: dict[str, list[str]] = defaultdict(list)
        for rows in tier.section_chart(found, found.sections[0]).to_dict()["datasets"].values():
            for row in rows:
                if "x0" in row:
                    letters[row["clique"]].append(row["name"])
        assert letters == {"a": ["a", "b"], "b": ["b", "c"]}

    def test_sheets_for_slides(self, mixed: Dataset) -> None:
        found = clusters(mixed)
        assert tier.image_count(found) == 1
        (file,) = result_files(found, Filters(), "png", width=800)
        assert file.make().startswith(PNG)
        assert file.name == "mixed_cluster_base_task.png"


def test_the_overview_has_a_column_per_section(mixed: Dataset) -> None:
    found = clusters(mixed)
    frame = tier.overview_frame(found)
    assert list(frame) == ["eval", "Sorting", "Addition", "word's"]
    by_name: dict[str, Section] = {section.label: section for section in found.sections}
    cells = defaultdict(str, zip(frame["eval"], frame["Addition"], strict=True))
    for row in by_name["Addition"].members.to_dict(orient="records"):
        assert cells[row["name"]] == f"{row['center']:.2f} {row['cliques']}"
    assert isinstance(frame, pd.DataFrame)
