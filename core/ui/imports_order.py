"""What an import is to do: dataset, values for all records, the plan, and the button that starts it."""

import re
import shlex
from collections.abc import Container, Mapping
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.config import NAME_PATTERN, load_config
from core.errors import ConfigError, ReasonScapeError
from core.importers.record import OVERRIDABLE
from core.importers.user_options import checked_overrides
from core.ui import imports_look, imports_place, imports_preview, imports_run, imports_source, states
from core.ui.imports_look import Look, Preplan
from core.ui.imports_preview import Marks, Said
from core.ui.imports_run import Order
from core.ui.imports_source import Chosen
from core.ui.wording import count, escape

PLANNED, PLANNED_FILES = 2_000_000_000, 300
"""Bytes and files of sources up to which the plan is made without being asked: it reads them all."""

SEVERAL = ("inspect", "lm_eval", "lighteval", "helm")
"""Formats whose completions may have several scores."""

SET_LABELS = {
    "model": "Model",
    "template": "Template",
    "sampler": "Sampler",
    "label": "Label",
    "hf_id": "Hugging Face id",
    "groups": "Groups",
    "base_task": "Task",
    "category": "Category",
}


def name_for(shown: str) -> str:
    """Return a dataset name made of what the sources are called."""
    stem = Path(shown).name
    for ending in (".gz", ".zst", ".zip", ".jsonl", ".json", ".csv", ".tsv", ".parquet", ".eval", ".ndjson"):
        stem = stem.removesuffix(ending)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:60]
    return name if NAME_PATTERN.fullmatch(name) and not name[0].isdigit() else f"results-{name}".rstrip("-")


def name_problem(name: str, data: Path) -> str:
    """Return why a dataset cannot have a name, "" where it can."""
    if not NAME_PATTERN.fullmatch(name):
        return "A name has letters, digits, '.', '_' and '-', at most 100, and begins with a letter or digit."
    config = data / f"{name}.json"
    if config.exists():
        try:
            load_config(config)
        except ConfigError as fault:
            return f"{config.name} stands in the data folder and is no dataset config: {fault}"
    return ""


def ask_name(chosen: Chosen, data: Path) -> str | None:
    """Ask for the dataset, and say what will become of it; None where the name cannot be used."""
    name = st.text_input(
        "Dataset",
        value=name_for(chosen.shown),
        # Another source suggests another name.
        key=f"imports_name {chosen.shown}",
        help="A new dataset, or one that is there: then the results are added to it.",
        max_chars=100,
        width=360,
    )
    name = (name or "").strip()
    if problem := name_problem(name, data):
        states.error(problem)
        return None
    config = data / f"{name}.json"
    if config.exists():
        evals = count(len(load_config(config).evals), "eval")
        st.caption(f"Adds to the dataset {escape(name)}, which has {evals}; its config is only appended to.")
    else:
        st.caption(f"Makes the dataset {escape(name)}.")
    return name


def ask_values(fixed: Mapping[str, str]) -> dict[str, str] | None:
    """Ask for fields that get one value in all records; None where one cannot be used.

    Parameters
    ----------
    fixed
        Those that the mapping form has asked for.
    """
    values = dict(fixed)
    with st.expander("One value for all records", icon=":material/edit:", key="imports_set"):
        st.caption("Overrides what the source says: two runs of one model stay apart under two names.")
        with st.container(horizontal=True, gap="small"):
            for name in OVERRIDABLE:
                if name in fixed:
                    continue
                label = SET_LABELS.get(name, name)
                text = st.text_input(
                    label, key=f"imports_set {name}", width=200, placeholder="As in the source"
                )
                if (text or "").strip():
                    values[name] = (text or "").strip()
    try:
        return checked_overrides(values)
    except ReasonScapeError as fault:
        states.error(fault)
        return None


@st.cache_data(show_spinner="Comparing with what is there …", max_entries=8, ttl=60)
def plan(
    marks: Marks,
    config: Path,
    state: tuple[int, ...],
    format: str | None,
    said: Said,
) -> Preplan:
    """Return what an import would do; `state` tells one state of the dataset from another."""
    sources = [Path(path) for path, _, _ in marks]
    return imports_look.plan(sources, config, format=format, options=said.options)


def ask_scores(formats: Container[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ask which score, and which answer filter, to take where a source has several."""
    if not any(name in formats for name in SEVERAL):
        return (), ()
    with st.expander("Which score", icon=":material/rule:", key="imports_scores"):
        st.caption("Where a completion has several scores, the source's headline or first one is taken.")
        with st.container(horizontal=True, gap="small"):
            scorer = st.text_input(
                "Scorer or metric", key="imports_scorer", placeholder="As in the source", width=300,
                help="Several with commas between: the first that is there.",
            )  # fmt: skip
            answers = ""
            if "lm_eval" in formats:
                answers = st.text_input(
                    "Answer filter", key="imports_filter", placeholder="The first", width=300
                )
    return _parts(scorer), _parts(answers)


def _parts(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def show_plan(order: Order, chosen: Chosen, data: Path, looked: Look) -> None:
    """Say what will become of the files."""
    size = sum(file.size for file in looked.files)
    large = size > PLANNED or len(looked.recognised) > PLANNED_FILES
    config, database = data / f"{order.name}.json", data / f"{order.name}.duckdb"
    if large and not st.toggle("Make the plan", key="imports_plan", help="Reads all files once."):
        return
    state = tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in (config, database))
    try:
        made = plan(
            imports_preview.marks_of([Path(source) for source in order.sources]),
            config,
            state,
            order.format,
            imports_preview.said_of(order),
        )
    except ReasonScapeError as fault:
        states.error(fault)
        return
    st.markdown(f"**Plan: {escape(plan_words(made))}.**")
    if made.known or made.changed or made.copies:
        st.dataframe(
            imports_preview.plan_frame(made, chosen),
            hide_index=True,
            placeholder="—",
            alt="What will become of each file",
        )


def plan_words(made: Preplan) -> str:
    """Return a plan in words."""
    left_out = sum(map(len, made.left_out.values()))
    parts = [
        f"{count(len(made.new), 'new file')}" if made.new else "nothing new",
        f"{len(made.changed):,} changed" if made.changed else "",
        f"{len(made.known):,} there already" if made.known else "",
        f"{count(len(made.copies), 'copy', 'copies')}" if made.copies else "",
        f"{left_out:,} left out" if left_out else "",
    ]
    return ", ".join(filter(None, parts))


def start_button(order: Order, chosen: Chosen, data: Path, problems: tuple[str, ...]) -> None:
    """Show the button that starts the import, or why it cannot start."""
    other = imports_run.running_into(data, order.name)
    if other is not None:
        problems = (*problems, f"An import into {order.name} is at work: start this one when it has ended.")
    for problem in problems:
        st.caption(f":material/block: {escape(problem)}")
    st.button(
        f"Import into {escape(order.name)}",
        key="imports_start",
        type="primary",
        icon=":material/download:",
        disabled=bool(problems),
        on_click=_start,
        args=(order, chosen, data),
    )


def _start(order: Order, chosen: Chosen, data: Path) -> None:
    try:
        imports_run.start(order, chosen.place or imports_place.new_place(data))
    except (OSError, ReasonScapeError) as fault:
        st.session_state["_imports_fault"] = str(fault)
        return
    imports_source.forget()


def fault() -> str | None:
    """Return why the import that was asked for did not start, once."""
    found: str | None = st.session_state.pop("_imports_fault", None)
    return found


def command_line(order: Order, chosen: Chosen) -> str:
    """Return the command that does the same; an upload by the names of its files."""
    sources = order.sources
    if chosen.place is not None:
        folder = chosen.sources[0]
        inside = sorted(folder.iterdir()) if str(folder) in sources else map(Path, sources)
        sources = tuple(str(path.relative_to(folder)) for path in inside)
    named = replace(order, sources=sources)
    arguments = named.arguments(Path("data"), Path(f"{order.name}.mapping.json"))
    return shlex.join(["python", "-m", "core", *arguments])
