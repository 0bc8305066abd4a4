"""Repeats against enumeration of every draw."""

from itertools import combinations

import numpy as np
import pytest

from core.stats.repeats import all_correct, disagreement, pass_at_k, summarise


@pytest.mark.parametrize("n", range(1, 8))
def test_agrees_with_drawing_every_subset(n: int) -> None:
    for c in range(n + 1):
        outcomes = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            subsets = list(combinations(outcomes, k))
            assert pass_at_k(n, c, k) == pytest.approx(np.mean([any(s) for s in subsets]), abs=1e-14)
            assert all_correct(n, c, k) == pytest.approx(np.mean([all(s) for s in subsets]), abs=1e-14)


def test_too_few_completions_no_number() -> None:
    assert np.isnan(pass_at_k([3, 0], [2, 0], 4)).all()
    assert np.isnan(all_correct([3, 0], [3, 0], 4)).all()
    with pytest.raises(ValueError, match="at least 1"):
        pass_at_k(3, 2, 0)


def test_large_numbers_do_not_overflow() -> None:
    assert pass_at_k(10_000, 100, 100) == pytest.approx(0.6358, abs=1e-3)


def test_disagreement_is_among_repeated_items() -> None:
    assert disagreement([1, 3, 3, 3, 2], [1, 3, 0, 2, 1]) == 0.5
    assert np.isnan(disagreement([1, 0], [1, 0]))


def test_summary_weighs_items_equally_and_counts_them() -> None:
    # k = 2: the third has one completion; of the others one has 2 of 2 and one has 1 of 4.
    result = summarise([2, 1, 1], [2, 4, 1], 2)
    assert (result.items, result.repeated_items) == (2, 2)
    assert result.pass_at_k == pytest.approx((1 + 0.5) / 2)
    assert result.all_correct == pytest.approx((1 + 0) / 2)
    assert result.disagreeing == 0.5
    assert np.isnan(summarise([1], [1], 2).pass_at_k)
