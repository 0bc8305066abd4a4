"""Fetching the metadata of models, one after the other; what is there already is not asked for again."""

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from core.errors import ReasonScapeError
from core.hub.architecture import Architecture, parse_object, read_architecture, weight_bits
from core.hub.disk import CacheError, read_bytes, write_whole
from core.hub.estimate import estimate_parameters
from core.hub.failures import HubError, too_large
from core.hub.index import ModelEntry, Parameters, Source, Status, read_index, write_index
from core.hub.listing import (
    CONFIG,
    MOST_DOCUMENTS,
    README,
    TOKENIZER,
    Listing,
    RemoteFile,
    file_url,
    read_listing,
    wanted_files,
)
from core.hub.names import HubId, HubNameError, file_path, inside
from core.hub.request import Hub

MOST_BYTES = 10_000_000
"""Bytes of one file; Markdown and configs are a hundredth of it."""

EXPECTED = (README, CONFIG)
"""Files that a model's metadata are not complete without."""


class FetchError(ReasonScapeError):
    """Nothing can be fetched at all."""


@dataclass(frozen=True)
class Progress:
    """Where a run of fetching stands.

    Attributes
    ----------
    done, total
        Models.
    model
        The hf_id that was just done, None at the start.
    entry
        What is known of it now; None where its hf_id may not become a path.
    sentence
        What happened, for a person.
    """

    done: int
    total: int
    model: str | None
    entry: ModelEntry | None
    sentence: str


def fetch_models(
    hf_ids: Iterable[str],
    folder: Path,
    hub: Hub,
    *,
    refresh: bool = False,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Generator[Progress, None, None]:
    """Fetch what is missing of some models into a metadata folder.

    The index is written after every model, and every file is whole or absent, so that a run may end at any
    moment and the next one goes on from there. A model that fails does not keep the others from being tried.

    Parameters
    ----------
    hf_ids
        As the config has them.
    folder
        Gets `index.json`, and the files in `<org>/<name>/`.
    hub
        Whom to ask.
    refresh
        Ask again for models whose metadata are complete.
    tell
        Told which file is fetched next.

    Yields
    ------
    Progress
        At the start, and after every model.

    Raises
    ------
    FetchError
        The hub cannot be reached, or the folder is already being filled by someone else.
    CacheError
        The folder cannot be written.
    """
    wanted = list(dict.fromkeys(hf_ids))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Not of one thread: a run that is given up may be cleared away by another.
        with FileLock(folder / ".lock", timeout=0, thread_local=False):
            yield from _fetch_all(wanted, folder, hub, refresh=refresh, tell=tell)
    except Timeout:
        raise FetchError(f"{folder} is being filled by another run; wait until it has ended") from None
    except OSError as fault:
        raise CacheError(f"{folder} cannot be written: {fault.strerror or fault}") from fault


def _fetch_all(
    wanted: list[str], folder: Path, hub: Hub, *, refresh: bool, tell: Callable[[str], None]
) -> Iterator[Progress]:
    try:
        entries = read_index(folder)
    except CacheError:
        # Of no use as it is; the files are, and are found again.
        entries = {}
    yield Progress(0, len(wanted), None, None, f"{len(wanted):,} models")
    for done, hf_id in enumerate(wanted, 1):
        known = entries.get(hf_id)
        if known is not None and known.complete and not refresh:
            yield Progress(done, len(wanted), hf_id, known, f"{hf_id}: in the cache")
            continue
        try:
            model = HubId.parse(hf_id)
            inside(folder, model.folder)
        except HubNameError as fault:
            yield Progress(done, len(wanted), hf_id, None, str(fault))
            continue
        tell(f"{hf_id}: asking {hub.host}")
        try:
            entry = fetch_model(model, folder, hub, tell)
        except HubError as fault:
            if fault.kind == "unreachable":
                raise FetchError(str(fault)) from fault
            entry = _failed(model, fault, known)
        entries[hf_id] = entry
        write_index(folder, entries)
        yield Progress(done, len(wanted), hf_id, entry, _sentence(entry))


def fetch_model(
    model: HubId, folder: Path, hub: Hub, tell: Callable[[str], None] = lambda sentence: None
) -> ModelEntry:
    """Fetch a model's files and read what they say.

    Raises
    ------
    HubError
        The hub does not know the model, or cannot be asked.
    CacheError
        The folder cannot be written.
    """
    listing = read_listing(hub, model)
    home = folder / model.folder
    wanted, left = wanted_files(listing)
    present, missing = [], [name for name in EXPECTED if name not in {file.name for file in listing.files}]
    errors = [f"{left} Markdown files beyond {MOST_DOCUMENTS} were left out"] if left else []
    last: HubError | None = None
    failed = False
    for file in wanted:
        try:
            path = inside(home, file_path(file.name))
        except HubNameError as fault:
            errors.append(str(fault))
            missing.append(file.name)
            continue
        try:
            if not _is_there(path, file):
                # After one of these the other files would meet the same.
                if last is not None and last.kind in ("gated", "rate_limited", "unreachable"):
                    raise last
                tell(f"{model.text}: {file.name}")
                write_whole(path, _load(hub, model, file, listing.revision))
            present.append(file.name)
        except HubError as fault:
            errors += [] if fault is last else [str(fault)]
            # What an earlier run brought is still worth reading.
            (present if path.is_file() else missing).append(file.name)
            last, failed = fault, True
    config, faults = _read_objects(home, present)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    gated = last is not None and last.kind == "gated"
    status: Status = "incomplete" if missing or failed else "complete"
    return ModelEntry(
        model_id=model.text,
        output_dir=model.folder,
        status="gated" if gated else status,
        file_paths=tuple(f"{model.folder}/{name}" for name in present),
        missing_files=tuple(missing),
        fetch_errors=(*errors, *faults),
        cached_at=now,
        tried_at=now,
        revision=listing.revision,
        gated=listing.gated,
        license=listing.license,
        architecture=read_architecture(config[CONFIG], config[TOKENIZER]) if config else Architecture(),
        parameters=count_parameters(listing, config.get(CONFIG, {})),
    )


def count_parameters(listing: Listing, config: dict[str, Any]) -> Parameters:
    """Return a model's parameters: as the hub counted them, else estimated from the config.

    Weights packed into integers make the hub's count too small; then the config is believed.
    """
    estimate = estimate_parameters(config)
    counted: int | None = sum(listing.counted.values()) or None
    integers = any(kind.upper().startswith(("I", "U")) for kind in listing.counted)
    bits = weight_bits(config)
    if integers and bits is not None and bits < 8:
        counted = None
    total = counted or listing.gguf or (estimate.total if estimate else None)
    if total is None:
        return Parameters()
    source: Source = "safetensors" if counted else "gguf" if listing.gguf else "estimated"
    if estimate is None:
        return Parameters(total, source)
    return Parameters(total, source, estimate.active if estimate.active < estimate.total else total)


def _load(hub: Hub, model: HubId, file: RemoteFile, revision: str | None) -> bytes:
    if file.size is not None and file.size > MOST_BYTES:
        raise too_large(file.name, file.size, MOST_BYTES)
    data = hub.get(file_url(hub, model, file.name, revision), file.name, MOST_BYTES)
    if not _matches(data, file):
        raise HubError("connection", f"{file.name}: arrived damaged, not as the hub lists it; fetch again")
    return data


def _is_there(path: Path, file: RemoteFile) -> bool:
    """Whether a file of an earlier run is what the hub has now; unknown where the hub names no content."""
    if file.blob is None or not path.is_file():
        return False
    try:
        return _matches(read_bytes(path, MOST_BYTES), file)
    except CacheError:
        return False


def _matches(data: bytes, file: RemoteFile) -> bool:
    """Whether content has the size and git's name that the hub lists; what it does not list is no fault."""
    if file.size is not None and len(data) != file.size:
        return False
    # Large files are listed by the name of the pointer to them, which says nothing of the content.
    if file.blob is None or len(file.blob) != 40 or file.large:
        return True
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == file.blob


def _read_objects(home: Path, present: list[str]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the configs that could be read, by name, and what was wrong with the others."""
    if CONFIG not in present:
        return {}, []
    found: dict[str, dict[str, Any]] = {TOKENIZER: {}}
    faults = []
    for name in (CONFIG, TOKENIZER):
        if name in present:
            try:
                found[name] = parse_object(read_bytes(home / name, MOST_BYTES))
            except ValueError as fault:
                faults.append(f"{name}: not valid JSON: {fault}")
    return (found, faults) if CONFIG in found else ({}, faults)


def _failed(model: HubId, fault: HubError, known: ModelEntry | None) -> ModelEntry:
    """Return the entry of a model that the hub did not give: what was known of it stays known."""
    kinds: dict[str, Status] = {"gated": "gated", "not_found": "not_found"}
    return replace(
        known or ModelEntry(model.text, model.folder),
        status=kinds.get(fault.kind, "failed"),
        fetch_errors=(str(fault),),
        tried_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _sentence(entry: ModelEntry) -> str:
    if entry.complete:
        return f"{entry.model_id}: {len(entry.file_paths)} files"
    errors = "; ".join(entry.fetch_errors) or f"without {', '.join(entry.missing_files)}"
    return f"{entry.model_id}: {errors}"
