"""The cache of model metadata beside a config: what is in it, how old it is, and why something is missing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.config import DatasetConfig
from core.hub.disk import CacheError
from core.hub.index import ModelEntry, moment, read_index
from core.hub.names import INDEX, HubId, HubNameError
from core.tiers.words import listed

FOLDER = "metadata"
"""Name of the folder beside the config."""

STATUS_WORDS = {
    "complete": "complete",
    "incomplete": "incomplete",
    "gated": "gated",
    "not_found": "not found",
    "failed": "failed",
    "invalid": "not a name of the hub",
    "absent": "not fetched",
}
"""How a model's status is said."""

Mark = tuple[str, int, int] | None


@dataclass(frozen=True)
class Metadata:
    """What was fetched of models.

    Attributes
    ----------
    entries
        By hf_id.
    problem
        Why the cache cannot be read, "" where it can.
    """

    entries: Mapping[str, ModelEntry]
    problem: str = ""

    def status(self, hf_id: str) -> str:
        """Return the key of STATUS_WORDS of a model."""
        if hf_id in self.entries:
            return self.entries[hf_id].status
        try:
            HubId.parse(hf_id)
        except HubNameError:
            return "invalid"
        return "absent"

    def explain(self, hf_id: str) -> str:
        """Return why a model's metadata are not complete and what to do, "" where they are."""
        status = self.status(hf_id)
        if status == "complete":
            return ""
        if status == "invalid":
            try:
                HubId.parse(hf_id)
            except HubNameError as fault:
                return f"{fault}. Correct it in the config."
        if status == "absent":
            return f"{hf_id}: not fetched yet."
        entry = self.entries[hf_id]
        lacking = f"without {listed(entry.missing_files)}" if entry.missing_files else ""
        reasons = "; ".join(entry.fetch_errors[:3]) or lacking or "some files are missing"
        kept = (
            " What was fetched before is still used."
            if entry.cached_at and entry.cached_at != entry.tried_at
            else ""
        )
        return f"{hf_id}: {reasons.rstrip('.')}.{kept}"


def folder_of(config_path: Path) -> Path:
    """Return where the metadata of a config's models are, by default."""
    return config_path.parent / FOLDER


def mark_of(folder: Path) -> Mark:
    """Return what identifies the present state of a cache, None where there is none."""
    path = folder / INDEX
    try:
        stat = path.stat()
    except OSError:
        return None
    return str(path), stat.st_size, stat.st_mtime_ns


def read_metadata(folder: Path) -> Metadata:
    """Read a cache; one that cannot be read has a problem and no entries."""
    try:
        return Metadata(read_index(folder))
    except CacheError as fault:
        return Metadata({}, str(fault))


def hf_ids(config: DatasetConfig, evals: Iterable[int] | None = None) -> list[str]:
    """Return the models of evals (by default all), each once, in the order of the config."""
    chosen = range(len(config.evals)) if evals is None else evals
    return list(dict.fromkeys(one for e in chosen if (one := config.evals[e].hf_id)))


def age_sentence(metadata: Metadata, models: Iterable[str], now: datetime | None = None) -> str:
    """Return how old the cached metadata of models are, "" where none are."""
    present = now or datetime.now(UTC)
    entries = [metadata.entries[one] for one in models if one in metadata.entries]
    times = sorted(time for entry in entries if (time := moment(entry.cached_at)) is not None)
    if not times:
        return ""
    oldest, newest = (_ago(present, time) for time in (times[0], times[-1]))
    when = oldest if oldest == newest else f"between {oldest} and {newest}"
    return f"From the cache: fetched from the hub {when}."


def _ago(now: datetime, then: datetime) -> str:
    seconds = max(0.0, (now - then).total_seconds())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number:,} {unit}{'s' if number > 1 else ''} ago"
    return "just now"
