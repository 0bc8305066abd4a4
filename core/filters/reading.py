"""Reading the values of a filter object: what is not of the right type is refused by name."""

from typing import Any

from core.config import Scalar
from core.errors import FilterError

KEYS = (
    "eval_id",
    "groups",
    "tiers",
    "base_task",
    "projections",
    "surfaces",
    "params",
    "threshold",
    "flagged",
)

STRUCTURE = """\
{"eval_id": [0, 1],                 evals by their place in the config
 "groups": ["a:x", "b:y"],          both groups; [["a:x"], ["b:y"]] means either
 "tiers": ["easy"],                 by id or label
 "base_task": ["arithmetic"],       one or several tasks
 "surfaces": ["id"],                points on any of these surfaces
 "projections": ["id"],             points on any of these projections
 "params": {"length": [2, 3]},      every named param is one of the listed values
 "threshold": 0.5,                  a score of at least this counts as correct
 "flagged": "exclude"}              completions flagged by hand are left out; include: they count"""

FLAGGED = ("include", "exclude")
"""Whether completions that someone flagged count; the first is the default."""


def integers(key: str, value: Any) -> tuple[int, ...]:
    """Return whole numbers, each once. Raises FilterError."""
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        raise FilterError(f"Filter {key!r} must be a list of integers, such as [0, 1]; given: {value!r}")
    return tuple(dict.fromkeys(values))


def texts(key: str, value: Any) -> tuple[str, ...]:
    """Return texts, each once. Raises FilterError."""
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(v, str) for v in values):
        raise FilterError(f'Filter {key!r} must be a list of texts, such as ["a", "b"]; given: {value!r}')
    return tuple(dict.fromkeys(values))


def groups(value: Any) -> tuple[tuple[str, ...], ...]:
    """Return the alternatives of groups. Raises FilterError."""
    values = value if isinstance(value, list) else [value]
    if all(isinstance(v, str) for v in values):
        return (tuple(dict.fromkeys(values)),) if values else ()
    if all(isinstance(v, list) for v in values):
        return tuple(texts("groups", group) for group in values if group)
    raise FilterError(f"Filter 'groups' is a list of texts, or a list of such lists; given: {value!r}")


def params(value: Any) -> tuple[tuple[str, tuple[Scalar, ...]], ...]:
    """Return params with their values, by name. Raises FilterError."""
    if not isinstance(value, dict):
        raise FilterError(
            f"Filter 'params' must be an object such as {{\"length\": [2, 3]}}; given: {value!r}"
        )
    result = []
    for name, some in value.items():
        values = some if isinstance(some, list) else [some]
        if not values or not all(isinstance(v, bool | int | float | str) for v in values):
            raise FilterError(f"Filter 'params.{name}' must be a value or a list of values; given: {some!r}")
        # True == 1, but as a param it is another value.
        distinct = dict.fromkeys((isinstance(v, bool), v) for v in values)
        result.append((name, tuple(v for _, v in distinct)))
    return tuple(sorted(result))


def threshold(value: Any) -> float | None:
    """Return the threshold, None where none is set. Raises FilterError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise FilterError(f"Filter 'threshold' must be a number above 0 and at most 1; given: {value!r}")
    return float(value)


def flagged(value: Any) -> str:
    """Return whether flagged completions count. Raises FilterError."""
    if value is None:
        return FLAGGED[0]
    if value not in FLAGGED:
        raise FilterError(f"Filter 'flagged' must be one of {', '.join(FLAGGED)}; given: {value!r}")
    return str(value)
