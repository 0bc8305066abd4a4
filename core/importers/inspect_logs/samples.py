"""From an Inspect sample to a record: texts, tokens, why it stopped, and its score."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from core.importers.inspect_logs.scores import NOT_SCORED, choose, judge
from core.importers.reader import Fault, RawRecord, Remark

STOPPED = {
    "stop": False,
    "tool_calls": False,
    "content_filter": False,
    "max_tokens": True,
    "model_length": True,
}

LIMITED = "samples that a limit of the run ended; scored as they are, not as truncated"
CHOSEN = "score used where there are several"
INVALIDATED = "the sample was invalidated"

ATTACHMENT = "attachment://"

PLACEHOLDER = "88F74D2C"
"""What the library calls the scorer of logs whose samples do not name theirs."""


class Log(NamedTuple):
    """What the records of a log have in common; `params` are the metadata keys that are params."""

    values: Mapping[str, Any]
    args: Mapping[str, Any]
    params: frozenset[str]
    scorers: tuple[tuple[str, str], ...]
    placeholder: str


def record_of(sample: Any, log: Log, place: str) -> Iterator[RawRecord | Fault | Remark]:
    """Yield the record of an EvalSample, or why there is none, and what is worth saying."""
    if sample.invalidation is not None:
        yield Fault(place, INVALIDATED)
        return
    result = _score(sample, log)
    if isinstance(result, str) and sample.error is None:
        yield Fault(place, result)
        return
    scored: dict[str, Any] = {} if isinstance(result, str) else result
    if sample.error is not None:
        scored |= {"outcome": "error", "explanation": sample.error.message}
    if len(sample.scores or {}) > 1 and scored.get("scorer"):
        yield Remark(CHOSEN, f"{scored['scorer']} (of {', '.join(sample.scores)})")
    reason = sample.output.stop_reason if sample.output.choices else None
    stop = {"finish_reason": reason, "truncated": STOPPED.get(reason or "")}
    if sample.limit is not None:
        stop["finish_reason"] = f"{sample.limit.type} limit"
        yield Remark(LIMITED, f"{sample.limit.type} limit")
    values = {
        **log.values,
        "params": {**log.args, **{key: sample.metadata[key] for key in log.params & sample.metadata.keys()}},
        "item_key": str(sample.id),
        "repeat": max(0, sample.epoch - 1),
        "reference": sample.target,
        "choices": len(sample.choices) if sample.choices and len(sample.choices) > 1 else None,
        **_texts(sample),
        **_tokens(sample, log.values["model"]),
        **stop,
        **scored,
    }
    yield RawRecord(place, values)


def _score(sample: Any, log: Log) -> dict[str, Any] | str:
    if not sample.scores:
        return NOT_SCORED
    scorer, key = choose(sample.scores, log.scorers)
    score = sample.scores[scorer]
    value = score.value.get(key) if key and isinstance(score.value, Mapping) else score.value
    verdict = judge(value)
    if verdict.fault:
        return verdict.fault
    values = {
        "scorer": f"{scorer}.{key}"
        if key
        else scorer
        if len(sample.scores) > 1
        else log.placeholder or scorer,
        "score": verdict.value,
        "answer": score.answer,
        "explanation": score.explanation,
    }
    if verdict.unscored:
        # The scorer failed, which is not the model's doing; Inspect leaves such samples out as well.
        values |= {
            "outcome": "error",
            "explanation": f"{NOT_SCORED}: {score.reason or score.explanation or ''}",
        }
    elif verdict.no_answer:
        values |= {"outcome": "invalid"}
    return values


def _name(scorer: str, key: str, log: Log) -> str:
    scorer = log.placeholder if scorer == PLACEHOLDER else scorer
    return f"{scorer}.{key}" if key else scorer


def _texts(sample: Any) -> dict[str, Any]:
    """Return prompt and response: the messages before the model's first, and all that the model wrote."""
    given = 1 if isinstance(sample.input, str) else len(sample.input)
    written = [
        number
        for number, message in enumerate(sample.messages)
        if message.role == "assistant"
        and (message.source == "generate" or (message.source is None and number >= given))
    ]
    attached = sample.attachments
    asked = sample.messages[: written[0]] if written else sample.messages
    if not asked and not isinstance(sample.input, str):
        asked = sample.input
    prompt = _dialogue(asked, attached) if asked else _resolved(sample.input, attached)
    answers = [_content(sample.messages[number], attached) for number in written]
    if not answers and sample.output.choices:
        answers = [_content(sample.output.choices[0].message, attached)]
    return {"prompt": prompt, "response": "\n\n".join(answers) if answers else None}


def _dialogue(messages: Any, attached: Mapping[str, str]) -> str:
    if len(messages) == 1:
        return _content(messages[0], attached)
    return "\n\n".join(f"[{message.role}]\n{_content(message, attached)}" for message in messages)


def _content(message: Any, attached: Mapping[str, str]) -> str:
    if isinstance(message.content, str):
        return _resolved(message.content, attached)
    return "\n".join(filter(None, (_part(part, attached) for part in message.content)))


def _part(part: Any, attached: Mapping[str, str]) -> str:
    if part.type == "text":
        return _resolved(part.text, attached)
    if part.type == "reasoning":
        # What is redacted is no text of the model but its provider's cipher.
        thought = (part.summary or "") if part.redacted else part.reasoning or part.summary or ""
        return f"<think>\n{_resolved(thought, attached)}\n</think>" if thought else ""
    return f"[{part.type}]"


def _resolved(text: str, attached: Mapping[str, str]) -> str:
    return attached.get(text[len(ATTACHMENT) :], text) if text.startswith(ATTACHMENT) else text


def _tokens(sample: Any, model: str) -> dict[str, Any]:
    turns = sum(message.role == "assistant" and message.source != "input" for message in sample.messages)
    usage = sample.output.usage
    if turns > 1 or usage is None:
        usage = sample.model_usage.get(model, usage)
    if usage is None:
        return {}
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return {
        "prompt_tokens": usage.input_tokens + cached,
        "completion_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        # A sum over several answers says nothing about the limit of one.
        **({"token_limit": None} if turns > 1 else {}),
    }
