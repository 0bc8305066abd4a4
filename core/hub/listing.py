"""What the hub says of a model before any file is fetched: files, license, gate, counted parameters."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from huggingface_hub import hf_hub_url

from core.hub.architecture import whole
from core.hub.failures import HubError
from core.hub.names import HubId
from core.hub.request import Hub

MOST_BYTES = 20_000_000
"""Bytes of a listing: repositories may have tens of thousands of files."""

CONFIG, TOKENIZER, README, RECIPE = "config.json", "tokenizer_config.json", "README.md", "recipe.yaml"
MOST_DOCUMENTS = 40
"""Markdown files taken of one model, the shallowest first."""


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository.

    Attributes
    ----------
    size, blob
        Bytes, and git's name of its content; None where the hub is silent.
    large
        Whether git holds a pointer in its place, so that `blob` is not of its content.
    """

    name: str
    size: int | None
    blob: str | None
    large: bool = False


@dataclass(frozen=True)
class Listing:
    """What the hub says of a model.

    Attributes
    ----------
    revision
        The commit, None where the hub is silent.
    gated
        Whether its files need accepted terms.
    license
        The license that the model card names.
    counted
        Elements per data type that the hub counted in the safetensors files; empty where it did not.
    gguf
        Parameters that the hub counted in a GGUF file.
    """

    files: tuple[RemoteFile, ...]
    revision: str | None
    gated: bool
    license: str | None
    counted: Mapping[str, int]
    gguf: int | None


def read_listing(hub: Hub, model: HubId) -> Listing:
    """Ask the hub about a model. Raises HubError."""
    url = f"{hub.endpoint}/api/models/{quote(model.text)}"
    # With blobs the hub adds sizes, so that a file too large is refused before it is asked for.
    data = hub.get(url, model.text, MOST_BYTES, {"blobs": "true"})
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise HubError("unexpected", f"{model.text}: {hub.host} did not answer as the hub does")
    safetensors, gguf = _object(document.get("safetensors")), _object(document.get("gguf"))
    return Listing(
        files=tuple(_files(document.get("siblings"))),
        revision=_text(document.get("sha")),
        gated=document.get("gated") not in (None, False),
        license=_license(document),
        counted={
            kind: count
            for kind, one in _object(safetensors.get("parameters")).items()
            if (count := whole(one)) is not None
        },
        gguf=whole(gguf.get("total")),
    )


def file_url(hub: Hub, model: HubId, name: str, revision: str | None) -> str:
    """Return the address of a file."""
    return hf_hub_url(model.text, name, revision=revision, endpoint=hub.endpoint)


def wanted_files(listing: Listing) -> tuple[list[RemoteFile], int]:
    """Return the files that are fetched, and how many Markdown files beyond MOST_DOCUMENTS are not.

    The README comes first: the hub may give it where the rest is gated.
    """
    known = {file.name: file for file in listing.files}
    documents = sorted(
        (file for file in known.values() if file.name.lower().endswith(".md")),
        key=lambda file: (file.name != README, file.name.count("/"), file.name),
    )
    first = [known[name] for name in (README, CONFIG, RECIPE, TOKENIZER) if name in known]
    taken = documents[:MOST_DOCUMENTS]
    return list(dict.fromkeys([*first, *taken])), len(documents) - len(taken)


def _files(siblings: Any) -> list[RemoteFile]:
    entries = [_object(one) for one in siblings] if isinstance(siblings, list) else []
    return [
        RemoteFile(name, _size(one.get("size")), _text(one.get("blobId")), bool(one.get("lfs")))
        for one in entries
        if (name := _text(one.get("rfilename"))) is not None
    ]


def _size(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _license(document: Mapping[str, Any]) -> str | None:
    card = _object(document.get("cardData"))
    given = card.get("license")
    if isinstance(given, list):
        given = ", ".join(one for one in given if isinstance(one, str))
    if given == "other":
        given = card.get("license_name") or given
    if _text(given):
        return _text(given)
    tags = document.get("tags")
    named = (tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    return next((tag.removeprefix("license:") for tag in named if tag.startswith("license:")), None)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value[:300] if isinstance(value, str) and value.strip() else None
