"""The files of a model as text: a README is written by others, so nothing in it is rendered or loaded."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import streamlit as st

from core.errors import ReasonScapeError
from core.export import safe
from core.hub.disk import read_bytes
from core.hub.index import ModelEntry
from core.hub.names import file_path, inside
from core.tiers.completions.text import visible
from core.ui import states
from core.ui.wording import count, escape

LONGEST = 60_000
"""Characters shown; the download has all of them."""

LANGUAGES = {".md": "markdown", ".json": "json", ".yaml": "yaml"}


def show(entries: Mapping[str, ModelEntry], folder: Path) -> None:
    """Show a model's files, one at a time; nothing where there is none."""
    offered = {model: files for model, entry in entries.items() if (files := files_of(entry))}
    if not offered:
        return
    st.subheader("What the makers say")
    with st.container(horizontal=True):
        model = st.selectbox("Model", list(offered), key="read_model", bind="query-params", width=360)
        files = offered[model or next(iter(offered))]
        # Another model is another choice of files.
        name = st.selectbox("File", files, key=f"read_file {model}", width=260)
    try:
        content = read_bytes(inside(folder, entries[model].output_dir, file_path(name)))
    except ReasonScapeError as fault:
        states.error(f"{fault}.")
        return
    text, hidden = visible(content.decode("utf-8", "replace"))
    facts = [f"{len(content):,} bytes, shown as text: nothing in it is run or loaded"]
    if len(text) > LONGEST:
        facts.append(f"the first {LONGEST:,} of {len(text):,} characters")
    if hidden:
        facts.append(f"{count(hidden, 'hidden character')} written out")
    st.caption(escape(f"{'; '.join(facts)}."))
    st.code(
        text[:LONGEST] or " ",
        language=LANGUAGES.get(PurePosixPath(name).suffix.lower()),
        wrap_lines=True,
        # A short file needs no window of its own.
        height=480 if text.count("\n") > 15 or len(text) > 500 else "content",
    )
    st.download_button(
        "Download file",
        data=content,
        file_name=safe(f"{model}_{name}"),
        mime="text/plain",
        key=f"download {model} {name}",
        on_click="ignore",
        icon=":material/download:",
    )


def files_of(entry: ModelEntry) -> list[str]:
    """Return the names of a model's cached files, the README first; what may not be a path is left out."""
    names = []
    for path in entry.file_paths:
        name = path.removeprefix(f"{entry.output_dir}/")
        try:
            file_path(name)
        except ReasonScapeError:
            continue
        names.append(name)
    return sorted(names, key=lambda name: (name != "README.md", name))
