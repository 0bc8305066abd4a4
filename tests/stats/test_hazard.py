"""Buckets: their edges, counts and hazards, and the point past which one event outnumbers another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.stats.hazard import bucket_of, bucket_table, turning_point
from core.stats.intervals import wilson
from core.stats.survival import life_table
from tests.stats.brute_survival import random_observations


def test_buckets_are_closed_on_the_right_and_zero_is_in_the_first() -> None:
    assert bucket_of([0, 1, 255, 256, 257, 512, 513], 256).tolist() == [0, 0, 0, 0, 1, 1, 2]


def test_a_budget_that_is_a_multiple_of_the_bucket_has_no_bucket_of_its_own() -> None:
    table = life_table([100, 512], [0, 2], [3, 5])
    buckets = bucket_table(table, 256)
    assert buckets.end.tolist() == [256, 512]
    assert buckets.at_risk.tolist() == [8, 5]
    assert buckets.censored.tolist() == [0, 5]


@pytest.mark.parametrize("size", [1, 3, 4, 50])
def test_counts_equal_loops(size: int) -> None:
    rows = random_observations(np.random.default_rng(size), n=70, times=25)
    times, causes = zip(*rows, strict=True)
    buckets = bucket_table(life_table(times, causes, np.ones(70)), size)
    for k, (start, end) in enumerate(zip(buckets.start.tolist(), buckets.end.tolist(), strict=True)):
        inside = [(t, c) for t, c in rows if start < t <= end or (k == 0 and t == 0)]
        assert buckets.at_risk[k] == sum(t > start or k == 0 for t, _ in rows)
        assert [buckets.events[0][k], buckets.events[1][k], buckets.censored[k]] == [
            sum(c == what for _, c in inside) for what in (0, 1, 2)
        ]
    assert buckets.at_risk[-1] > 0
    assert int(buckets.events.sum() + buckets.censored.sum()) == 70
    np.testing.assert_allclose(buckets.hazard, buckets.events / buckets.at_risk)
    lower, upper = buckets.interval()
    low, high = wilson(buckets.events[1] / buckets.at_risk, buckets.at_risk)
    np.testing.assert_array_equal(lower[1], low)
    np.testing.assert_array_equal(upper[1], high)


def test_what_is_no_bucket_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        bucket_table(life_table([1], [0], [1]), 0)
    with pytest.raises(ValueError, match="empty"):
        bucket_table(life_table([], [], []), 4)


@pytest.mark.parametrize(
    ("right", "wrong", "place"),
    [
        ([9, 5, 1, 0], [1, 2, 3, 4], 2),
        ([9, 5, 0, 2, 0], [1, 2, 3, 1, 4], 2),  # one bucket the other way does not move it
        ([0, 0], [5, 1], 0),
        ([5, 5], [1, 1], 2),
        ([1, 1], [1, 1], 2),
        ([0, 0, 1], [0, 0, 0], 3),
    ],
)
def test_turning_point(right: list[int], wrong: list[int], place: int) -> None:
    assert turning_point(right, wrong) == place


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20))
def test_every_stretch_from_the_turning_point_has_more_wrong_answers(rows: list[tuple[int, int]]) -> None:
    right, wrong = (np.array(column) for column in zip(*rows, strict=True))
    place = turning_point(right, wrong)
    stretches = np.cumsum(wrong[place:] - right[place:])
    assert (stretches >= 0).all()
    assert place == len(rows) or stretches[-1] > 0
