"""Items needed: the inverse of the minimum detectable difference, and what it promises."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from core.stats.paired import PairedResult, compare, mcnemar_exact, minimum_detectable_binary
from core.stats.sample_size import items_needed


def binary(b: int, c: int, n: int, tests: int = 1) -> PairedResult:
    """The comparison of n items of which b and c are discordant."""
    first = np.repeat([1, 0, 0], [b, c, n - b - c])
    second = np.repeat([0, 1, 0], [b, c, n - b - c])
    ones = np.ones(n)
    return compare(first, ones, second, ones, tests=tests)


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(20, 400), st.sampled_from([1, 7]))
def test_the_minimum_detectable_difference_solved_for_the_items(
    b: int, c: int, rest: int, tests: int
) -> None:
    assume(b != c)
    n = b + c + rest
    d, psi = abs(b - c) / n, (b + c + 1) / (n + 2)
    assume(d < psi)
    needed = items_needed(binary(b, c, n, tests))

    def detectable(items: float) -> float:
        return float(minimum_detectable_binary(psi * (items + 2) - 1, 0, items, 0.05 / tests))

    assert detectable(needed) <= d * (1 + 1e-9)
    if needed > 12:
        assert not detectable(needed - 1) < d * (1 - 1e-9)


def test_so_many_items_find_the_difference_four_times_in_five() -> None:
    b, c, n = 36, 24, 300
    needed = int(items_needed(binary(b, c, n)))
    share, d = (b + c + 1) / (n + 2), (b - c) / n
    wins = [(share + d) / 2, (share - d) / 2, 1 - share]
    counts = np.random.default_rng(4).multinomial(needed, wins, 20_000)
    assert 0.76 <= (mcnemar_exact(counts[:, 0], counts[:, 1]) <= 0.05).mean() <= 0.83


def test_means_go_with_the_square_of_the_difference() -> None:
    d = np.random.default_rng(2).choice([-1, -0.5, 0, 0.5, 1], 80) * 0.5 + 0.03
    result = compare(np.maximum(d, 0) * 2, np.full(80, 2), np.maximum(-d, 0) * 2, np.full(80, 2))
    z = stats.norm.isf(0.025) + 0.8416
    expected = (z * np.std(d, ddof=1) / abs(d.mean())) ** 2
    assert items_needed(result) == math.ceil(expected)
    assert items_needed(result, 2 * d.mean()) == pytest.approx(expected / 4, abs=1)


def test_what_no_number_of_items_can_do() -> None:
    assert items_needed(binary(5, 5, 50)) == math.inf
    assert math.isnan(items_needed(compare([], [], [], [])))
    same = compare([2, 2], [2, 2], [1, 1], [2, 2])
    assert math.isnan(items_needed(same))


def test_the_smallest_sample_is_what_a_test_needs_at_all() -> None:
    assert items_needed(binary(20, 0, 20)) > 3
