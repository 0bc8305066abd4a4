"""From a request state of HELM to a record."""

from collections.abc import Mapping
from typing import Any

SPELLED = {"endoftext": "stop", "eos": "stop"}
UNKNOWN = ("unknown", "")


def values_of(state: Mapping[str, Any], score: float | None, extra: Mapping[str, float]) -> dict[str, Any]:
    """Return what a request state says of its completion.

    Parameters
    ----------
    state : dict
        The request state.
    score : float or None
        The metric of its instance.
    extra : dict
        The other statistics of the instance.
    """
    request, result = _object(state.get("request")), _object(state.get("result"))
    completion = _first(result.get("completions"))
    text = completion.get("text")
    values: dict[str, Any] = {
        "prompt": request.get("prompt") or request.get("messages"),
        "response": _response(completion),
        "score": score,
        "token_limit": _positive(request.get("max_tokens")),
        "completion_tokens": _tokens(completion, extra),
        "prompt_tokens": _positive(extra.get("num_prompt_tokens")),
        **_stop(completion),
        **_answer(state, text),
    }
    if result.get("success") is False:
        values |= {"outcome": "error", "explanation": result.get("error")}
    return values


def item_of(instance: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an instance is: its references and how many there are to choose from."""
    references = [one for one in instance.get("references") or [] if isinstance(one, dict)]
    tagged = [one for one in references if "correct" in (one.get("tags") or ())]
    texts = [_object(one.get("output")).get("text") for one in tagged]
    right = "; ".join(text for text in texts if isinstance(text, str) and text)
    return {"reference": right or None, "options": len(references)}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(value: Any) -> dict[str, Any]:
    return _object(value[0]) if isinstance(value, list) and value else {}


def _positive(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _response(completion: Mapping[str, Any]) -> str | None:
    text = completion.get("text")
    if not isinstance(text, str):
        return None
    thought = _object(completion.get("thinking")).get("text")
    return f"<think>\n{thought}\n</think>\n{text}" if isinstance(thought, str) and thought else text


def _tokens(completion: Mapping[str, Any], extra: Mapping[str, float]) -> int | None:
    tokens = completion.get("tokens")
    # Clients without access to tokens give none, or the whole text as one.
    if isinstance(tokens, list) and len(tokens) > 1:
        return len(tokens)
    return _positive(extra.get("num_output_tokens") or extra.get("num_completion_tokens"))


def _stop(completion: Mapping[str, Any]) -> dict[str, Any]:
    reason = _object(completion.get("finish_reason")).get("reason")
    reason = reason.lower() if isinstance(reason, str) else ""
    return {} if reason in UNKNOWN else {"finish_reason": SPELLED.get(reason, reason)}


def _answer(state: Mapping[str, Any], text: Any) -> dict[str, Any]:
    """Return the option that a letter stands for; a text that is none of the letters cannot be read."""
    mapping = state.get("output_mapping")
    if not isinstance(mapping, dict) or not mapping or not isinstance(text, str):
        return {}
    return {"answer": mapping.get(text.strip(), ""), "choices": len(mapping) if len(mapping) > 1 else None}
