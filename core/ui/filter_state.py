"""Filters as widget state: the keys in the session and in the address, and what becomes of their values.

No widget is made here, so that callbacks and tests use the same functions as the sidebar.
"""

from collections.abc import Mapping, MutableMapping
from typing import Any

import orjson

from core.config import Scalar
from core.errors import FilterError
from core.filters import Filters

EVALS, GROUPS, TIERS, TASKS = "eval", "group", "tier", "task"
SURFACES, PROJECTIONS, ANY_GROUPS, THRESHOLD = "surface", "projection", "any_groups", "threshold"
FLAGGED = "flagged"
PARAM = "param."
"""Prefix of the key of a param's widget."""

_LISTS = {EVALS: "eval_id", GROUPS: "groups", TIERS: "tiers", TASKS: "base_task", SURFACES: "surfaces",
          PROJECTIONS: "projections"}  # fmt: skip
MORE = (SURFACES, PROJECTIONS, ANY_GROUPS, THRESHOLD, FLAGGED)

State = MutableMapping[Any, Any]


def keys_of(state: Mapping[Any, Any], filter_key: str | None = None) -> list[str]:
    """Return the widget keys that are set for a key of Filters, or for all of them."""
    names = {
        **{key: of for key, of in _LISTS.items()},
        ANY_GROUPS: "groups",
        THRESHOLD: "threshold",
        FLAGGED: "flagged",
    }
    found = [key for key in state if isinstance(key, str) and (key in names or key.startswith(PARAM))]
    return [key for key in found if filter_key is None or names.get(key, "params") == filter_key]


def lift(state: State, filter_key: str | None = None) -> None:
    """Set the widgets of one key of Filters, or of all, to what restricts nothing."""
    for key in keys_of(state, filter_key):
        if key == ANY_GROUPS:
            state[key] = ""
        elif key == THRESHOLD:
            state[key] = None
        elif key == FLAGGED:
            state[key] = False
        else:
            state[key] = []


def read_filters(state: Mapping[Any, Any]) -> Filters:
    """Return the filters that the widgets say.

    Raises
    ------
    FilterError
        The text field of nested groups cannot be read.
    """
    threshold = state.get(THRESHOLD)
    params = {
        key.removeprefix(PARAM): tuple(state[key]) for key in keys_of(state, "params") if state.get(key)
    }
    return Filters(
        eval_id=tuple(state.get(EVALS) or ()),
        groups=combine_groups(tuple(state.get(GROUPS) or ()), parse_any_groups(state.get(ANY_GROUPS) or "")),
        tiers=tuple(state.get(TIERS) or ()),
        base_task=tuple(state.get(TASKS) or ()),
        surfaces=tuple(state.get(SURFACES) or ()),
        projections=tuple(state.get(PROJECTIONS) or ()),
        params=tuple(sorted(params.items())),
        threshold=None if threshold is None else float(threshold),
        flagged="exclude" if state.get(FLAGGED) else "include",
    )


def parse_any_groups(text: str) -> tuple[tuple[str, ...], ...]:
    """Read the nested form: `size:small, family:phi | arch:moe`, or the command line's JSON.

    A bar parts alternatives, a comma the groups that one of them needs.

    Raises
    ------
    FilterError
        It begins like JSON and is none, or an alternative is empty.
    """
    text = text.strip()
    if not text:
        return ()
    if text.startswith("["):
        try:
            document = orjson.loads(text)
        except orjson.JSONDecodeError as fault:
            raise FilterError(f"Any of these groups: not valid JSON: {fault}") from None
        return Filters.from_dict({"groups": document}).groups
    alternatives = tuple(
        tuple(dict.fromkeys(name.strip() for name in part.split(",") if name.strip()))
        for part in text.split("|")
    )
    if not all(alternatives):
        raise FilterError("Any of these groups: nothing stands on one side of a bar; write a:x, b:y | c:z")
    return alternatives


def combine_groups(
    all_of: tuple[str, ...], any_of: tuple[tuple[str, ...], ...]
) -> tuple[tuple[str, ...], ...]:
    """Return the alternatives of Filters.groups that mean: all of these, and one of those."""
    if not any_of:
        return (all_of,) if all_of else ()
    return tuple(tuple(dict.fromkeys((*all_of, *alternative))) for alternative in any_of)


def unknown_in_address(address: Mapping[str, list[str]], offered: Mapping[str, list[str]]) -> list[str]:
    """Return what an address asks for that is not offered, in words.

    Parameters
    ----------
    address : mapping
        Query parameters with all their values.
    offered : mapping
        For each widget key the texts it takes in the address.
    """
    return [
        f"{key.removeprefix(PARAM)} {value}"
        for key, values in address.items()
        if key in _LISTS or key.startswith(PARAM)
        for value in values
        if value and value not in offered.get(key, [])
    ]


def param_text(value: Scalar) -> str:
    """Return how a param value reads in a widget and in the address."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
