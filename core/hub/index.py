"""index.json: what is known of every model that was asked for, keyed by hf_id."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from core.hub.architecture import Architecture
from core.hub.disk import CacheError, read_bytes, write_whole
from core.hub.names import INDEX

Status = Literal["complete", "incomplete", "gated", "not_found", "failed"]
Source = Literal["safetensors", "gguf", "estimated"]

LARGEST = 50_000_000


@dataclass(frozen=True)
class Parameters:
    """How many parameters a model has, and where the numbers come from; None where nobody says.

    Attributes
    ----------
    total
        All of them.
    source
        safetensors or gguf: counted by the hub in the files. estimated: from config.json.
    active
        Those that a token passes through, of a mixture of experts always estimated.
    """

    total: int | None = None
    source: Source | None = None
    active: int | None = None


@dataclass(frozen=True)
class ModelEntry:
    """What is known of a model.

    Attributes
    ----------
    model_id
        The hf_id.
    output_dir
        The folder of its files, relative to that of index.json.
    status
        complete; incomplete (some files are missing); gated, not_found or failed (nothing came).
    file_paths
        The files in the cache, relative to the folder of index.json.
    missing_files
        README.md and config.json where the repository has none, and files that could not be fetched.
    fetch_errors
        What went wrong, one sentence each.
    cached_at
        When it last came from the hub, ISO 8601 in UTC; None where it never did.
    tried_at
        When the hub was last asked.
    revision
        The commit of the files.
    gated
        Whether the hub wants terms accepted.
    """

    model_id: str
    output_dir: str
    status: Status = "failed"
    file_paths: tuple[str, ...] = ()
    missing_files: tuple[str, ...] = ()
    fetch_errors: tuple[str, ...] = ()
    cached_at: str | None = None
    tried_at: str | None = None
    revision: str | None = None
    gated: bool | None = None
    license: str | None = None
    architecture: Architecture = field(default_factory=Architecture)
    parameters: Parameters = field(default_factory=Parameters)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to fetch."""
        return self.status == "complete"


def entry_document(entry: ModelEntry) -> dict[str, Any]:
    """Return an entry as it stands in index.json: one flat object."""
    document = asdict(entry)
    parts = [document.pop("architecture"), document.pop("parameters")]
    counts = parts[1]
    return {
        "model_id": document.pop("model_id"),
        "output_dir": document.pop("output_dir"),
        "metadata_complete": entry.complete,
        **document,
        **parts[0],
        "parameters": counts["total"],
        "parameters_source": counts["source"],
        "active_parameters": counts["active"],
    }


def read_entry(model_id: str, document: Mapping[str, Any]) -> ModelEntry:
    """Read an entry; what is of the wrong type counts as absent."""
    known = {one.name: _of_type(document.get(one.name), str(one.type)) for one in fields(Architecture)}
    return ModelEntry(
        model_id=model_id,
        output_dir=_text(document.get("output_dir")) or "",
        status=document["status"] if document.get("status") in get_args(Status) else "incomplete",
        file_paths=_texts(document.get("file_paths")),
        missing_files=_texts(document.get("missing_files")),
        fetch_errors=_texts(document.get("fetch_errors")),
        cached_at=_moment(document.get("cached_at")),
        tried_at=_moment(document.get("tried_at")),
        revision=_text(document.get("revision")),
        gated=_of_type(document.get("gated"), "bool"),
        license=_text(document.get("license")),
        architecture=Architecture(**known),
        parameters=Parameters(
            total=_of_type(document.get("parameters"), "int"),
            source=source if (source := document.get("parameters_source")) in get_args(Source) else None,
            active=_of_type(document.get("active_parameters"), "int"),
        ),
    )


def read_index(folder: Path) -> dict[str, ModelEntry]:
    """Return the entries of a metadata folder by hf_id; none where nothing was fetched yet.

    Raises
    ------
    CacheError
        index.json cannot be read.
    """
    path = folder / INDEX
    if not path.exists():
        return {}
    try:
        document = json.loads(read_bytes(path, LARGEST).decode("utf-8-sig"))
    except (ValueError, RecursionError) as fault:
        raise CacheError(f"{path} is not valid JSON ({fault}); delete it and fetch again") from fault
    if not isinstance(document, dict):
        raise CacheError(f"{path} is not a JSON object; delete it and fetch again")
    return {name: read_entry(name, one) for name, one in document.items() if isinstance(one, dict)}


def write_index(folder: Path, entries: Mapping[str, ModelEntry]) -> None:
    """Write index.json, sorted by hf_id. Raises CacheError."""
    document = {name: entry_document(entries[name]) for name in sorted(entries)}
    write_whole(folder / INDEX, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode())


def moment(text: str | None) -> datetime | None:
    """Return a time of the index."""
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)


def _moment(value: Any) -> str | None:
    try:
        return value if isinstance(value, str) and datetime.fromisoformat(value) else None
    except ValueError:
        return None


def _of_type(value: Any, kind: str) -> Any:
    if "bool" in kind:
        return value if isinstance(value, bool) else None
    if "int" in kind:
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return int(value) if number and value > 0 else None
    return _text(value)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
