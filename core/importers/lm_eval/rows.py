"""From a row of samples to a record: a generated answer, or the likelihoods of given ones."""

from collections.abc import Mapping
from typing import Any, NamedTuple

LIMITS = ("max_gen_toks", "max_tokens", "max_new_tokens", "max_completion_tokens")

INVALID = "[invalid]"
"""What the harness's filters give where they find no answer."""

NO_FILTER = "none"


class Sheet(NamedTuple):
    """What the records of a samples file have in common; `params` are the document's keys that are params."""

    values: Mapping[str, Any]
    args: Mapping[str, Any]
    params: frozenset[str]
    metric: str
    filter: str | None
    twins: Mapping[str, int]


def filter_of(row: Mapping[str, Any]) -> str:
    """Return the answer filter of a row; early versions had one and did not name it."""
    name = row.get("filter")
    return name if isinstance(name, str) else NO_FILTER


def document_of(row: Mapping[str, Any]) -> str:
    """Return what tells the documents of a task apart."""
    return str(row.get("doc_id"))


def values_of(row: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
    """Return the record of a row."""
    requests = _requests(row.get("arguments"))
    first = requests[0] if requests else []
    given = row.get("doc")
    document: dict[str, Any] = given if isinstance(given, dict) else {}
    generation = first[1] if len(first) > 1 and isinstance(first[1], dict) else None
    values = {
        **sheet.values,
        "params": {**sheet.args, **{key: document[key] for key in sheet.params & document.keys()}},
        "item_key": _key(row, sheet),
        "repeat": 0,
        "prompt": first[0] if first else None,
        "reference": row.get("target"),
        "score": row.get(sheet.metric),
        "scorer": sheet.metric if sheet.filter in (None, NO_FILTER) else f"{sheet.metric}, {sheet.filter}",
    }
    answer = _first(row.get("filtered_resps"))
    if generation is None and len(first) > 1:
        return values | _likelihoods(requests, row.get("filtered_resps"), row.get("target"))
    values |= {"response": _first(row.get("resps")), "answer": answer}
    values |= {"token_limit": _limit(generation or {})}
    if answer == INVALID and values["score"] == 0:
        values |= {"answer": "", "outcome": "invalid"}
    return values


def _key(row: Mapping[str, Any], sheet: Sheet) -> str:
    digest = row.get("doc_hash")
    if not isinstance(digest, str) or not digest:
        return document_of(row)
    # A text that is in the data set twice is two items.
    twin = sheet.twins.get(document_of(row))
    return f"{digest}/{twin}" if twin else digest


def _requests(arguments: Any) -> list[list[Any]]:
    """Return the arguments of each request: of {"gen_args_0": {"arg_0": ...}}, or of a list of lists."""
    if isinstance(arguments, dict):
        arguments = list(arguments.values())
    if not isinstance(arguments, list):
        return []
    listed = [list(one.values()) if isinstance(one, dict) else one for one in arguments]
    return [one if isinstance(one, list) else [one] for one in listed]


def _first(value: Any) -> Any:
    while isinstance(value, list):
        if not value:
            return None
        value = value[0]
    return value


def _limit(generation: Mapping[str, Any]) -> int | None:
    found = (generation.get(name) for name in LIMITS)
    return next((one for one in found if isinstance(one, int) and one > 0), None)


def _likelihoods(requests: list[list[Any]], answers: Any, target: Any) -> dict[str, Any]:
    """Return what a choice between given answers has: how many, the likeliest, the right one in words."""
    offered = [str(one[1]).strip() for one in requests if len(one) > 1]
    if len(offered) < 2:
        return {}
    values: dict[str, Any] = {"choices": len(offered)}
    likelihoods = [_number(_first(one)) for one in answers] if isinstance(answers, list) else []
    if len(likelihoods) == len(offered) and None not in likelihoods:
        best = max(range(len(offered)), key=lambda number: likelihoods[number] or 0.0)
        values["answer"] = offered[best]
    index = str(target)
    if index.isdecimal() and len(index) < 4 and int(index) < len(offered):
        values["reference"] = offered[int(index)]
    return values


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
