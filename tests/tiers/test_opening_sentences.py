"""What the pages of evals, tasks, completions and datasets say first: known counts, known words."""

from collections.abc import Callable

from core.filters import Filters
from core.store.dataset import Dataset
from core.tiers import evals_words, tasks
from core.tiers.completions import read_outcomes, summary
from core.tiers.evals import read_evals
from core.tiers.holdings import holdings
from core.tiers.selection import Selection, count_selection
from tests.store.staging import Row, completion

Made = Callable[..., Dataset]


def answers(model: str, task: str, *outcomes: str, tokens: int | None = 10) -> list[Row]:
    return [
        completion(model=model, base_task=task, item_key=f"{item}", outcome=outcome, completion_tokens=tokens)
        for item, outcome in enumerate(outcomes)
    ]


RIGHT, WRONG, CUT = "correct", "incorrect", "truncated"

TWO = [
    *answers("short", "add", RIGHT, RIGHT, RIGHT, WRONG),
    *answers("long", "add", RIGHT, WRONG, WRONG, CUT, tokens=250),
    *answers("short", "sort", WRONG, WRONG),
]


def test_evals_name_who_spends_and_who_is_cut_off(made: Made) -> None:
    table = read_evals(made(TWO), Filters())
    names = dict(zip(table.frame["name"], table.frame["eval_id"], strict=True))
    assert evals_words.summary(table, [*names.values()]) == (
        "2 evals have 10 completions, 4 to 6 each; long spends most, 250 tokens a completion, and short"
        " least, 10.0; 10.0% are truncated, most of long (25.0%)."
    )
    assert evals_words.summary(table, [names["long"]]) == (
        "long has 4 completions; 250 tokens a completion; 25.0% are truncated."
    )
    assert evals_words.summary(table, []) == "None of 0 evals has a completion here."


def test_evals_without_tokens_or_truncation_say_no_more_than_is_known(made: Made) -> None:
    dataset = made(answers("one", "add", RIGHT, tokens=None) + answers("two", "add", WRONG, tokens=None))
    table = read_evals(dataset, Filters())
    assert evals_words.summary(table, [0, 1]) == "2 evals have 2 completions, 1 each."


def test_tasks_name_the_hardest_and_the_easiest(made: Made) -> None:
    dataset = made(TWO)
    assert tasks.summary(tasks.read_tasks(dataset, Filters())) == (
        "2 tasks with 6 items, in 10 completions by 2 evals: hardest is sort, 0.0% of 2 counted correct, and"
        " easiest add, 57.1% of 7 counted."
    )
    only = tasks.read_tasks(dataset, Filters(base_task=("add",)))
    assert tasks.summary(only) == "add: 8 completions of 4 items by 2 evals: 57.1% of 7 counted correct."


def test_tasks_that_are_all_cut_off_have_no_accuracy(made: Made) -> None:
    rows = tasks.read_tasks(made(answers("a", "add", CUT) + answers("a", "sort", CUT, CUT)), Filters())
    assert tasks.summary(rows) == "2 tasks with 3 items, in 3 completions by 1 eval, none of them counted."
    assert tasks.summary(rows[:1]).endswith("of 1 item by 1 eval, none of them counted.")


def test_completions_are_told_by_outcome(made: Made) -> None:
    dataset = made(TWO)
    filters = Filters().resolved(dataset.catalog)
    outcomes = read_outcomes(dataset, filters)
    assert outcomes == {"correct": 4, "incorrect": 5, "invalid": 0, "truncated": 1, "error": 0}
    assert summary(count_selection(dataset, filters), outcomes) == (
        "10 completions of 6 items by 2 evals: 40.0% correct, 50.0% incorrect and 10.0% truncated."
    )
    one = Filters(base_task=("sort",)).resolved(dataset.catalog)
    told = summary(count_selection(dataset, one), read_outcomes(dataset, one))
    assert told == "2 completions of 2 items by 1 eval: all incorrect."


def test_outcomes_at_another_threshold_are_counted_again(made: Made) -> None:
    rows = [completion(item_key=f"{n}", score=n / 4, outcome=None) for n in range(5)]
    dataset = made(rows)
    for threshold, correct in ((0.5, 3), (1.0, 1)):
        outcomes = read_outcomes(dataset, Filters(threshold=threshold))
        assert (outcomes["correct"], sum(outcomes.values())) == (correct, 5)


def test_a_dataset_says_what_it_holds_and_what_the_filters_leave(made: Made) -> None:
    dataset = made(TWO)
    whole = count_selection(dataset, Filters())
    name = dataset.config.name
    assert holdings(dataset, whole) == f"{name} has 10 completions of 2 evals and 2 tasks"
    assert holdings(dataset, whole, whole) == holdings(dataset, whole)
    assert holdings(dataset, whole, Selection(evals=1, points=1, items=2, completions=1)) == (
        f"{name} has 10 completions of 2 evals and 2 tasks, of which the filters select 1 completion of 1"
        " eval"
    )
