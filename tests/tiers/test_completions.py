"""Lists of completions: which ones, in which order, page by page, and one completion with all it has."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.store import Dataset, open_dataset
from core.tiers import completions as tier
from core.tiers.completions import Wanted, count_completions, read_completion, read_page, why
from core.tiers.completions.rows import MOST_LISTED, pages_of
from core.tiers.loops import LoopRule
from core.tiers.selection import count_selection
from tests.store import recount
from tests.store.staging import Row, build, completion, imports_of, write_config
from tests.tiers import direct

EVERYTHING = 100_000


def key_of(row: Row, threshold: float = 1.0) -> tuple[Any, ...]:
    """What a row of a list says of a completion."""
    outcome = recount.effective_outcome(row, threshold)
    names = ("base_task", "params", "item_key", "score", "completion_tokens")
    return (*(row[name] for name in names), outcome)


def listed(dataset: Dataset, filters: Filters, wanted: Wanted) -> list[tuple[Any, ...]]:
    """The completions of a list, in its order; their number is what count says."""
    frame = read_page(dataset, filters, wanted, 1, EVERYTHING)
    assert count_completions(dataset, filters, wanted) == len(frame)
    assert frame["completion_id"].is_unique
    plain = frame.astype(object).where(frame.notna(), None)
    names = ["base_task", "params", "item_key", "score", "completion_tokens", "outcome"]
    return [tuple(row[name] for name in names) for row in plain.to_dict("records")]


CASES: list[tuple[dict[str, Any], Wanted, Callable[[Row], bool]]] = [
    ({}, Wanted(), lambda row: True),
    ({}, Wanted(outcomes=("incorrect", "truncated")),
     lambda row: recount.effective_outcome(row, 1) in ("incorrect", "truncated")),
    ({"threshold": 0.5}, Wanted(outcomes=("correct",)),
     lambda row: recount.effective_outcome(row, 0.5) == "correct"),
    ({"eval_id": [1]}, Wanted(tokens=(10, None)),
     lambda row: row["model"] == "one" and (row["completion_tokens"] or 0) >= 10),
    ({}, Wanted(tokens=(None, 40)),
     lambda row: row["completion_tokens"] is not None and row["completion_tokens"] <= 40),
    ({"base_task": "sort"}, Wanted(ranges=(("level", (1, 2)),)),
     lambda row: row["base_task"] == "sort" and 1 <= recount.params_of(row).get("level", 9) <= 2),
    ({}, Wanted(ranges=(("level", (2, None)),), outcomes=("correct",)),
     lambda row: (recount.params_of(row).get("level", 0) >= 2
                  and recount.effective_outcome(row, 1) == "correct")),
]  # fmt: skip


@pytest.mark.parametrize(("document", "wanted", "counts"), CASES)
def test_a_list_has_what_was_asked_for(
    mixed: Dataset, rows: list[Row], document: dict[str, Any], wanted: Wanted, counts: Callable[[Row], bool]
) -> None:
    filters = Filters.from_dict(document)
    shown = filters.evals(mixed.config)
    seen = {id(row): row for one in shown for row in direct.of_eval(rows, mixed.config, one) if counts(row)}
    threshold = filters.threshold or 1.0
    assert Counter(listed(mixed, filters, wanted)) == Counter(key_of(row, threshold) for row in seen.values())
    assert seen


def test_without_conditions_a_list_is_the_selection(mixed: Dataset) -> None:
    for document in ({}, {"tiers": ["low", "high"]}, {"groups": ["size:small"]}):
        filters = Filters.from_dict(document)
        assert count_completions(mixed, filters, Wanted()) == count_selection(mixed, filters).completions


def test_a_completion_of_two_evals_is_listed_once_under_the_first(mixed: Dataset) -> None:
    both = read_page(mixed, Filters(eval_id=(0, 1)), Wanted(), 1, EVERYTHING)
    wide = read_page(mixed, Filters(eval_id=(1,)), Wanted(), 1, EVERYTHING)
    assert list(both["completion_id"]) == list(wide["completion_id"])
    assert set(both["eval_id"]) == {0, 1}
    narrow = read_page(mixed, Filters(eval_id=(0,)), Wanted(), 1, EVERYTHING)
    assert set(both.loc[both["eval_id"] == 0, "completion_id"]) == set(narrow["completion_id"])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    ("sort", "column"),
    [("tokens", "completion_tokens"), ("score", "score"), ("ratio", "ratio"), ("item", "item_id")],
)
def test_order_is_the_one_asked_for_with_missing_values_last(
    mixed: Dataset, sort: str, column: str, descending: bool
) -> None:
    frame = read_page(mixed, Filters(), Wanted(sort=sort, descending=descending), 1, EVERYTHING)
    known = frame[column].dropna()
    assert len(known) > 50
    assert frame[column].isna().to_numpy()[len(known) :].all()
    steps = known.diff().dropna()
    assert (steps <= 0).all() if descending else (steps >= 0).all()
    # Equal ones in the order of the dataset.
    assert frame.groupby(column, dropna=False)["completion_id"].is_monotonic_increasing.all()


def test_pages_are_the_list_cut_into_pieces(mixed: Dataset) -> None:
    wanted = Wanted(sort="tokens", descending=True)
    whole = read_page(mixed, Filters(), wanted, 1, EVERYTHING)["completion_id"].tolist()
    pages = -(-len(whole) // 7)
    pieces = [
        read_page(mixed, Filters(), wanted, number, 7)["completion_id"].tolist()
        for number in range(1, pages + 2)
    ]
    assert list(itertools.chain(*pieces)) == whole
    assert pieces[-1] == []


def test_pages_end_where_nobody_turns_any_further() -> None:
    assert [pages_of(n) for n in (0, 1, 50, 51, MOST_LISTED, MOST_LISTED + 1, 15_000_000)] == [
        1,
        1,
        1,
        2,
        200,
        200,
        200,
    ]


TEXTS = ["a 100% sure_thing", "A 100X SURE THING", "", "Ünïcode ß 🤖", None, "back\\slash 'quote' \"double\""]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("texts")
    rows = [
        completion(item_key=f"{n}", prompt=f"question {n} {TEXTS[-1 - n]}", response=text)
        for n, text in enumerate(TEXTS)
    ]
    build(folder / "small.duckdb", rows)
    return open_dataset(write_config(folder, evals=[{"label": "m", "filters": {"model": "m"}}]))


@pytest.mark.parametrize("searched", tier.SEARCHED)
@pytest.mark.parametrize("match_case", [False, True])
@given(
    search=st.sampled_from(
        ["100%", "_", "%", "SURE", "sure", "ß", "ü", "\\", "'", '"', "question 3", "🤖", "$search"]
    )
    | st.text(min_size=1, max_size=2)
)
@settings(max_examples=12, deadline=None)
def test_a_search_is_a_plain_substring(texts: Dataset, searched: str, match_case: bool, search: str) -> None:
    def has(text: str | None) -> bool:
        if text is None:
            return False
        return search in text if match_case else lower(search) in lower(text)

    def lower(text: str) -> str:
        return texts.rows("SELECT lower($text) AS text", text=text)[0]["text"]

    if "\0" in search:
        return
    expected = []
    for number, response in enumerate(TEXTS):
        prompt = f"question {number} {TEXTS[-1 - number]}"
        found = {"responses": has(response), "prompts": has(prompt)}
        if found.get(searched, any(found.values())):
            expected.append(f"{number}")
    wanted = Wanted(search=search, searched=searched, match_case=match_case)
    frame = read_page(texts, Filters(), wanted, 1)
    assert sorted(frame["item_key"]) == expected


def test_suspected_loops_only(made: Callable[..., Dataset]) -> None:
    rows = [
        completion(item_key="loop", response="again and " * 400),
        completion(item_key="short", response="again and " * 40),
        completion(item_key="prose", response=" ".join(map(str, range(900)))),
        completion(item_key="none", response=None),
    ]
    dataset = made(rows)
    keys = [
        read_page(dataset, Filters(), Wanted(loops=rule), 1)["item_key"].tolist()
        for rule in (LoopRule(), LoopRule(least_bytes=100), LoopRule(ratio=1.0), LoopRule(left_out=("add",)))
    ]
    assert keys == [["loop"], ["loop", "short"], ["loop", "prose"], []]
    marked = read_page(dataset, Filters(), Wanted(), 1)
    assert marked.set_index("item_key")["loop"].to_dict() == {
        "loop": True,
        "short": False,
        "prose": False,
        "none": None,
    }


def test_a_pair_lists_both_answers_to_the_items_of_its_kind(mixed: Dataset, rows: list[Row]) -> None:
    a, b = 1, 2
    counts = {
        number: recount.item_counts(direct.of_eval(rows, mixed.config, number), 1.0) for number in (a, b)
    }

    def mean(number: int, item: recount.Item) -> float | None:
        outcomes = counts[number].get(item, Counter())
        tries = recount.counted(outcomes) + outcomes["truncated"]
        return outcomes["correct"] / tries if tries else None

    kinds: dict[str, set[tuple[str, ...]]] = {kind: set() for kind in tier.PAIRS}
    for item in counts[a].keys() & counts[b].keys():
        left, right = mean(a, item), mean(b, item)
        if left is not None and right is not None:
            same = "both_right" if left >= 0.5 else "both_wrong"
            kinds["gained" if left > right else "lost" if right > left else same].add(item)
    for kind, items in kinds.items():
        # The eval filter says otherwise; the pair wins.
        frame = read_page(mixed, Filters(eval_id=(3,)), Wanted(pair=(a, b, kind), sort="item"), 1, EVERYTHING)
        assert {tuple(row) for row in frame[["base_task", "params", "item_key"]].to_numpy()} == items
        expected = sum(
            recount.item_of(row) in items
            for number in (a, b)
            for row in direct.of_eval(rows, mixed.config, number)
        )
        assert len(frame) == expected
        assert set(frame["eval_id"]) <= {a, b}
        assert frame["item_id"].is_monotonic_increasing
    assert sum(map(bool, kinds.values())) >= 3


BAD: list[tuple[Wanted, str]] = [
    (Wanted(outcomes=("wrong",)), "No outcome 'wrong'; valid: correct, incorrect"),
    (Wanted(sort="name"), "No sort 'name'; valid: place, item, tokens"),
    (Wanted(searched="answers"), "No place to search 'answers'; valid: both"),
    (Wanted(ranges=(("depth", (1, 2)),)), "No param 'depth'; valid: "),
    (Wanted(ranges=(("level", (2, 1)),)), "The range of level ends before it begins: 2 to 1"),
    (Wanted(tokens=(5, 4)), "The range of tokens ends before it begins: 5 to 4"),
    (Wanted(pair=(0, 1, "won")), "No pair 'won'; valid: gained, lost"),
    (Wanted(pair=(0, 9, "lost")), "No eval_id 9 in this dataset; valid: 0 to 4"),
    (Wanted(pair=(1, 1, "lost")), "A pair needs two different evals, not eval_id 1 twice"),
    (Wanted(loops=LoopRule(left_out=("none",))), "No task 'none' to leave out"),
]


@pytest.mark.parametrize(("wanted", "said"), BAD)
def test_what_there_is_not_is_refused(mixed: Dataset, wanted: Wanted, said: str) -> None:
    for ask in (count_completions, lambda *asked: read_page(*asked, 1)):
        with pytest.raises(FilterError) as refused:
            ask(mixed, Filters(), wanted)
        assert said in str(refused.value)
    with pytest.raises(FilterError, match="Pages count from 1"):
        read_page(mixed, Filters(), Wanted(), 0)


def test_the_sentence_says_what_is_listed(mixed: Dataset) -> None:
    assert Wanted(sort="tokens").sentence(mixed.config) == ""
    wanted = Wanted(
        outcomes=("incorrect", "invalid"), items=(3, 4), ranges=(("level", (1.5, None)),), tokens=(5, 5),
        search="x", searched="both", match_case=True, pair=(0, 2, "lost"), flagged=True,
    )  # fmt: skip
    assert wanted.sentence(mixed.config) == (
        "items on which Two does better than One; incorrect or invalid; 2 items; level at least 1.5;"
        " completion tokens 5; “x” in prompts or responses, case matters; flagged"
    )


KEPT = [
    "model", "template", "sampler", "base_task", "item_key", "prompt", "response", "reference", "answer",
    "score", "choices", "finish_reason", "token_limit", "prompt_tokens", "completion_tokens",
    "reasoning_tokens", "scorer", "explanation", "response_bytes", "compressed_bytes",
]  # fmt: skip


def test_one_completion_with_all_it_has(made: Callable[..., Dataset]) -> None:
    row = completion(
        model="m", template="cot", base_task="sum", params={"b": 1, "a": "x"}, item_key="k", prompt="2+2?",
        response="<think>hm</think>4", reference="4", answer="4", score=0.25, outcome="incorrect", choices=4,
        finish_reason="stop", token_limit=64, prompt_tokens=3, completion_tokens=5, reasoning_tokens=2,
        scorer="exact", explanation="because",
    )  # fmt: skip
    dataset = made([row, completion(item_key="other")])
    (found,) = read_page(dataset, Filters(base_task=("sum",)), Wanted(), 1)["completion_id"]
    one = read_completion(dataset, Filters(threshold=0.2), int(found))
    for name in KEPT:
        assert getattr(one, name) == row[name], name
    assert (one.outcome, one.stored_outcome, one.repeat, one.eval_ids) == ("correct", "incorrect", 0, (0,))
    assert json.loads(one.params) == {"a": "x", "b": 1}
    assert one.ratio == row["compressed_bytes"] / row["response_bytes"]
    assert (one.loop, one.flag) == (False, None)
    assert (one.source, one.place) == (imports_of([[]])[0].path, "line 1")
    with pytest.raises(NothingFoundError, match="No completion 99 in this dataset"):
        read_completion(dataset, Filters(), 99)


@pytest.mark.parametrize(
    ("fields", "threshold", "sentence"),
    [
        ({"outcome": "error"}, 1.0, "The scorer or the infrastructure failed: it counts nowhere."),
        ({"outcome": "truncated", "token_limit": 64, "truncation": "inferred"}, 1.0,
         "Stopped by a limit of 64 tokens, from the token limit: it is not folded into incorrect, whatever"
         " the answer."),
        ({"outcome": "truncated", "truncation": "reported"}, 1.0,
         "Stopped by a limit, as the source reports: it is not folded into incorrect, whatever the answer."),
        ({"outcome": "invalid"}, 1.0, "No answer could be read."),
        ({"outcome": "invalid", "score": 0.0}, 1.0, "No answer could be read (score 0)."),
        ({"outcome": "incorrect"}, 1.0, "The source says incorrect, without a score."),
        ({"outcome": "incorrect", "score": 0.75}, 1.0, "Its score 0.75 is below the threshold of 1."),
        ({"outcome": "incorrect", "score": 0.75}, 0.5, "Its score 0.75 is at least the threshold of 0.5."),
    ],
)  # fmt: skip
def test_why_an_outcome_is_what_it_is(
    made: Callable[..., Dataset], fields: dict[str, Any], threshold: float, sentence: str
) -> None:
    one = read_completion(made([completion(**fields)]), Filters(threshold=threshold), 0)
    assert why(one, threshold) == sentence
