"""Filters: reading, refusing, resolving and the words; what they select: tests/store/test_membership.py."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import DatasetConfig
from core.errors import FilterError
from core.filters import KEYS, STRUCTURE, Catalog, Filters

CONFIG = DatasetConfig.model_validate(
    {
        "db": "x",
        "name": "x",
        "threshold": 0.5,
        "evals": [
            {"label": "One", "filters": {"model": "one"}, "groups": ["size:small", "arch:moe"]},
            {"label": "Two", "filters": {"model": "two"}, "groups": ["size:small"]},
            {"label": "Three", "filters": {"model": "three"}, "groups": ["size:large"], "hidden": True},
        ],
        "basetasks": {
            "add": {
                "label": "Addition",
                "surfaces": [
                    {"id": "s1", "label": "S", "x_data": "a", "y_data": "b", "x_values": [1], "y_values": [1]}
                ],
                "projections": [{"id": "p1", "label": "P", "axis": "a", "values": [1]}],
            }
        },
        "tiers": [{"id": "easy", "label": "Easy one"}, {"id": "hard", "label": "easy"}],
    }
)
CATALOG = Catalog(
    CONFIG,
    ("add", "sort"),
    {"a": (1, 2, 2.5), "flag": ("false", "true"), "o'k": ("x", "y"), "n": tuple(range(40))},
)


def read(**document: Any) -> Filters:
    return Filters.from_dict(document)


NAMES = st.text(max_size=8)
VALUES = st.booleans() | st.integers(-5, 5) | st.sampled_from([0.5, 2.0, -1.25]) | NAMES


def one_or_several(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=4) | values


DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "eval_id": one_or_several(st.integers(0, 20)),
        "groups": NAMES | st.lists(NAMES, max_size=3) | st.lists(st.lists(NAMES, max_size=3), max_size=3),
        "tiers": one_or_several(NAMES),
        "base_task": one_or_several(NAMES),
        "projections": one_or_several(NAMES),
        "surfaces": one_or_several(NAMES),
        "params": st.dictionaries(NAMES, VALUES | st.lists(VALUES, min_size=1, max_size=4), max_size=3),
        "threshold": st.floats(0.001, 1) | st.just(1) | st.none(),
        "flagged": st.sampled_from(["include", "exclude", None]),
    },
)


@given(DOCUMENTS)
def test_json_and_back(document: dict[str, Any]) -> None:
    filters = Filters.from_json(json.dumps(document))
    written = filters.to_dict()
    assert Filters.from_json(json.dumps(written)) == filters
    assert Filters.from_dict(written).to_dict() == written
    assert [key for key in KEYS if key in written] == list(written)
    assert all(written.values())
    assert hash(filters) == hash(Filters.from_dict(written))


def test_the_structure_in_the_help_is_read_as_it_stands() -> None:
    text = "\n".join(line.split("   ")[0].split("; [[")[0] for line in STRUCTURE.splitlines())
    filters = Filters.from_json(text)
    assert set(filters.to_dict()) == set(KEYS)


def test_one_value_or_a_list_and_each_value_once() -> None:
    assert read(base_task="add") == read(base_task=["add", "add"])
    assert read(eval_id=1).eval_id == (1,)
    assert read(params={"a": 2}) == read(params={"a": [2, 2.0]})
    assert read(params={"a": [True, 1, 0, False, "1"]}).params == (("a", (True, 1, 0, False, "1")),)
    assert [type(value) for value in read(params={"a": [True, 1]}).params[0][1]] == [bool, int]
    assert read(params={"b": 1, "a": 2}) == read(params={"a": 2, "b": 1})
    assert read() == Filters() == read(tiers=[], groups=[], params={}, threshold=None)


def test_groups_flat_is_and_nested_is_or() -> None:
    assert read(groups=["x", "y"]).groups == (("x", "y"),)
    assert read(groups=[["x"], ["y", "z"]]).groups == (("x",), ("y", "z"))
    assert read(groups="x").groups == (("x",),)
    assert read(groups=[["x", "y"]]) == read(groups=["x", "y"])
    assert read(groups=[["x"], ["y"]]).to_dict() == {"groups": [["x"], ["y"]]}
    assert read(groups=["x", "y"]).to_dict() == {"groups": ["x", "y"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Invalid JSON in --filters: "),
        ("", "Invalid JSON in --filters: "),
        ("[" * 100_000, "Invalid JSON in --filters: "),
        ("[]", "Filters must be a JSON object such as\n"),
        ("5", "Filters must be a JSON object such as\n"),
        ('{"evals": [1], "eval": 2}', f"Unknown filter 'eval', 'evals'; valid: {', '.join(KEYS)}"),
        ('{"eval_id": ["0"]}', "Filter 'eval_id' must be a list of integers"),
        ('{"eval_id": [true]}', "Filter 'eval_id' must be a list of integers"),
        ('{"eval_id": 1.5}', "Filter 'eval_id' must be a list of integers"),
        ('{"eval_id": null}', "Filter 'eval_id' must be a list of integers"),
        ('{"tiers": [1]}', "Filter 'tiers' must be a list of texts"),
        ('{"base_task": {}}', "Filter 'base_task' must be a list of texts"),
        ('{"surfaces": [["a"]]}', "Filter 'surfaces' must be a list of texts"),
        ('{"groups": [1]}', "Filter 'groups' is a list of texts, or a list of such lists"),
        ('{"groups": ["a", ["b"]]}', "Filter 'groups' is a list of texts, or a list of such lists"),
        ('{"groups": [[1]]}', "Filter 'groups' must be a list of texts"),
        ('{"params": ["a"]}', "Filter 'params' must be an object"),
        ('{"params": {"a": []}}', "Filter 'params.a' must be a value or a list of values; given: []"),
        ('{"params": {"a": null}}', "Filter 'params.a' must be a value or a list of values; given: None"),
        ('{"params": {"a": [[1]]}}', "Filter 'params.a' must be a value or a list of values"),
        ('{"threshold": 0}', "Filter 'threshold' must be a number above 0 and at most 1; given: 0"),
        ('{"threshold": 1.01}', "Filter 'threshold' must be a number above 0 and at most 1"),
        ('{"threshold": NaN}', "Filter 'threshold' must be a number above 0 and at most 1"),
        ('{"threshold": "1"}', "Filter 'threshold' must be a number above 0 and at most 1; given: '1'"),
        ('{"threshold": true}', "Filter 'threshold' must be a number above 0 and at most 1"),
        ('{"flagged": "no"}', "Filter 'flagged' must be one of include, exclude; given: 'no'"),
        ('{"flagged": ["exclude"]}', "Filter 'flagged' must be one of include, exclude"),
    ],
)
def test_what_is_refused_and_what_would_be_valid(text: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        Filters.from_json(text)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"eval_id": [0, 3]}, "No eval_id 3 in this dataset; valid: 0, 1, 2"),
        ({"eval_id": [-1]}, "No eval_id -1 in this dataset; valid: 0, 1, 2"),
        ({"groups": [["size:small"], ["size:huge"]]},
         "No groups 'size:huge' in this dataset; valid: size:small, arch:moe, size:large"),
        ({"tiers": ["medium"]}, "No tiers 'medium' in this dataset; valid: easy, hard"),
        ({"base_task": "subtract"}, "No base_task 'subtract' in this dataset; valid: add, sort"),
        ({"surfaces": "p1"}, "No surfaces 'p1' in this dataset; valid: s1"),
        ({"projections": "s1"}, "No projections 's1' in this dataset; valid: p1"),
        ({"params": {"z": 1}}, "No params 'z' in this dataset; valid: a, flag, o'k, n"),
        ({"params": {"a": [1, 3]}}, "No params.a 3 in this dataset; valid: 1, 2, 2.5"),
        ({"params": {"a": True}}, "No params.a 'true' in this dataset; valid: 1, 2, 2.5"),
        ({"params": {"a": "1"}}, "No params.a '1' in this dataset; valid: 1, 2, 2.5"),
        ({"params": {"flag": 1}}, "No params.flag 1 in this dataset; valid: false, true"),
    ],
)  # fmt: skip
def test_a_value_that_the_dataset_lacks_is_refused_with_those_it_has(document, said: str) -> None:
    with pytest.raises(FilterError) as error:
        read(**document).resolved(CATALOG)
    assert str(error.value) == said


def test_a_long_list_of_valid_values_is_cut_and_an_empty_one_says_none() -> None:
    with pytest.raises(FilterError, match=r"valid: 0, 1, .*, 29, \.\.\.$"):
        read(params={"n": 99}).resolved(CATALOG)
    bare = Catalog(DatasetConfig(db="x", name="x"), (), {})
    with pytest.raises(FilterError, match="No tiers 'easy' in this dataset; valid: none"):
        read(tiers="easy").resolved(bare)


def test_resolving_names_tiers_by_id_and_fills_the_threshold() -> None:
    assert read(tiers=["Easy one"]).resolved(CATALOG).tiers == ("easy",)
    # "easy" is an id and the label of another tier: the id wins.
    assert read(tiers=["easy"]).resolved(CATALOG).tiers == ("easy",)
    assert read().resolved(CATALOG).threshold == 0.5
    assert read(threshold=1).resolved(CATALOG).threshold == 1.0
    everything = read(
        eval_id=[0, 2], groups=["size:small"], tiers="hard", base_task="sort", surfaces="s1",
        projections="p1", params={"a": [2.0, 2.5], "flag": [True, "false"], "o'k": "x"}, threshold=0.25,
    )  # fmt: skip
    assert everything.resolved(CATALOG) == everything
    assert everything.resolved(CATALOG).resolved(CATALOG) == everything


def test_which_evals_are_left() -> None:
    assert read().evals(CONFIG) == (0, 1)
    assert read(eval_id=[2, 0]).evals(CONFIG) == (0, 2)
    assert read(groups=["size:small"]).evals(CONFIG) == (0, 1)
    assert read(groups=["size:small", "arch:moe"]).evals(CONFIG) == (0,)
    assert read(groups=[["arch:moe"], ["size:large"]]).evals(CONFIG) == (0,)
    assert read(groups=[["arch:moe"], ["size:large"]], eval_id=[0, 1, 2]).evals(CONFIG) == (0, 2)
    assert read(groups=["size:large"]).evals(CONFIG) == ()


def test_lifting_keys() -> None:
    filters = read(eval_id=0, params={"a": 1}, threshold=0.5)
    assert filters.without("params") == read(eval_id=0, threshold=0.5)
    assert filters.without("eval_id", "params", "threshold") == Filters()
    assert filters.without() == filters


WORDED = [
    ({"eval_id": [0, 1]}, "evals One, Two"),
    ({"eval_id": [1]}, "eval Two"),
    ({"groups": [["size:small", "arch:moe"], ["size:large"]]},
     "groups size:small and arch:moe or size:large"),
    ({"tiers": ["hard"]}, "tier easy"),
    ({"base_task": ["add", "sort"]}, "tasks Addition, sort"),
    ({"surfaces": ["s1"]}, "surface s1"),
    ({"projections": ["p1"]}, "projection p1"),
    ({"params": {"a": [1, 2.5]}}, "a is 1 or 2.5"),
    ({"params": {"flag": [True]}}, "flag is true"),
    ({"params": {"a": 2, "o'k": "x"}}, "a is 2; o'k is x"),
    ({"threshold": 0.25}, "correct from a score of 0.25"),
    ({"flagged": "exclude"}, "flagged completions left out"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "words"), WORDED)
def test_the_sentence_says_what_is_selected(document: dict[str, Any], words: str) -> None:
    assert read(**document).resolved(CATALOG).sentence(CONFIG) == words


def test_the_sentence_names_every_key_that_restricts() -> None:
    document = {key: value for one, _ in WORDED for key, value in one.items()}
    assert set(document) == set(KEYS)
    filters = read(**document).resolved(CATALOG)
    parts = filters.sentence(CONFIG).split("; ")
    assert len(parts) == len(KEYS) + 1  # two params
    assert [clause.words for clause in filters.clauses(CONFIG)] == parts[:-2]
    assert read().resolved(CATALOG).sentence(CONFIG) == "all evals, all tasks"
    assert read(threshold=0.5).resolved(CATALOG).sentence(CONFIG) == "all evals, all tasks"


def test_many_labels_are_counted() -> None:
    tasks = tuple("abcde")
    catalog = Catalog(CONFIG, tasks, {})
    assert read(base_task=list(tasks)).resolved(catalog).sentence(CONFIG) == "5 tasks"


HOSTILE = ["'; DROP TABLE points; --", "') OR true OR ('", "$0", "\x00", "a$b", "%s", "🤖", '"', "\\"]


@pytest.mark.parametrize("text", HOSTILE)
def test_every_value_is_a_parameter(text: str) -> None:
    filters = read(
        groups=[[text]], tiers=text, base_task=text, surfaces=text, projections=text, params={text: text}
    )
    sql, parameters = filters.predicate(CONFIG)
    plain, others = read(
        groups=[["v"]], tiers="v", base_task="v", surfaces="v", projections="v", params={"v": "v"}
    ).predicate(CONFIG)
    assert sql == plain
    assert parameters.keys() == others.keys()
    assert list(parameters.values()) == [text] * 7
    assert all(f"${name}" in sql for name in parameters)


def test_nothing_filtered_is_true() -> None:
    assert read().predicate(CONFIG) == ("true", {})
