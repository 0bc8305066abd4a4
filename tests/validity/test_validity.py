"""Default intervals cover and default tests err as they say: all studies slowly, two conditions fast.

A limit is missed where a share is worse than it by more than three of its own Monte Carlo standard errors.
"""

from dataclasses import replace

import numpy as np
import pytest

from tests.validity import studies
from tests.validity.document import document
from tests.validity.study import Condition, Intervals, Limits, Outcome, Study, run

REPLICATIONS = 400
ASKED = [study.key for study in studies.STUDIES if study.limits.worst is not None]


@pytest.mark.slow
@pytest.mark.parametrize("key", ASKED)
def test_a_default_holds_its_limits(key: str) -> None:
    (study,) = studies.named([key])
    # Some hundred replications of every condition, however long one takes.
    outcome = run(replace(study, share=max(study.share, 0.5)), REPLICATIONS)
    assert outcome.failures() == []


@pytest.mark.slow
def test_repeats_taken_as_independent_miss_the_limits_and_so_does_the_plain_log_rank_test() -> None:
    for key in ("independent", "logrank_independent"):
        (study,) = studies.named([key])
        limits = Limits(0.05, 0.05) if study.errors else Limits()
        assert run(replace(study, limits=limits), REPLICATIONS).failures()


FAST = {
    "cell": ("30 items, p = 0.5, once each", "50 items, p = 0.9, 4 times each, correlation 0.3"),
    "guessed": ("30 items, skill 0.2, 4 choices, once each", "100 items, skill 0, 2 choices, once each"),
    "all_in": ("30 items, p = 0.6, 30% truncated, once each", "100 items, p = 0.9, 5% truncated, once each"),
    "plain_score": ("4 mixed cells of 30 items, once each", "32 hard cells of 30 items, once each"),
    "token_mean": ("100 items, sigma 0.6, once each", "30 items, sigma 0.6, 4 times each, correlation 0.3"),
}
"""Conditions that take no time, by study; intervals of half the width must fail in each."""


def fast(key: str) -> Study:
    """Return a study with its fast conditions only."""
    (study,) = studies.named([key])
    chosen = tuple(one for one in study.conditions if one.label in FAST[key])
    assert len(chosen) == len(FAST[key])
    return replace(study, conditions=chosen)


@pytest.mark.parametrize("key", FAST)
def test_an_interval_covers_and_one_of_half_its_width_is_caught(key: str) -> None:
    study = fast(key)
    assert run(study, 1_500).failures() == []
    narrowed = run(study, 1_500, narrowed=True)
    assert narrowed.mean_misses()
    # Where the truth is at the end of the scale, half the interval holds it as well.
    assert any(narrowed.misses(cell) for cell in narrowed.cells)


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("mcnemar", "100 items, p = 0.5, once each, evals related 0.8"),
        (
            "logrank",
            "correct, evals related 0: 30 items, p = 0.6, 8 times each, correlation 0.7, limit 4,000",
        ),
    ],
)
def test_a_test_errs_at_its_level_and_one_that_errs_three_times_as_often_is_caught(
    key: str, label: str
) -> None:
    (study,) = studies.named([key])
    study = replace(study, conditions=tuple(one for one in study.conditions if one.label == label), share=1.0)
    assert len(study.conditions) == 1
    assert run(study, 300).failures() == []
    often = Condition("often", lambda rng, n: rng.random(n) < 0.15)
    assert run(replace(study, conditions=(often,)), 300).failures()


def known(share: float, n: int = 1_000) -> Study:
    """Return a study whose intervals hold the truth with a chance."""

    def simulate(rng: np.random.Generator, replications: int) -> Intervals:
        held = np.arange(replications) < share * replications
        return Intervals(np.where(held, -1.0, 2.0), np.full(replications, 3.0), 0.0)

    return Study("known", "Known", "nowhere", "By construction.", (Condition("one", simulate),))


def test_coverage_is_counted_and_a_miss_is_more_than_three_monte_carlo_errors() -> None:
    assert run(known(0.95), 1_000).cells[0].share == 0.95
    assert run(known(0.95), 1_000).failures() == []
    # The error of .875 with 1,000 replications is .0105, and .9 less three of them is .869.
    assert not run(known(0.875), 1_000).misses(run(known(0.875), 1_000).cells[0])
    assert len(run(known(0.86), 1_000).failures()) == 2


def test_what_gives_no_interval_is_counted_apart() -> None:
    nothing = Condition(
        "half", lambda rng, n: Intervals(np.where(np.arange(n) % 2, np.nan, 0.0), np.ones(n), 0.5)
    )
    (cell,) = run(replace(known(1), conditions=(nothing,)), 100).cells
    assert (cell.share, cell.replications, cell.missing) == (1, 50, 0.5)


def test_numbers_depend_on_seed_and_label_only() -> None:
    study = fast("cell")
    alone = run(replace(study, conditions=study.conditions[1:]), 50)
    assert run(study, 50).cells[1] == alone.cells[0]
    assert run(study, 50, 1).cells != run(study, 50, 2).cells


def test_names_are_unique() -> None:
    keys = [study.key for study in studies.STUDIES]
    assert len(set(keys)) == len(keys)
    for study in studies.STUDIES:
        labels = [one.label for one in study.conditions]
        assert len(set(labels)) == len(labels), study.key


def test_the_page_says_what_is_held_and_what_is_missed() -> None:
    good, bad = run(known(0.95), 1_000), run(replace(known(0.5), key="bad", title="Bad"), 1_000)
    text = document([good, bad], 1_000)
    assert "| Known | 1 | 95.0 ± 0.7 | 95.0 ± 0.7 | one | ≥ 94%, ≥ 90%: held |" in text
    assert "| Bad | 1 | 50.0 ± 1.6 | 50.0 ± 1.6 | one | ≥ 94%, ≥ 90%: missed |" in text
    assert "- bad: coverage 0.5000 at one (limit 0.9)" in text
    assert isinstance(good, Outcome)
