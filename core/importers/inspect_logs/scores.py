"""What the score of an Inspect sample says: correct, partly, wrong, no answer, or not scored at all."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's own values of correct, partial, incorrect and no answer, as its metrics count them."""

NO_ANSWER = "N"

WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

NOT_SCORED = "not scored"
A_LIST = "the score is a list"
A_DICTIONARY = "the score is a dictionary; name one of its values with --scorer SCORER.KEY"
NO_NUMBER = "the score is neither a number nor a letter that Inspect knows"


class Verdict(NamedTuple):
    """A score as a number; None with a fault where there is none, `unscored` where the scorer gave up."""

    value: float | None
    no_answer: bool = False
    unscored: bool = False
    fault: str = ""


def choose(scores: Mapping[str, Any], preference: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Return the scorer to use and the key of its dictionary, "" where its value is no dictionary."""
    for scorer, key in preference:
        if scorer in scores:
            value = scores[scorer].value
            if isinstance(value, Mapping) == bool(key) and (not key or key in value):
                return scorer, key
    scorer = next(iter(scores))
    value = scores[scorer].value
    return scorer, next(iter(value), "") if isinstance(value, Mapping) else ""


def judge(value: Any) -> Verdict:
    """Return what a score's value says."""
    if isinstance(value, str):
        if value in LETTERS:
            return Verdict(LETTERS[value], no_answer=value == NO_ANSWER)
        word = value.strip().lower()
        if word in WORDS:
            return Verdict(WORDS[word])
        try:
            value = float(word)
        except ValueError:
            return Verdict(None, fault=NO_NUMBER)
    if isinstance(value, Mapping):
        return Verdict(None, fault=A_DICTIONARY)
    if isinstance(value, Sequence):
        return Verdict(None, fault=A_LIST)
    if not isinstance(value, bool | int | float):
        return Verdict(None, fault=NO_NUMBER)
    number = float(value)
    return Verdict(None, unscored=True) if math.isnan(number) else Verdict(number)
