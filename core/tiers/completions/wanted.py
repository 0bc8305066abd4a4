"""Which completions of a selection are listed, and in which order: one value, to SQL and to words."""

from dataclasses import dataclass

from core.config import DatasetConfig
from core.errors import FilterError
from core.filters import Catalog
from core.tiers.loops import LoopRule

OUTCOMES = ("correct", "incorrect", "invalid", "truncated", "error")

SORTS = ("place", "item", "tokens", "ratio", "score")
SORT_NAMES = {
    "place": "Order of the dataset",
    "item": "Item, then eval",
    "tokens": "Completion tokens",
    "ratio": "Compression ratio",
    "score": "Score",
}

SEARCHED = ("both", "responses", "prompts")
SEARCHED_NAMES = {"both": "Prompts and responses", "responses": "Responses", "prompts": "Prompts"}

PAIRS = ("gained", "lost", "both_right", "both_wrong")
PAIR_NAMES = {
    "gained": "First does better",
    "lost": "Second does better",
    "both_right": "Both right",
    "both_wrong": "Both wrong",
}

Range = tuple[float | None, float | None]
"""Least and most, both inclusive; None where there is no limit."""
Pair = tuple[int, int, str]
"""Two evals and what became of an item in both, one of PAIRS."""


@dataclass(frozen=True)
class Wanted:
    """Which completions are listed; an empty field restricts nothing.

    Parameters
    ----------
    outcomes : tuple of str
        Some of OUTCOMES, at the threshold of the filters.
    items : tuple of int
        Item ids.
    ranges : tuple
        Param names with ranges of their numbers.
    tokens : tuple
        Range of completion tokens.
    loops : LoopRule, optional
        Suspected loops only.
    search : str
        A plain substring.
    searched : str
        One of SEARCHED: where it must stand.
    match_case : bool
        Whether capitals matter.
    pair : tuple, optional
        Only the completions by two evals of the items that both have, truncated counted as wrong: gained are
        those on which the first does better, lost those on which the second does; both_right and both_wrong
        those on which they do equally well, at least half right or less.
    flagged : bool
        Flagged completions only.
    sort : str
        One of SORTS; equal ones stand in the order of the dataset, missing values last.
    descending : bool
        Whether the largest comes first.
    """

    outcomes: tuple[str, ...] = ()
    items: tuple[int, ...] = ()
    ranges: tuple[tuple[str, Range], ...] = ()
    tokens: tuple[int | None, int | None] = (None, None)
    loops: LoopRule | None = None
    search: str = ""
    searched: str = SEARCHED[0]
    match_case: bool = False
    pair: Pair | None = None
    flagged: bool = False
    sort: str = SORTS[0]
    descending: bool = False

    def checked(self, catalog: Catalog) -> "Wanted":
        """Return the same. Raises FilterError where a value is none of the valid ones."""
        for outcome in self.outcomes:
            _one_of("outcome", outcome, OUTCOMES)
        _one_of("place to search", self.searched, SEARCHED)
        _one_of("sort", self.sort, SORTS)
        for name, limits in self.ranges:
            _one_of("param", name, tuple(catalog.params))
            _in_order(name, limits)
        _in_order("tokens", self.tokens)
        if self.loops is not None:
            self.loops.checked(catalog.base_tasks)
        if self.pair is not None:
            a, b, kind = self.pair
            _one_of("pair", kind, PAIRS)
            evals = len(catalog.config.evals)
            for eval_id in (a, b):
                if not 0 <= eval_id < evals:
                    raise FilterError(f"No eval_id {eval_id} in this dataset; valid: 0 to {evals - 1}")
            if a == b:
                raise FilterError(f"A pair needs two different evals, not eval_id {a} twice")
        return self

    def sentence(self, config: DatasetConfig) -> str:
        """Return what is listed, in words; "" where nothing is left out."""
        words = []
        if self.pair is not None:
            words.append(_pair_words(config, self.pair))
        if self.outcomes:
            words.append(" or ".join(self.outcomes))
        if self.items:
            words.append(f"{len(self.items)} items" if len(self.items) > 1 else "one item")
        words += [f"{name} {_range_words(limits)}" for name, limits in self.ranges]
        if self.tokens != (None, None):
            words.append(f"completion tokens {_range_words(self.tokens)}")
        if self.loops is not None:
            words.append(f"suspected loops ({self.loops.sentence(config)})")
        if self.search:
            where = SEARCHED_NAMES[self.searched].lower().replace(" and ", " or ")
            words.append(f"“{self.search}” in {where}{', case matters' if self.match_case else ''}")
        if self.flagged:
            words.append("flagged")
        return "; ".join(words)


def _pair_words(config: DatasetConfig, pair: Pair) -> str:
    a, b, kind = pair
    first, second = config.eval_names[a], config.eval_names[b]
    return {
        "gained": f"items on which {first} does better than {second}",
        "lost": f"items on which {second} does better than {first}",
        "both_right": f"items that {first} and {second} both get right",
        "both_wrong": f"items that {first} and {second} both get wrong",
    }[kind]


def _range_words(limits: tuple[float | None, float | None]) -> str:
    low, high = limits
    if low is None or high is None:
        return f"at most {high:,g}" if high is not None else f"at least {low:,g}"
    return f"{low:,g}" if low == high else f"{low:,g} to {high:,g}"


def _one_of(what: str, value: str, valid: tuple[str, ...]) -> None:
    if value not in valid:
        raise FilterError(f"No {what} {value!r}; valid: {', '.join(valid) or 'none'}")


def _in_order(what: str, limits: tuple[float | None, float | None]) -> None:
    low, high = limits
    if low is not None and high is not None and low > high:
        raise FilterError(f"The range of {what} ends before it begins: {low:g} to {high:g}")
