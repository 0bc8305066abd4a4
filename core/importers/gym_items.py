"""Making Reasoning Gym items again: what a worker process does, item by item.

The optional package is imported here only, and only in workers.
"""

import decimal
import hashlib
import math
import numbers
import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

TEXT_LENGTH = 20
"""The longest text that can be a param."""

ITEM_SECONDS = 30
"""A generator that does not come back is given up for the item."""
PRECISIONS = (28, 10, 12)
"""Decimal precisions an item is made with, the first being Python's default.

The decimal_arithmetic generator lowers the precision of its whole process (to 10 or 12 in the published
runs), so that decimal tasks made after it have rounded numbers in their questions.
"""
_HAS_DECIMALS = re.compile(r"\d\.\d")

NESTED = "not a single value"
LONG = f"text over {TEXT_LENGTH} characters"

Scalar = bool | int | float | str


class Job(NamedTuple):
    """Some items to make in a worker: by index, the digests of the questions recorded for it."""

    dataset: str
    config: bytes
    digests: dict[int, frozenset[str]]


class Item(NamedTuple):
    """What a regenerated item says of itself; `unfit` are the keys that hold no short single value."""

    number: int
    digest: str
    values: dict[str, Scalar]
    unfit: dict[str, str]
    repeating: frozenset[str]


class Made(NamedTuple):
    """The items of a job that match a recorded question, and why others could not be made."""

    items: list[Item]
    fault: str


def question_digest(question: str) -> str:
    """Return the first 12 hexadecimal digits of the sha256 of a question."""
    return hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:12]


def make_items(job: Job) -> Made:
    """Make items again; runs in a worker process."""
    items: list[Item] = []
    fault = ""
    for index, digests in job.digests.items():
        try:
            items += _matching(job, index, digests)
        # A generator may fail in any way; its item then has no params and the report says why.
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"[:200]
    return Made(items, fault)


def _matching(job: Job, index: int, digests: frozenset[str]) -> list[Item]:
    """Return the item of an index once for each recorded question that it can be made with."""
    found: dict[str, Item] = {}
    for precision in PRECISIONS:
        with decimal.localcontext(prec=precision), _time_limit(ITEM_SECONDS):
            made = _dataset(job.dataset, job.config)[index]
        question = str(made["question"])
        one = question_digest(question)
        if one in digests:
            found[one] = describe(index, one, made)
        if found.keys() == digests or not _HAS_DECIMALS.search(question):
            break
    return list(found.values())


@lru_cache(maxsize=4)
def _dataset(name: str, config: bytes) -> Any:
    import reasoning_gym

    if name == "zebra_puzzles":
        _remember_clauses()
    return reasoning_gym.create_dataset(name, **orjson.loads(config))


def _remember_clauses() -> None:
    """Make zebra puzzles in half the time, which is most of the time of a whole import.

    Their clues are immutable values that are asked for the same clauses and text thousands of times.
    Should this ever change what is made, the question is not the recorded one and the item goes unused.
    """
    with suppress(ImportError, AttributeError):
        from reasoning_gym.logic.contrib.logic_puzzle.clues import Clue

        for clue in Clue.__subclasses__():
            clue.as_cnf = lru_cache(maxsize=100_000)(clue.as_cnf)
            clue.__str__ = lru_cache(maxsize=100_000)(clue.__repr__)


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    # Signals reach the main thread only, which is where a worker process works.
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError(f"an item took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def describe(number: int, digest: str, made: Mapping[str, Any]) -> Item:
    """Return what an item's metadata, and the scalar settings under its `difficulty`, say of it."""
    metadata = dict(made.get("metadata") or {})
    settings = metadata.pop("difficulty", None)
    values: dict[str, Scalar] = {}
    unfit: dict[str, str] = {}
    nested = settings.items() if isinstance(settings, Mapping) else ()
    entries = [(str(key), f"difficulty.{key}", value) for key, value in nested]
    entries += [(str(key), str(key), value) for key, value in metadata.items()]
    for key, shown, value in entries:
        scalar = _scalar(value)
        if value is None:
            continue
        if scalar is None:
            unfit[shown] = NESTED
        elif isinstance(scalar, str) and len(scalar) > TEXT_LENGTH:
            unfit[shown] = LONG
        else:
            values[key] = scalar
    told = {str(made.get("question")).strip(), str(made.get("answer")).strip()}
    repeating = frozenset(key for key, value in values.items() if str(value).strip() in told)
    return Item(number, digest, values, unfit, repeating)


def _scalar(value: Any) -> Scalar | None:
    """Return a value as Python's own type (numpy's scalars included), None if it is no scalar."""
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, bool | str):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real | decimal.Decimal) and math.isfinite(value):
        return float(value)
    return None
