"""Holm and Benjamini-Hochberg against statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from core.stats.multiplicity import benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=30)


@settings(deadline=None)
@given(p_values)
def test_agrees_with_statsmodels(p: list[float]) -> None:
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], atol=1e-14)
    np.testing.assert_allclose(benjamini_hochberg(p), multipletests(p, method="fdr_bh")[1], atol=1e-14)


def test_by_hand() -> None:
    assert holm([0.03, 0.01, 0.04]) == pytest.approx([0.06, 0.03, 0.06])
    assert benjamini_hochberg([0.03, 0.01, 0.04]) == pytest.approx([0.04, 0.03, 0.04])


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_tests_that_were_not_made_do_not_count(correct) -> None:
    p = np.array([np.nan, 0.03, 0.01, np.nan, 0.04])
    adjusted = correct(p)
    assert np.isnan(adjusted[[0, 3]]).all()
    np.testing.assert_array_equal(adjusted[[1, 2, 4]], correct(p[[1, 2, 4]]))
    assert correct([]).size == 0
    with pytest.raises(ValueError, match="one-dimensional"):
        correct([[0.1, 0.2]])
