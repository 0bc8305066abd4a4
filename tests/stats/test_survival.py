"""Kaplan-Meier and Aalen-Johansen with their variances: loops, scikit-survival, and lifelines' figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sksurv.nonparametric import cumulative_incidence_competing_risks

from core.stats.survival import incidence_variance, life_table, survival_variance
from tests.stats.brute_survival import CENSORED, Curve, Observation, random_observations

observations = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=1, max_size=40)

# Computed with lifelines 0.30.3 (AalenJohansenFitter, KaplanMeierFitter), which does not install beside
# pandas 3: 40 observations without ties.
TIMES = (
    21, 28, 55, 56, 76, 92, 103, 126, 197, 222, 249, 306, 315, 432, 441, 443, 461, 494, 500, 501, 510, 523,
    571, 601, 614, 621, 631, 642, 674, 736, 745, 781, 789, 791, 792, 814, 820, 823, 857, 870,
)  # fmt: skip
CAUSES = (
    2, 0, 0, 0, 1, 2, 2, 0, 0, 2, 0, 2, 0, 1, 2, 0, 1, 1, 2, 1, 1, 2, 0, 0, 0, 2, 1, 2, 0, 2, 0, 2, 0, 0, 0,
    2, 2, 0, 0, 2,
)  # fmt: skip
AT = (76, 501, 745, 857)
LIFELINES = {
    "F0": (0.07692307692307693, 0.2187891737891738, 0.4007957140596031, 0.7052980354356847),
    "V0": (0.0018206645425580337, 0.004728333662747346, 0.007922484391448851, 0.009229727928631595),
    "F1": (0.02564102564102564, 0.1469956586623254, 0.214569774728505, 0.214569774728505),
    "V1": (0.0006406041909000489, 0.003713826446958059, 0.005239181049804241, 0.005239181049804235),
    "S": (0.8974358974358974, 0.6342151675485012, 0.3846345112118925, 0.08013218983581094),
    "S_lower": (0.749414467959321, 0.4524406562932029, 0.21381117819357365, 0.006429795982932063),
    "S_upper": (0.9602178699233797, 0.7699310139448191, 0.5533448403254513, 0.28298125881430186),
}


def table_of(rows: list[Observation]):
    times, causes = zip(*rows, strict=True)
    return life_table(times, causes, np.ones(len(rows)))


def assert_equals_loops(rows: list[Observation]) -> None:
    """Equal up to the rounding of floating point: every figure at every time."""
    table, curve = table_of(rows), Curve(rows)
    assert table.times.tolist() == curve.times
    assert table.at_risk.tolist() == curve.n
    assert table.events.tolist() == curve.d
    places = np.arange(len(curve.times))
    close = {"rtol": 1e-11, "atol": 1e-15}
    np.testing.assert_allclose(table.survival, [float(s) for s in curve.S], **close)
    spread = [float(curve.survival_variance(k)) for k in places]
    np.testing.assert_allclose(survival_variance(table, places), spread, **close)
    for cause in (0, 1):
        np.testing.assert_allclose(table.incidence[cause], [float(f) for f in curve.F[cause]], **close)
        exact = [float(curve.incidence_variance(cause, k)) for k in places]
        np.testing.assert_allclose(incidence_variance(table, cause, places), exact, **close)
        last = places[-1]
        grown = [float(curve.incidence_variance(cause, last, m)) for m in places]
        found = incidence_variance(table, cause, np.full(places.size, last), places)
        np.testing.assert_allclose(found, grown, **close)


@pytest.mark.parametrize("seed", range(6))
def test_every_figure_equals_loops_on_random_data_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert_equals_loops(random_observations(rng, n=int(rng.integers(20, 90)), times=15))


@settings(deadline=None, max_examples=40)
@given(observations)
def test_every_figure_equals_loops_on_small_data(rows: list[Observation]) -> None:
    assert_equals_loops(rows)


@settings(deadline=None)
@given(observations)
def test_incidences_and_survival_sum_to_one(rows: list[Observation]) -> None:
    table = table_of(rows)
    np.testing.assert_allclose(table.incidence.sum(axis=0) + table.survival, 1, atol=1e-12)
    assert (np.diff(table.incidence) >= -1e-15).all()


def test_counts_stand_for_rows() -> None:
    rows = [(3, 0), (3, 0), (3, 1), (5, CENSORED), (5, CENSORED), (7, 1)]
    counted = life_table([3, 3, 5, 7], [0, 1, 2, 1], [2, 1, 2, 1])
    assert counted.n == 6
    np.testing.assert_array_equal(counted.incidence, table_of(rows).incidence)


def test_without_censoring_the_variance_is_the_binomial_one() -> None:
    table = life_table([1, 2, 2, 4], [0, 0, 1, 1], [3, 4, 2, 6])
    places = table.places([1, 2, 4])
    for cause in (0, 1):
        F = table.incidence_at(places)[cause]
        np.testing.assert_allclose(incidence_variance(table, cause, places), F * (1 - F) / 15, atol=1e-16)


def test_events_come_before_cut_offs_at_the_same_time() -> None:
    table = life_table([4, 4], [0, CENSORED], [1, 1])
    assert table.incidence[0].tolist() == [0.5]
    assert table.survival.tolist() == [0.5]


def test_a_cause_that_is_alone_reaches_exactly_one() -> None:
    table = life_table(range(1, 50), [0] * 49, [1] * 49)
    assert table.incidence[0][-1] == 1.0
    assert table.incidence[1][-1] == 0.0


def test_before_the_first_time_nothing_has_happened() -> None:
    table = life_table([5], [0], [1])
    places = table.places([0, 4, 5, 9])
    assert places.tolist() == [-1, -1, 0, 0]
    assert table.survival_at(places).tolist() == [1, 1, 0, 0]
    assert table.incidence_at(places)[0].tolist() == [0, 0, 1, 1]
    assert incidence_variance(table, 0, places).tolist() == [0, 0, 0, 0]
    assert life_table([], [], []).n == 0


def test_an_unknown_cause_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.\.2"):
        life_table([1], [3], [1])


@pytest.mark.parametrize("seed", range(3))
def test_scikit_survival_agrees_on_untied_data(seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = rng.permutation(4000)[:150] + 1
    causes = rng.choice(3, 150, p=[0.4, 0.3, 0.3])
    # At the very last event scikit-survival divides by zero.
    causes[np.argmax(times)] = CENSORED
    table = life_table(times, causes, np.ones(150))
    event = np.where(causes == CENSORED, 0, causes + 1)
    at, F, bounds = cumulative_incidence_competing_risks(
        event, times.astype(float), conf_type="log-log", var_type="Dinse_Approx"
    )
    places = table.places(at)
    np.testing.assert_allclose(1 - table.survival_at(places), F[0], atol=1e-12)
    for cause in (0, 1):
        np.testing.assert_allclose(table.incidence_at(places)[cause], F[1 + cause], atol=1e-12)
        some = F[1 + cause] > 0
        value, lower = F[1 + cause][some], bounds[1 + cause, 0][some]
        # Their bound, solved for the standard error.
        half = np.log(np.log(lower) / np.log(value)) / stats.norm.ppf(0.975)
        theirs = (half * value * -np.log(value)) ** 2
        np.testing.assert_allclose(incidence_variance(table, cause, places)[some], theirs, rtol=1e-9)


def test_lifelines_agrees_on_untied_data() -> None:
    table = life_table(TIMES, CAUSES, np.ones(len(TIMES)))
    places = table.places(AT)
    for cause in (0, 1):
        np.testing.assert_allclose(table.incidence_at(places)[cause], LIFELINES[f"F{cause}"], rtol=1e-9)
        np.testing.assert_allclose(
            incidence_variance(table, cause, places), LIFELINES[f"V{cause}"], rtol=1e-9
        )
    S = table.survival_at(places)
    np.testing.assert_allclose(S, LIFELINES["S"], rtol=1e-9)
    lower, upper = (np.log(-np.log(np.array(LIFELINES[f"S_{side}"]))) for side in ("lower", "upper"))
    theirs = ((lower - upper) / 2 / stats.norm.ppf(0.975) * S * -np.log(S)) ** 2
    np.testing.assert_allclose(survival_variance(table, places), theirs, rtol=1e-9)
