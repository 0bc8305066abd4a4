"""The target record: one completion as every source format delivers it, checked and made complete.

`complete` takes the values of a source under the field names below and returns the row that is staged
for the database, or raises `Unusable` with the reason for skipping the record.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from core.importers import fields
from core.importers.derive import TOKEN_SOURCE, count_tokens, text_sizes
from core.importers.fields import Notice, Unusable

OVERRIDABLE = ("model", "template", "sampler", "label", "hf_id", "groups", "base_task", "category")
"""Fields that `--set` may give one value for all records."""

FIELDS = frozenset(
    {
        *OVERRIDABLE,
        *("task_label", "params", "item_key", "repeat", "prompt", "prompt_token_ids", "tokenizer"),
        *("response", "reference", "answer", "outcome", "score", "choices"),
        *(
            "finish_reason",
            "truncated",
            "token_limit",
            "prompt_tokens",
            "completion_tokens",
            "reasoning_tokens",
        ),
        *("scorer", "explanation"),
    }
)
"""Every field of a record; `params.<name>` adds to `params`."""

PARAM_PREFIX = "params."

OUTCOMES = ("correct", "incorrect", "invalid", "truncated", "error")

STOPPED_BY_LIMIT = frozenset(
    {
        "length",
        "max_tokens",
        "model_length",
        "max_output_tokens",
        "max_new_tokens",
        "max_length",
        "token_limit",
    }
)
STOPPED_BY_ITSELF = frozenset(
    {
        *(
            "stop",
            "eos",
            "eos_token",
            "end_turn",
            "stop_sequence",
            "end",
            "complete",
            "completed",
            "finished",
        ),
        *("tool_calls", "tool_use", "function_call", "content_filter", "safety", "refusal", "recitation"),
    }
)
"""Finish reasons, in lower case, that say whether a limit cut the response; any other says nothing."""

FAR = 2
"""A re-tokenised response below the limit by this factor was not cut: tokenizers differ by less."""

CONTRADICTION = "outcome contradicts the score; the score was used"
LIMIT_WINS = "reported as correct, invalid or incorrect but stopped by a limit: counted as truncated"
STOP_CONTRADICTION = (
    "outcome or stop reason says truncated, another field says it was not: counted as truncated"
)
UNKNOWN_FINISH = "finish reasons that do not say whether a limit was hit"
UNUSED = "source fields not used"
INFERRED_CUT = "truncation inferred: as many tokens as the limit"
INFERRED_WHOLE = "truncation inferred: not cut, far fewer tokens than the limit"
TOKEN_IDS = "prompt_token_ids left out: not a list of whole numbers"


def complete(values: Mapping[str, Any], place: str, file_key: str, notice: Notice) -> dict[str, Any]:
    """Check a record's values and add what is derived from them.

    Parameters
    ----------
    values : dict
        Values by field name (`FIELDS`, `params.<name>`); absent is None or no key.
    place : str
        Where the record stands in its file, such as "line 3".
    file_key : str
        What identifies the file; makes the key of an item that has none of its own.
    notice : callable
        Told what the report should mention although the record is kept.

    Returns
    -------
    dict
        A row of the staging schema without its number.

    Raises
    ------
    Unusable
        The record has to be skipped.
    """
    columns = {}
    for other in sorted(values.keys() - FIELDS):
        if other.startswith(PARAM_PREFIX):
            columns[other[len(PARAM_PREFIX) :]] = values[other]
        else:
            notice(UNUSED, fields.clean(other[: fields.NAME_LENGTH], notice))
    get = values.get
    model = _required(fields.name(get("model"), "model"), "model")
    base_task = _required(fields.name(get("base_task"), "base_task"), "base_task")
    finish_reason = fields.text(get("finish_reason"), notice) or None
    score = _score(get("score"))
    stopped, outcome = _stop(get("truncated"), finish_reason, _outcome(get("outcome")), notice)
    truncation = "unknown" if stopped is None else "reported"
    prompt = fields.text(get("prompt"), notice)
    response = fields.text(get("response"), notice)
    answer = fields.text(get("answer"), notice)
    key = fields.item_key(get("item_key"), notice)
    paired = key is not None or prompt is not None
    if key is None:
        own = prompt if prompt is not None else f"{file_key} {place}"
        key = hashlib.sha256(own.encode("utf-8")).hexdigest()
    tokens = fields.whole(get("completion_tokens"), "completion_tokens")
    sizes = text_sizes(response) if response is not None else (None, None)
    token_source = "unknown" if tokens is None else "reported"
    if tokens is None and response is not None:
        tokens, token_source = count_tokens(response), TOKEN_SOURCE
    token_limit = fields.whole(get("token_limit"), "token_limit")
    if stopped is None and outcome != "error" and tokens is not None and token_limit:
        stopped = inferred_stop(tokens, token_limit, reported=token_source == "reported")
        if stopped is not None:
            truncation = "inferred"
            notice(INFERRED_CUT if stopped else INFERRED_WHOLE, "")
    given_ids = get("prompt_token_ids")
    prompt_token_ids = fields.token_ids(given_ids) if given_ids else None
    if given_ids and prompt_token_ids is None:
        notice(TOKEN_IDS, "")
    return {
        "model": model,
        "template": fields.name(get("template"), "template") or "default",
        "sampler": fields.name(get("sampler"), "sampler") or "default",
        "label": fields.name(get("label"), "label"),
        "hf_id": fields.name(get("hf_id"), "hf_id"),
        "groups": fields.names(get("groups"), "groups"),
        "category": fields.name(get("category"), "category"),
        "task_label": fields.name(get("task_label"), "task_label"),
        "base_task": base_task,
        "params": fields.canonical_params(get("params"), columns, notice),
        "item_key": key,
        "paired": paired,
        "repeat": fields.whole(get("repeat"), "repeat"),
        "prompt": prompt,
        "prompt_token_ids": prompt_token_ids,
        "tokenizer": fields.name(get("tokenizer"), "tokenizer"),
        "response": response,
        "reference": fields.text(get("reference"), notice),
        "answer": answer,
        "outcome": stored_outcome(outcome, score, stopped, answer, notice),
        "score": score,
        "choices": fields.whole(get("choices"), "choices", least=1),
        "finish_reason": finish_reason,
        "truncation": truncation,
        "token_limit": token_limit,
        "prompt_tokens": fields.whole(get("prompt_tokens"), "prompt_tokens"),
        "completion_tokens": tokens,
        "reasoning_tokens": fields.whole(get("reasoning_tokens"), "reasoning_tokens"),
        "token_source": token_source,
        "response_bytes": sizes[0],
        "compressed_bytes": sizes[1],
        "scorer": fields.text(get("scorer"), notice),
        "explanation": fields.text(get("explanation"), notice),
        "place": place,
    }


def _required(value: str | None, what: str) -> str:
    if value is None:
        raise Unusable(f"no {what}")
    return value


_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False}
"""As tables spell what JSON has as true and false."""


def _score(value: Any) -> float | None:
    if isinstance(value, str) and (word := value.strip().lower()) in _BOOLEANS:
        value = _BOOLEANS[word]
    score = fields.number(value, "score")
    if score is not None and not 0.0 <= score <= 1.0:
        raise Unusable("score outside [0, 1]")
    return score


def _outcome(value: Any) -> str | None:
    if value is None or value == "":
        return None
    outcome = value.strip().lower() if isinstance(value, str) else None
    if outcome not in OUTCOMES:
        raise Unusable(f"outcome is none of {', '.join(OUTCOMES)}")
    return outcome


def _stop(
    truncated: Any, finish_reason: str | None, outcome: str | None, notice: Notice
) -> tuple[bool | None, str | None]:
    """Return whether a limit cut the response (None: unknown), and the outcome that is left to decide on."""
    said = fields.flag(truncated, "truncated")
    claims = {said}
    if finish_reason is not None:
        spelled = finish_reason.strip().lower()
        if spelled in STOPPED_BY_LIMIT or spelled in STOPPED_BY_ITSELF:
            claims.add(spelled in STOPPED_BY_LIMIT)
        elif said is None:
            notice(UNKNOWN_FINISH, finish_reason[: fields.NAME_LENGTH])
    if outcome == "truncated":
        claims.add(True)
        outcome = None
    if claims >= {True, False}:
        notice(STOP_CONTRADICTION, "")
    return (True in claims or (False if False in claims else None)), outcome


def inferred_stop(tokens: int, limit: int, *, reported: bool) -> bool | None:
    """Return whether a limit cut a response of which no reason to stop is known; None: it cannot be told.

    Reported tokens are the limit's own. A count of another tokenizer, of visible text, tells only where it
    is as high as the limit or far below it.
    """
    if tokens >= limit:
        return True
    return False if reported or tokens * FAR <= limit else None


def stored_outcome(
    outcome: str | None, score: float | None, stopped: bool | None, answer: str | None, notice: Notice
) -> str:
    """Return the outcome at threshold 1: error > truncated > correct > invalid > incorrect.

    Where there is a score it decides between correct and not; where there is none the source's own
    outcome stands. An answer that is there and empty is one that could not be read.
    """
    if outcome is None and score is None and not stopped:
        raise Unusable("neither outcome nor score")
    if outcome == "error":
        return "error"
    if stopped:
        if outcome is not None:
            notice(LIMIT_WINS, "")
        return "truncated"
    if score is None:
        return outcome or "incorrect"
    if outcome is not None and (outcome == "correct") != (score >= 1.0):
        notice(CONTRADICTION, "")
    if score >= 1.0:
        return "correct"
    return "invalid" if outcome == "invalid" or (outcome is None and answer == "") else "incorrect"
