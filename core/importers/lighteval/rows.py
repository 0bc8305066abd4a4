"""From a row of details to a record: the document, what the model answered, the metrics."""

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from core.importers.fields import INT32

TOGETHER = "documents whose answers have one score together: the first answer's text is kept"
CUT_PROMPTS = "prompts cut to fit the model's context (which is not a cut answer)"


class Sheet(NamedTuple):
    """What the records of a details file have in common; `params` names those keys of `specific`."""

    values: Mapping[str, Any]
    args: Mapping[str, Any]
    params: frozenset[str]
    metric: str


def part(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the document, response or metrics of a row, by either name that LightEval gives them."""
    value = row.get(name, row.get(f"__{name}__"))
    return value if isinstance(value, dict) else {}


def specific_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is particular to a task in a document, without the nulls that Parquet fills in."""
    specific = document.get("specific")
    return {k: v for k, v in specific.items() if v is not None} if isinstance(specific, dict) else {}


def key_of(document: Mapping[str, Any], number: int) -> str:
    """Return what identifies a document: its id, guarded by its question."""
    question = str(document.get("query") or "")
    digest = hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:12]
    return f"{document.get('id') or number}/{digest}"


def values_of(row: Mapping[str, Any], number: int, sheet: Sheet) -> dict[str, Any]:
    """Return the record of a row."""
    document, response, metrics = (part(row, name) for name in ("doc", "model_response", "metric"))
    specific = specific_of(document)
    offered = [one for one in document.get("choices") or [] if isinstance(one, str)]
    texts = _list(response.get("text"))
    values = {
        **sheet.values,
        "params": {**sheet.args, **{key: specific[key] for key in sheet.params & specific.keys()}},
        "item_key": key_of(document, number),
        "repeat": 0,
        "prompt": _prompt(document, response),
        "reference": _gold(document.get("gold_index"), offered),
        "score": metrics.get(sheet.metric),
        "scorer": sheet.metric,
    }
    ids = _list(response.get("input_tokens"))
    if ids and all(isinstance(one, int) and 0 <= one <= INT32 for one in ids):
        values |= {"prompt_token_ids": ids, "prompt_tokens": len(ids)}
    likelihoods = _list(response.get("logprobs"))
    if not texts and len(offered) > 1 and len(likelihoods) == len(offered):
        best = max(range(len(offered)), key=lambda one: _number(likelihoods[one]))
        return values | {"choices": len(offered), "answer": offered[best].strip()}
    limit = sheet.values.get("token_limit") or document.get("generation_size")
    generated = _list((_list(response.get("output_tokens")) or [None])[0])
    return values | {
        "response": _response(texts, _list(response.get("reasonings"))),
        "completion_tokens": len(generated) or None,
        "token_limit": limit if isinstance(limit, int) and limit > 0 else None,
    }


def _prompt(document: Mapping[str, Any], response: Mapping[str, Any]) -> Any:
    given = response.get("input")
    if given:
        return given
    return "\n".join(one for one in (document.get("instruction"), document.get("query")) if one) or None


def _response(texts: list[Any], thoughts: list[Any]) -> str | None:
    if not texts or not isinstance(texts[0], str):
        return None
    thought = thoughts[0] if thoughts and isinstance(thoughts[0], str) else ""
    return f"<think>\n{thought}\n</think>\n{texts[0]}" if thought and thought not in texts[0] else texts[0]


def _gold(index: Any, offered: list[str]) -> str | None:
    indices = index if isinstance(index, list) else [index]
    right = [offered[one].strip() for one in indices if isinstance(one, int) and 0 <= one < len(offered)]
    return "; ".join(right) or None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("-inf")
