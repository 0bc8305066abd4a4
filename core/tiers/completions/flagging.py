"""Flagging completions by hand: the flag names the completion by what it is, see core.flags."""

from datetime import UTC, datetime
from pathlib import Path

from core.flags import NOTE_LENGTH, Flag, add_flag, canonical_params, flags_path, remove_flag
from core.tiers.completions.one import Completion


def flag_completion(config: Path, completion: Completion, note: str) -> None:
    """Flag a completion, or give its flag another note; the dataset must be opened again to see it.

    Raises
    ------
    DatasetError
        The flags cannot be read or written.
    """
    at = datetime.now(UTC).isoformat(timespec="seconds")
    add_flag(flags_path(config), _flag(completion, note.strip()[:NOTE_LENGTH], at))


def unflag_completion(config: Path, completion: Completion) -> None:
    """Take a completion's flag away; nothing where it has none. Raises DatasetError."""
    remove_flag(flags_path(config), _flag(completion, "", "").key)


def _flag(one: Completion, note: str, at: str) -> Flag:
    params = canonical_params(one.params)
    return Flag(
        one.model, one.template, one.sampler, one.base_task, params, one.item_key, one.repeat, note, at
    )
