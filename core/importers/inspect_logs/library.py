"""The library inspect-ai: whether it is there, and its data model for headers and samples."""

import importlib.util
from functools import lru_cache
from typing import Any

PACKAGE = "inspect_ai"

NEEDED = "Inspect log; to read it: pip install -r requirements-inspect.txt, then import again"


def installed() -> bool:
    """Whether the optional package is there; looking does not load it, which takes a second or two."""
    return importlib.util.find_spec(PACKAGE) is not None


@lru_cache(maxsize=1)
def _log() -> Any:
    from inspect_ai import log

    return log


def header_of(document: dict[str, Any]) -> Any:
    """Return the EvalLog of a header. Raises ValueError where it is none."""
    return _log().EvalLog.model_validate(document)


def sample_of(document: dict[str, Any]) -> Any:
    """Return the EvalSample of a sample. Raises ValueError where it is none."""
    return _log().EvalSample.model_validate(document)


def fault_of(error: Exception) -> str:
    """Return in one line what the data model has against a document."""
    first: list[Any] = getattr(error, "errors", list)()
    if first:
        place = ".".join(str(part) for part in first[0].get("loc", ()) if isinstance(part, str))
        return f"{place or 'document'}: {first[0].get('msg', '')}"[:150]
    return str(error).splitlines()[0][:150] if str(error) else type(error).__name__
