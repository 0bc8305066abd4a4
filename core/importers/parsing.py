"""JSON as it is found: parsed fast where it is valid, with a reason in words where it is not."""

import hashlib
import json
from typing import Any

import orjson

TOO_DEEP = "nested too deeply"


def parse_json(data: bytes) -> Any:
    """Parse one JSON value.

    orjson is strict; what it refuses and other writers produce all the same (NaN, Infinity, half
    surrogates) is parsed by the standard library, so that the fault is found in the field that has it.

    Raises
    ------
    ValueError
        The data is not JSON; the text says why.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        reason = str(error)
    if b"NaN" in data or b"Infinity" in data or b"\\u" in data:
        try:
            return json.loads(data)
        except RecursionError:
            raise ValueError(f"not valid JSON: {TOO_DEEP}") from None
        except ValueError:
            pass
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    raise ValueError(f"not valid JSON: {_short(reason)}")


def _short(reason: str) -> str:
    # Positions differ from record to record; reasons are counted, so they leave them out.
    return TOO_DEEP if "depth" in reason else reason.split(": line")[0]


def canonical(values: object) -> str:
    """Return canonical JSON: sorted keys, no spaces; what JSON does not know as its text."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def digest_of(values: object, size: int = 12) -> str:
    """Return the first hexadecimal digits of the sha256 of values in canonical JSON."""
    return hashlib.sha256(canonical(values).encode("utf-8", "backslashreplace")).hexdigest()[:size]
