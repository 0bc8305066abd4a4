"""Names from the config and from the hub that become paths: what is allowed, and where a file then lies."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.errors import ReasonScapeError

BARE = "_"
"""Folder of models that have no organisation: a name that no organisation can have."""

INDEX = "index.json"

MOST_DEPTH, LONGEST_PART, LONGEST_PATH = 4, 150, 300
"""Folders and file name together; bytes of one part; characters of all."""

_PART = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_NOT_IN_FILES = frozenset('<>:"|?*\\')


class HubNameError(ReasonScapeError):
    """A name that may not become a path."""


@dataclass(frozen=True)
class HubId:
    """A model's name on the hub: `org/name`, or a `name` of the hub's early days without organisation."""

    org: str
    name: str

    @classmethod
    def parse(cls, text: str) -> "HubId":
        """Read an hf_id.

        Raises
        ------
        HubNameError
            Not a name that the hub gives (letters, digits, `-`, `_`, `.`; at most 96 of them on either side),
            or one that no file system should hold.
        """
        org, slash, name = text.rpartition("/")
        parts = [org, name] if slash else [name]
        if not all(map(_is_hub_part, parts)) or org in (BARE, INDEX):
            raise HubNameError(
                f"hf_id {_shortened(text)} is no model name of the hub; valid: org/name of letters, digits,"
                " '-', '_' and '.', such as HuggingFaceTB/SmolLM2-135M-Instruct"
            )
        return cls(org, name)

    @property
    def text(self) -> str:
        """The hf_id."""
        return f"{self.org}/{self.name}" if self.org else self.name

    @property
    def folder(self) -> str:
        """Where its files are, relative to the metadata folder, with forward slashes."""
        return f"{self.org or BARE}/{self.name}"


def _is_hub_part(part: str) -> bool:
    return (
        _PART.fullmatch(part) is not None
        and "--" not in part
        and ".." not in part
        and not part.lower().endswith(".git")
        and _DEVICE.fullmatch(part) is None
    )


def file_path(name: str) -> PurePosixPath:
    """Return the path of a file in a repository, relative to the model's folder.

    Raises
    ------
    HubNameError
        It would leave the folder, or not every file system can hold it.
    """
    parts = name.split("/")
    if len(name) > LONGEST_PATH or len(parts) > MOST_DEPTH or not all(map(_is_file_part, parts)):
        raise HubNameError(f"file name {_shortened(name)} is refused: it may not become a path here")
    return PurePosixPath(*parts)


def _is_file_part(part: str) -> bool:
    return (
        part not in ("", ".", "..")
        and part.isprintable()
        and not _NOT_IN_FILES & set(part)
        and part[-1] not in " ."
        and _DEVICE.fullmatch(part) is None
        and len(part.encode()) <= LONGEST_PART
    )


def inside(root: Path, *parts: str | PurePosixPath) -> Path:
    """Return a path under a folder, links followed.

    Raises
    ------
    HubNameError
        A link leads out of the folder.
    """
    path = root.joinpath(*parts)
    if not path.resolve().is_relative_to(root.resolve()):
        raise HubNameError(f"{path} leads out of {root}; nothing is read or written there")
    return path


def _shortened(text: str) -> str:
    shown = repr(text)
    return shown if len(shown) <= 80 else f"{shown[:76]}...'"
