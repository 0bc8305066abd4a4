"""One item across evals, and the hardest items, against counts made one by one."""

from collections import Counter
from collections.abc import Callable

import pytest

from core.errors import FilterError
from core.filters import Filters
from core.store import Dataset
from core.tiers.completions import read_hardest, read_item, read_page
from core.tiers.completions.wanted import Wanted
from tests.store import recount
from tests.store.staging import Row, completion
from tests.tiers import direct


def test_an_item_has_the_completions_of_every_selected_eval(mixed: Dataset, rows: list[Row]) -> None:
    items = recount.by_item(row for number in (0, 1, 2) for row in direct.of_eval(rows, mixed.config, number))
    ids = {
        (row["base_task"], row["params"], row["item_key"]): row["item_id"]
        for row in read_page(mixed, Filters(), Wanted(), 1, 10_000).to_dict("records")
    }
    assert ids.keys() == items.keys()
    for item in list(items)[:12]:
        expected = {id(row): row for row in items[item]}.values()
        found = read_item(mixed, Filters(threshold=0.5), int(ids[item]))
        assert Counter(found.completions["outcome"]) == Counter(
            recount.effective_outcome(row, 0.5) for row in expected
        )
        assert found.answers["n"].sum() == len(expected)


def _asked(answers: dict[str, list[tuple[str | None, str]]], reference: str | None = "4") -> list[Row]:
    """Completions of one item: answers with outcomes by model."""
    return [
        completion(
            model=model, item_key="q", answer=answer, outcome=outcome, reference=reference, response=answer
        )
        for model, some in answers.items()
        for answer, outcome in some
    ]


def test_answers_are_distributed_and_marked(made: Callable[..., Dataset]) -> None:
    rows = _asked(
        {
            "a": [("4", "correct"), (" 4\n", "correct"), ("5", "incorrect")],
            "b": [("5", "incorrect"), (None, "invalid")],
            "c": [("5 ", "incorrect"), ("", "invalid"), ("4", "error")],
        }
    )
    found = read_item(made(rows), Filters(), 0)
    assert found.reference == "4"
    columns = ["answer", "n", "evals", "correct", "reference"]
    assert [tuple(row) for row in found.answers[columns].to_numpy()] == [
        ("4", 3, 2, 2, True),
        ("5", 3, 3, 0, False),
        ("", 2, 2, 0, False),
    ]
    assert found.answers["share"].tolist() == [3 / 8, 3 / 8, 2 / 8]
    assert found.completions["group"].tolist() == [1, 1, 2, 2, 3, 2, 3, 1]


def test_filters_of_evals_hold_and_those_of_difficulty_do_not_matter(mixed: Dataset) -> None:
    ((item, *_),) = (read_page(mixed, Filters(eval_id=(2,)), Wanted(sort="item"), 1)["item_id"].tolist(),)
    alone = read_item(mixed, Filters(eval_id=(2,), tiers=("never",)), item)
    assert set(alone.completions["eval_id"]) == {2}
    assert read_item(mixed, Filters(), 10**6).completions.empty


def test_hardest_items_by_counts_made_one_by_one(mixed: Dataset, rows: list[Row]) -> None:
    for threshold in (1.0, 0.5):
        shares: dict[recount.Item, dict[int, float]] = {}
        for number in (0, 1, 2):
            counts = recount.item_counts(direct.of_eval(rows, mixed.config, number), threshold)
            for item, outcomes in counts.items():
                if k := recount.counted(outcomes):
                    shares.setdefault(item, {})[number] = outcomes["correct"] / k
        shares = {item: some for item, some in shares.items() if len(some) >= 2}
        failing = {item: [one for one in some if some[one] == 0] for item, some in shares.items()}
        everyone = {item for item in shares if len(failing[item]) == len(shares[item])}
        alone = {item for item in shares if len(failing[item]) == 1}
        filters = Filters(threshold=threshold)
        found = read_hardest(mixed, filters, rows=1000)
        assert (found.items, found.everyone, found.one) == (len(shares), len(everyone), len(alone))
        assert (found.total("all"), found.total("everyone"), found.total("one")) == (
            len(shares), len(everyone), len(alone),
        )  # fmt: skip
        assert found.rows["pass_rate"].is_monotonic_increasing
        assert len(found.rows) == len(shares)
        for row in found.rows.to_dict("records"):
            item = row["base_task"], row["params"], row["item_key"]
            assert row["pass_rate"] == pytest.approx(sum(shares[item].values()) / len(shares[item]))
            assert (row["evals"], row["failing"]) == (len(shares[item]), len(failing[item]))
            if item in alone:
                assert row["failing_eval"] == failing[item][0]
        for kind, items in (("everyone", everyone), ("one", alone)):
            some = read_hardest(mixed, filters, kind=kind, rows=1000).rows
            keys = {(row["base_task"], row["params"], row["item_key"]) for row in some.to_dict("records")}
            assert keys == items


def test_pages_of_hardest_items(mixed: Dataset) -> None:
    whole = read_hardest(mixed, Filters(), rows=1000).rows["item_id"].tolist()
    pieces = [read_hardest(mixed, Filters(), page=number, rows=5) for number in (1, 2, 400)]
    assert [piece.rows["item_id"].tolist() for piece in pieces] == [whole[:5], whole[5:10], []]
    assert {piece.items for piece in pieces} == {len(whole)}


def test_a_wrong_answer_that_many_agree_on_comes_first(made: Callable[..., Dataset]) -> None:
    def asked(key: str, answers: list[str]) -> list[Row]:
        return [
            completion(model=model, item_key=key, answer=answer, reference="0", outcome="incorrect")
            for model, answer in zip("abcd", answers, strict=True)
        ]

    rows = (
        asked("scattered", ["1", "2", "3", "4"])
        + asked("agreed", ["7", " 7", "7", "8"])
        + asked("half", ["5", "5", "6", ""])
    )
    found = read_hardest(made(rows), Filters(), kind="everyone").rows
    columns = ["item_key", "wrong_answer", "wrong_n", "wrong_evals", "reference"]
    assert [tuple(row) for row in found[columns].to_numpy()] == [
        ("agreed", "7", 3, 3, "0"),
        ("half", "5", 2, 2, "0"),
        ("scattered", "1", 1, 1, "0"),
    ]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"kind": "some"}, "No kind of items 'some'; valid: all, everyone, one"),
        ({"page": 0}, "count from 1; given: 2, 0, 50"),
        ({"fewest": 0}, "count from 1; given: 0, 1, 50"),
    ],
)
def test_what_there_is_not_is_refused(mixed: Dataset, asked: dict[str, object], said: str) -> None:
    with pytest.raises(FilterError, match=said):
        read_hardest(mixed, Filters(), **asked)


def test_nothing_selected_is_no_items(mixed: Dataset) -> None:
    found = read_hardest(mixed, Filters(eval_id=(4,)))
    assert (found.items, found.everyone, found.one, len(found.rows)) == (0, 0, 0, 0)
