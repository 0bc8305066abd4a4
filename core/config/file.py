"""The config file: read with its faults explained, written so that it is whole at any moment."""

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.config.entries import DatasetConfig
from core.errors import ConfigError
from core.whole_file import write_whole


def lock_path(config_path: Path) -> Path:
    """Return the lock file of the dataset that a config describes: who changes either holds it."""
    return config_path.with_name(f"{config_path.name.removesuffix('.json')}.lock")


def load_config(path: Path) -> DatasetConfig:
    """Read and validate a dataset config.

    Raises
    ------
    ConfigError
        The file is absent, is not JSON, or does not fit; the message names the file, the place inside
        the JSON, what is wrong and what is valid.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"Config not found: {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Config cannot be read: {path}: {error}") from error
    return read_config(text, path)


def read_config(text: str, path: Path) -> DatasetConfig:
    """Validate the text of a config; errors name the path.

    Raises
    ------
    ConfigError
        It is not JSON, or does not fit.
    """
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"Config is not valid JSON: {path}: {error}") from error
    if not isinstance(document, dict):
        raise ConfigError(f"Config {path} must be a JSON object, not {type(document).__name__}")
    if not document.get("db"):
        raise ConfigError("Config must specify 'db' path")
    document.setdefault("name", path.stem)
    try:
        return DatasetConfig.model_validate(document)
    except ValidationError as error:
        raise ConfigError(_explain(path, document, error)) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _explain(path: Path, document: dict[str, Any], error: ValidationError) -> str:
    faults: dict[tuple[int | str, ...], list[str]] = {}
    given: dict[tuple[int | str, ...], str] = {}
    for fault in error.errors():
        place = _place(document, fault["loc"], lacking=fault["type"] == "missing")
        faults.setdefault(place, []).append(fault["msg"].removeprefix("Value error, "))
        given[place] = "" if fault["type"] == "missing" else f"; given: {_short(fault['input'])}"
    # Where a part of a value is at fault, that the whole could have been of another type is no news.
    places = [one for one in faults if not any(one == other[: len(one)] for other in faults if one != other)]
    lines = [
        f"{'.'.join(map(str, place)) or '(top)'}: {_either(faults[place])}{given[place]}"
        for place in places[:5]
    ]
    more = len(places) - len(lines)
    return f"Config {path} is not valid: " + "; ".join(lines) + (f"; and {more} more" if more > 0 else "")


def _place(document: Any, steps: tuple[int | str, ...], *, lacking: bool) -> tuple[int | str, ...]:
    """Return the steps that lead into the document; pydantic also names the types that it tried."""
    place: list[int | str] = []
    value = document
    for step in steps:
        inside = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if step in inside:
            value = value[step]
            place.append(step)
    return (*place, steps[-1]) if lacking else tuple(place)


def _either(messages: list[str]) -> str:
    first, *others = dict.fromkeys(messages)
    return " or ".join([first, *(other.removeprefix("Input should be ") for other in others)])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def dump_config(config: DatasetConfig) -> str:
    """Return a config as the text of its file: only what was set, unknown keys included."""
    document = config.model_dump(mode="json", exclude_unset=True)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def save_config(config: DatasetConfig, path: Path) -> None:
    """Write a config so that at any moment the file is either the old or the new one, whole."""
    write_whole(path, dump_config(config).encode())
