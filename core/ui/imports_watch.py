"""Imports at work and the reports of those that ended; whoever opens the page finds them again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import ReasonScapeError
from core.store.dataset import fingerprint
from core.ui import coverage_table, datasets, imports_place, imports_run, sidebar, states
from core.ui.imports_run import Run, State
from core.ui.wording import count, escape, listed

EVERY = 1.0
"""Seconds between two looks at an import."""


def show(data: Path) -> None:
    """Show the imports of a data folder: those at work, then the latest report."""
    runs = imports_run.find_runs(data)
    seen = [(run, imports_run.state_of(run)) for run in runs]
    at_work = [run for run, state in seen if state.alive]
    ended = [(run, state) for run, state in seen if not state.alive]
    for run in at_work:
        _watch(run)
    if ended and not at_work:
        _ended(data, *ended[0])
    for run, _ in ended[1:]:
        imports_place.remove(run.folder)


@st.fragment(run_every=EVERY)
def _watch(run: Run) -> None:
    state = imports_run.state_of(run)
    if not state.alive:
        st.rerun(scope="app")
    with st.container(border=True):
        st.markdown(f"**Importing {escape(run.order.shown)} into {escape(run.order.name)}**")
        share = min(1.0, state.done / state.total) if state.total else 0.0
        st.progress(share, text=escape("Stopping …" if state.cancelled else progress_words(state)))
        st.button(
            "Cancel",
            key=f"cancel {run.folder.name}",
            icon=":material/cancel:",
            on_click=imports_run.cancel,
            args=(run,),
            disabled=state.cancelled,
            help="The dataset stays as it was.",
        )


def progress_words(state: State) -> str:
    """Return how far an import is, in words."""
    read = f": {state.done / 1e6:,.1f} of {state.total / 1e6:,.1f} MB" if state.total else ""
    reading = state.step == "Reading records"
    return f"{state.step}{read if reading else ''} · {state.seconds:,.0f} s"


def _ended(data: Path, run: Run, state: State) -> None:
    with st.container(border=True):
        if state.report is None:
            st.markdown(
                f"**The import of {escape(run.order.shown)} into {escape(run.order.name)} ended early**"
            )
            states.error(state.error)
            _close(run)
            return
        report = state.report
        st.markdown(f"**{escape(headline(report, run))}**")
        rows = report_frame(report, prefix=str(run.folder / imports_place.FILES) + "/")
        if len(rows):
            st.dataframe(
                rows,
                hide_index=True,
                placeholder="—",
                alt="What the import left out, what it remarks on, and what it added to the config",
            )
        with st.container(horizontal=True, gap="small"):
            st.button(
                f"Open {escape(run.order.name)}",
                key=f"open {run.folder.name}",
                type="primary",
                icon=":material/leaderboard:",
                on_click=_open,
                args=(run.order.name,),
            )
            text = imports_run.report_text(run)
            st.download_button(
                "Report",
                text,
                file_name=f"{run.order.name}_import.txt",
                mime="text/plain",
                key=f"report {run.folder.name}",
                icon=":material/download:",
                on_click="ignore",
            )
            _close(run)
        _works(data, run.order.name)


def _close(run: Run) -> None:
    st.button(
        "Close",
        key=f"close {run.folder.name}",
        icon=":material/close:",
        on_click=imports_place.remove,
        args=(run.folder,),
    )


def _open(name: str) -> None:
    sidebar.clear()
    st.session_state[datasets.KEY] = name
    st.switch_page("pages/scores.py")


def _works(data: Path, name: str) -> None:
    config = data / f"{name}.json"
    try:
        rows = coverage_table.coverage(datasets.opened(config, data, fingerprint(config, data)))
    except (ReasonScapeError, OSError) as fault:
        states.error(fault)
        return
    st.caption(f"Which pages work with {escape(name)}: {escape(coverage_table.sentence(rows))}")
    coverage_table.show(rows)


def headline(report: Mapping[str, Any], run: Run) -> str:
    """Return what an import came to in one sentence."""
    if not report["changed"]:
        return f"Nothing new in {run.order.shown}: {run.order.name} was not changed"
    skipped = report["read"] - report["kept"]
    left = f", {skipped:,} skipped" if skipped else ""
    return (
        f"{run.order.shown}: {count(report['kept'], 'record')} of {report['read']:,} imported{left};"
        f" {run.order.name} now has {count(report['completions'], 'completion')} of"
        f" {count(report['items'], 'item')} ({report['seconds']:.1f} s)"
    )


def report_frame(report: Mapping[str, Any], *, prefix: str) -> pd.DataFrame:
    """Return the details of a report as rows: what, how often, where.

    Parameters
    ----------
    prefix : str
        The folder of an upload, which says nothing to a reader.
    """
    rows: list[tuple[str, str, int | None, str | None]] = []
    for reason, paths in report["files_left_out"].items():
        rows.append(("file left out", reason, len(paths), _places(paths, prefix)))
    if report["known"]:
        rows.append(("file", "there already", report["known"], None))
    if report["replaced"]:
        rows.append(("file", "changed, replaced", report["replaced"], None))
    for reason, times in sorted(report["skipped"].items(), key=lambda pair: -pair[1]):
        rows.append(("record skipped", reason, times, _places(report["places"].get(reason, []), prefix)))
    for what, details in report["remarks"].items():
        for detail, mention in list(details.items())[:20]:
            words = what if not detail else f"{what}: {detail}"
            rows.append(("note", words.replace(prefix, ""), mention["times"], None))
    if added := report["config_added"]:
        rows.append(("added to the config", listed(added, 8), len(added), None))
    frame = pd.DataFrame(rows, columns=["kind", "what", "times", "first places"])
    return frame.astype({"times": "Int64"})


def _places(places: list[str], prefix: str) -> str | None:
    return ", ".join(str(place).replace(prefix, "") for place in places[:5]) or None
