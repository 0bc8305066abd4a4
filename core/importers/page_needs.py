"""Which pages will work with the records of a source, and what is missing for the others."""

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Facts(NamedTuple):
    """What of the records decides; `fields` counts the records that have one."""

    kept: int
    fields: Mapping[str, int]
    evals: int
    tasks: int
    shared_items: int
    numeric_params: int


class PageNeed(NamedTuple):
    """A page, whether it will work, and why not, or only in part."""

    page: str
    works: bool
    why: str = ""


def needs_of(facts: Facts) -> list[PageNeed]:
    """Return for every page whether it will work."""
    if not facts.kept:
        return [PageNeed(page, False, "there are no records that can be used") for page, _ in _PAGES]
    found = []
    for page, judge in _PAGES:
        works, why = judge(facts)
        found.append(PageNeed(page, works, why))
    return found


Judgement = tuple[bool, str]


def _always(facts: Facts) -> Judgement:
    return True, ""


def _several(facts: Facts) -> Judgement:
    return (True, "") if facts.evals > 1 else (True, "one eval only: nothing to compare it with")


def _tokens(facts: Facts) -> Judgement:
    if facts.fields.get("completion_tokens"):
        return True, ""
    if facts.fields.get("response"):
        return True, "no token counts in the source: the visible text is tokenised"
    return False, "this source has neither token counts nor responses"


def _responses(facts: Facts) -> Judgement:
    return (True, "") if facts.fields.get("response") else (False, "this source has no responses")


def _prompts(facts: Facts) -> Judgement:
    if facts.fields.get("prompt_token_ids"):
        return True, ""
    if facts.fields.get("prompt"):
        return True, "no token ids in the source: prompts are tokenised, or taken as bytes"
    return False, "this source has no prompts"


def _surfaces(facts: Facts) -> Judgement:
    if facts.numeric_params > 1:
        return True, ""
    if facts.numeric_params == 1:
        return True, "one numeric param: curves, no surfaces"
    return False, "no task has a numeric param"


def _radar(facts: Facts) -> Judgement:
    return (True, "") if facts.tasks > 2 else (True, "fewer than three tasks: bars, no radar")


def _pairs(facts: Facts) -> Judgement:
    if facts.evals < 2:
        return False, "one eval only: nothing to compare it with"
    return (True, "") if facts.shared_items else (False, "no item is shared by two evals")


_PAGES: tuple[tuple[str, Callable[[Facts], Judgement]], ...] = (
    ("Scores", _several),
    ("Spiderweb", _radar),
    ("Cluster", _several),
    ("Surface", _surfaces),
    ("Hazard", _tokens),
    ("Compression", _responses),
    ("FFT", _prompts),
    ("Compare", _pairs),
    ("Completions", _responses),
    ("Evals", _always),
    ("Tasks", _always),
)
