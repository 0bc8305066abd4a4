"""The datasets of the data folder: finding, choosing and opening them, and noticing that one was rebuilt."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.errors import DatasetError
from core.store.dataset import Dataset, Fingerprint, fingerprint, open_dataset
from core.ui.wording import escape

KEY = "dataset"
"""Name of the picker in the session and in the address."""


class NoDatasetsError(DatasetError):
    """The data folder has no dataset."""


LARGEST_CONFIG = 50_000_000
"""Bytes; a larger JSON file in the data folder is not looked into."""


def data_folder(arguments: list[str] | None = None) -> Path:
    """Return the folder named by `--data`, by default `data`: `streamlit run app.py -- --data DIR`."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data", type=Path, default=Path("data"))
    known, _ = parser.parse_known_args(sys.argv[1:] if arguments is None else arguments)
    return Path(known.data)


def find_configs(folder: Path) -> dict[str, Path]:
    """Return the dataset configs directly in a folder, by name.

    A file that is no JSON counts where a database of its name stands beside it: it is a config with a fault.

    Raises
    ------
    DatasetError
        The folder is absent or cannot be read.
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except FileNotFoundError:
        raise DatasetError(f"Data folder not found: {folder}; make it, or start with --data DIR") from None
    except OSError as fault:
        raise DatasetError(f"The data folder cannot be read: {folder}: {fault.strerror}") from fault
    found = {}
    for path in files:
        try:
            # A link may point anywhere; only what lies under the folder is opened.
            inside = path.resolve().is_relative_to(folder.resolve())
            stat = path.stat()
        except OSError:
            continue
        if inside and stat.st_size <= LARGEST_CONFIG and _is_config(path, stat.st_size, stat.st_mtime_ns):
            found[path.stem] = path
    return found


@st.cache_data(show_spinner=False, max_entries=500)
def _is_config(path: Path, size: int, mtime_ns: int) -> bool:
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return path.with_suffix(".duckdb").exists()
    return isinstance(document, dict) and "db" in document


def pick(folder: Path, on_change: Callable[[], None]) -> Dataset:
    """Show the picker and return the chosen dataset, opened.

    Parameters
    ----------
    folder : Path
        The data folder: only what lies under it is opened.
    on_change : callable
        Called when another dataset is chosen, before the page runs.

    Raises
    ------
    NoDatasetsError
        The folder has none.
    ConfigError, DatasetError
        The folder, or the chosen one, cannot be read.
    """
    configs = find_configs(folder)
    if not configs:
        raise NoDatasetsError(f"No dataset in {folder}")
    # The user's own results open before the demo; an index of their own would be another default once the
    # session has a value, and what is chosen would fall out of the address.
    names = sorted(configs, key=lambda name: name == "demo")
    asked = st.query_params.get(KEY)
    with st.sidebar:
        chosen = st.selectbox(
            "Dataset",
            names,
            key=KEY,
            bind="query-params",
            on_change=on_change,
            help="Dataset configs found in the data folder. The Import page makes more.",
        )
        if asked and asked not in configs:
            words = f"The address names a dataset that is not here: {escape(asked)}"
            st.warning(words, icon=":material/link_off:")
    return _open(configs[chosen or names[0]], folder)


def _open(config_path: Path, folder: Path) -> Dataset:
    try:
        mark = fingerprint(config_path, folder)
        dataset = opened(config_path, folder, mark)
    except OSError as fault:
        raise DatasetError(f"The dataset {config_path.name} cannot be read: {fault}") from fault
    before = _last_opened().get((config_path, folder))
    _last_opened()[config_path, folder] = mark
    if before not in (None, mark):
        # The file of a replaced database takes its place on the disk for as long as somebody has it open.
        opened.clear(config_path, folder, before)
    return dataset


@st.cache_resource(show_spinner=False)
def _last_opened() -> dict[tuple[Path, Path], Fingerprint]:
    """Return the state in which each dataset was opened last."""
    return {}


def _usable(dataset: Dataset) -> bool:
    return not dataset.broken


# Entries that are no longer needed are dropped, not closed: another run may still be reading from one, and
# the connection closes itself with the last reference to it.
@st.cache_resource(show_spinner="Opening the dataset …", max_entries=6, validate=_usable)
def opened(config_path: Path, folder: Path, mark: Fingerprint) -> Dataset:
    """Return a dataset, opened once per state of its files."""
    return open_dataset(config_path, folder)
