"""Names of evals made of what their sources say: labels, and samplers made of settings."""

import hashlib
from collections.abc import Iterable
from typing import Any

from core.importers.fields import NAME_LENGTH


def label_of(model: str) -> str:
    """Return the last part of a model's name: "gpt-4o" of "openai/gpt-4o"."""
    return model.rstrip("/").rsplit("/", 1)[-1] or model


def named(settings: Iterable[tuple[str, Any]]) -> str:
    """Return a name made of the settings that were made; "default" where there are none."""
    parts = [f"{name}={_plain(value)}" for name, value in settings if value is not None]
    text = ", ".join(parts) or "default"
    if len(text) <= NAME_LENGTH:
        return text
    return f"{text[: NAME_LENGTH - 20]}... {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _plain(value: Any) -> str:
    text = "|".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text.encode("unicode_escape").decode()


def settings_of(value: Any) -> dict[str, Any]:
    """Return settings that are an object, or a text such as "temperature=0.7,top_p=0.9"."""
    if isinstance(value, dict):
        return {str(key): one for key, one in value.items()}
    pairs = (part.partition("=") for part in value.split(",")) if isinstance(value, str) else ()
    return {key.strip(): one.strip() for key, sign, one in pairs if sign and key.strip()}
