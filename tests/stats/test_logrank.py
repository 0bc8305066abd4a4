"""The log-rank test: SciPy, and lifelines' figures with two causes."""

import numpy as np
import pytest
from scipy import stats

from core.stats.influence import item_rows
from core.stats.logrank import LogRank, logrank
from core.stats.survival import life_table
from tests.stats.test_survival import CAUSES, TIMES

# With lifelines 0.30.3, logrank_test of each cause, the first sample being that of test_survival.
OTHER_TIMES = (
    154, 310, 11, 403, 670, 346, 33, 577, 101, 205, 434, 861, 308, 753, 479, 644, 220, 664, 822, 313, 897,
    834, 576, 389, 254, 829, 443, 609, 615, 740,
)  # fmt: skip
OTHER_CAUSES = (
    1, 1, 0, 1, 2, 1, 1, 0, 2, 0, 0, 2, 1, 1, 2, 0, 2, 1, 0, 0, 1, 0, 0, 0, 2, 1, 1, 1, 0, 1,
)  # fmt: skip
LIFELINES = ((0.4954871427740867, 0.4814897725462639), (3.2362743465538126, 0.07202424921351504))


@pytest.mark.parametrize("cause", [0, 1])
def test_lifelines_agrees_on_each_cause(cause: int) -> None:
    one = life_table(TIMES, CAUSES, np.ones(len(TIMES)))
    other = life_table(OTHER_TIMES, OTHER_CAUSES, np.ones(len(OTHER_TIMES)))
    test = logrank(one, other, cause)
    np.testing.assert_allclose((test.chi2, test.p), LIFELINES[cause], rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_scipy_agrees_on_data_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    samples = [(rng.integers(1, 20, n), rng.choice(2, n, p=[0.7, 0.3])) for n in (40, 55)]
    tables = [life_table(times, np.where(ended == 0, 0, 2), np.ones(times.size)) for times, ended in samples]
    data = [stats.CensoredData.right_censored(times, ended == 1) for times, ended in samples]
    theirs = stats.logrank(*data)
    test = logrank(*tables, 0)
    assert test.chi2 == pytest.approx(theirs.statistic**2, rel=1e-9)
    assert test.p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_the_order_of_the_samples_does_not_matter() -> None:
    one, other = life_table([1, 2, 5], [0, 0, 1], [1, 2, 1]), life_table([2, 3, 9], [0, 1, 2], [1, 1, 4])
    assert logrank(one, other, 0).chi2 == pytest.approx(logrank(other, one, 0).chi2)
    assert logrank(one, other, 0).observed == 3


def _samples(rng: np.random.Generator, items: int, repeats: int, shared: bool) -> list[tuple]:
    """Two samples on the same items, which share their pace or not, as (item, time, cause)."""
    pace = rng.normal(size=items)
    made = []
    for _ in range(2):
        own = pace if shared else rng.normal(size=items)
        item = np.repeat(np.arange(items), repeats)
        time = np.ceil(50 * np.exp(0.7 * own[item] + 0.4 * rng.normal(size=item.size))).astype(int)
        made.append((item, time, np.where(time > 150, 2, rng.integers(0, 2, item.size))))
    return made


def _clustered(samples: list[tuple], cause: int = 0) -> LogRank:
    tables = [life_table(time, what, np.ones(time.size)) for _, time, what in samples]
    rows = tuple(item_rows(table, *one) for table, one in zip(tables, samples, strict=True))
    return logrank(*tables, cause, rows)


def test_with_items_the_variance_is_of_what_each_item_adds() -> None:
    samples = _samples(np.random.default_rng(3), 15, 3, shared=True)
    tables = [life_table(time, what, np.ones(time.size)) for _, time, what in samples]
    added = np.zeros(15)
    for t in sorted({*samples[0][1].tolist(), *samples[1][1].tolist()}):
        n = [int((time >= t).sum()) for _, time, _ in samples]
        d = sum(int(((time == t) & (what == 0)).sum()) for _, time, what in samples)
        for side, (item, time, what) in enumerate(samples):
            weight = n[1] / sum(n) if side == 0 else -n[0] / sum(n)
            for one, when, why in zip(item, time, what, strict=True):
                added[one] += weight * (float(when == t and why == 0) - (when >= t) * d / sum(n))
    plain, found = logrank(*tables, 0), _clustered(samples)
    assert added.sum() == pytest.approx(plain.observed - plain.expected)
    assert found.chi2 == pytest.approx(added.sum() ** 2 / (15 / 14 * (added**2).sum()))
    assert found.p == pytest.approx(stats.f.sf(found.chi2, 1, 14))


def test_with_items_saying_everything_twice_says_nothing_new() -> None:
    samples = _samples(np.random.default_rng(4), 40, 1, shared=False)
    twice = [tuple(np.repeat(part, 2) for part in sample) for sample in samples]
    assert _clustered(twice).p == pytest.approx(_clustered(samples).p)


def test_the_same_answers_differ_in_nothing() -> None:
    one, _ = _samples(np.random.default_rng(5), 20, 2, shared=True)
    assert _clustered([one, one]).p == 1


def test_without_events_there_is_no_test() -> None:
    one, other = life_table([4], [2], [3]), life_table([4, 6], [2, 1], [3, 1])
    assert np.isnan(logrank(one, other, 0).p)
