"""Reading one value of a record: numbers, whole numbers, texts, names and params, strictly.

Every function takes None for "absent" and gives it back; what cannot be used raises `Unusable` with the
reason that the report counts it under.
"""

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

import orjson

from core.importers.parsing import parse_json

NAME_LENGTH = 200
"""The longest name of a model, template, sampler or task; longer ones are no names but mistakes."""

PARAM_LENGTH = 500
"""The longest text value of a param."""

INT32 = 2**31 - 1
EXACT = 2**53
"""Up to here a float holds every whole number exactly."""

REPLACED = "characters that are not text (NUL, half surrogates) replaced by U+FFFD"
DROPPED_PARAM = "params dropped: not a number, a short text or a boolean"
NULL_PARAM = "params without a value (null) left out"

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")

Notice = Callable[[str, str], None]
"""Told what is worth a remark, and a detail."""


class Unusable(Exception):
    """A record cannot be kept; its text is the reason."""


def number(value: Any, what: str) -> float | None:
    """Return a finite number; numeric text counts, as it is all that CSV has."""
    if value is None:
        return None
    if isinstance(value, str):
        value = value.strip()
        if not value:
            return None
    elif not isinstance(value, int | float | Decimal):
        raise Unusable(f"{what} is not a number")
    try:
        result = float(value)
    except (ValueError, OverflowError):
        raise Unusable(f"{what} is not a number") from None
    if not math.isfinite(result):
        raise Unusable(f"{what} is not a number")
    return result


def whole(value: Any, what: str, *, least: int = 0) -> int | None:
    """Return a whole number of at least `least` that fits 32 bits; 3.0 counts as 3."""
    if value is None:
        return None
    if isinstance(value, bool):
        raise Unusable(f"{what} is not a whole number")
    if not isinstance(value, int):
        given = number(value, what)
        if given is None:
            return None
        if given != int(given):
            raise Unusable(f"{what} is not a whole number")
        value = int(given)
    if value < least:
        raise Unusable(f"{what} is negative" if least == 0 else f"{what} is below {least}")
    if value > INT32:
        raise Unusable(f"{what} is too large")
    return int(value)


def flag(value: Any, what: str) -> bool | None:
    """Return a truth value: a boolean, 0 or 1, or their usual spellings."""
    if value is None or isinstance(value, bool):
        return value
    spelled = str(value).strip().lower()
    if not spelled:
        return None
    if spelled in ("true", "1", "1.0", "yes"):
        return True
    if spelled in ("false", "0", "0.0", "no"):
        return False
    raise Unusable(f"{what} is neither true nor false")


def text(value: Any, notice: Notice) -> str | None:
    """Return a text that UTF-8 and the database can hold; other values in their JSON form."""
    if value is None:
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    elif not isinstance(value, str):
        try:
            value = orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
        except (TypeError, ValueError):
            # Whole numbers of more than 64 bits, half surrogates, values nested without end.
            value = repr(value)
    return clean(value, notice)


def clean(value: str, notice: Notice) -> str:
    """Replace NUL characters and lone surrogates, which neither Parquet nor DuckDB store."""
    if value.isascii():
        if "\x00" not in value:
            return value
    elif not _NOT_TEXT.search(value):
        return value
    notice(REPLACED, "")
    return _NOT_TEXT.sub("\ufffd", value)


def name(value: Any, what: str) -> str | None:
    """Return a name: one line of 1 to 200 characters; numbers become text, "" counts as absent."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise Unusable(f"{what} is not a text")
    return _checked_name(value, what)


@lru_cache(maxsize=4096)
def _checked_name(value: str, what: str) -> str | None:
    if not value.strip():
        return None
    if len(value) > NAME_LENGTH:
        raise Unusable(f"{what} is longer than {NAME_LENGTH} characters")
    if _CONTROL.search(value):
        raise Unusable(f"{what} holds line breaks or control characters")
    return value


def names(value: Any, what: str) -> list[str] | None:
    """Return a list of names: a list, the JSON text of one, or a text with commas between."""
    if value is None:
        return None
    if isinstance(value, str):
        value = _listed(value) if value.lstrip().startswith("[") else value.split(",")
    if not isinstance(value, list | tuple):
        raise Unusable(f"{what} is not a list of texts")
    checked = [name(entry.strip() if isinstance(entry, str) else entry, what) for entry in value]
    return list(dict.fromkeys(entry for entry in checked if entry is not None)) or None


def _listed(value: str) -> Any:
    try:
        return parse_json(value.encode("utf-8", "replace"))
    except ValueError:
        return None


def token_ids(value: Any) -> list[int] | None:
    """Return token ids; None where the value is no list of them."""
    if isinstance(value, str):
        value = _listed(value)
    if not isinstance(value, list | tuple) or not value:
        return None
    # One pass at the speed of C; a list with one odd entry is no list of ids.
    if set(map(type, value)) != {int} or min(value) < 0 or max(value) > INT32:
        return None
    return list(value)


def item_key(value: Any, notice: Notice) -> str | None:
    """Return a source's own item id as text; 7, 7.0 and "7" are one id."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    elif isinstance(value, float) and math.isnan(value):
        return None
    return text(value, notice) or None


def canonical_params(value: Any, columns: Mapping[str, Any], notice: Notice) -> str:
    """Return params as canonical JSON: sorted keys, no spaces, 2.0 as 2; what is no scalar is left out.

    Parameters
    ----------
    value : dict or JSON text of one, or None
        The record's `params`.
    columns : dict
        The values of `params.<name>` columns; they win over `value`.
    notice : callable
        Told each name that is left out.
    """
    if isinstance(value, str):
        value = None if not value.strip() else _object(value)
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise Unusable("params is not an object")
    kept: dict[str, Any] = {}
    for key, given in (*value.items(), *columns.items()):
        if given is None:
            # An empty cell of a column is the usual way to say absent; a null in an object is told.
            if key not in columns:
                notice(NULL_PARAM, _CONTROL.sub("\ufffd", str(key))[:NAME_LENGTH])
            continue
        scalar = _scalar(given)
        if (
            scalar is None
            or not isinstance(key, str)
            or not 0 < len(key) <= NAME_LENGTH
            or _CONTROL.search(key)
        ):
            notice(DROPPED_PARAM, _CONTROL.sub("\ufffd", str(key))[:NAME_LENGTH])
        else:
            kept[key] = scalar
    return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode()


def _object(value: str) -> Any:
    try:
        return parse_json(value.encode("utf-8", "replace"))
    except ValueError:
        raise Unusable("params is not an object") from None


def _scalar(value: Any) -> bool | int | float | str | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if len(value) <= PARAM_LENGTH and not _NOT_TEXT.search(value) else None
    if isinstance(value, int) and abs(value) <= EXACT:
        return value
    if not isinstance(value, int | float | Decimal):
        return None
    try:
        given = float(value)
    except OverflowError:
        return None
    if not math.isfinite(given):
        return None
    return int(given) if given.is_integer() and abs(given) <= EXACT else given
