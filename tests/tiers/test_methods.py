"""The choices of methods, their words, and what else a dataset offers to choose from."""

import pytest

from core.errors import FilterError
from core.store import Dataset
from core.tiers.methods import INTERVAL_NAMES, INTERVALS, REPEATS, Methods
from core.tiers.offers import read_offers
from tests.store.staging import completion


def test_every_interval_has_a_name() -> None:
    assert set(INTERVAL_NAMES) == set(INTERVALS)
    assert Methods() == Methods("wilson", "cluster")


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        (Methods(), "95% Wilson intervals, repeats clustered by item"),
        (Methods("jeffreys", "independent"), "95% Jeffreys intervals, repeats taken as independent"),
        (
            Methods("reasonscape", "cluster"),
            "95% ReasonScape (Wilson on corrected counts) intervals, repeats taken as independent",
        ),
    ],
)
def test_methods_in_words(methods: Methods, words: str) -> None:
    assert methods.sentence() == words


def test_other_methods_are_refused_with_the_valid_ones() -> None:
    with pytest.raises(FilterError) as error:
        Methods(interval="wald")
    assert str(error.value) == f"No interval 'wald'; valid: {', '.join(INTERVALS)}"
    with pytest.raises(FilterError) as error:
        Methods(repeats="none")
    assert str(error.value) == f"No repeats policy 'none'; valid: {', '.join(REPEATS)}"


def test_offers_have_the_params_of_each_task(mixed: Dataset) -> None:
    offers = read_offers(mixed)
    assert offers.params == {
        "deep": {task: ("false", "true") for task in ("add", "sort", "word's")},
        "level": {"add": (0, 1, 2, 3, 99), "sort": (0, 1, 2, 3), "word's": (0, 1, 2, 3)},
    }
    assert offers.partial_scores


@pytest.mark.parametrize(
    ("scores", "partial"), [((None, 0.0, 1.0), False), ((None, 0.0, 0.5), True), ((None,), False)]
)
def test_a_threshold_is_offered_where_a_score_lies_between(made, scores, partial: bool) -> None:
    dataset = made([completion(item_key=f"{number}", score=score) for number, score in enumerate(scores)])
    assert read_offers(dataset).partial_scores is partial
    dataset.close()
