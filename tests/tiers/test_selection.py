"""How much filters select, and which of them to relax when that is nothing."""

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.store import Dataset
from core.tiers.selection import Relaxation, count_selection, relax_hints, selected_points
from tests.store import recount
from tests.store.staging import completion
from tests.tiers import direct

CASES = [
    {},
    {"eval_id": [0]},
    {"eval_id": [1, 3]},
    {"groups": ["size:small"], "base_task": ["add", "word's"]},
    {"tiers": ["low", "high"]},
    {"params": {"level": [0, 3], "deep": True}},
    {"projections": "by-level"},
    {"surfaces": "plane"},
    {"eval_id": [4]},
]


def expected(rows, dataset: Dataset, document) -> tuple[int, int, int, int]:
    """Evals, points, items and completions."""
    filters = Filters.from_dict(document).resolved(dataset.catalog)
    tiers = [tier for tier in dataset.config.tiers if tier.id in filters.tiers]

    def counts(row) -> bool:
        params = recount.params_of(row)
        conditions = [
            not filters.base_task or row["base_task"] in filters.base_task,
            not tiers or any(direct.in_tier(row, tier) for tier in tiers),
            all(params.get(name) in values for name, values in filters.params),
            not filters.projections or (row["base_task"] == "sort" and params["level"] in range(4)),
            not filters.surfaces
            or (row["base_task"] == "add" and params["level"] in (0, 1) and params["deep"]),
        ]
        return all(conditions)

    taken = [
        (eval_id, row)
        for eval_id in filters.evals(dataset.config)
        for row in direct.of_eval(rows, dataset.config, eval_id)
        if counts(row)
    ]
    once = list({id(row): row for _, row in taken}.values())
    return (
        len({eval_id for eval_id, _ in taken}),
        len(recount.points(once)),
        len({recount.item_of(row) for row in once}),
        len(once),
    )


@pytest.mark.parametrize("document", CASES, ids=str)
def test_counts_are_of_distinct_points_items_and_completions(mixed: Dataset, rows, document) -> None:
    selection = count_selection(mixed, Filters.from_dict(document))
    found = (selection.evals, selection.points, selection.items, selection.completions)
    assert found == expected(rows, mixed, document)
    assert selection.empty == (found == (0, 0, 0, 0)) == (document == {"eval_id": [4]})


def test_items_are_those_that_the_selected_evals_have(made) -> None:
    rows = [completion(model="a", item_key=f"{item}") for item in range(3)]
    rows += [completion(model="b", item_key=f"{item}") for item in range(2, 9)]
    dataset = made(rows)
    counts = [
        count_selection(dataset, Filters.from_dict({"eval_id": ids})).items for ids in ([0], [1], [0, 1])
    ]
    assert counts == [3, 7, 9]
    dataset.close()


def test_a_point_belongs_to_every_eval_that_takes_it(mixed: Dataset) -> None:
    query, parameters = selected_points(mixed, Filters.from_dict({"eval_id": [0, 1]}).resolved(mixed.catalog))
    rows = mixed.rows(query, **parameters)
    of = [{row["point_id"] for row in rows if row["eval_id"] == eval_id} for eval_id in (0, 1)]
    assert of[0] < of[1]
    assert len(rows) == sum(map(len, of))


def test_hints_are_filters_of_which_lifting_one_alone_leaves_points(mixed: Dataset) -> None:
    filters = Filters.from_dict(
        {"eval_id": [0, 2], "tiers": ["never"], "base_task": "word's", "params": {"level": 2}}
    )
    assert count_selection(mixed, filters).empty
    assert relax_hints(mixed, filters) == [Relaxation("tiers", "tier Never", 2)]
    # No tier has words: with both restricting, lifting either is not enough.
    filters = Filters.from_dict({"tiers": ["low"], "base_task": "word's"})
    hints = relax_hints(mixed, filters)
    assert {hint.key for hint in hints} == {"tiers", "base_task"}
    assert [hint.points for hint in hints] == sorted((hint.points for hint in hints), reverse=True)
    for hint in hints:
        assert count_selection(mixed, filters.without(hint.key)).points == hint.points
    assert (
        relax_hints(mixed, Filters.from_dict({"tiers": "never", "surfaces": "plane", "base_task": "sort"}))
        == []
    )


def test_a_hint_names_all_params_for_they_are_lifted_together(mixed: Dataset) -> None:
    filters = Filters.from_dict({"params": {"level": 0, "deep": False}})
    assert count_selection(mixed, filters).empty
    (hint,) = relax_hints(mixed, filters)
    assert (hint.key, hint.words) == ("params", "deep is false; level is 0")


def test_what_the_dataset_lacks_is_refused(mixed: Dataset) -> None:
    for ask in (count_selection, relax_hints):
        with pytest.raises(FilterError, match="No tiers 'x' in this dataset; valid: low, high, never"):
            ask(mixed, Filters(tiers=("x",)))
