"""The oracle's own arithmetic, on values that a person can check or a library confirms."""

from collections import Counter

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from tests.oracle.leaderboard import (
    METHODS,
    Cell,
    Rules,
    effective_n,
    fair_sort,
    joined_strata,
    matches,
)


def cell(
    correct: int, incorrect: int, guesses: float, rules: Rules | None = None, truncated: int = 0
) -> Cell:
    items = [("p", 1.0, float(i < correct)) for i in range(correct + incorrect)]
    both = items + [("p", 1.0, 0.0)] * truncated
    counts = Counter(correct=correct, incorrect=incorrect, truncated=truncated)
    return Cell(counts, guesses, items, both, rules or Rules())


@pytest.mark.parametrize(
    ("method", "name"), [("wilson", "wilson"), ("jeffreys", "jeffreys"), ("clopper-pearson", "beta")]
)
@pytest.mark.parametrize(("k", "n"), [(0, 5), (3, 7), (7, 7), (41, 300)])
def test_intervals_are_those_of_statsmodels(method: str, name: str, k: int, n: int) -> None:
    expected = proportion_confint(k, n, alpha=2 * stats.norm.sf(1.96), method=name)
    assert METHODS[method](k / n, n) == pytest.approx(expected, abs=1e-12)


def test_published_cell() -> None:
    movies = cell(337, 551, 888 / 12, Rules("reasonscape"), truncated=8)
    assert movies.adjusted == pytest.approx((263, 814), abs=1e-9)
    assert movies.reasonscape == pytest.approx((0.3239267848444002, 0.03206244563179326), abs=1e-12)
    assert movies.report()["truncated_ratio"] == 0.008928571428571428


def test_a_pure_guesser_starts_at_zero() -> None:
    report = cell(50, 50, 50.0).report()
    assert report["accuracy"] == 0 and report["lower"] == 0 and report["upper"] > 0
    assert cell(40, 60, 50.0).report()["upper"] == pytest.approx(report["upper"])


def test_no_number_without_trials_or_with_one_choice() -> None:
    assert cell(0, 0, 0.0, truncated=3).report()["accuracy"] is None
    assert cell(0, 0, 0.0, truncated=3).report()["all_in_accuracy"] == 0
    assert cell(2, 3, 5.0).report()["center"] is None


def test_effective_n() -> None:
    singles = [("p", 1.0, float(i % 2)) for i in range(40)]
    assert effective_n(singles) == 40
    assert effective_n([("p", 5.0, 3.0)]) == 1
    # Repeats that always agree are worth no more than their items, repeats that vary freely more.
    agreeing = [("p", 4.0, 4.0 * (i % 2)) for i in range(40)]
    free = [("p", 4.0, 2.0 + (i % 3) - 1) for i in range(40)]
    assert effective_n(agreeing) == 40 < effective_n(free) <= 160


def test_lonely_items() -> None:
    def names(points: str) -> list[list[str]]:
        answers = joined_strata([(point, 1.0, 1.0) for point in points])
        return [["".join(sorted(item[0] for item in stratum)) for stratum in answer] for answer in answers]

    assert names("aabbb") == [["aa", "bbb"]]
    assert names("aabbbcd") == [["aa", "bbb", "cd"]]
    assert names("aabbbc") == [["aac", "bbb"]]
    assert names("aabbc") == [["aac", "bb"], ["aa", "bbc"]]
    assert names("abc") == [["abc"]]


def test_a_later_model_does_not_rejoin() -> None:
    bounds = {0: (90, 80, 99), 1: (80, 70, 90), 2: (70, 60, 79), 3: (69, 50, 88), 4: (40, 30, 49)}
    rows = {
        number: {"plain_score": score, "plain_lower": lower, "plain_upper": upper}
        for number, (score, lower, upper) in bounds.items()
    }
    assert fair_sort(rows) == {0: 1, 1: 1, 2: 3, 3: 3, 4: 5}


def test_filters() -> None:
    assert (
        matches({}, {"a": 1}) and matches({"a": [1, 2]}, {"a": 2}) and matches([{"a": 3}, {"b": 1}], {"b": 1})
    )
    assert not matches({"a": 1}, {}) and not matches({"a": 1, "b": 1}, {"a": 1, "b": 2})
