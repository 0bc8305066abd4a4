"""The sign-flip test against brute-force enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from core.stats.signflip import FEW_SIZES, sign_flip


@settings(deadline=None)
@given(st.lists(st.fractions(-1, 1, max_denominator=4), max_size=9))
def test_enumerated_agrees_with_exact_fractions(d: list[Fraction]) -> None:
    patterns = [
        sum(s * x for s, x in zip(signs, d, strict=True)) for signs in product((-1, 1), repeat=len(d))
    ]
    expected = sum(abs(total) >= abs(sum(d)) for total in patterns) / len(patterns)
    result = sign_flip([float(x) for x in d])
    assert result.enumerated
    assert result.p == pytest.approx(expected, abs=1e-12)


def test_fourteen_are_enumerated_and_fifteen_are_drawn() -> None:
    fourteen = sign_flip([1.0] * 14 + [0.0] * 50)
    assert fourteen.enumerated
    assert fourteen.draws == fourteen.p**-1 * 2 == 2**14
    fifteen = sign_flip([1.0] * 15)
    assert not fifteen.enumerated
    assert fifteen.draws == 10_000


def test_drawn_signs_of_equal_sizes_approach_the_sign_test() -> None:
    d = np.repeat([1.0, -1.0], [170, 140])
    assert sign_flip(d, seed=1).p == pytest.approx(binomtest(140, 310).pvalue, abs=0.012)


@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_drawn_signs_of_sizes_that_all_differ_approach_the_normal(shift: float) -> None:
    d = np.random.default_rng(5).uniform(-1, 1, 400) + shift
    assert np.unique(np.abs(d)).size > FEW_SIZES
    expected = 2 * norm.sf(abs(d.sum()) / np.sqrt(d @ d))
    assert sign_flip(d, seed=1).p == pytest.approx(expected, abs=0.015)


def test_the_smallest_drawn_p_is_one_in_draws_plus_one() -> None:
    assert sign_flip([0.5] * 60, draws=999).p == 1 / 1000


def test_seeded() -> None:
    d = np.random.default_rng(0).normal(0.1, 1, 40)
    assert sign_flip(d, seed=3) == sign_flip(d, seed=3)
    assert sign_flip(d, seed=3).p != sign_flip(d, seed=4).p


def test_no_difference_is_no_evidence() -> None:
    assert sign_flip([0.0, 0.0]).p == 1
    assert sign_flip([]).p == 1
