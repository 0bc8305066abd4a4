"""What the user says about sources: a mapping file, and fields set by hand."""

import json
from collections.abc import Mapping
from pathlib import Path

from core.errors import SourceError
from core.importers.fields import Unusable
from core.importers.fields import name as checked_name
from core.importers.record import FIELDS, OVERRIDABLE, PARAM_PREFIX


def read_mapping(path: Path | None) -> dict[str, str]:
    """Read a mapping file: a JSON object of our field names to the source's column names."""
    if path is None:
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(f"The mapping file cannot be read: {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"The mapping file is not valid JSON: {path}: {error}") from error
    if not isinstance(document, dict) or not all(isinstance(value, str) for value in document.values()):
        raise SourceError(
            f'The mapping file must be a JSON object such as {{"model": "their column"}}: {path}'
        )
    unknown = [key for key in document if key not in FIELDS and not key.startswith(PARAM_PREFIX)]
    if unknown:
        raise SourceError(
            f"The mapping file {path} names unknown fields: {', '.join(unknown)}; valid:"
            f" {', '.join(sorted(FIELDS))}, {PARAM_PREFIX}<name>"
        )
    return document


def checked_overrides(overrides: Mapping[str, str]) -> dict[str, str]:
    """Return overrides whose fields exist and whose values are names."""
    for key, value in overrides.items():
        if key not in OVERRIDABLE:
            raise SourceError(f"--set cannot change {key!r}; valid: {', '.join(OVERRIDABLE)}")
        try:
            usable = checked_name(value, key)
        except Unusable as error:
            raise SourceError(f"--set {key}: {error}") from error
        if usable is None:
            raise SourceError(f"--set {key}: no value")
    return dict(overrides)


def checked_tasks(tasks: Mapping[str, str]) -> dict[str, str]:
    """Return the names that `--task` gives to a source's tasks, all of them usable."""
    for theirs, ours in tasks.items():
        try:
            usable = checked_name(ours, "base_task")
        except Unusable as error:
            raise SourceError(f"--task {theirs}: {error}") from error
        if usable is None:
            raise SourceError(f"--task {theirs}: no name")
    return dict(tasks)
