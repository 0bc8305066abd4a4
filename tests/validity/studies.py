"""All studies, in the order of the page."""

from collections.abc import Iterable

from tests.validity import accuracy, pairs, scores, spectra, time_pairs, times, tokens
from tests.validity.study import Study

STUDIES: tuple[Study, ...] = (
    *accuracy.STUDIES, *scores.STUDIES, *pairs.STUDIES, *times.STUDIES, *time_pairs.STUDIES, *tokens.STUDIES,
    *spectra.STUDIES,
)  # fmt: skip


def named(keys: Iterable[str]) -> tuple[Study, ...]:
    """Return studies by key.

    Raises
    ------
    KeyError
        There is no such study.
    """
    by_key = {study.key: study for study in STUDIES}
    return tuple(by_key[key] for key in keys)
