"""Where the results to import are: a path on this machine, or files that the browser uploads."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import SourceError
from core.ui import imports_place, states
from core.ui.wording import count, listed
from core.uploads import LIMITS, store_upload

UPLOAD, PATH = "Upload files", "Path on this machine"

FORMATS = """\
- **Inspect** logs (`.eval`, `.json`), **lm-evaluation-harness** output folders, **LightEval** details,
  **HELM** run folders, **Reasoning Gym** results: recognised by content, a folder may mix them.
- Any **CSV, Parquet or JSON Lines** table with one completion per row: where its columns are not called
  as the importer expects, a form asks which is which.
- A **.zip** of any of these.

Each completion needs a model, a task, and whether it was right (a score or an outcome). Everything else is
optional, and pages say what they miss."""

_PLACE, _IDS, _FAULTS, _TURN = "_upload_place", "_upload_ids", "_upload_faults", "_upload_turn"


@dataclass(frozen=True)
class Chosen:
    """Sources as the importer takes them, what the page calls them, and the folder of an upload."""

    sources: tuple[Path, ...]
    shown: str
    place: Path | None = None

    def name_of(self, path: Path) -> str:
        """Return what the page calls a file: its path within the sources."""
        for source in self.sources:
            if path != source and path.is_relative_to(source):
                return str(path.relative_to(source))
        return path.name


def choose(data: Path) -> Chosen | None:
    """Show the choice, and return what was chosen; None where that is nothing yet, or cannot be used."""
    how = st.segmented_control(
        "Where are the results?",
        (UPLOAD, PATH),
        default=UPLOAD,
        required=True,
        key="imports_how",
        persist_state="session",
    )
    return _path() if how == PATH else _upload(data)


def forget() -> None:
    """Start over with an empty form: what was uploaded belongs to an import from now on (in a callback)."""
    for key in (_PLACE, _IDS, _FAULTS):
        st.session_state.pop(key, None)
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    st.session_state["imports_path"] = ""


def _path() -> Chosen | None:
    text = st.text_input(
        "File or folder",
        key="imports_path",
        persist_state="session",
        placeholder="/home/me/results",
        help="A folder is taken with all below it, hidden files apart; formats may be mixed.",
    )
    if not (text or "").strip():
        return None
    try:
        path = checked_path(text or "")
    except SourceError as fault:
        states.error(fault)
        return None
    return Chosen((path,), str(path))


def checked_path(text: str) -> Path:
    """Return the path that a text names.

    Raises
    ------
    SourceError
        There is nothing; the message names what stands in the nearest folder that there is.
    """
    path = Path(text.strip().strip("'\"")).expanduser()
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, PermissionError):
            raise SourceError(f"{path} cannot be read: permission denied") from None
    message = f"Not found: {path}"
    try:
        folder = next(parent for parent in path.absolute().parents if parent.is_dir())
        beside = sorted(one.name for one in folder.iterdir() if not one.name.startswith("."))
        message += f"; {folder} holds {listed(beside, 8) or 'nothing'}"
    except (OSError, StopIteration, ValueError):
        pass
    raise SourceError(message)


def _upload(data: Path) -> Chosen | None:
    files = st.file_uploader(
        "Result files",
        accept_multiple_files=True,
        key=f"imports_upload {st.session_state.get(_TURN, 0)}",
        help=f"At most {LIMITS.upload // 1024**2} MB each. A .zip is unpacked: its folders count, as on disk."
        " For more, give a path. Uploads are removed after the import.",
    )
    if not files:
        _drop()
        return None
    ids = tuple(str(file.file_id) for file in files)
    if st.session_state.get(_IDS) != ids:
        with st.spinner("Storing the upload …"):
            _store(data, files, ids)
    for fault in st.session_state[_FAULTS]:
        states.error(fault)
    place: Path = st.session_state[_PLACE]
    imports_place.keep(place)
    folder = place / imports_place.FILES
    if not folder.is_dir() or not any(folder.iterdir()):
        return None
    shown = files[0].name if len(files) == 1 else count(len(files), "file")
    return Chosen((folder,), shown, place)


def _store(data: Path, files: Sequence[Any], ids: tuple[str, ...]) -> None:
    _drop()
    place = imports_place.new_place(data)
    faults = []
    for file in files:
        file.seek(0)
        try:
            store_upload(file, file.name, place / imports_place.FILES)
        except SourceError as fault:
            faults.append(str(fault))
    st.session_state[_PLACE], st.session_state[_IDS], st.session_state[_FAULTS] = place, ids, faults


def _drop() -> None:
    """Remove an upload that is not imported after all."""
    place = st.session_state.pop(_PLACE, None)
    st.session_state.pop(_IDS, None)
    if place is not None:
        imports_place.remove(place)
